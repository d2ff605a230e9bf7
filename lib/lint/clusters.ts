import { list, object } from '../core/validation/collections';
import { text } from '../core/validation/values';
import type { ManifestObject } from './object';

/**
 * Files that describe one cluster, in a run over those of several.
 *
 * @example { name: 'blue', roots: ['rendered/blue'] }
 */
export interface ClusterFiles {
  /** As findings and counts name it. */
  readonly name: string;
  /** Files, and folders with all that is below them, as objects name them. */
  readonly roots: readonly string[];
}

export const clusterFiles = object<ClusterFiles>({
  name: text('a name'),
  roots: list(text('the path of a file or folder')),
});

/** What is checked together. */
export interface ClusterObjects {
  /** Name of the cluster. @default - there is only one */
  readonly name?: string;
  /** Objects of this cluster alone. */
  readonly own: readonly ManifestObject[];
  /** Objects that belong to this cluster and to others: those of the folders around it. */
  readonly shared: readonly ManifestObject[];
}

/**
 * Folders and files that describe clusters of their own: no cluster has the same object twice, so where two files have the
 * same apiVersion, kind, namespace and name, their paths part at the clusters. Without such objects there is one cluster,
 * and the list is empty.
 *
 * A Namespace is left out: several charts of one cluster may each bring it.
 */
export function clustersByTwins(objects: readonly ManifestObject[]): readonly ClusterFiles[] {
  const filesOf = new Map<string, Set<string>>();
  for (const { apiVersion, kind, namespace = '', name, source } of objects) {
    if (source === undefined || name === '' || (kind === 'Namespace' && apiVersion === 'v1')) {
      continue;
    }
    const key = JSON.stringify([apiVersion, kind, namespace, name]);
    const files = filesOf.get(key);
    if (files) {
      files.add(source.file);
    } else {
      filesOf.set(key, new Set([source.file]));
    }
  }
  const roots = new Set<string>();
  for (const files of filesOf.values()) {
    if (files.size > 1) {
      addPartings([...files].map(stepsOf), roots);
    }
  }
  const all = [...roots].sort();
  const common = commonSteps(all.map(stepsOf));
  return all.map((root) => ({ name: stepsOf(root).slice(common).join('/'), roots: [root] }));
}

/** Where paths part, the folder or file of each. */
function addPartings(paths: readonly (readonly string[])[], roots: Set<string>, depth = 0): void {
  const byStep = new Map<string, (readonly string[])[]>();
  for (const path of paths) {
    const same = byStep.get(path[depth]!) ?? [];
    byStep.set(path[depth]!, same);
    same.push(path);
  }
  for (const same of byStep.values()) {
    if (byStep.size > 1) {
      same.forEach((path) => roots.add(path.slice(0, namedLength(path, depth)).join('/')));
    }
    if (same.length > 1 && same[0]!.length > depth + 1) {
      addPartings(same, roots, depth + 1);
    }
  }
}

/** Up to the first step that names something: `..` and the root of all do not. */
function namedLength(path: readonly string[], depth: number): number {
  const named = path.findIndex((step, position) => position >= depth && step !== '..' && step !== '');
  return named < 0 ? depth + 1 : named + 1;
}

function commonSteps(paths: readonly (readonly string[])[]): number {
  const [first = [], ...others] = paths;
  const length = first.findIndex((step, position) => others.some((other) => other[position] !== step));
  return length < 0 ? 0 : length;
}

/** `./blue/` is `blue`; the root of all begins with an empty step. */
function stepsOf(path: string): readonly string[] {
  return path.split(/[\\/]/).filter((step, position) => step !== '.' && (step !== '' || position === 0));
}

/**
 * How many objects are checked in all, at most, for each that there is: with thousands of clusters in one folder, what they
 * share is checked separately.
 */
const mostTimes = 10;

/**
 * The objects of each cluster, with those that lie around it: `rendered/crds.yaml` belongs to `rendered/blue` and to
 * `rendered/green`.
 */
export function splitByCluster(
  objects: readonly ManifestObject[],
  clusters: readonly ClusterFiles[],
): readonly ClusterObjects[] {
  if (clusters.length === 0) {
    return [{ own: objects, shared: [] }];
  }
  const nameOf = namesByRoot(clusters);
  const around: ManifestObject[] = [];
  const own = new Map<string, ManifestObject[]>(clusters.map(({ name }) => [name, []]));
  for (const object of objects) {
    const root = innermost(object.source?.file, nameOf);
    (root === undefined ? around : own.get(nameOf.get(root)!)!).push(object);
  }
  const outerOf = new Map(
    clusters
      .filter(({ name }) => own.get(name)!.length > 0)
      .map(({ name, roots }) => [name, outer(name, roots, nameOf)]),
  );
  const isOuter = new Set([...outerOf.values()].flat());
  const parts = clusters
    .map(({ name }) => ({
      ...{ name, own: own.get(name)! },
      shared: [...around, ...(outerOf.get(name) ?? []).flatMap((each) => own.get(each)!)],
    }))
    .filter((part) => part.own.length > 0 && !isOuter.has(part.name));
  const total = parts.reduce((sum, part) => sum + part.own.length + part.shared.length, 0);
  const split = total <= mostTimes * objects.length ? parts : parts.map((part) => ({ ...part, shared: [] }));
  // What no cluster of these has, or two that lie around each other.
  const inPart = new Set(split.flatMap((part) => [...part.own, ...part.shared]));
  const rest = objects.filter((object) => !inPart.has(object));
  return [...(rest.length > 0 ? [{ own: rest, shared: [] }] : []), ...split];
}

function namesByRoot(clusters: readonly ClusterFiles[]): ReadonlyMap<string, string> {
  return new Map(
    clusters.flatMap(({ name, roots }) => roots.map((root) => [stepsOf(root).join('/'), name] as const)),
  );
}

/** The innermost root that a file is below, or is. */
function innermost(file: string | undefined, roots: ReadonlyMap<string, unknown>): string | undefined {
  if (file === undefined) {
    return undefined;
  }
  const steps = stepsOf(file);
  for (let length = steps.length; length >= 0; length -= 1) {
    const root = steps.slice(0, length).join('/');
    if (roots.has(root)) {
      return root;
    }
  }
  return undefined;
}

/** Other clusters around one: a folder of one may hold those of others. */
function outer(
  name: string,
  roots: readonly string[],
  nameOf: ReadonlyMap<string, string>,
): readonly string[] {
  const around = roots
    .map(stepsOf)
    .flatMap((steps) => steps.flatMap((_, length) => nameOf.get(steps.slice(0, length).join('/')) ?? []));
  return [...new Set(around)].filter((each) => each !== name);
}

/**
 * The objects before a change that belong to a cluster of now: by their files, or, of another folder, by the cluster of the
 * same name there.
 */
export function splitBefore(
  before: readonly ManifestObject[],
  clusters: readonly ClusterFiles[],
): readonly ClusterObjects[] {
  const roots = namesByRoot(clusters);
  const hasSameFiles = before.some(({ source }) => innermost(source?.file, roots) !== undefined);
  return splitByCluster(before, hasSameFiles ? clusters : clustersByTwins(before));
}
