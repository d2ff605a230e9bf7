import { Field } from '../object';
import { parseYaml } from '../read/yaml';

/** What the `templatePatch` of an ApplicationSet does to the Applications. */
export interface TemplatePatch {
  /** `spec` of the patch; its pointers begin at `templatePatch`. @default - it has templates, is no YAML, or sets nothing */
  readonly spec?: Field;
  /** What its templates may come to. @default - it has none */
  readonly templated?: TemplatedPatch;
}

/** A patch with templates, which are not evaluated. */
export interface TemplatedPatch {
  /** Its place in the ApplicationSet. */
  readonly field: Field;
  /** `spec`, as if each of its branches were taken. @default - it can't be read like that */
  readonly spec?: Field;
}

/**
 * Reads a `templatePatch`. It is a strategic merge patch, and no list of an Application has a merge key: they are replaced.
 *
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Template/#template-patch
 */
export function templatePatch(field: Field): TemplatePatch {
  const { text } = field;
  if (text === undefined) {
    return {};
  }
  if (!text.includes('{{')) {
    const spec = specOf(text, field);
    return spec ? { spec } : {};
  }
  const lines = text.split('\n').filter((line) => !control.test(line));
  const spec = specOf(lines.join('\n').replace(/\{\{(?:(?!\{\{|\}\}).)*\}\}/gs, placeholder), field);
  return { templated: { field, ...(spec ? { spec } : {}) } };
}

/** Whether a patch with templates may set a value. */
export function maySet({ spec }: TemplatedPatch, ...steps: readonly string[]): boolean {
  if (spec === undefined) {
    return true;
  }
  const way = [spec, ...steps.map((_, position) => spec.get(...steps.slice(0, position + 1)))];
  return way.at(-1)!.value !== undefined || way.some(({ text }) => text?.includes(placeholder));
}

/** Instead of what a template comes to. */
const placeholder = '__template__';

/** A line that writes nothing itself. */
const control = /^\s*\{\{-?\s*(?:if|else|end|range|with|\/\*|\$\w+\s*:?=)[^}]*\}\}\s*$/;

/** A key comes once in each branch. */
function specOf(text: string, field: Field): Field | undefined {
  try {
    return Field.ofValue(parseYaml(text, { repeatedKeys: true }), field.pointer).get('spec');
  } catch {
    return undefined;
  }
}
