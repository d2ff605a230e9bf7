import { problemsOf } from '../../core/validation/schema';
import { capacityRecord } from '../engine';
import type { CapacityRecord } from '../engine';
import { leaseText, mostParts } from './document';
import type { LeaseDocument } from './document';

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
export function splitDocument(
  name: string,
  document: LeaseDocument,
  text: string,
): { readonly document: LeaseDocument; readonly parts: readonly string[] } | undefined {
  if (bytesOf(text) <= longestValue) {
    return undefined;
  }
  const { raised, ...record } = document.record ?? {};
  const raisedText = plain(JSON.stringify(raised ?? {}));
  const parts = raisedText.match(new RegExp(`.{1,${longestValue}}`, 'g')) ?? [];
  const rest = { ...document, ...(document.record && { record: record as typeof document.record }) };
  const length = bytesOf(leaseText({ ...rest, raisedIn: parts.map(() => someVersion) }));
  if (raised === undefined || length > longestValue) {
    throw new Error(
      `${name}: the record is ${length} characters long, and a parameter holds ${longestValue}; a Kubernetes lease holds more`,
    );
  }
  if (parts.length > mostParts) {
    throw new Error(
      `${name}: what the record says of raised capacity is ${raisedText.length} characters long, and ${mostParts} parameters ` +
        `hold ${mostParts * longestValue}; a Kubernetes lease holds more`,
    );
  }
  return { document: rest, parts };
}

/** The raised capacity that the further parameters hold together; undefined where it is none. */
export function joinParts(texts: readonly string[]): CapacityRecord | undefined {
  try {
    const value = JSON.parse(texts.join('')) as unknown;
    return problemsOf(capacityRecord, value).length === 0 ? (value as CapacityRecord) : undefined;
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
