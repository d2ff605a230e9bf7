import { damage, hasMarker } from './marker';

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
