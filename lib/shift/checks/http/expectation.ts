import { isPlainObject } from '../../../core/validation/problems';
import type { ProbeResult } from '../../probes';

/** A value in JSON that is neither a list nor an object. */
export type JsonScalar = string | number | boolean | null;

/** What an answer has to be. */
export interface Expectation {
  /** Statuses, the first and the last of each range. */
  readonly statuses: readonly StatusRange[];
  /** Text in the body. @default - any body */
  readonly text?: string | undefined;
  /** A value of the body. @default - any body */
  readonly json?: JsonExpectation | undefined;
}

/** A value of a JSON document. */
export interface JsonExpectation {
  /**
   * Where it is, as a JSON Pointer: `/status`, `/checks/0/up`; empty for the whole document.
   * @see https://www.rfc-editor.org/rfc/rfc6901
   */
  readonly pointer: string;
  /** What it is. */
  readonly equals: JsonScalar;
}

/** The first and the last status of a range. */
export type StatusRange = readonly [first: number, last: number];

/** `200` or `"200-299"`; undefined for what is neither. */
export function readStatus(text: string | number): StatusRange | undefined {
  const [, first = '', last = first] = /^([1-5]\d\d)(?:-([1-5]\d\d))?$/.exec(String(text)) ?? [];
  const range: StatusRange = [Number(first), Number(last)];
  return first !== '' && range[0] <= range[1] ? range : undefined;
}

/**
 * What is wrong with an answer, for a person; undefined where it is as expected. Nothing of its body is shown: it may hold what
 * is no log's business.
 */
export function wrongWith(result: ProbeResult, { statuses, text, json }: Expectation): string | undefined {
  if ('failure' in result) {
    return result.failure;
  }
  const { status } = result;
  if (!statuses.some(([first, last]) => first <= status && status <= last)) {
    const expected = statuses.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`));
    return `${status}, expected ${expected.join(' or ')}`;
  }
  if (text !== undefined && !result.text.includes(text)) {
    return `${status} without the text ${JSON.stringify(short(text))}`;
  }
  return json && wrongJson(result.text, json, status);
}

function wrongJson(text: string, { pointer, equals }: JsonExpectation, status: number): string | undefined {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return `${status} with a body that is no JSON`;
  }
  const place = pointer === '' ? 'its document' : `its value at ${pointer}`;
  const value = valueAtPointer(document, pointer);
  if (value === undefined) {
    return `${status} without a value at ${pointer}`;
  }
  return value === equals
    ? undefined
    : `${status}, ${place} is not ${JSON.stringify(typeof equals === 'string' ? short(equals) : equals)}`;
}

/** The value that a JSON Pointer leads to; undefined where there is none. */
export function valueAtPointer(document: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, key) => {
      if (Array.isArray(value)) {
        return /^(0|[1-9]\d*)$/.test(key) ? (value as readonly unknown[])[Number(key)] : undefined;
      }
      return isPlainObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    }, document);
}

/** A text of the plan, which may be a page. */
function short(text: string): string {
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
