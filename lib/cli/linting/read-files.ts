import { readFileSync, statSync } from 'node:fs';
import type { JudgedObject, TemplateFile, TextSource, Unreadable } from '../../rules';
import { decodeText, Field, judgedObject, parseYaml, readManifests } from '../../rules';
import { reasonOf, standardInput } from './find-files';
import type { ChartFolder, FoundFile } from './found-file';

/** Everything that was read to be judged. */
export interface Material {
  readonly objects: readonly JudgedObject[];
  /** Templates of charts that were not rendered. */
  readonly templates: readonly TemplateFile[];
  readonly unreadable: readonly Unreadable[];
  /** How many documents are no Kubernetes objects. */
  readonly others: number;
  /** The files that were read as text, with a way to read them again. */
  readonly texts: ReadonlyMap<string, TextSource>;
}

/**
 * Reads files one by one. Their texts are not kept: they are read again for the few lines that are asked for.
 *
 * @param onFile is told before each how many were read
 */
export function readFiles(
  files: readonly FoundFile[],
  onFile: (count: number) => void = () => undefined,
): Material {
  const objects: JudgedObject[] = [];
  const templates: TemplateFile[] = [];
  const unreadable: Unreadable[] = [];
  const texts = new Map<string, TextSource>();
  let others = 0;
  for (const [index, found] of files.entries()) {
    onFile(index);
    const content = textOf(found.file);
    if ('reason' in content) {
      unreadable.push({ file: found.file, reason: content.reason });
      continue;
    }
    const { text, source } = content;
    if (found.chart) {
      templates.push({ chart: chartOf(found.chart, found.file), file: found.file, text });
      if (text.includes('{{')) {
        continue;
      }
    }
    texts.set(found.file, source);
    const manifests = readManifests(text, source);
    // One by one: a file may hold more objects than a call takes arguments.
    manifests.objects.forEach((object) => objects.push(object));
    unreadable.push(...manifests.unreadable);
    others += manifests.others;
  }
  return { objects, templates, unreadable, others, texts };
}

type Content = { readonly text: string; readonly source: TextSource } | { readonly reason: string };

function textOf(file: string): Content {
  try {
    const isStandardInput = file === standardInput;
    const bytes = readFileSync(isStandardInput ? 0 : file);
    const content = decodeText(bytes);
    if ('reason' in content) {
      return content;
    }
    const { text } = content;
    // A pipe can be read once only.
    const isKept = isStandardInput || !statSync(file).isFile();
    const read = (): string => (isKept ? text : readFileSync(file, 'utf8'));
    return { text, source: { file, read } };
  } catch (error) {
    return { reason: reasonOf(error) };
  }
}

/** The chart as an object, for findings in its templates. */
function chartOf({ file }: ChartFolder, template: string): TemplateFile['chart'] {
  let content: unknown;
  try {
    content = parseYaml(readFileSync(file, 'utf8'));
  } catch {
    // What is wrong with the chart's own file is said where it is read as a manifest.
  }
  const fields = Field.ofValue(content);
  const value = {
    ...fields.record,
    apiVersion: fields.get('apiVersion').text ?? 'v2',
    kind: 'Chart',
    metadata: { name: fields.get('name').text ?? '' },
  };
  return judgedObject(value, { file: template, line: 1, document: 0, pointer: '', lineOf: () => 1 })!;
}
