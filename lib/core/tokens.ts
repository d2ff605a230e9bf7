/**
 * A marker stands in a Kubernetes object for a value that only a deployment knows. It is plain text, so it
 * survives string concatenation and JSON; its `$`, `{` and `}` do not survive URL encoding or a name rule,
 * so a marker that went through one is recognised as broken instead of being passed on.
 */
const core = 'cluster-canary.output';

/** The marker with this number. */
export function marker(number: number): string {
  return `\${${core}.${number}}`;
}

/** The number, when the text is one marker and nothing else. */
export function markerNumber(text: string): number | undefined {
  const match = /^\$\{cluster-canary\.output\.(\d+)\}$/.exec(text);
  return match ? Number(match[1]) : undefined;
}

/** The text cut at its markers: strings and marker numbers in turn. */
export function splitAtMarkers(text: string): (string | number)[] {
  return text
    .split(/\$\{cluster-canary\.output\.(\d+)\}/)
    .map((part, position) => (position % 2 === 0 ? part : Number(part)))
    .filter((part) => part !== '');
}

/** Whether a marker stands in the text. */
export function hasMarker(text: string): boolean {
  return splitAtMarkers(text).some((part) => typeof part === 'number');
}

/** The three texts of which at least one stands in the base64 form of any text that holds a marker. */
const inBase64 = [0, 1, 2].map((shift) => {
  const bytes = Buffer.from(' '.repeat(shift) + core).toString('base64');
  // The first group holds the shift, the last one whatever follows the core: only those between are certain.
  return bytes.slice(shift === 0 ? 0 : 4, Math.floor((shift + core.length) / 3) * 4);
});

/**
 * What was done to a marker in this text so that its value can no longer be put back, if anything:
 * it was cut or changed, or put through base64.
 */
function damage(text: string): 'changed' | 'base64' | undefined {
  const rest = splitAtMarkers(text).filter((part): part is string => typeof part === 'string');
  if (rest.some((part) => /cluster-canary[.-]output/i.test(part))) {
    return 'changed';
  }
  return inBase64.some((piece) => text.includes(piece)) ? 'base64' : undefined;
}

/** A marker at a place of an object where its value can't be put, or any marker where none may be. */
export interface MisplacedMarker {
  /** JSON pointer (RFC 6901) into the object. */
  readonly pointer: string;
  /** What is wrong there, for a person. */
  readonly why: string;
}

/** Every string in a plain object, with its JSON pointer; keys as well as values. */
export function* strings(
  value: unknown,
  pointer = '',
): Generator<{
  /** JSON pointer (RFC 6901) of the string, or of the value under the key. */
  pointer: string;
  /** The string. */
  text: string;
  /** Whether it is a key. */
  key: boolean;
}> {
  if (typeof value === 'string') {
    yield { pointer, text: value, key: false };
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, below] of Object.entries(value)) {
      const inner = `${pointer}/${key.replace(/~/g, '~0').replace(/\//g, '~1')}`;
      yield { pointer: inner, text: key, key: true };
      yield* strings(below, inner);
    }
  }
}

/** Markers in an object that no deployment could replace: in names, namespaces, keys, base64, or damaged. */
export function misplacedMarkers(object: unknown): MisplacedMarker[] {
  const found: MisplacedMarker[] = [];
  for (const { pointer, text, key } of strings(object)) {
    const harm = damage(text);
    if (harm === 'base64') {
      found.push({
        pointer,
        why: 'base64 was made of it before its value was known; give the plain text (stringData)',
      });
    } else if (harm === 'changed') {
      found.push({ pointer, why: 'it was cut, encoded or hashed before its value was known' });
    } else if (hasMarker(text) && key) {
      found.push({ pointer, why: 'a key must be known when the program runs' });
    } else if (hasMarker(text) && /^\/metadata\/(name|namespace|generateName)$/.test(pointer)) {
      found.push({ pointer, why: 'a name or namespace must be known when the program runs' });
    }
  }
  return found;
}

/** Every place of an object that holds a marker, whole or damaged. */
export function allMarkers(object: unknown): MisplacedMarker[] {
  return [...strings(object)]
    .filter(({ text }) => hasMarker(text) || damage(text) !== undefined)
    .map(({ pointer }) => ({ pointer, why: 'its value is known only at deployment' }));
}
