import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { FileRefused, mostTogether, readBounded, readDescriptor } from '../../files';
import type { JudgedObject, Manifests, TemplateFile, TextSource, Unreadable } from '../../rules';
import { decodeText, Field, judgedObject, parseYaml, readManifests } from '../../rules';
import { reasonOf, standardInput } from './find-files';
import type { ChartFolder, FoundFile } from './found-file';
import { KeptValues } from './kept-values';
import { KustomizePatches } from './kustomize-patches';

/** Everything that was read to be judged. */
export interface Material {
  readonly objects: readonly JudgedObject[];
  /** Templates of charts that were not rendered. */
  readonly templates: readonly TemplateFile[];
  readonly unreadable: readonly Unreadable[];
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
 * @param onFile is told before each how many were read
 * @param kept counts the values that are kept
 */
export function readFiles(
  files: readonly FoundFile[],
  onFile: (count: number) => void = () => undefined,
  kept = new KeptValues(),
): Material {
  const manifests = new Map<FoundFile, Manifests>();
  const templates: TemplateFile[] = [];
  const unreadable: Unreadable[] = [];
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
      templates.push({ chart: judgedChart(chart, found.file), file: found.file, text });
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
      throw new FileRefused(found.file, 'it has changed since it was judged');
    }
    return bytes.toString('utf8');
  };
}

function sameAs(judged: Buffer, isKept: boolean): (bytes: Buffer) => boolean {
  if (isKept && judged.length <= mostKept) {
    return (bytes) => bytes.equals(judged);
  }
  const digest = digestOf(judged);
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

function judgedChart(chart: object, template: string): TemplateFile['chart'] {
  return judgedObject(chart, { file: template, line: 1, document: 0, pointer: '', lineOf: () => 1 })!;
}
