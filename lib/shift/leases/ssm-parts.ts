import { parameterJson } from '../../core/aws/parameter-text';
import { leaseText, mostParts, readRecord } from './document';
import type { LeaseDocument } from './document';
import type { RecordKind } from './record-kind';

/**
 * Characters that a standard parameter holds.
 * @see https://docs.aws.amazon.com/systems-manager/latest/userguide/parameter-store-advanced-parameters.html
 */
const longestValue = 4_096;

/** No version has more digits than these. */
const someVersion = 9_999_999;

/** A further parameter. */
export interface StoredPart {
  readonly text: string;
  /** Which version of the parameter holds it: a later one may be of another holder. */
  readonly version: number;
}

/** Name of the further parameter: `NAME-2` is the first. */
export function partName(parameter: string, index: number): string {
  return `${parameter}-${index + 2}`;
}

/**
 * What of a document does not fit into one parameter.
 *
 * @param name of the lease, for the error
 * @param text of the document
 * @returns the rest, and the texts of the further parameters; undefined where one parameter holds all of it
 * @throws Error where not even many hold it
 */
export function splitDocument<R extends object>(
  kind: RecordKind<R>,
  name: string,
  document: LeaseDocument<R>,
  text: string,
): { readonly document: LeaseDocument<R>; readonly parts: readonly string[] } | undefined {
  if (bytesOf(text) <= longestValue) {
    return undefined;
  }
  const { rest, long } = splitRecord(kind, document.record);
  const longText = plain(parameterJson(JSON.stringify(long ?? {})));
  const parts = longText.match(new RegExp(`.{1,${longestValue}}`, 'g')) ?? [];
  const left = { ...document, record: rest };
  const length = bytesOf(leaseText(kind, { ...left, raisedIn: parts.map(() => someVersion) }));
  if (long === undefined || length > longestValue) {
    throw new Error(
      `${name}: the record is ${length} characters long, and a parameter holds ${longestValue}; a Kubernetes lease holds more`,
    );
  }
  if (parts.length > mostParts) {
    throw new Error(
      `${name}: ${kind.long.written} is ${longText.length} characters long, and ${mostParts} parameters ` +
        `hold ${mostParts * longestValue}; a Kubernetes lease holds more`,
    );
  }
  return { document: left, parts };
}

/** A record without its long part, and that part. */
function splitRecord<R extends object>(
  { long: { key } }: Pick<RecordKind<R>, 'long'>,
  record: R | undefined,
): { readonly rest?: R; readonly long?: unknown } {
  if (key === undefined || !record) {
    return { long: record };
  }
  const { [key]: long, ...rest } = record;
  // A record can be read without its long part.
  return { rest: rest as unknown as R, long };
}

/**
 * The record with the long part that the further parameters hold together; undefined where it is none.
 *
 * @param rest what the first parameter holds of it
 */
export function joinParts<R extends object>(
  kind: RecordKind<R>,
  rest: R | undefined,
  texts: readonly string[],
): R | undefined {
  try {
    const long = JSON.parse(texts.join('')) as unknown;
    const { key } = kind.long;
    return readRecord(kind, key === undefined ? long : { ...rest, [key]: long }).record;
  } catch {
    return undefined;
  }
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

/** JSON of characters that are one byte each, and no blanks: these may be lost where a value begins or ends. */
function plain(json: string): string {
  return json.replace(
    /[^!-~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
