import { lstatSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

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
