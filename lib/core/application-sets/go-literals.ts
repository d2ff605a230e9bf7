/**
 * The value of a text in quotes; undefined where Go does not read it.
 * @see https://pkg.go.dev/strconv#Unquote
 */
export function unquoted(text: string): string | undefined {
  const inner = text.slice(1, -1);
  if (text.startsWith('`')) {
    return inner.replaceAll('\r', '');
  }
  const parts: string[] = [];
  let [at, from] = [0, 0];
  for (let escape = inner.indexOf('\\'); escape >= 0; escape = inner.indexOf('\\', at)) {
    const read = escaped(inner, escape, '"');
    if (read === undefined) {
      return undefined;
    }
    parts.push(inner.slice(from, escape), read.text);
    at = escape + read.length;
    from = at;
  }
  return [...parts, inner.slice(from)].join('');
}

/** What is wrong with a character in quotes, if anything is. */
export function checkCharacter(text: string): string | undefined {
  const inner = text.slice(1, -1);
  const isOne = inner.startsWith('\\')
    ? escaped(inner, 0, "'")?.length === inner.length
    : inner.length === (inner.codePointAt(0)! > 0xffff ? 2 : 1);
  return isOne ? undefined : `malformed character constant: ${text.slice(0, 60)}`;
}

const simple: Readonly<Record<string, string>> = {
  ...{ a: '\u0007', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', '\\': '\\' },
};

const code = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3}))/y;

function escaped(
  text: string,
  at: number,
  quote: string,
): { readonly text: string; readonly length: number } | undefined {
  const sign = text[at + 1] ?? '';
  if (sign === quote || Object.hasOwn(simple, sign)) {
    return { text: simple[sign] ?? sign, length: 2 };
  }
  code.lastIndex = at;
  const [whole, byte, short, long, octal] = code.exec(text) ?? [];
  if (whole === undefined) {
    return undefined;
  }
  const number =
    octal === undefined ? Number.parseInt((byte ?? short ?? long)!, 16) : Number.parseInt(octal, 8);
  const isSurrogate = byte === undefined && octal === undefined && number >= 0xd800 && number <= 0xdfff;
  return number > (octal === undefined ? 0x10ffff : 0xff) || isSurrogate
    ? undefined
    : { text: String.fromCodePoint(number), length: whole.length };
}

const sign = '[+-]?';
const decimal = String.raw`\d+(?:_\d+)*`;

/** Whole numbers as Go writes them: a zero before them makes them octal. */
const whole = new RegExp(
  `^${sign}(?:0|[1-9](?:_?\\d)*|0(?:_?[0-7])+|0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+)$`,
);

/** With underscores wherever they are: Go takes them between digits. */
const fraction = new RegExp(
  String.raw`^${sign}(?:(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?[\d_]+)?|0[xX][0-9a-fA-F_]*\.?[0-9a-fA-F_]*[pP][+-]?[\d_]+)$`,
);

const imaginary = new RegExp(String.raw`^${sign}(?:${decimal}|\d*\.?\d*(?:[eE][+-]?\d+)?|0[xX].*)i$`);

/**
 * What is wrong with a number, if anything is.
 * @see https://github.com/golang/go/blob/go1.25.0/src/text/template/parse/node.go
 */
export function checkNumber(text: string): string | undefined {
  const shown = `"${text.slice(0, 60)}"`;
  if (text.endsWith('i')) {
    // Complex numbers are taken for right: no parameter needs one.
    return imaginary.test(text) || /[+-].*[+-]/.test(text) || /\d[+-]/.test(text)
      ? undefined
      : `illegal number syntax: ${shown}`;
  }
  if (whole.test(text)) {
    return isInRange(text) ? undefined : `integer overflow: ${shown}`;
  }
  return fraction.test(text) && /[.eEpP]/.test(text) ? undefined : `illegal number syntax: ${shown}`;
}

function isInRange(text: string): boolean {
  const digits = text.replace(/^[+-]/, '').replaceAll('_', '');
  if (digits.length > 70) {
    return false;
  }
  const value = BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits);
  return text.startsWith('-') ? value <= 2n ** 63n : value < 2n ** 64n;
}
