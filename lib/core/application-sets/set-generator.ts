import { isPlainObject } from '../validation/problems';

/** Keys and positions on the way to a value. */
export type Steps = readonly (string | number)[];

/** A generator of an ApplicationSet, wherever it was read: from a manifest, or from the arguments of a construct. */
export interface SetGenerator {
  /** Its key in the manifest: `list`, `clusters`, `matrix`. */
  readonly kind: string;
  /** Its place. */
  readonly steps: Steps;
  /** What is below its kind, without templates and the generators in it. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** The template of its Applications, which is laid over the set's. @default - the set's alone */
  readonly template?: unknown;
  /** Whether a selector drops some of what it gives. */
  readonly isFiltered: boolean;
  /** Those that a matrix or a merge combines. */
  readonly generators: readonly SetGenerator[];
}

/** Elements of a list that are all that it gives; none where others may come. */
export function elementsOf({ kind, settings }: SetGenerator): readonly unknown[] {
  const { elements, elementsYaml } = settings;
  return kind === 'list' && elementsYaml === undefined && Array.isArray(elements) ? elements : [];
}

/** Argo CD keeps it as one text, and joins nothing in it. */
const whole = new Set(['valuesObject']);

/**
 * The template of a generator's Applications: its own, laid over the set's as Argo CD does it.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Template/#generator-templates
 */
export function generatorTemplateOver(own: unknown, template: unknown): unknown {
  if (own === undefined || !isPlainObject(template)) {
    return template;
  }
  const { spec } = template;
  const isReplaced = isPlainObject(own) && isPlainObject(own['spec']) && own['spec']['sources'] !== undefined;
  const under =
    isReplaced && isPlainObject(spec) ? { ...template, spec: { ...spec, source: undefined } } : template;
  return laidOver(own, under);
}

function laidOver(own: unknown, under: unknown): unknown {
  if (isEmpty(own)) {
    return under ?? own;
  }
  if (!isPlainObject(own) || !isPlainObject(under)) {
    return own;
  }
  const keys = [...new Set([...Object.keys(own), ...Object.keys(under)])];
  return Object.fromEntries(
    keys.map((key) => [key, whole.has(key) ? (own[key] ?? under[key]) : laidOver(own[key], under[key])]),
  );
}

/** What Argo CD takes for a field that was left out. */
export function isEmpty(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === false ||
    value === '' ||
    value === 0 ||
    (Array.isArray(value) && value.length === 0)
  );
}
