import { lstatSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { stringify } from 'yaml';
import { entriesBelow, readBounded } from '../../core/files/read';
import { makeFolders, writeBelow } from '../../core/files/write';
import { InvalidInput } from '../../core/validation/problems';
import { unknownText } from './plan';
import type { PreviewPlan, PlannedResource } from './plan';
import { urnParts } from './wire';

/** Stands in a manifest for a value that only a deployment knows. */
export const unknownInManifest = '[unknown until deployment]';

/** A file to be written, with its path below the folder. */
export interface WrittenFile {
  /** Folder and file: `blue/deployment-podinfo-frontend.yaml`. */
  readonly path: string;
  /** The text. */
  readonly text: string;
}

const release = /^kubernetes:helm\.sh\/(v3:Release|v4:Chart)$/;

/** Longest name of a file or folder, in bytes, with room for a number: file systems allow 255. */
const longestName = 200;

/**
 * The Kubernetes objects of a plan as YAML files: a folder for each Kubernetes provider, named after it
 * (`default` without one), a file for each object, and one for each Helm chart with its values.
 */
export function manifestFiles(plan: PreviewPlan): WrittenFile[] {
  const taken = new Set<string>();
  const folders = new Map<string | null, string>();
  return plan.resources.filter(isManifest).map((resource) => {
    const folder =
      folders.get(resource.provider) ?? free(taken, safeName(providerName(resource.provider)), '');
    folders.set(resource.provider, folder);
    const isRelease = release.test(resource.type);
    const name = isRelease ? `release-${releaseName(resource)}` : objectName(resource);
    return {
      path: `${folder}/${free(taken, safeName(name), '.yaml', `${folder}/`)}`,
      text: isRelease ? releaseText(resource) : objectText(resource),
    };
  });
}

function isManifest({ type, kind, inputs }: PlannedResource): boolean {
  return (
    release.test(type) ||
    (kind === 'custom' &&
      type.startsWith('kubernetes:') &&
      typeof inputs['apiVersion'] === 'string' &&
      typeof inputs['kind'] === 'string')
  );
}

function providerName(urn: string | null): string {
  return urn === null ? 'default' : urnParts(urn).name;
}

function objectName({ name, inputs }: PlannedResource): string {
  const metadata = (inputs['metadata'] ?? {}) as Readonly<Record<string, unknown>>;
  // An object without a name of its own gets one at deployment, made from the resource's.
  const own = knownText(metadata['name']) ?? name;
  return [inputs['kind'], knownText(metadata['namespace']), own].filter(Boolean).join('-');
}

function releaseName({ name, inputs }: PlannedResource): string {
  return knownText(inputs['name']) ?? name;
}

function knownText(value: unknown): string | undefined {
  return typeof value === 'string' && !value.startsWith('[') ? value : undefined;
}

function releaseText(resource: PlannedResource): string {
  const { chart, version, repositoryOpts, namespace, values } = resource.inputs;
  const repository = (repositoryOpts as { repo?: unknown } | undefined)?.repo;
  return [
    '# A Helm chart. Its objects are not known: only Helm makes them, from these values.',
    yaml({ name: releaseName(resource), namespace, chart, version, repository, values: values ?? {} }),
  ].join('\n');
}

/** In the order in which people write objects. */
function objectText({ inputs: { apiVersion, kind, metadata, ...rest } }: PlannedResource): string {
  return yaml({ apiVersion, kind, metadata, ...rest });
}

function yaml(object: Readonly<Record<string, unknown>>): string {
  return stringify(withPlaceholders(object), { lineWidth: 0, aliasDuplicateObjects: false });
}

function withPlaceholders(value: unknown): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(unknownText, unknownInManifest);
  }
  if (Array.isArray(value)) {
    return value.map(withPlaceholders);
  }
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(
        Object.entries(value)
          .filter(([, below]) => below !== undefined)
          .map(([key, below]) => [key, withPlaceholders(below)]),
      )
    : value;
}

/** A name that every file system takes, and that stays in its folder. */
function safeName(name: string): string {
  const safe = name
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, '-')
    .replace(/^[.-]+|(?<![.-])[.-]+$/g, '')
    .slice(0, longestName);
  return safe === '' ? 'unnamed' : safe;
}

/** The name, with a number where another file has it already. */
function free(taken: Set<string>, name: string, ending: string, folder = ''): string {
  let found = `${name}${ending}`;
  for (let number = 2; taken.has(folder + found); number += 1) {
    found = `${name}-${number}${ending}`;
  }
  taken.add(folder + found);
  return found;
}

/** Names the files that a preview wrote, so that the next one may replace them, and nothing else. */
export const listFile = '.cluster-canary-preview.json';

/** How many foreign files an error names. */
const namedFiles = 5;

/**
 * Writes manifests into a folder of their own, all or none: they are written beside it and take its place at
 * once. Files of an earlier preview are replaced.
 *
 * @throws InvalidInput where the folder holds anything that no preview wrote; nothing is written then
 */
export function writeManifests(folder: string, files: readonly WrittenFile[]): void {
  const target = resolve(folder);
  refuseForeignFiles(folder, target);
  makeFolders(dirname(target));
  const beside = mkdtempSync(join(dirname(target), `.${basename(target)}-`));
  const [fresh, old] = [join(beside, 'new'), join(beside, 'old')];
  try {
    const list = { schemaVersion: 1, files: files.map(({ path }) => path) };
    writeBelow(fresh, [...files, { path: listFile, text: `${JSON.stringify(list, null, 2)}\n` }]);
    const existed = lstatSync(target, { throwIfNoEntry: false }) !== undefined;
    if (existed) {
      renameSync(target, old);
    }
    try {
      renameSync(fresh, target);
    } catch (error) {
      if (existed) {
        renameSync(old, target);
      }
      throw error;
    }
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
}

function refuseForeignFiles(shown: string, target: string): void {
  const found = lstatSync(target, { throwIfNoEntry: false });
  if (found === undefined) {
    return;
  }
  if (!found.isDirectory()) {
    throw new InvalidInput('preview', [{ path: '--out', value: shown, allowed: 'a folder, or nothing yet' }]);
  }
  const own = new Set([listFile, ...listedFiles(target)]);
  const foreign = entriesBelow(target).flatMap(({ path }) => (own.has(slashed(path)) ? [] : [slashed(path)]));
  if (foreign.length > 0) {
    const more = foreign.length > namedFiles ? ` and ${foreign.length - namedFiles} more` : '';
    throw new InvalidInput('preview', [
      {
        path: '--out',
        value: shown,
        allowed: `an empty folder, or one that holds nothing but an earlier preview's files; not from a preview: ${foreign
          .slice(0, namedFiles)
          .join(', ')}${more}`,
      },
    ]);
  }
}

/** As the list has it on every system. */
function slashed(path: string): string {
  return path.split(sep).join('/');
}

function listedFiles(target: string): string[] {
  try {
    const { files } = JSON.parse(
      readBounded(join(target, listFile), { refuseLink: true }).toString('utf8'),
    ) as { files?: unknown };
    return Array.isArray(files) ? files.filter((each): each is string => typeof each === 'string') : [];
  } catch {
    // Without a list nothing in the folder is ours.
    return [];
  }
}
