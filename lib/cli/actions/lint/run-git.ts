import { dirname } from 'node:path';
import { longestFile, mostTogether } from '../../../core/files/read';
import { runProgram } from '../../../core/process/run-program';
import type { ProgramEnd } from '../../../core/process/run-program';
import { InvalidInput } from '../../../core/validation/problems';

/** Files that one process reads: a process for each takes longer than git itself, and all at once may be much. */
const blobsAtOnce = 500;

/** As many bytes one process reads, beside the last file. */
const bytesAtOnce = 2 ** 26;

/**
 * Why a file is not read: a few bytes of a repository can expand to many, packed ones and one file in a thousand places.
 *
 * @param size in bytes
 * @param before how many bytes the files before it have
 */
export function tooLargeReason(size: number, before: number): string | undefined {
  return size > longestFile
    ? `more than ${longestFile / 2 ** 20} MiB`
    : before + size > mostTogether
      ? `the files before it have ${mostTogether / 2 ** 20} MiB together`
      : undefined;
}

/** Files in parts that one process reads. */
export function batches<Entry extends { readonly size: number }>(entries: readonly Entry[]): Entry[][] {
  const parts: Entry[][] = [];
  let bytes = Infinity;
  for (const entry of entries) {
    const last = parts.at(-1);
    if (last === undefined || last.length === blobsAtOnce || bytes > bytesAtOnce) {
      parts.push([entry]);
      bytes = entry.size;
    } else {
      last.push(entry);
      bytes += entry.size;
    }
  }
  return parts;
}

/**
 * Takes the contents of files out of what `git cat-file --batch` writes.
 *
 * @see https://git-scm.com/docs/git-cat-file#_batch_output
 * @throws InvalidInput where one is missing
 */
export function blobsOf(output: Buffer, count: number): Buffer[] {
  const blobs: Buffer[] = [];
  let at = 0;
  while (blobs.length < count) {
    const end = output.indexOf('\n', at);
    const head = output.toString('latin1', at, end < 0 ? output.length : end);
    const [, size] = /^[0-9a-f]+ blob (\d+)$/.exec(head) ?? [];
    if (size === undefined) {
      const said = `git cat-file --batch: ${head === '' ? 'no answer' : head}`;
      throw new InvalidInput('lint', [
        { path: '--baseline', allowed: `something that git can read: ${said}` },
      ]);
    }
    const start = end + 1;
    blobs.push(output.subarray(start, start + Number(size)));
    at = start + Number(size) + 1;
  }
  return blobs;
}

/** For the contents of a large repository, in milliseconds. */
const patience = 60_000;

/** What is asked of git changes nothing, so it has little to clean up. In milliseconds. */
const grace = 1_000;

/**
 * For a name, which is found at once, and which git is asked for first. Who made the repository may have put a named pipe in
 * the place of a file of git's, or included one in its configuration: git waits for it without an end. In milliseconds.
 */
const shortPatience = 5_000;

/** More is not read of one answer, in bytes: a list of files, or the contents of some. */
const longestAnswer = 2 ** 28;

/**
 * What a repository can name a program by, turned off, though the commands that are run here use none of it.
 *
 * `safe.bareRepository` is for git 2.38 and above: a folder of a commit may be laid out as a repository of its own.
 */
const settings = {
  'safe.bareRepository': 'explicit',
  'protocol.allow': 'never',
  'core.fsmonitor': 'false',
  'core.hooksPath': '/dev/null',
};

/**
 * Runs git at the top of a working tree. Git finds the repository there and nowhere above, and asks no user for what the
 * repository lacks: that would run a program which the repository may name.
 *
 * @param top the folder that has the `.git`
 * @see https://git-scm.com/docs/git#Documentation/git.txt-codeGITNOLAZYFETCHcode
 */
export function runGit(top: string, args: readonly string[], input = ''): Promise<ProgramEnd> {
  const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const flags = ['--no-pager', '--no-replace-objects', '--literal-pathspecs'];
  return runProgram({
    program: 'git',
    args: ['-C', top, ...given, ...flags, ...args],
    // Windows looks for programs in the working folder first.
    cwd: dirname(process.execPath),
    input,
    env: {
      ...ownEnvironment(process.env),
      GIT_CEILING_DIRECTORIES: dirname(top),
      GIT_NO_LAZY_FETCH: '1',
      // A repository can allow protocols one by one, in spite of `protocol.allow`; not those that are left out here.
      GIT_ALLOW_PROTOCOL: 'none',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_TERMINAL_PROMPT: '0',
    },
    timeoutMs: args[0] === 'rev-parse' ? shortPatience : patience,
    graceMs: grace,
    stdout: { bytes: longestAnswer, beyond: 'stop' },
    stderr: { bytes: 10_000, beyond: 'keepEnd' },
  });
}

/** Without what names another repository, as a hook's environment does. Configuration stays: it is the user's own. */
function ownEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(
    ([name]) => !/^GIT_/i.test(name) || /^GIT_(?:CONFIG_|EXEC_PATH$)/i.test(name),
  );
  return Object.fromEntries(kept);
}
