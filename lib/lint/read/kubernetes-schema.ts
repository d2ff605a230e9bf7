import { FAILSAFE_SCHEMA, Type } from 'js-yaml';
import type { Schema } from 'js-yaml';

const words = new Map<string, boolean | null | number>([
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map(
    (word) => [word, true] as const,
  ),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map(
    (word) => [word, false] as const,
  ),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, NaN] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((word) => [word, Infinity] as const),
  ...['-.inf', '-.Inf', '-.INF'].map((word) => [word, -Infinity] as const),
]);

/** Longer texts are no word of the list. */
const longestWord = 5;

const integer = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[oO]?([0-7]+)|0[bB]([01]+)|(0|[1-9]\d*))$/;

const float = /^[-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?$/;

/**
 * What a plain scalar means to Kubernetes, whose tools read YAML 1.1: `on` and `no` are booleans, `010` is eight. Dates stay
 * texts.
 *
 * @returns undefined for a text
 * @see https://github.com/yaml/go-yaml/blob/v2.4.2/resolve.go
 */
export function plainScalar(text: string): boolean | null | number | undefined {
  if (text.length <= longestWord) {
    const word = words.get(text);
    if (word !== undefined) {
      return word;
    }
  }
  const first = text.charCodeAt(0);
  const isDigit = first >= 0x30 && first <= 0x39;
  // "+", "-" and "."
  return isDigit || first === 0x2b || first === 0x2d || first === 0x2e ? numberOf(text) : undefined;
}

function numberOf(text: string): number | undefined {
  const plain = text.startsWith('.') ? text : text.replaceAll('_', '');
  const [, sign, hexadecimal, octal, binary, decimal] = integer.exec(plain) ?? [];
  const digits = hexadecimal ?? octal ?? binary ?? decimal;
  if (digits !== undefined) {
    const base = hexadecimal !== undefined ? 16 : octal !== undefined ? 8 : binary !== undefined ? 2 : 10;
    return parseInt(digits, base) * (sign === '-' ? -1 : 1);
  }
  return float.test(plain) ? Number(plain) : undefined;
}

function scalarType(tag: string, fits: (value: boolean | null | number) => boolean): Type {
  return new Type(`tag:yaml.org,2002:${tag}`, {
    kind: 'scalar',
    resolve: (text: string | null) => {
      const value = plainScalar(text ?? '');
      return value !== undefined && fits(value);
    },
    construct: (text: string | null) => plainScalar(text ?? ''),
  });
}

/** A tag of its own changes nothing: the value is taken as it is. */
const anyTag = (['scalar', 'sequence', 'mapping'] as const).flatMap((kind) =>
  ['!', 'tag:'].map(
    (prefix) => new Type(prefix, { kind, multi: true, construct: (value: unknown) => value ?? '' }),
  ),
);

/** YAML as Kubernetes' own tools read it. */
export const kubernetesSchema: Schema = FAILSAFE_SCHEMA.extend({
  implicit: [
    // The first that fits is taken: this one takes every plain scalar that is no text, so the others are for explicit tags.
    new Type('tag:yaml.org,2002:null', {
      kind: 'scalar',
      resolve: (text: string | null) => plainScalar(text ?? '') !== undefined,
      construct: (text: string | null) => plainScalar(text ?? ''),
    }),
    new Type('tag:yaml.org,2002:merge', {
      kind: 'scalar',
      resolve: (text: string | null) => text === '<<' || text === null,
    }),
  ],
  explicit: [
    scalarType('bool', (value) => typeof value === 'boolean'),
    scalarType('int', (value) => typeof value === 'number'),
    scalarType('float', (value) => typeof value === 'number'),
    ...anyTag,
  ],
});
