import { isCollection, parseAllDocuments, visit } from 'yaml';
import { marker, markerNumber, splitAtMarkers } from '../../core/tokens';

/** The values of markers, by their number. */
export type MarkerValues = ReadonlyMap<number, unknown>;

/** Longest text that is tried as YAML: far above any sensible ConfigMap key, and kind to memory. */
const longestYaml = 1_000_000;

/**
 * A text with its markers replaced by values. A text that is one marker becomes the value itself, whatever its
 * type. In JSON, and in YAML (by the key's file extension, or several lines that hold a mapping or a sequence),
 * values are put in as the format demands, so that a quote, a line break or a colon in a value can't change
 * the text's structure. Any other text takes the value as it is.
 *
 * @param text what holds the markers
 * @param values a value for each marker
 * @param key the key that the text stands under; its extension (`values.yaml`, `nginx.conf`) tells the format
 * @throws Error where a value is no text and stands in the middle of one
 */
export function fillText(text: string, values: MarkerValues, key = ''): unknown {
  const whole = markerNumber(text);
  if (whole !== undefined) {
    return values.get(whole);
  }
  const parts = splitAtMarkers(text);
  if (!parts.some((part) => typeof part === 'number')) {
    return text;
  }
  switch (formatOf(text, key)) {
    case 'json':
      return fillJson(text, values);
    case 'json-bare':
      return fillBareJson(parts, values);
    case 'yaml':
      return fillYaml(text, values);
    case 'plain':
      return parts.map((part) => (typeof part === 'number' ? asText(values.get(part)) : part)).join('');
  }
}

type Format = 'json' | 'json-bare' | 'yaml' | 'plain';

function formatOf(text: string, key: string): Format {
  if (/^\s*[[{]/.test(text)) {
    if (parsesAsJson(text)) {
      return 'json';
    }
    if (parsesAsJson(withPlaceholders(text, () => '0'))) {
      return 'json-bare';
    }
  }
  const extension = /\.([a-z]+)$/i.exec(key)?.[1]?.toLowerCase();
  const named = extension === 'yaml' || extension === 'yml';
  const mayBe = extension === undefined && text.trim().includes('\n');
  return (named || mayBe) && text.length <= longestYaml && isYamlCollection(text) ? 'yaml' : 'plain';
}

function parsesAsJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function fillJson(text: string, values: MarkerValues): string {
  const parsed: unknown = JSON.parse(text);
  const indent = ['  ', '    ', '\t', ' ', '   ', ''].find(
    (each) => JSON.stringify(parsed, undefined, each) === text.trim(),
  );
  const filled = JSON.stringify(
    fillTree(parsed, values),
    undefined,
    indent ?? (text.includes('\n') ? '  ' : ''),
  );
  return filled + text.slice(text.trimEnd().length);
}

/** JSON in which a marker stands without quotes, as a number would: the value brings its own. */
function fillBareJson(parts: (string | number)[], values: MarkerValues): string {
  const text = parts
    .map((part) => (typeof part === 'number' ? JSON.stringify(values.get(part) ?? null) : part))
    .join('');
  if (!parsesAsJson(text)) {
    throw new Error('the text is not JSON once its values are put in: quote all of its outputs, or none');
  }
  return text;
}

function fillTree(value: unknown, values: MarkerValues): unknown {
  if (typeof value === 'string') {
    return fillText(value, values);
  }
  if (Array.isArray(value)) {
    return value.map((each) => fillTree(each, values));
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, below]) => [asText(fillText(key, values)), fillTree(below, values)]),
    );
  }
  return value;
}

/** YAML takes a marker's `{` for a flow mapping in some places; a bare word is safe in all of them. */
const placeholder = (number: number) => `ClusterCanaryOutput${number}End`;

function withPlaceholders(text: string, make: (number: number) => string): string {
  return splitAtMarkers(text)
    .map((part) => (typeof part === 'number' ? make(part) : part))
    .join('');
}

function withMarkers(text: string): string {
  return text.replace(/ClusterCanaryOutput(\d+)End/g, (_, number: string) => marker(Number(number)));
}

function isYamlCollection(text: string): boolean {
  const documents = parseAllDocuments(withPlaceholders(text, placeholder), { logLevel: 'silent' });
  return (
    Array.isArray(documents) &&
    documents.every(
      (each) => each.errors.length === 0 && (each.contents === null || isCollection(each.contents)),
    ) &&
    documents.some((each) => isCollection(each.contents))
  );
}

function fillYaml(text: string, values: MarkerValues): string {
  const documents = parseAllDocuments(withPlaceholders(text, placeholder), { logLevel: 'silent' });
  for (const document of documents) {
    visit(document, {
      Scalar: (key, node) => {
        if (typeof node.value !== 'string') {
          return undefined;
        }
        const marked = withMarkers(node.value);
        if (marked === node.value) {
          return undefined;
        }
        const value = fillText(marked, values);
        if (key !== 'key' && typeof value === 'object' && value !== null) {
          const { comment, commentBefore, anchor } = node;
          return Object.assign(document.createNode(value), { comment, commentBefore, anchor });
        }
        // All else about it stays: comments, tag, anchor, and how a text is quoted.
        node.value = key === 'key' ? asText(value) : value;
        if (typeof value !== 'string') {
          node.type = 'PLAIN';
        }
        return undefined;
      },
    });
  }
  return documents.map((each) => each.toString({ lineWidth: 0 })).join('');
}

function asText(value: unknown): string {
  if (typeof value === 'string') {
    return value;
  }
  if (typeof value === 'number' || typeof value === 'boolean') {
    return String(value);
  }
  const what =
    value === undefined || value === null ? 'no value' : Array.isArray(value) ? 'a list' : 'an object';
  throw new Error(
    `an output in the middle of a text must be a string, a number or a boolean, but it is ${what}`,
  );
}
