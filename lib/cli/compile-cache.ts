import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { dirname, isAbsolute, join } from 'node:path';
import { Script } from 'node:vm';
import type * as Zlib from 'node:zlib';

/**
 * Runs a module of this package, and keeps its compiled code from one run to the next: `lint` and `harden` run once for each
 * chart, and most of their time was compilation. `NODE_DISABLE_COMPILE_CACHE=1` turns that off. Where a user has named a folder
 * with `NODE_COMPILE_CACHE`, Node.js alone keeps code, as of 22.1.
 *
 * @param file the module
 * @param load its `require`
 * @param kind runs of different kinds call different functions: the name of the command
 * @see https://nodejs.org/api/module.html#module-compile-cache
 */
export function runKept(file: string, load: NodeJS.Require, kind: string): void {
  const { NODE_COMPILE_CACHE: chosen, NODE_DISABLE_COMPILE_CACHE: off = '' } = process.env;
  const folder =
    chosen === undefined && off === '' ? cacheFolder(process.env, process.getuid?.()) : undefined;
  if (folder === undefined) {
    load(file);
    return;
  }
  const { enableCompileCache } = nodeModule as { enableCompileCache?: (folder: string) => unknown };
  const loadKept = (path: string): unknown => {
    // For the files beside it, which few runs need: to turn that on takes a millisecond.
    if (path.startsWith('.')) {
      enableCompileCache?.(folder);
    }
    return load(path);
  };
  runScript(file, loadKept, join(folder, `${kind}-${process.version}-${process.arch}`));
}

type ModuleFunction = (
  exports: object,
  load: (path: string) => unknown,
  module: object,
  file: string,
  folder: string,
) => void;

/**
 * Node.js' own cache has what is compiled before a module runs. This one is made at the end of a run, and has the functions
 * that were called, too: those of a run with findings, once there was one.
 */
function runScript(file: string, load: (path: string) => unknown, place: string): void {
  const bytes = readFileSync(file);
  const name = `${place}-${checksum(bytes)}`;
  const [clean, found] = [`${name}-clean`, `${name}-found`];
  const kept = [found, clean].map((each) => [each, readKept(each)] as const).find(([, code]) => code);
  const script = new Script(nodeModule.wrap(bytes.toString()), {
    filename: file,
    ...(kept && { cachedData: kept[1] }),
  });
  const used = script.cachedDataRejected === true ? undefined : kept?.[0];
  process.on('exit', () => {
    // No status is set where nothing was checked, and another one where something went wrong.
    const status = process.exitCode;
    if ((status === 1 && used !== found) || (status === 0 && used === undefined)) {
      keep(status === 1 ? found : clean, script.createCachedData());
    }
  });
  const module = { exports: {} };
  (script.runInThisContext() as ModuleFunction)(module.exports, load, module, file, dirname(file));
}

/** V8 takes what has a wrong byte, and does other things than the code. */
function readKept(file: string): Buffer | undefined {
  try {
    const bytes = readFileSync(file);
    const code = bytes.subarray(sumLength);
    return bytes.toString('latin1', 0, sumLength) === checksum(code) ? code : undefined;
  } catch {
    // Nothing was kept yet.
    return undefined;
  }
}

const sumLength = 8;

function checksum(bytes: Buffer): string {
  const { crc32 } = require('node:zlib') as typeof Zlib;
  return crc32(bytes).toString(16).padStart(sumLength, '0');
}

/** Another run may read it meanwhile. */
function keep(file: string, code: Buffer): void {
  const unfinished = `${file}.${process.pid}`;
  try {
    writeFileSync(unfinished, Buffer.concat([Buffer.from(checksum(code)), code]), {
      mode: 0o600,
      flag: 'wx',
    });
    renameSync(unfinished, file);
  } catch {
    // The next run compiles again. Part of a file would fill up a disk that is full.
    removeFile(unfinished);
  }
}

function removeFile(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // It can't be removed either.
  }
}

/**
 * A folder for compiled code below the user's cache folder, made where it is missing. Who can write there runs code as the
 * user, so there is none where another user could: no folder of the user's own, a link, write access of a group.
 *
 * @param user id of the user; none, as on Windows, where access is controlled otherwise: no folder
 * @see https://specifications.freedesktop.org/basedir-spec/latest/
 */
export function cacheFolder(env: NodeJS.ProcessEnv, user: number | undefined): string | undefined {
  const { HOME: home = '', XDG_CACHE_HOME: given = '' } = env;
  const base = isAbsolute(given) ? given : isAbsolute(home) ? join(home, '.cache') : undefined;
  if (base === undefined || user === undefined) {
    return undefined;
  }
  const folders = [base, join(base, 'cluster-canary'), join(base, 'cluster-canary', 'compiled')];
  return folders.every((folder) => isOwn(folder, user)) ? folders.at(-1) : undefined;
}

function isOwn(folder: string, user: number): boolean {
  try {
    let found = lstatSync(folder, { throwIfNoEntry: false });
    if (found === undefined) {
      // `sudo` may leave the home of another user, which then has a folder that this user can't write to.
      if (lstatSync(dirname(folder)).uid !== user) {
        return false;
      }
      // One level alone: a home that is not there is not made.
      mkdirSync(folder, { mode: 0o700 });
      found = lstatSync(folder);
    }
    return found.isDirectory() && found.uid === user && (found.mode & 0o022) === 0;
  } catch {
    return false;
  }
}
