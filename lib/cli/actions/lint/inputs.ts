import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import type { Dirent, Stats } from 'node:fs';
import { basename, isAbsolute, join, normalize, relative, resolve, sep } from 'node:path';
import { FileRefused, mostTogether, readBounded, readDescriptor } from '../../../core/files/read';
import { Field, decodeText, manifestObject, parseYaml, readManifests } from '../../../lint';
import type {
  ManifestObject,
  ReadManifests,
  TemplateFile,
  TextSource,
  UnreadableDocument,
} from '../../../lint';
import { KeptValues } from './kept-values';
import { KustomizePatches, kustomization } from './kustomize-patches';

/** What was found below the paths of a command line. */
export interface FoundFiles {
  /** Sorted, and each once, however many links lead to it. */
  readonly files: readonly FoundFile[];
  readonly unreadable: readonly UnreadableDocument[];
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
  public readonly unreadable: UnreadableDocument[] = [];
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

  /** @throws FileRefused for a link that leads out of what is to be checked */
  private statInside(file: string): Stats {
    const found = lstatSync(file);
    if (!found.isSymbolicLink()) {
      return found;
    }
    const real = realpathSync(file);
    if (!this.roots.some((root) => isWithin(root, real))) {
      throw new FileRefused(file, 'a link that leads out of the PATHs: give that path, too, to follow it');
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

/** Everything that was read to be checked. */
export interface LintInputs {
  readonly objects: readonly ManifestObject[];
  /** Templates of charts that were not rendered. */
  readonly templates: readonly TemplateFile[];
  readonly unreadable: readonly UnreadableDocument[];
  /** How many documents are no Kubernetes objects. */
  readonly others: number;
  /** How many patches of kustomizations were left out, by the folder of the kustomization. */
  readonly patches: ReadonlyMap<string, number>;
  /** The files that were read as text, with a way to read them again. */
  readonly texts: ReadonlyMap<string, TextSource>;
}

/**
 * Reads files one by one. Their texts are not kept: they are read again for the few lines that are asked for.
 *
 * @param onFile is called before each with how many were read
 * @param kept counts the values that are kept
 */
export function readFiles(
  files: readonly FoundFile[],
  onFile: (count: number) => void = () => undefined,
  kept = new KeptValues(),
): LintInputs {
  const manifests = new Map<FoundFile, ReadManifests>();
  const templates: TemplateFile[] = [];
  const unreadable: UnreadableDocument[] = [];
  const texts = new Map<string, TextSource>();
  const charts = new Map<ChartFolder, object>();
  const kustomize = new KustomizePatches();
  let length = 0;
  for (const [index, found] of files.entries()) {
    onFile(index);
    const content = kept.problem
      ? { reason: `not read: ${kept.problem}` }
      : textOf(found, mostTogether - length, length <= mostKept);
    if ('reason' in content) {
      unreadable.push({ file: found.file, reason: content.reason });
      continue;
    }
    const { text, source } = content;
    length += content.length;
    if (found.chart) {
      // Read once: a chart may have thousands of templates.
      const chart = charts.get(found.chart) ?? chartOf(found.chart);
      charts.set(found.chart, chart);
      templates.push({ chart: evaluatedChart(chart, found.file), file: found.file, text });
      if (text.includes('{{')) {
        continue;
      }
    }
    texts.set(found.file, source);
    kustomize.read(pathsOf(found), text);
    const read = readManifests(text, source);
    kept.add(read.objects);
    manifests.set(found, read);
  }
  const patches = new Map<string, number>();
  for (const found of manifests.keys()) {
    const folder = kustomize.usedBy(pathsOf(found));
    if (folder !== undefined) {
      manifests.delete(found);
      patches.set(folder, (patches.get(folder) ?? 0) + 1);
    }
  }
  const all = [...manifests.values()];
  return {
    objects: all.flatMap(({ objects }) => objects),
    ...{ templates, texts, patches },
    unreadable: [...unreadable, ...all.flatMap((each) => each.unreadable)],
    others: all.reduce((sum, { others }) => sum + others, 0),
  };
}

/** As a kustomization beside it may name it. */
function pathsOf({ file, real }: FoundFile): readonly string[] {
  return real === undefined ? [] : [resolve(file), real];
}

type Content =
  | { readonly text: string; readonly source: TextSource; readonly length: number }
  | { readonly reason: string };

/** Bytes of the files that are compared as they are when they are read again: to load `node:crypto` takes longer. */
const mostKept = 1_000_000;

/**
 * @param left how many bytes may still be read
 * @param isKept whether the bytes of the file may be kept, if they are few
 */
function textOf(found: FoundFile, left: number, isKept: boolean): Content {
  const { file } = found;
  try {
    if (left <= 0) {
      throw new FileRefused(file, `the files before it have ${mostTogether / 2 ** 20} MiB together`);
    }
    const bytes = file === standardInput ? readDescriptor(0, file) : bytesOf(found);
    const content = decodeText(bytes);
    if ('reason' in content) {
      return content;
    }
    const { text } = content;
    // A pipe can be read once only.
    const read = found.real === undefined ? (): string => text : readAgain(found, sameAs(bytes, isKept));
    return { text, source: { file, read }, length: bytes.length };
  } catch (error) {
    return { reason: reasonOf(error) };
  }
}

function bytesOf({ file, real }: FoundFile): Buffer {
  return real === undefined ? readBounded(file) : readBounded(real, { refuseLink: true });
}

/** Places in a text that has changed since would be others. */
function readAgain(found: FoundFile, isSame: (bytes: Buffer) => boolean): () => string {
  return () => {
    const bytes = bytesOf(found);
    if (!isSame(bytes)) {
      throw new FileRefused(found.file, 'it has changed since it was checked');
    }
    return bytes.toString('utf8');
  };
}

function sameAs(evaluated: Buffer, isKept: boolean): (bytes: Buffer) => boolean {
  if (isKept && evaluated.length <= mostKept) {
    return (bytes) => bytes.equals(evaluated);
  }
  const digest = digestOf(evaluated);
  return (bytes) => digestOf(bytes) === digest;
}

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64');
}

/** The chart as an object, for findings in its templates. */
function chartOf({ file }: ChartFolder): object {
  let content: unknown;
  try {
    content =
      file === undefined ? undefined : parseYaml(readBounded(file, { refuseLink: true }).toString('utf8'));
  } catch {
    // What is wrong with the chart's own file is said where it is read as a manifest.
  }
  const fields = Field.ofValue(content);
  return {
    ...fields.record,
    apiVersion: fields.get('apiVersion').text ?? 'v2',
    kind: 'Chart',
    metadata: { name: fields.get('name').text ?? '' },
  };
}

function evaluatedChart(chart: object, template: string): TemplateFile['chart'] {
  return manifestObject(chart, { file: template, line: 1, document: 0, pointer: '', lineOf: () => 1 })!;
}

/** A file to be checked. */
export interface FoundFile {
  /** As findings name it: relative to the working folder where it is below. */
  readonly file: string;
  /**
   * The file itself, without a link on the way. @default - it is the standard input, or a pipe that was named on the command
   * line: it can be read once only
   */
  readonly real?: string;
  /** Where fixed copies go, below the folder for them. */
  readonly target: string;
  /** The chart whose templates the file is one of. @default - it is none */
  readonly chart?: ChartFolder;
}

/** A folder with a Helm chart that was not rendered. */
interface ChartFolder {
  /** `Chart.yaml` in it, without a link on the way. @default - it is no file in there */
  readonly file?: string;
}
