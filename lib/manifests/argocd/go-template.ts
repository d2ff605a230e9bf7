import type { Problems } from '../../core/validation/problems';
import type { Generator } from './generators/generators';
import { pullRequestParameters } from './generators/pull-request';
import { scmProviderParameters } from './generators/scm-provider';

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

/** A field that a Go template reads of the parameters. */
export interface GoField {
  /** Names on the way to it: `['metadata', 'labels']`. */
  readonly names: readonly string[];
  /** Whether it is read whatever the parameters are: it is in no branch. */
  readonly isSure: boolean;
  /** Whether the action writes it, maybe through functions other than those that fill in for what is not there. */
  readonly isWritten: boolean;
}

/**
 * The fields of the parameters that a Go template reads. What stands for something else is left out: fields of variables and
 * of a dot that `with`, `range` or `define` has changed, quoted text, comments; and fields that the template looks for by
 * name, such as with `hasKey`.
 *
 * @see https://pkg.go.dev/text/template
 */
export function goFields(text: string): readonly GoField[] {
  const found: GoField[] = [];
  const quoted = new Set<string>();
  const blocks: Block[] = [];
  for (const action of actionsOf(text)) {
    const { code, texts } = withoutTexts(action);
    texts.forEach((each) => quoted.add(each));
    const [, keyword] = /^\s*(if|with|range|block|define|else|end)\b/.exec(code) ?? [];
    const around = blocks.at(-1) ?? wholeText;
    if (keyword === 'end') {
      blocks.pop();
      continue;
    }
    const outer = keyword === 'else' ? (blocks.at(-2) ?? wholeText) : around;
    const isSure = blocks.length === 0;
    const isWritten = keyword === undefined && written.test(code) && !filling.test(code);
    for (const names of chainsOf(code, outer)) {
      found.push({ names, isSure, isWritten: isWritten && isSure });
    }
    if (keyword === 'else') {
      blocks.pop();
    }
    if (keyword !== undefined) {
      blocks.push(blockOf(keyword, code, outer));
    }
  }
  return found.filter(({ names }) => !names.some((name) => quoted.has(name)));
}

/** What `.` and `$` are in a part of a template. */
interface Block {
  readonly isDotParameters: boolean;
  readonly isRootParameters: boolean;
}

const wholeText: Block = { isDotParameters: true, isRootParameters: true };

/** A field, or a pipe that begins with one. */
const written = /^\s*\$?(?:\.[\p{L}_][\p{L}\p{N}_]*)+\s*(?:\||$)/u;

const filling = /\b(?:default|coalesce|empty|ternary|kindIs|typeIs|toJson)\b/;

function blockOf(keyword: string, code: string, outer: Block): Block {
  if (keyword === 'define' || keyword === 'block') {
    return { isDotParameters: false, isRootParameters: false };
  }
  const changesDot = keyword === 'with' || keyword === 'range' || /^\s*else\s+with\b/.test(code);
  return changesDot ? { ...outer, isDotParameters: false } : outer;
}

/** What stands between `{{` and `}}`, without the dashes that trim. Quotes may hold either; what never ends is nothing. */
function actionsOf(text: string): readonly string[] {
  const actions: string[] = [];
  const part = /\}\}|"(?:[^"\\\n]|\\.)*"|`[^`]*`|'(?:[^'\\\n]|\\.)*'|["`']/g;
  for (let start = text.indexOf('{{'); start >= 0; start = text.indexOf('{{', part.lastIndex)) {
    const comment = /\{\{(?:-\s)?\s*\/\*/y;
    comment.lastIndex = start;
    part.lastIndex = comment.test(text) ? text.indexOf('*/', start) : start + 2;
    let end = part.lastIndex < start ? null : part.exec(text);
    while (end !== null && end[0] !== '}}' && end[0].length > 1) {
      end = part.exec(text);
    }
    if (end?.[0] !== '}}') {
      return actions;
    }
    const content = text.slice(start + 2, end.index).replace(/^-\s/, '');
    if (!content.trimStart().startsWith('/*')) {
      actions.push(content.endsWith('-') ? content.slice(0, -1) : content);
    }
  }
  return actions;
}

function withoutTexts(action: string): { readonly code: string; readonly texts: readonly string[] } {
  const texts: string[] = [];
  const code = action.replace(/"((?:[^"\\]|\\[^])*)"|`([^`]*)`|'(?:[^'\\]|\\[^])*'/g, (_, double, raw) => {
    texts.push(String(double ?? raw ?? ''));
    return '""';
  });
  return { code, texts };
}

/** Chains of fields that begin at the parameters: not those of a variable, a call or another value. */
function chainsOf(code: string, { isDotParameters, isRootParameters }: Block): readonly string[][] {
  const chain = /(?<![\p{L}\p{N}_)\].$"])(\$?)((?:\.[\p{L}_][\p{L}\p{N}_]*)+)/gu;
  return [...code.matchAll(chain)]
    .filter(([, root]) => (root === '$' ? isRootParameters : isDotParameters))
    .map(([, , names]) => names!.slice(1).split('.'));
}
