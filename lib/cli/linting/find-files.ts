import type { Dirent, Stats } from 'node:fs';
import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, isAbsolute, join, normalize, relative, sep } from 'node:path';
import { FileRefused } from '../../files';
import type { Unreadable } from '../../rules';
import type { ChartFolder, FoundFile } from './found-file';
import { kustomization } from './kustomize-patches';

/** What was found below the paths of a command line. */
export interface FoundFiles {
  /** Sorted, and each once, however many links lead to it. */
  readonly files: readonly FoundFile[];
  readonly unreadable: readonly Unreadable[];
}

/** How the standard input is named. */
export const standardInput = 'stdin';

const manifest = /\.(?:ya?ml|json)$/i;
const isManifest = (name: string): boolean => manifest.test(name) || kustomization.test(name);
const template = /\.(?:ya?ml|json|tpl|txt)$/i;

/** Folders that hold no manifests of one's own. */
const skipped = new Set(['.git', 'node_modules']);

/**
 * The files that paths name: files as they are, folders with every `.yaml`, `.yml` and `.json` below them. A path may be a
 * link; below it, a link that leads out of all of the paths is not followed.
 *
 * @param ignored a file in a folder that is no manifest: the configuration
 */
export function findFiles(paths: readonly string[], ignored: string | undefined): FoundFiles {
  const roots = paths.filter((path) => path !== '-').map(realPath);
  const finder = new Finder(roots, ignored === undefined ? undefined : realPath(ignored));
  paths.forEach((path) => finder.add(path));
  return { files: finder.files, unreadable: finder.unreadable };
}

class Finder {
  public readonly files: FoundFile[] = [];
  public readonly unreadable: Unreadable[] = [];
  private readonly seen = new Set<string>();

  public constructor(
    private readonly roots: readonly string[],
    private readonly ignored: string | undefined,
  ) {}

  public add(path: string): void {
    if (path === '-') {
      this.files.push({ file: standardInput, target: `${standardInput}.yaml` });
      return;
    }
    const file = shownPath(path);
    const found = this.stat(file, statSync);
    if (found?.isDirectory()) {
      this.addFolder(file, '', undefined);
    } else if (found) {
      const real = this.ifNew(file);
      if (real !== undefined) {
        this.files.push({ file, ...(found.isFile() ? { real } : {}), target: basename(file) });
      }
    }
  }

  private addFolder(folder: string, target: string, chart: ChartFolder | undefined): void {
    if (this.ifNew(folder) === undefined) {
      return;
    }
    const entries = this.entriesOf(folder);
    const names = new Set(entries.map(({ name }) => name));
    const isChart = names.has('Chart.yaml') && names.has('templates');
    const own = isChart ? this.chartIn(folder) : undefined;
    for (const { name } of entries) {
      const [file, below] = [join(folder, name), join(target, name)];
      const found = skipped.has(name) ? undefined : this.stat(file, (path) => this.statInside(path));
      if (found?.isDirectory()) {
        this.addFolder(file, below, chart ?? (name === 'templates' ? own : undefined));
      } else if (found?.isFile() && (chart ? template.test(name) : isManifest(name))) {
        const real = this.ifNew(file);
        if (real !== undefined) {
          this.files.push({ file, real, target: below, ...(chart ? { chart } : {}) });
        }
      }
    }
  }

  private chartIn(folder: string): ChartFolder {
    const file = join(folder, 'Chart.yaml');
    try {
      return this.statInside(file).isFile() ? { file: realPath(file) } : {};
    } catch {
      // It is said where the file is met among the others.
      return {};
    }
  }

  /** @throws FileRefused for a link that leads out of what is to be judged */
  private statInside(file: string): Stats {
    const found = lstatSync(file);
    if (!found.isSymbolicLink()) {
      return found;
    }
    const real = realpathSync(file);
    if (!this.roots.some((root) => isWithin(root, real))) {
      throw new FileRefused(
        file,
        'a link that leads out of what is judged: give that path, too, to follow it',
      );
    }
    return statSync(real);
  }

  private entriesOf(folder: string): Dirent[] {
    try {
      const entries = readdirSync(folder, { withFileTypes: true });
      return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
    } catch (error) {
      this.unreadable.push({ file: folder, reason: reasonOf(error) });
      return [];
    }
  }

  private stat(file: string, look: (file: string) => Stats): Stats | undefined {
    try {
      return look(file);
    } catch (error) {
      this.unreadable.push({ file, reason: reasonOf(error) });
      return undefined;
    }
  }

  /** Where it is really, unless a link has led there already: to a folder above it, say. */
  private ifNew(file: string): string | undefined {
    const real = realPath(file);
    const isNew = real !== this.ignored && !this.seen.has(real);
    this.seen.add(real);
    return isNew ? real : undefined;
  }
}

function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

function isWithin(root: string, real: string): boolean {
  return real === root || real.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
}

/** `rendered/web.yaml` for `./rendered//web.yaml`, and for its absolute path where that is below the working folder. */
export function shownPath(path: string): string {
  const within = relative(process.cwd(), path);
  const isBelow = within !== '' && !within.startsWith('..') && !isAbsolute(within);
  return isBelow ? within : within === '' ? '.' : normalize(path);
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'not there',
  EACCES: 'not readable: permission denied',
  EPERM: 'not readable: permission denied',
  ELOOP: 'not readable: a link that leads to itself',
  EISDIR: 'not readable: a folder',
};

/** Why a file can't be read. */
export function reasonOf(error: unknown): string {
  if (error instanceof FileRefused) {
    return `not read: ${error.reason}`;
  }
  const { code = '', message } = error as NodeJS.ErrnoException;
  return reasons[code] ?? `not readable: ${code || message}`;
}
