/** A mapping that a user gave, and whose values nobody has looked at yet. */
export type Untyped = Readonly<Record<string, unknown>>;

/** Whether a value is a mapping: an object that is no list. */
export function isMapping(value: unknown): value is Untyped {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
