import { Field } from '../field';
import { listItems } from './list-items';

/** What js-yaml makes of a key that is a map, which `{{ .Values.name }}` is to YAML. */
const mapAsKey = '[object Object]';

/** Line of the first `{{` of a text, from 0. @returns nothing where there is none */
export function templateLine(text: string): number | undefined {
  const at = text.indexOf('{{');
  return at < 0 ? undefined : text.slice(0, at).split('\n').length - 1;
}

/** Whether a document that could be read is a template all the same: `name: {{ .Values.name }}` is YAML, if strange. */
export function isTemplate(value: unknown): boolean {
  return hasMapAsKey(value) || listItems(value).some((item) => hasTemplateAsName(item.value));
}

function hasMapAsKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  return Object.hasOwn(value, mapAsKey) || Object.values(value).some(hasMapAsKey);
}

/** In quotes, braces are a text that many objects have. What names an object has none. */
function hasTemplateAsName(value: unknown): boolean {
  const object = Field.ofValue(value);
  const names = [object.get('kind'), ...['name', 'namespace'].map((key) => object.get('metadata', key))];
  return names.some(({ text }) => text?.includes('{{') === true);
}
