import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { ProgramEnd } from '../../../core/process/run-program';
import { InvalidInput } from '../../../core/validation/problems';
import { decodeText, readManifests } from '../../../lint';
import type { ManifestObject, ReadManifests, UnreadableDocument } from '../../../lint';
import { KeptValues } from './kept-values';
import { KustomizePatches, kustomization } from './kustomize-patches';
import { batches, blobsOf, runGit, tooLargeReason } from './run-git';

/** A path in a working tree of git. */
export interface PathInTree {
  /** The folder that has the `.git`, without a link on the way. */
  readonly top: string;
  /** The path below it, with `/`; empty for the top itself. */
  readonly inside: string;
}

/**
 * Where a path is in a working tree. Folders are asked upwards for a `.git`; git itself would take every folder for a
 * repository that is laid out as one.
 *
 * @returns nothing where it is in none
 */
export function inTree(path: string): PathInTree | undefined {
  const real = realPath(resolve(path));
  for (let folder = real; ; folder = dirname(folder)) {
    if (hasRepository(folder)) {
      return { top: folder, inside: relative(folder, real).split(sep).join('/') };
    }
    if (folder === dirname(folder)) {
      return undefined;
    }
  }
}

/** A folder of git, or a file that says where it is: of a worktree, of a submodule. */
function hasRepository(folder: string): boolean {
  const repository = join(folder, '.git');
  return isThere(repository, 'isFile') || isThere(join(repository, 'HEAD'), 'isFile', 'isSymbolicLink');
}

function isThere(path: string, ...kinds: readonly ('isFile' | 'isSymbolicLink')[]): boolean {
  try {
    const found = lstatSync(path);
    return kinds.some((kind) => found[kind]());
  } catch {
    return false;
  }
}

/** Of what is gone, as far as it is still there. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realPath(above), relative(above, path));
  }
}

/** Objects of an older state. */
export interface OlderObjects {
  readonly objects: readonly ManifestObject[];
  readonly unreadable: readonly UnreadableDocument[];
}

const isManifest = (path: string): boolean =>
  /\.(?:ya?ml|json)$/i.test(path) || kustomization.test(basename(path));

/**
 * The objects of the same paths at a commit.
 *
 * @param ref branch, tag or commit
 * @throws InvalidInput where git does not know it, or a path is not in a repository
 */
export async function readGitFiles(ref: string, paths: readonly string[]): Promise<OlderObjects> {
  const objects: ManifestObject[] = [];
  const unreadable: UnreadableDocument[] = [];
  const kept = new KeptValues();
  let length = 0;
  for (const [root, inRoot] of await byRepository(paths)) {
    const commit = await commitOf(root, ref);
    const entries = await listed(root, commit, inRoot);
    refuseMissing(ref, entries);
    const isTemplate = templatesOf(entries.map(({ path }) => path));
    const readable = entries.filter(({ path, size }) => {
      const reason = tooLargeReason(size, length);
      if (reason !== undefined) {
        unreadable.push({ file: `${ref}:${path}`, reason: `not read: ${reason}` });
        return false;
      }
      length += size;
      return true;
    });
    const kustomize = new KustomizePatches();
    const manifests = new Map<string, ReadManifests>();
    for await (const [path, bytes] of contents(root, readable)) {
      const file = `${ref}:${path}`;
      const content = kept.problem ? { reason: `not read: ${kept.problem}` } : decodeText(bytes);
      if ('reason' in content) {
        unreadable.push({ file, reason: content.reason });
        continue;
      }
      if (isTemplate(path) && content.text.includes('{{')) {
        continue;
      }
      kustomize.read([resolve(root, path)], content.text);
      const read = readManifests(content.text, { file, read: () => content.text });
      kept.add(read.objects);
      manifests.set(path, read);
    }
    for (const [path, read] of manifests) {
      if (kustomize.usedBy([resolve(root, path)]) === undefined) {
        // One by one: a file may hold more objects than a call takes arguments.
        read.objects.forEach((object) => objects.push(object));
        unreadable.push(...read.unreadable);
      }
    }
  }
  return { objects, unreadable };
}

/** Whether a text names a commit where the paths are. */
export async function isCommit(ref: string, paths: readonly string[]): Promise<boolean> {
  for (const path of paths) {
    const { top } = inTree(path) ?? {};
    if (top !== undefined && (await knownCommit(top, ref)).id !== undefined) {
      return true;
    }
  }
  return false;
}

/** The paths by the repository that they are in, relative to its root. */
async function byRepository(paths: readonly string[]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const path of paths) {
    const place = inTree(path);
    if (place === undefined) {
      throw new InvalidInput('lint', [
        { path: '--baseline', allowed: `a folder or a file: ${path} is in no working tree of git` },
      ]);
    }
    const { top, inside } = place;
    const known = found.get(top);
    if (known === undefined) {
      await refuseOther(top);
    }
    found.set(top, [...(known ?? []), inside]);
  }
  return found;
}

