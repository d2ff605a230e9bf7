import { existsSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { Problems } from '../../../core/validation/problems';
import type { ClusterFiles } from '../../../lint';
import { inTree } from './git-files';
import { shownPath, standardInput } from './inputs';

/** A cluster as the command line gives it. */
interface Given {
  readonly name: string;
  readonly path: string;
}

/** What `--cluster` comes to. */
export interface GivenClusters {
  readonly clusters: readonly ClusterFiles[];
  /** Paths without manifests, a line each. */
  readonly notes: readonly string[];
}

/**
 * The clusters that `--cluster` names.
 *
 * @param given `NAME=PATH`, or a path alone, which is the name, too; a name that comes again has further paths
 * @param files that are checked, as findings name them
 * @param paths in which they were looked for: one below them without manifests is passed over
 * @param command that takes the flag
 * @throws InvalidInput for a path that is not there, is not among what is checked, or which two clusters have, and where
 *   nothing is checked below any of them
 */
export function givenClusters(
  given: readonly string[],
  files: readonly string[],
  paths: readonly string[],
  command: 'lint' | 'harden',
): GivenClusters {
  const problems = new Problems(command);
  const clusters = new Map<string, string[]>();
  const empty: Given[] = [];
  const earlier: Given[] = [];
  for (const text of given) {
    const cluster = parsed(text);
    if (cluster.name === '' || cluster.path === '') {
      problems.add('--cluster', text, 'NAME=PATH, or a PATH');
      continue;
    }
    const other = earlier.find((each) => each.name !== cluster.name && overlap(each.path, cluster.path));
    const roots = rootsOf(cluster.path, files);
    if (other) {
      problems.add('--cluster', text, `apart from the files of ${other.name}, ${other.path}`);
    } else if (roots.length > 0) {
      clusters.set(cluster.name, [...(clusters.get(cluster.name) ?? []), ...roots]);
    } else if (holdsNothing(cluster.path, paths)) {
      empty.push(cluster);
    } else {
      problems.add('--cluster', text, missing(cluster.path));
    }
    earlier.push(cluster);
  }
  if (clusters.size === 0) {
    empty.forEach(({ path }) => problems.add('--cluster', path, missing(path)));
  }
  problems.throwIfAny();
  return {
    clusters: [...clusters].map(([name, roots]) => ({ name, roots: [...new Set(roots)] })),
    notes: empty.map(({ path }) => `--cluster ${path}: passed over: there are no manifests`),
  };
}

/** Whether a path lies below those that are checked, as one of `charts/*` that is no chart. */
function holdsNothing(path: string, paths: readonly string[]): boolean {
  return (
    path !== '-' &&
    existsSync(path) &&
    paths.some((each) => each !== '-' && isWithin(resolve(each), resolve(path)))
  );
}

/** A path may have `=` in it behind a name, and without one nowhere. */
function parsed(text: string): Given {
  const end = text.indexOf('=');
  return end < 0 ? { name: text, path: text } : { name: text.slice(0, end), path: text.slice(end + 1) };
}

function overlap(one: string, other: string): boolean {
  return isWithin(resolve(one), resolve(other)) || isWithin(resolve(other), resolve(one));
}

function isWithin(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
}

function missing(path: string): string {
  return path === '-' || existsSync(path)
    ? 'a file or folder among the PATHs: no file that is checked is below it'
    : 'a file or folder among the PATHs: it does not exist';
}

/** A path as the files below it are named; of the working folder, what is directly in it. */
function rootsOf(path: string, files: readonly string[]): readonly string[] {
  if (path === '-') {
    return files.filter((file) => file === standardInput);
  }
  const root = resolve(path);
  const below = files.filter((file) => file !== standardInput && isWithin(root, resolve(file)));
  const roots = below.map((file) => {
    const rest = relative(root, resolve(file));
    const start = rest === '' ? file : file.slice(0, -rest.length - 1);
    return start === '' ? file.split(sep)[0]! : start;
  });
  return [...new Set(roots)].map((each) => each.split(sep).join('/'));
}

/**
 * The same clusters with the places that their files had before a change: `old/blue` beside `rendered/blue` where `rendered`
 * is checked against `old`, `main:rendered/blue` against a commit.
 *
 * @param paths that are checked
 * @param baseline a folder, or a commit
 */
export function withOlderFiles(
  clusters: readonly ClusterFiles[],
  paths: readonly string[],
  baseline: string,
): readonly ClusterFiles[] {
  const folders = paths.filter((path) => path !== '-').map((path) => resolve(path));
  const inFolder = (root: string): readonly string[] =>
    folders
      // The whole older folder is of no cluster more than of the others.
      .filter((folder) => folder !== root && isWithin(folder, root))
      .map((folder) => join(shownPath(baseline), relative(folder, root)));
  const inCommit = (root: string): readonly string[] => {
    const place = inTree(root);
    return place ? [`${baseline}:${place.inside}`] : [];
  };
  const before = existsSync(baseline) ? inFolder : inCommit;
  return clusters.map(({ name, roots }) => {
    const older = roots.filter((root) => root !== standardInput).flatMap((root) => before(resolve(root)));
    return { name, roots: [...roots, ...older.map((each) => each.split(sep).join('/'))] };
  });
}
