import type { EngineRule, Rule } from '../../lib/lint';
import { allRules, suppressionRules } from '../../lib/lint';
import { ownRulesSection } from './own-rules-section';
import { peersSection } from './peers';
import { exampleTexts, judgeExample, ofRule } from './examples';

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
    'What `cluster-canary lint`, the cdk8s validation and the policy pack look for. Written by',
    '`npx ts-node -T test/lint/write-rule-pages.ts` from the rules and their examples in `test/lint/examples`, which the',
    'tests judge. How to run and suppress them: [lint](lint.md).',
    '',
    '| rule | severity | finds |',
    '|---|---|---|',
    ...pageRules.map(
      ({ id, severity, title }) => `| [${id}](#${id.toLowerCase()}) | ${severity} | ${title} |`,
    ),
    '',
    ...peersSection(allRules.map(({ id }) => id)),
    ...ownRulesSection(),
  ].join('\n');
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
    `**${title}** (${severity}, unless a finding says otherwise)`,
    '',
    `Why it hurts: ${why}.`,
    '',
    `How to fix it: ${fix}.`,
    '',
    ...(otherwise === undefined ? [] : [`Severity: ${otherwise}.`, '']),
    ...(rule.needs ? [needs[rule.needs], ''] : []),
    ...('check' in rule ? [...exampleSection(rule, 'fires'), ...exampleSection(rule, 'silent')] : []),
  ].join('\n');
}

const headings = { fires: 'An example with findings', silent: 'A near miss without' } as const;

function exampleSection(rule: Rule, kind: 'fires' | 'silent'): string[] {
  const texts = exampleTexts(rule.id, kind);
  const findings = ofRule(rule, judgeExample(rule, texts));
  return [
    `<details><summary>${headings[kind]}</summary>`,
    '',
    ...Object.entries(texts).flatMap(([part, text]) => [
      ...(part === 'manifests' ? [] : [`${partNames[part]!}:`, '']),
      // A text may have a fence of its own in it.
      '````yaml',
      text.trimEnd(),
      '````',
      '',
    ]),
    ...findings.map(({ severity, line, message }) => `- line ${line}, ${severity}: ${escaped(message)}`),
    ...(findings.length > 0 ? [''] : []),
    '</details>',
    '',
  ];
}

const partNames: Readonly<Record<string, string>> = {
  before: 'Before the change',
  live: 'In the cluster',
  template: 'A template of a chart',
};

function escaped(text: string): string {
  return text.replace(/[\\`*_<>[\]|]/g, (sign) => `\\${sign}`);
}
