import type { EksCluster } from './cluster-set';

/** A text with the parts that a cluster completes. */
type Part = string | Expression;

interface Expression {
  /** As it is in the text, for messages. */
  readonly text: string;
  readonly variable: string;
  readonly fallback?: string;
  readonly filters: readonly Filter[];
}

type Filter = 'label' | 'dns';

/** A template that can't be read, or that a cluster does not complete; the message says why. */
export class TemplateError extends Error {}

const attributes = ['name', 'region', 'account', 'arn', 'version'] as const;

/** What may be between `{{` and `}}`, for messages. */
export const templateRule =
  `a text whose "{{…}}" hold ${attributes.join(', ')} or tags.KEY, ` +
  'followed by "| default TEXT", "| label" or "| dns" where wanted';

/** Whether anything of the text depends on the cluster. */
export function isTemplate(text: string): boolean {
  return /\{\{|\}\}/.test(text);
}

/** @throws TemplateError where the text is no template */
export function checkTemplate(text: string): void {
  partsOf(text);
}

/** @throws TemplateError where the cluster has no such tag, and there is no default */
export function expandTemplate(text: string, cluster: EksCluster): string {
  return partsOf(text)
    .map((part) => (typeof part === 'string' ? part : valueOf(part, cluster)))
    .join('');
}

function partsOf(text: string): readonly Part[] {
  // Every second piece is what was between braces.
  return text.split(/\{\{((?:(?!\{\{|\}\}).)*)\}\}/s).map((piece, index) => {
    if (index % 2 === 1) {
      return expressionOf(piece);
    }
    if (isTemplate(piece)) {
      throw new TemplateError('"{{" and "}}" do not belong together');
    }
    return piece;
  });
}

function expressionOf(text: string): Expression {
  const [variable = '', ...rest] = text.split('|').map((word) => word.trim());
  if (!(attributes as readonly string[]).includes(variable) && !/^tags\../.test(variable)) {
    throw new TemplateError(`there is no "${variable}"`);
  }
  let fallback: string | undefined;
  const filters: Filter[] = [];
  for (const word of rest) {
    const [, given] = /^default(?:\s+(.*))?$/s.exec(word) ?? [];
    if (/^default\b/.test(word)) {
      fallback = given ?? '';
    } else if (word === 'label' || word === 'dns') {
      filters.push(word);
    } else {
      throw new TemplateError(`there is no filter "${word}"`);
    }
  }
  return { text: text.trim(), variable, filters, ...(fallback === undefined ? {} : { fallback }) };
}

function valueOf({ text, variable, fallback, filters }: Expression, cluster: EksCluster): string {
  const value = lookUp(variable, cluster) ?? fallback;
  if (value === undefined) {
    const what = variable.startsWith('tags.') ? `tag "${variable.slice(5)}"` : variable;
    throw new TemplateError(`the cluster has no ${what}; {{${text} | default TEXT}} would do without`);
  }
  return filters.reduce(
    (filtered, filter) => (filter === 'label' ? asLabel(filtered) : asDns(filtered)),
    value,
  );
}

function lookUp(variable: string, cluster: EksCluster): string | undefined {
  if (variable.startsWith('tags.')) {
    const key = variable.slice('tags.'.length);
    return Object.hasOwn(cluster.tags, key) ? cluster.tags[key] : undefined;
  }
  return cluster[variable as (typeof attributes)[number]];
}

/** Tags may have spaces and other characters that labels may not. */
function asLabel(value: string): string {
  const trimmed = value.replace(/[^A-Za-z0-9_.-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  return trimmed.slice(0, 63).replace(/[^A-Za-z0-9]+$/, '');
}

/** EKS takes capitals and "_" in a cluster's name; Kubernetes does not in a Secret's. */
function asDns(value: string): string {
  return value
    .toLowerCase()
    .replace(/[^a-z0-9.-]+/g, '-')
    .replace(/^[^a-z0-9]+|(?<![^a-z0-9])[^a-z0-9]+$/g, '');
}
