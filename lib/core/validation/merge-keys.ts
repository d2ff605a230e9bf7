import { isPlainObject } from './problems';
import type { PlainObject } from './problems';

/**
 * The content of a YAML file with the mappings of its merge keys in place: `<<: *common`, or a list of such. A key of the mapping
 * itself goes before theirs, an earlier one of a list before a later one. A merge key with any other value stays as it is.
 *
 * It is for data whose aliases are bounded already, since a mapping may be merged into many.
 *
 * @see https://yaml.org/type/merge.html
 */
export function withMergeKeys(content: unknown): unknown {
  // What an alias names is one object, and stays one.
  const known = new Map<object, unknown>();
  const merged = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) {
      return value;
    }
    if (!known.has(value)) {
      known.set(value, Array.isArray(value) ? value.map(merged) : mergedMapping(value as PlainObject));
    }
    return known.get(value);
  };
  const mergedMapping = (mapping: PlainObject): PlainObject => {
    const own = Object.entries(mapping).map(([key, value]) => [key, merged(value)] as const);
    const given: unknown = Object.hasOwn(mapping, '<<') ? merged(mapping['<<']) : undefined;
    const sources: readonly unknown[] = Array.isArray(given) ? given : [given];
    if (!sources.every(isPlainObject)) {
      return Object.fromEntries(own);
    }
    const others = [...sources].reverse().flatMap((source) => Object.entries(source));
    return Object.fromEntries([...others, ...own.filter(([key]) => key !== '<<')]);
  };
  return merged(content);
}
