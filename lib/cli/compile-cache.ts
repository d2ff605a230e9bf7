import { lstatSync, mkdirSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { isAbsolute, join } from 'node:path';

/**
 * Lets Node.js keep the compiled code of `lint` and `harden`, which run once for each chart, from one run to the next. Node.js
 * has that since 22.1. `NODE_DISABLE_COMPILE_CACHE=1` turns it off, and `NODE_COMPILE_CACHE` names another folder.
 *
 * @see https://nodejs.org/api/module.html#module-compile-cache
 */
export function keepCompiledCode(): void {
  const { enableCompileCache } = nodeModule as { enableCompileCache?: (folder: string) => unknown };
  const { NODE_COMPILE_CACHE: chosen, NODE_DISABLE_COMPILE_CACHE: off = '' } = process.env;
  if (!enableCompileCache || chosen !== undefined || off !== '') {
    return;
  }
  const folder = cacheFolder(process.env, process.getuid?.());
  if (folder !== undefined) {
    enableCompileCache(folder);
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
    // One level alone: a home that is not there is not made.
    mkdirSync(folder, { mode: 0o700 });
  } catch {
    // It is there, or cannot be.
  }
  try {
    const found = lstatSync(folder);
    return found.isDirectory() && found.uid === user && (found.mode & 0o022) === 0;
  } catch {
    return false;
  }
}
