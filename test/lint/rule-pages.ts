import type { EngineRule, Rule } from '../../lib/lint';
import { allRules, suppressionRules } from '../../lib/lint';
import { ownRulesSection } from './own-rules-section';
import { exampleFiles } from './examples';

/** Every rule of the page, in its order. */
export const pageRules: readonly (EngineRule | Rule)[] = [...allRules, ...suppressionRules];

/** The page of all rules, `docs/rules.md`, from the rules themselves and their examples. */
export function rulePages(): string {
  return [pageHead(), ...pageRules.map(ruleSection)].join('\n');
}

/** What stands before the first rule. */
export function pageHead(): string {
  return [
    '# Rules',
    '',
    '[lint.md](lint.md) says how to run, configure and suppress rules. This page is generated:',
    '`npx ts-node -T test/lint/write-rule-pages.ts`.',
    '',
    ...Object.entries(groups).map(([prefix, name]) => `- ${name}: ${linksOf(prefix).join(', ')}`),
    '',
    ...ownRulesSection(),
  ].join('\n');
}

/** Subjects of the rules, by the letters of their ids. */
const groups: Readonly<Record<string, string>> = {
  WH: 'Webhooks and policies',
  TLS: 'Certificates',
  GIT: 'Argo CD',
  RT: 'Retries of Argo Workflows',
  ALBC: 'AWS Load Balancer Controller',
  API: 'APIs of Kubernetes',
  YAML: 'Manifests',
  SUP: 'Suppressions',
};

function linksOf(prefix: string): readonly string[] {
  return pageRules
    .filter(({ id }) => id.replace(/\d+$/, '') === prefix)
    .map(({ id }) => `[${id}](#${id.toLowerCase()})`);
}

const needs = {
  before: 'Runs only where the objects before the change are known (`--baseline`).',
  live: 'Runs only where the objects of the cluster are known (`--kubeconfig`).',
} as const;

/** What the page says of one rule. */
export function ruleSection(rule: EngineRule | Rule): string {
  const { id, title, severity, why, fix, otherwise } = rule;
  return [
    `## ${id}`,
    '',
    `**${title}** (${severity}${otherwise === undefined ? '' : ' by default'})`,
    '',
    `- Why: ${why}.`,
    `- Fix: ${fix}.`,
    ...(otherwise === undefined ? [] : [`- Severity: ${otherwise}.`]),
    ...(rule.needs ? [`- ${needs[rule.needs]}`] : []),
    ...('check' in rule
      ? [`- Examples: ${[...exampleLinks(id, 'fires'), ...exampleLinks(id, 'silent')].join(', ')}`]
      : []),
    '',
  ].join('\n');
}

const headings = { fires: 'finding', silent: 'none' } as const;

/** Links to the files of an example, which are not in the package. */
function exampleLinks(id: string, kind: 'fires' | 'silent'): string[] {
  return exampleFiles(id, kind).map(
    ([part, file]) => `[${headings[kind]}${partNames[part] ?? ''}](../test/lint/examples/${file})`,
  );
}

const partNames: Readonly<Record<string, string>> = {
  before: ' (before the change)',
  live: ' (in the cluster)',
  template: ' (template of a chart)',
};
