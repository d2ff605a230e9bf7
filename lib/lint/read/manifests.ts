import { YAMLException } from 'js-yaml';
import { Field, manifestObject, listItems } from '../object';
import type { ManifestObject, RepeatedKey } from '../object';
import { SourceDocument, splitDocuments } from './documents';
import type { DocumentText, TextSource } from './documents';
import { AliasExpansion, nestsTooDeep, parseYaml, repeatedKeys } from './yaml';

/** What js-yaml makes of a key that is a map, which `{{ .Values.name }}` is to YAML. */
const mapAsKey = '[object Object]';

/** Line of the first `{{` of a text, from 0. @returns nothing where there is none */
function templateLine(text: string): number | undefined {
  const at = text.indexOf('{{');
  return at < 0 ? undefined : text.slice(0, at).split('\n').length - 1;
}

/** Whether a document that could be read is a template all the same: `name: {{ .Values.name }}` is YAML, if strange. */
function isTemplate(value: unknown): boolean {
  return hasMapAsKey(value) || listItems(value).some((item) => hasTemplateAsName(item.value));
}

function hasMapAsKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  return Object.hasOwn(value, mapAsKey) || Object.values(value).some(hasMapAsKey);
}

/** In quotes, braces are a text that many objects have. What names an object has none. */
function hasTemplateAsName(value: unknown): boolean {
  const object = Field.ofValue(value);
  const names = [object.get('kind'), ...['name', 'namespace'].map((key) => object.get('metadata', key))];
  return names.some(({ text }) => text?.includes('{{') === true);
}

/** What a text holds. */
export interface ReadManifests {
  /** The objects, in the order of the text. */
  readonly objects: readonly ManifestObject[];
  /** Documents that could not be checked. */
  readonly unreadable: readonly UnreadableDocument[];
  /** How many documents are YAML, but no Kubernetes object. */
  readonly others: number;
}

/** Something that could not be checked. */
export interface UnreadableDocument {
  /** Path of the file, as it was given. */
  readonly file: string;
  /** From 1. @default - the whole file */
  readonly line?: number;
  /** From 1. @default - the whole line */
  readonly column?: number;
  /** Why: `not YAML: …`. It holds nothing of the text but single names. */
  readonly reason: string;
}

/**
 * Reads the objects of a YAML or JSON text: every document separately, and the items of a List each as an object.
 *
 * @param source where the text comes from; it is asked for it again when a line is wanted
 */
export function readManifests(text: string, source: TextSource): ReadManifests {
  const objects: ManifestObject[] = [];
  const unreadable: UnreadableDocument[] = [];
  let others = 0;
  splitDocuments(text).forEach((part, position) => {
    const document = new SourceDocument(source, position, part);
    const content = contentOf(part, source.file);
    if ('reason' in content) {
      unreadable.push(content);
      return;
    }
    const items = listItems(content.value);
    const repeated = content.repeated.map(({ key, line }) => ({ key, line: line + part.line }));
    const found = items.flatMap(({ value, pointer }, index) => {
      const next = items[index + 1];
      const keys = repeated.length > 0 ? keysBetween(document, repeated, pointer, next?.pointer) : repeated;
      return manifestObject(value, document.place(pointer, keys)) ?? [];
    });
    others += found.length === 0 && content.value !== null && content.value !== undefined ? 1 : 0;
    objects.push(...found);
  });
  return { objects, unreadable, others };
}

/** Keys of an item, or of what is between it and the next one. */
function keysBetween(
  document: SourceDocument,
  repeated: readonly RepeatedKey[],
  pointer: string,
  next: string | undefined,
): readonly RepeatedKey[] {
  const from = document.lineOf(pointer);
  const until = next === undefined ? Infinity : document.lineOf(next);
  // Both are in the order of the text.
  let [low, high] = [0, repeated.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    [low, high] = repeated[middle]!.line < from ? [middle + 1, high] : [low, middle];
  }
  const found: RepeatedKey[] = [];
  for (let at = low; at < repeated.length && repeated[at]!.line < until; at += 1) {
    found.push(repeated[at]!);
  }
  return found;
}

type Content = { readonly value: unknown; readonly repeated: readonly RepeatedKey[] } | UnreadableDocument;

function contentOf(part: DocumentText, file: string): Content {
  try {
    const content = parsed(part.text);
    const template = templateLine(part.text);
    return template !== undefined && isTemplate(content.value)
      ? { file, line: part.line + template, reason: unrendered }
      : content;
  } catch (error) {
    return whyNot(error, part, file);
  }
}

const unrendered =
  'a template that was never rendered ({{ … }}): render it (helm template), and check the output';

function parsed(text: string): { readonly value: unknown; readonly repeated: readonly RepeatedKey[] } {
  if (text.startsWith('{')) {
    try {
      const value: unknown = JSON.parse(text);
      if (!nestsTooDeep(value)) {
        return { value, repeated: [] };
      }
    } catch {
      // YAML that begins with a brace.
    }
    // Or else the YAML reader says what is wrong and where.
  }
  try {
    return { value: parseYaml(text), repeated: [] };
  } catch (error) {
    if (error instanceof YAMLException && error.reason === 'duplicated mapping key') {
      return { value: parseYaml(text, { repeatedKeys: true }), repeated: repeatedKeys(text) };
    }
    throw error;
  }
}

function whyNot(error: unknown, part: DocumentText, file: string): UnreadableDocument {
  if (error instanceof AliasExpansion) {
    return { file, line: part.line, reason: error.reason };
  }
  const template = templateLine(part.text);
  if (template !== undefined) {
    return { file, line: part.line + template, reason: unrendered };
  }
  if (error instanceof YAMLException) {
    return { file, ...placeOf(error, part), reason: `not YAML: ${error.reason}` };
  }
  return { file, line: part.line, reason: `not YAML: ${(error as Error).message}` };
}

/** What is left open is found missing where the document ends: then its last line is meant. */
function placeOf(
  { mark }: YAMLException,
  { text, line }: DocumentText,
): Pick<UnreadableDocument, 'line' | 'column'> {
  // There is none where the whole text is meant.
  const place = mark as YAMLException['mark'] | undefined;
  const last = text.trimEnd().split('\n').length - 1;
  return place === undefined || place.line > last
    ? { line: line + (place ? last : 0) }
    : { line: line + place.line, column: place.column + 1 };
}
