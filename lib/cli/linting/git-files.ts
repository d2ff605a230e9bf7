import { spawnSync } from 'node:child_process';
import { realpathSync, statSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import { InvalidInput } from '../../problems';
import type { JudgedObject, Unreadable } from '../../rules';
import { decodeText, readManifests } from '../../rules';
import { blobsAtOnce, blobsOf } from './git-blobs';

/** Objects of an older state. */
export interface OlderObjects {
  readonly objects: readonly JudgedObject[];
  readonly unreadable: readonly Unreadable[];
}

const manifest = /\.(?:ya?ml|json)$/i;

/** A repository on a disk answers at once; a broken one must not hold the command up. In milliseconds. */
const patience = 60_000;

/**
 * The objects of the same paths at a commit.
 *
 * @param ref branch, tag or commit
 * @throws InvalidInput where git does not know it, or a path is not in a repository
 */
export function readGitFiles(ref: string, paths: readonly string[]): OlderObjects {
  const objects: JudgedObject[] = [];
  const unreadable: Unreadable[] = [];
  for (const [root, inRoot] of byRepository(paths)) {
    const commit = commitOf(root, ref);
    const entries = listed(root, commit, inRoot);
    const isTemplate = templatesOf(entries.map(({ path }) => path));
    for (const [path, bytes] of contents(root, entries)) {
      const file = `${ref}:${path}`;
      const content = decodeText(bytes);
      if ('reason' in content) {
        unreadable.push({ file, reason: content.reason });
        continue;
      }
      if (isTemplate(path) && content.text.includes('{{')) {
        continue;
      }
      const manifests = readManifests(content.text, { file, read: () => content.text });
      manifests.objects.forEach((object) => objects.push(object));
      unreadable.push(...manifests.unreadable);
    }
  }
  return { objects, unreadable };
}

/** The paths by the repository that they are in, relative to its root. */
function byRepository(paths: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const path of paths) {
    const folder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ? path : dirname(path);
    const root = git(folder, ['rev-parse', '--show-toplevel'])
      .toString()
      .replace(/\r?\n$/, '');
    const inside = relative(realpathSync(root), realpathOf(path)).split(sep).join('/');
    found.set(root, [...(found.get(root) ?? []), inside]);
  }
  return found;
}

function realpathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

function commitOf(root: string, ref: string): string {
  // A name that begins with a dash is a name all the same.
  const found = run(root, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`]);
  if (found.status !== 0) {
    throw new InvalidInput('lint', [
      { path: '--against', value: ref, allowed: 'a folder, a file, or a commit that git knows' },
    ]);
  }
  return found.stdout.toString().trim();
}

interface Entry {
  readonly id: string;
  readonly path: string;
}

function* contents(
  root: string,
  entries: readonly Entry[],
): Iterable<readonly [path: string, bytes: Buffer]> {
  for (let first = 0; first < entries.length; first += blobsAtOnce) {
    const some = entries.slice(first, first + blobsAtOnce);
    const output = git(root, ['cat-file', '--batch'], some.map(({ id }) => `${id}\n`).join(''));
    const blobs = blobsOf(output, some.length);
    yield* some.map(({ path }, position) => [path, blobs[position]!] as const);
  }
}

/** Whether a file is a template of one of the charts among the paths, as in a folder on the disk. */
function templatesOf(paths: readonly string[]): (path: string) => boolean {
  const charts = paths.flatMap((path) => {
    const [, folder] = /^(.*\/|)Chart\.yaml$/.exec(path) ?? [];
    return folder === undefined ? [] : [`${folder}templates/`];
  });
  return (path) => charts.some((folder) => path.startsWith(folder));
}

function listed(root: string, commit: string, paths: readonly string[]): Entry[] {
  const wanted = paths.includes('') ? [] : paths;
  const entries = git(root, ['ls-tree', '-r', '-z', '--full-tree', commit, '--', ...wanted]);
  return entries
    .toString()
    .split('\0')
    .flatMap((entry) => {
      const [, mode = '', id = '', path = ''] = /^(\d+) blob ([0-9a-f]+)\t([^]*)$/.exec(entry) ?? [];
      // A link's content is only where it leads.
      const isFile = mode.startsWith('100');
      const isNamed = wanted.includes(path);
      return isFile && (isNamed || manifest.test(path)) ? [{ id, path }] : [];
    });
}

/** @throws InvalidInput with what git says */
function git(folder: string, args: readonly string[], input = ''): Buffer {
  const { status, stdout, stderr, error } = run(folder, args, input);
  if (status !== 0) {
    const said = error ? error.message : stderr.toString().trim().replace(/\s+/g, ' ');
    throw new InvalidInput('lint', [{ path: '--against', allowed: `something that git can read: ${said}` }]);
  }
  return stdout;
}

function run(
  folder: string,
  args: readonly string[],
  input = '',
): { status: number | null; stdout: Buffer; stderr: Buffer; error?: Error } {
  return spawnSync('git', ['--no-pager', ...args], {
    cwd: folder,
    input,
    env: { ...process.env, GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' },
    maxBuffer: 2 ** 30,
    timeout: patience,
  });
}
