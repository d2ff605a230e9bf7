import { Field } from '../../field';
import type { JudgedObject } from '../../judged-object';
import { groupOf } from '../../judged-object';
import type { ObjectIndex } from '../../object-index';

/** What two sets of manifests differ in beside Secrets. */
export interface Differences {
  /** Texts that a chart makes up at each render: tokens, UUIDs, times. */
  readonly madeUp: readonly { readonly object: JudgedObject; readonly field: Field }[];
  /** Whether there are others: then nothing says that they are of one commit. */
  readonly hasOthers: boolean;
}

/** `randAlphaNum 5`, which rolls pods, is the shortest in use. */
const token = /^[A-Za-z0-9+/=_-]{5,}$/;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const time = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d|^\d{10}$/;

/** Compares objects by their names. Hashes over Secrets and CA bundles differ with them. */
export function differencesOf(before: ObjectIndex, objects: ObjectIndex): Differences {
  const [old, now] = [before, objects].map(withoutSecrets) as [JudgedObject[], JudgedObject[]];
  if (old.length !== now.length) {
    return { madeUp: [], hasOthers: true };
  }
  const found: { object: JudgedObject; field: Field }[] = [];
  for (const object of now) {
    const twin = before.find(groupOf(object.apiVersion), object.kind, object.namespace, object.name);
    const fields = twin && differing(Field.of(twin), Field.of(object));
    if (!fields) {
      return { madeUp: [], hasOthers: true };
    }
    found.push(...fields.map((field) => ({ object, field })));
  }
  // Each call makes another one: what stands in several places was given, as the hash of a commit is.
  const texts = new Set(found.map(({ field }) => field.text));
  const hasOthers = texts.size < found.length && found.some(({ field }) => !time.test(field.text!));
  return { madeUp: hasOthers ? [] : found, hasOthers };
}

function withoutSecrets(index: ObjectIndex): JudgedObject[] {
  return index.all.filter(({ apiVersion, kind }) => groupOf(apiVersion) !== '' || kind !== 'Secret');
}

/** Made-up texts that are others. @returns nothing where anything else is another */
function differing(before: Field, after: Field): Field[] | undefined {
  const last = after.steps.at(-1) ?? '';
  if (last.startsWith('checksum/') || last === 'caBundle' || Object.is(before.value, after.value)) {
    return [];
  }
  if (before.text !== undefined && after.text !== undefined) {
    return isMadeUp(before.text, after.text) ? [after] : undefined;
  }
  const [old, now] = [before, after].map(partsOf);
  const isSameShape =
    old !== undefined && now !== undefined && old.length === now.length && isList(before) === isList(after);
  if (!isSameShape) {
    return undefined;
  }
  const found: Field[] = [];
  for (const each of now) {
    const key = each.steps.at(-1)!;
    const twin = before.get(key);
    const fields = twin.value === undefined ? undefined : differing(twin, each);
    if (!fields) {
      return undefined;
    }
    found.push(...fields);
  }
  return found;
}

function isMadeUp(before: string, after: string): boolean {
  return [token, uuid].some((each) => each.test(before) && each.test(after) && before.length === after.length)
    ? // Words and numbers are none: `debug`, `15000`; nor is what is counted on, `release-12`.
      isMixed(before) && isMixed(after) && differsWidely(before, after)
    : time.test(before) && time.test(after);
}

/** Two of: capital letters, others, digits. */
function isMixed(text: string): boolean {
  return [/[A-Z]/, /[a-z]/, /\d/].filter((kind) => kind.test(text)).length >= 2;
}

/** Whether more than half of the characters are others. */
function differsWidely(one: string, other: string): boolean {
  const others = Array.from(one).filter((character, position) => character !== other[position]).length;
  return others > one.length / 2;
}

function isList({ value }: Field): boolean {
  return Array.isArray(value);
}

function partsOf(field: Field): readonly Field[] | undefined {
  const { value } = field;
  return typeof value === 'object' && value !== null
    ? isList(field)
      ? field.items
      : field.entries.map(([, each]) => each)
    : undefined;
}
