import type { Dirent, Stats } from 'node:fs';
import { readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, isAbsolute, join, normalize, relative } from 'node:path';
import type { Unreadable } from '../../rules';
import type { ChartFolder, FoundFile } from './found-file';

/** What was found below the paths of a command line. */
export interface FoundFiles {
  /** Sorted, and each once, however many links lead to it. */
  readonly files: readonly FoundFile[];
  readonly unreadable: readonly Unreadable[];
}

/** How the standard input is named. */
export const standardInput = 'stdin';

const manifest = /\.(?:ya?ml|json)$/i;
const template = /\.(?:ya?ml|json|tpl|txt)$/i;

/** Folders that hold no manifests of one's own. */
const skipped = new Set(['.git', 'node_modules']);

/**
 * The files that paths name: files as they are, folders with every `.yaml`, `.yml` and `.json` below them.
 *
 * @param ignored a file in a folder that is no manifest: the configuration
 */
export function findFiles(paths: readonly string[], ignored: string | undefined): FoundFiles {
  const finder = new Finder(ignored === undefined ? undefined : realPath(ignored));
  paths.forEach((path) => finder.add(path));
  return { files: finder.files, unreadable: finder.unreadable };
}

class Finder {
  public readonly files: FoundFile[] = [];
  public readonly unreadable: Unreadable[] = [];
  private readonly seen = new Set<string>();

  public constructor(private readonly ignored: string | undefined) {}

  public add(path: string): void {
    if (path === '-') {
      this.files.push({ file: standardInput, target: `${standardInput}.yaml` });
      return;
    }
    const file = shown(path);
    const found = this.stat(file);
    if (found?.isDirectory()) {
      this.addFolder(file, '', undefined);
    } else if (found && this.isNew(file)) {
      this.files.push({ file, target: basename(file) });
    }
  }

  private addFolder(folder: string, target: string, chart: ChartFolder | undefined): void {
    if (!this.isNew(folder)) {
      return;
    }
    const entries = this.entriesOf(folder);
    const names = new Set(entries.map(({ name }) => name));
    const isChart = names.has('Chart.yaml') && names.has('templates');
    const own: ChartFolder | undefined = isChart ? { file: join(folder, 'Chart.yaml') } : undefined;
    for (const { name } of entries) {
      const [file, below] = [join(folder, name), join(target, name)];
      const found = skipped.has(name) ? undefined : this.stat(file);
      if (found?.isDirectory()) {
        this.addFolder(file, below, chart ?? (name === 'templates' ? own : undefined));
      } else if (found?.isFile() && (chart ? template : manifest).test(name) && this.isNew(file)) {
        this.files.push({ file, target: below, ...(chart ? { chart } : {}) });
      }
    }
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

  private stat(file: string): Stats | undefined {
    try {
      return statSync(file);
    } catch (error) {
      this.unreadable.push({ file, reason: reasonOf(error) });
      return undefined;
    }
  }

  /** A link may lead to what was seen already: a folder above it, say. */
  private isNew(file: string): boolean {
    const real = realPath(file);
    const isNew = real !== this.ignored && !this.seen.has(real);
    this.seen.add(real);
    return isNew;
  }
}

function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

/** `rendered/web.yaml` for `./rendered//web.yaml`, and for its absolute path where that is below the working folder. */
function shown(path: string): string {
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
  const { code = '', message } = error as NodeJS.ErrnoException;
  return reasons[code] ?? `not readable: ${code || message}`;
}