/** A git before 2.38 takes the folder itself for a repository where what its `.git` holds is none. */
async function refuseOther(top: string): Promise<void> {
  const answer = await git(top, ['rev-parse', '--absolute-git-dir']);
  const repository = answer.toString().trimEnd();
  if (realpathSync(repository) === top) {
    throw new InvalidInput('lint', [
      { path: '--baseline', allowed: `something that git can read: what ${top}/.git holds is no repository` },
    ]);
  }
}

async function commitOf(root: string, ref: string): Promise<string> {
  const { id, failure } = await knownCommit(root, ref);
  if (failure !== undefined) {
    throw notRead(failure);
  }
  if (id === undefined) {
    throw new InvalidInput('lint', [
      {
        path: '--baseline',
        value: ref,
        allowed: `a folder, a file, or a commit that git knows${whyUnknown(root)}`,
      },
    ]);
  }
  return id;
}

/** A shallow clone lacks what a full one has: checkouts of a CI are often shallow. */
function whyUnknown(top: string): string {
  return existsSync(join(top, '.git', 'shallow'))
    ? ': this clone is shallow; with actions/checkout, set fetch-depth: 0'
    : '';
}

async function knownCommit(root: string, ref: string): Promise<KnownCommit> {
  // A name that begins with a dash is a name all the same.
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`];
  const end = await runGit(root, args);
  // `^main` gives what is not to be among the commits.
  const [id] = /^[0-9a-f]{40,64}$/.exec(end.stdout.toString().trim()) ?? [];
  if (end.how !== 'exited') {
    return { failure: whyNot(end) };
  }
  return end.status === 0 && id !== undefined ? { id } : {};
}

interface KnownCommit {
  readonly id?: string;
  /** Where git did not run to its end. */
  readonly failure?: string;
}

interface Entry {
  readonly id: string;
  readonly path: string;
  /** In bytes; none where the repository lacks the file. */
  readonly size: number;
}

/** A clone may be partial; what it lacks is not fetched from where it says. */
function refuseMissing(ref: string, entries: readonly Entry[]): void {
  const missing = entries.filter(({ size }) => Number.isNaN(size));
  if (missing.length > 0) {
    const [{ path }] = missing as [Entry];
    const more = missing.length > 1 ? ` and ${missing.length - 1} more` : '';
    throw new InvalidInput('lint', [
      {
        path: '--baseline',
        value: ref,
        allowed: `a commit whose files this clone has; it lacks ${path}${more}, and nothing is fetched`,
      },
    ]);
  }
}

async function* contents(
  root: string,
  entries: readonly Entry[],
): AsyncIterable<readonly [path: string, bytes: Buffer]> {
  for (const some of batches(entries)) {
    const output = await git(root, ['cat-file', '--batch'], some.map(({ id }) => `${id}\n`).join(''));
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

async function listed(root: string, commit: string, paths: readonly string[]): Promise<Entry[]> {
  const wanted = paths.includes('') ? [] : paths;
  const entries = await git(root, ['ls-tree', '-r', '-l', '-z', '--full-tree', commit, '--', ...wanted]);
  return entries
    .toString()
    .split('\0')
    .flatMap((entry) => {
      // A file that is missing has `BAD` for its size.
      const [, mode = '', id = '', size, path = ''] =
        /^(\d+) blob ([0-9a-f]+) +(\S+)\t([^]*)$/.exec(entry) ?? [];
      // A link's content is only where it leads.
      const isFile = mode.startsWith('100');
      const isNamed = wanted.includes(path);
      return isFile && (isNamed || isManifest(path)) ? [{ id, path, size: Number(size) }] : [];
    });
}

/** @throws InvalidInput with what git says */
async function git(top: string, args: readonly string[], input = ''): Promise<Buffer> {
  const end = await runGit(top, args, input);
  if (end.how !== 'exited' || end.status !== 0) {
    throw notRead(whyNot(end));
  }
  return end.stdout;
}

function whyNot(end: ProgramEnd): string {
  switch (end.how) {
    case 'exited':
      return end.stderr.toString().trim().replace(/\s+/g, ' ') || `git ended with status ${end.status}`;
    case 'notStarted':
      return end.code === 'ENOENT' ? 'git is not installed' : `git could not be started: ${end.code}`;
    case 'tooMuch':
      return `git wrote too much to ${end.stream}`;
    case 'signalled':
      return `${end.signal} ended git`;
    case 'timedOut':
    case 'cancelled':
      return 'git did not answer in time';
  }
}

function notRead(said: string): InvalidInput {
  return new InvalidInput('lint', [{ path: '--baseline', allowed: `something that git can read: ${said}` }]);
}
