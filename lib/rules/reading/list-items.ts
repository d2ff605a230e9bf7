import { pointerTo } from '../json-pointer';

/** A value of a document that may be an object. */
export interface ListItem {
  readonly value: unknown;
  /** JSON pointer in the document. */
  readonly pointer: string;
}

/** Lists nest nowhere; one that does is made to break readers. */
const deepest = 10;

/**
 * What a document holds: itself, or the items of a List, in which other Lists may be. Items of a typed list
 * (`kind: PodList`) get its version and kind where they leave them out, as an API server does.
 */
export function listItems(value: unknown, pointer = '', depth = 0): ListItem[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth > deepest) {
    return [{ value, pointer }];
  }
  const { kind, apiVersion, items } = value as Readonly<Record<string, unknown>>;
  if (typeof kind !== 'string' || !kind.endsWith('List') || !Array.isArray(items)) {
    return [{ value, pointer }];
  }
  const typed = kind === 'List' ? undefined : { apiVersion, kind: kind.slice(0, -'List'.length) };
  return items.flatMap((item: unknown, position) => {
    const whole = typed && typeof item === 'object' && item !== null ? { ...typed, ...item } : item;
    return listItems(whole, pointer + pointerTo('items', position), depth + 1);
  });
}
