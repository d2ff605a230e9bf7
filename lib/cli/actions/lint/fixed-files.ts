import { realpathSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { entriesBelow } from '../../../core/files/read';
import { isTemporary, writeBelow } from '../../../core/files/write';
import { InvalidInput } from '../../../core/validation/problems';
import type { Problem } from '../../../core/validation/problems';
import type { TextSource } from '../../../lint';
import type { FoundFile } from './inputs';

/** A copy to be written. */
interface Copy {
  readonly source: TextSource;
  readonly path: string;
  /** The file that it is a copy of. @default - none that has permissions */
  readonly real?: string;
}

/**
 * Where copies of files are written: all of them, so that the folder can take the place of what was checked.
 *
 * @throws InvalidInput where two files would become one, or a file be written over that is none of an earlier run
 */
export class MendedFiles {
  private readonly copies: readonly Copy[];

  public constructor(
    private readonly folder: string,
    files: readonly FoundFile[],
    texts: ReadonlyMap<string, TextSource>,
  ) {
    this.copies = files.flatMap(({ file, real, target }) => {
      const source = texts.get(file);
      return source ? [{ source, path: target, ...(real === undefined ? {} : { real }) }] : [];
    });
    const problems = [...this.collisions(), ...this.foreignFiles()];
    if (problems.length > 0) {
      throw new InvalidInput('lint', problems);
    }
  }

  /** Writes every copy, fixed where there is a fixed text. Whoever can't read a file can't read its copy. */
  public write(fixed: ReadonlyMap<string, string>): void {
    const files = this.copies.map(({ source, path, real }) => {
      const text = fixed.get(source.file) ?? source.read();
      return { path, text, ...(real === undefined ? {} : { mode: modeOf(real) }) };
    });
    writeBelow(this.folder, files);
  }

  private collisions(): Problem[] {
    const sources = new Map<string, string>();
    return this.copies.flatMap(({ source, path }) => {
      const other = sources.get(path);
      sources.set(path, source.file);
      return other === undefined
        ? []
        : [
            {
              path: 'PATH',
              value: source.file,
              allowed: `another name than ${other} below ${join(this.folder, path)}: lint them one by one`,
            },
          ];
    });
  }

  private foreignFiles(): Problem[] {
    const found = statSync(this.folder, { throwIfNoEntry: false });
    if (!found) {
      return [];
    }
    const given = this.copies.map(({ source }) => source.file);
    if (found.isDirectory() && !holdsAny(this.folder, given)) {
      const own = new Set(this.copies.map(({ path }) => path));
      // An earlier run made no links. Another one may be writing, or have been killed.
      const foreign = entriesBelow(this.folder).filter(
        (entry) => !isTemporary(entry) && (!entry.isFile || !own.has(entry.path)),
      );
      const named = foreign.slice(0, 3).map(({ path, isFile }) => (isFile ? path : `${path} (no file)`));
      return foreign.length === 0 ? [] : [this.problem(`and not with ${named.join(', ')} in it`)];
    }
    return [this.problem('and not where the manifests are')];
  }

  private problem(more: string): Problem {
    return { path: '--out', value: this.folder, allowed: `a folder for fixed copies alone, ${more}` };
  }
}

function holdsAny(folder: string, files: readonly string[]): boolean {
  const root = realpathSync(folder);
  return files.some((file) => {
    const real = statSync(file, { throwIfNoEntry: false }) ? realpathSync(file) : resolve(file);
    return !relative(root, real).startsWith('..');
  });
}

/** Of a copy, which the next run can write again. */
function modeOf(file: string): number {
  return (statSync(file).mode & 0o777) | 0o200;
}
