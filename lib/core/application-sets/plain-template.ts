/** A text in which names are replaced: `{{name}}`. */
export interface PlainTemplate {
  /** Why Argo CD refuses it. @default - it does not */
  readonly fault?: string;
  /** What stands between braces, without the spaces around it; what no generator gives stays as it is. */
  readonly tags: readonly string[];
  /** What stands outside of them, put together. */
  readonly literal: string;
}

/**
 * Reads a text as the controller of ApplicationSets does without Go templates: a text that has `{{` and `}}` on no line is
 * taken as it is, and in any other one each `{{` must be closed.
 *
 * @see https://github.com/argoproj/argo-cd/blob/v3.6.1/applicationset/utils/utils.go
 * @see https://github.com/valyala/fasttemplate/blob/v1.2.2/template.go
 */
export function readPlainTemplate(text: string): PlainTemplate {
  if (!text.includes('{{') || !text.split('\n').some(isTemplated)) {
    return { tags: [], literal: text };
  }
  const [tags, literal]: [string[], string[]] = [[], []];
  for (let at = 0; ;) {
    const opens = text.indexOf('{{', at);
    literal.push(text.slice(at, opens < 0 ? undefined : opens));
    if (opens < 0) {
      return { tags, literal: literal.join('') };
    }
    const closes = text.indexOf('}}', opens + 2);
    if (closes < 0) {
      return { fault: 'a "{{" is not closed by "}}"', tags: [], literal: text };
    }
    tags.push(text.slice(opens + 2, closes).trim());
    at = closes + 2;
  }
}

function isTemplated(line: string): boolean {
  const opens = line.indexOf('{{');
  return opens >= 0 && line.includes('}}', opens + 2);
}
