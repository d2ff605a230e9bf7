import { pointerTo } from '../rules';

/**
 * A copy of what a resource has. What only the update knows is absent from it, and whoever reads it is noted.
 *
 * Pulumi hands the properties of a resource to a policy in an envelope that throws where an unknown value is read. A rule
 * would end there, with all that it has to say of other objects.
 *
 * @param onRead told each time that an unknown value is read, with its JSON pointer (RFC 6901)
 */
export function knownValues(value: unknown, onRead: (pointer: string) => void, pointer = ''): unknown {
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const copy: object = Array.isArray(value) ? [] : {};
  for (const key of Object.keys(value)) {
    const place = pointer + pointerTo(key);
    const read = readOf(value, key);
    Object.defineProperty(copy, key, {
      configurable: true,
      enumerable: true,
      ...('known' in read
        ? { value: knownValues(read.known, onRead, place), writable: true }
        : { get: () => onRead(place) }),
    });
  }
  return copy;
}

/** One field of what a resource has, read without a note. */
export function knownField(value: object, key: string): unknown {
  const read = readOf(value, key);
  return 'known' in read ? read.known : undefined;
}

function readOf(value: object, key: string): { readonly known: unknown } | { readonly unknown: true } {
  try {
    return { known: (value as Readonly<Record<string, unknown>>)[key] };
  } catch {
    return { unknown: true };
  }
}

/** Whether a copy lacks the value of a field because only the update knows it. */
export function isUnknown(copy: unknown, key: string): boolean {
  return (
    typeof copy === 'object' && copy !== null && Object.getOwnPropertyDescriptor(copy, key)?.get !== undefined
  );
}
