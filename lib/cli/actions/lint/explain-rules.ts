import { linkOf, ruleHelp } from '../../../lint';
import type { EngineRule } from '../../../lint';
import { jsonText, linesOf, writeDocument, writeOut } from '../../output';
import { chosenRules } from './chosen-rules';

/** What is printed of rules: `schemas/lint-rules.json`. */
interface RulesDocument {
  readonly schemaVersion: 1;
  readonly rules: readonly {
    readonly id: string;
    readonly severity: string;
    readonly title: string;
    readonly why: string;
    readonly fix: string;
    readonly otherwise?: string;
    readonly needs?: 'before' | 'live';
    readonly link?: string;
  }[];
}

/**
 * Prints rules in place of checking anything.
 *
 * @param ids those that are explained. @default - all are listed, a line each
 * @throws InvalidInput for ids that no rule has
 */
export async function explainRules(
  rules: readonly EngineRule[],
  ids: readonly string[] | undefined,
  format: 'text' | 'json',
): Promise<void> {
  const given = ids?.flatMap((each) => each.split(','));
  const chosen = given === undefined ? rules : chosenRules(rules, given, '--explain');
  if (format === 'json') {
    await writeDocument(jsonText(documentOf(chosen)));
    return;
  }
  await writeOut(ids === undefined ? listed(chosen) : linesOf(chosen.map(explained).join('\n\n')));
}

function documentOf(rules: readonly EngineRule[]): RulesDocument {
  return {
    schemaVersion: 1,
    rules: rules.map((rule) => {
      const { id, severity, title, why, fix, otherwise, needs } = rule;
      const link = linkOf(rule);
      return {
        ...{ id, severity, title, why, fix },
        ...(otherwise === undefined ? {} : { otherwise }),
        ...(needs === undefined ? {} : { needs }),
        ...(link === undefined ? {} : { link }),
      };
    }),
  };
}

const flags = { before: '--baseline', live: '--kubeconfig' } as const;

function listed(rules: readonly EngineRule[]): string[] {
  const widest = Math.max(...rules.map(({ id }) => id.length));
  return rules.map(({ id, severity, title, needs }) => {
    const condition = needs === undefined ? '' : ` (with ${flags[needs]})`;
    return `${id.padEnd(widest)}  ${severity.padEnd('warning'.length)}  ${title}${condition}`;
  });
}

function explained(rule: EngineRule): string {
  const link = linkOf(rule);
  return [
    `${rule.id}  ${rule.severity}  ${rule.title}`,
    ...ruleHelp(rule),
    ...(link === undefined ? [] : [link]),
  ].join('\n');
}
