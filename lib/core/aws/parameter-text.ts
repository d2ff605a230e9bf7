/**
 * JSON that a parameter of Systems Manager may hold: its value may have no `{{ }}` in it, which a text of a Helm template, say,
 * has. In JSON `{{` stands in texts alone, where an escape reads as before.
 *
 * @see https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_PutParameter.html
 */
export function parameterJson(json: string): string {
  return json.replace(/(?<=\{)\{/g, '\\u007b');
}
