export { across, either, falseOr, list, object, oneKeyOf, optional, record } from './collections';
export type { Objections } from './collections';
export type { JsonSchema } from './json-schema';
export { readSettings } from './read-settings';
export { pathText, problemsOf } from './schema';
export type { Entries, OptionalSchema, PlacedProblem, Schema, Steps } from './schema';
export { anything, flag, later, number, oneOf, secret, text, that, whole } from './values';
export type { Bounds } from './values';
