import type { Problems } from '../problems';
import type { Generator } from './generator';
import { pullRequestParameters } from './pull-request';
import { scmProviderParameters } from './scm-provider';

/** Parameters that the generators here give by themselves. */
const builtIn = ['name', 'nameNormalized', 'server', 'project', 'clusters', 'path', 'values', 'metadata'];

/** An expression that is a bare parameter: `{{name}}`, `{{ metadata.labels.env }}`, `{{path[0]}}`. */
const bareParameter = /\{\{-?\s*([A-Za-z_]\w*)((?:\.[\w./-]+)?(?:(?:\[\d+\])+(?:\.[\w./-]+)?)*)\s*-?\}\}/g;

/** An expression that starts as a Go template's do: `{{ .name }}`. */
const goExpression = /\{\{-?\s*\./;

/**
 * Finds template expressions in the other language than the ApplicationSet's: `{{name}}` is no Go template (the
 * controller stops with an unknown function), and `{{.name}}` stays as it is where Go templates are off.
 *
 * @param path of the value in the arguments
 * @param value any plain data with texts in it
 */
export function checkTemplateTexts(
  problems: Problems,
  path: string,
  value: unknown,
  goTemplate: boolean,
  parameters: ReadonlySet<string>,
): void {
  if (typeof value === 'string') {
    checkText(problems, path, value, goTemplate, parameters);
  } else if (Array.isArray(value)) {
    value.forEach((each, position) =>
      checkTemplateTexts(problems, `${path}[${position}]`, each, goTemplate, parameters),
    );
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, below] of Object.entries(value)) {
      checkTemplateTexts(problems, `${path}.${key}`, below, goTemplate, parameters);
    }
  }
}

function checkText(
  problems: Problems,
  path: string,
  text: string,
  goTemplate: boolean,
  parameters: ReadonlySet<string>,
): void {
  if (!goTemplate) {
    if (goExpression.test(text)) {
      problems.add(path, text, 'a template such as "{{name}}", without a leading dot: "goTemplate" is off');
    }
    return;
  }
  for (const [expression, name, rest] of text.matchAll(bareParameter)) {
    if (rest !== '' || parameters.has(name!)) {
      problems.add(path, text, `a Go template: "{{.name}}" with a leading dot instead of "${expression}"`);
    }
  }
}

/** Names of the parameters that the generators are known to give. */
export function knownParameters(generators: readonly Generator[]): Set<string> {
  return new Set([...builtIn, ...generators.flatMap(listed)]);
}

function listed(generator: Generator): readonly string[] {
  switch (generator.kind) {
    case 'list':
      return (generator.elements ?? []).flatMap((element) => Object.keys(element ?? {}));
    case 'matrix':
    case 'merge':
      return (generator.generators as readonly Generator[]).flatMap(listed);
    case 'scmProvider':
      return scmProviderParameters;
    case 'pullRequest':
      return pullRequestParameters;
    case 'plugin':
      return ['generator'];
    case 'clusterDecisionResource':
    case 'clusters':
    case 'git':
      return [];
  }
}

/** The parts of a text that stand outside of template expressions, put together. */
export function literalParts(text: string): string {
  const parts: string[] = [];
  let at = 0;
  for (;;) {
    const opens = text.indexOf('{{', at);
    const closes = opens < 0 ? -1 : text.indexOf('}}', opens + 2);
    if (closes < 0) {
      return [...parts, text.slice(at)].join('');
    }
    parts.push(text.slice(at, opens));
    at = closes + 2;
  }
}
