import { resolve } from 'node:path';
import { InvalidInput } from '../../../core/validation/problems';
import type { Problem } from '../../../core/validation/problems';
import { severities } from '../../../lint';
import type { Rule } from '../../../lint';

/**
 * Rules of a user's own module: what it exports as `rules`, as its default or as a whole, a rule or a list.
 *
 * @throws InvalidInput where it can't be loaded, or exports something else
 */
export async function loadRules(file: string, taken: ReadonlySet<string>): Promise<readonly Rule[]> {
  const candidates = exportedRules(await load(file));
  const problems = candidates.flatMap((each, position) => problemsOf(each, `rules[${position}]`, taken));
  if (candidates.length === 0) {
    problems.push({ path: 'rules', allowed: 'exported: a rule, or a list of rules' });
  }
  if (problems.length > 0) {
    throw new InvalidInput(file, problems);
  }
  return candidates as readonly Rule[];
}

async function load(file: string): Promise<unknown> {
  try {
    return await import(resolve(file));
  } catch (error) {
    const said = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw new InvalidInput('lint', [
      { path: '--rules', value: file, allowed: `a JavaScript module with rules: ${said}` },
    ]);
  }
}

function exportedRules(module: unknown): readonly unknown[] {
  const { rules, default: standard } = module as { rules?: unknown; default?: unknown };
  const inside = standard as { rules?: unknown } | undefined;
  const found = rules ?? inside?.rules ?? standard;
  // What exports nothing has an empty object for its default.
  const isNothing =
    found === undefined || (typeof found === 'object' && Object.keys(found ?? {}).length === 0);
  return Array.isArray(found) ? found : isNothing ? [] : [found];
}

const texts = ['title', 'why', 'fix'] as const;

function problemsOf(candidate: unknown, path: string, taken: ReadonlySet<string>): Problem[] {
  const rule = (typeof candidate === 'object' && candidate !== null ? candidate : {}) as Partial<Rule>;
  const problems: Problem[] = [];
  const add = (key: string, value: unknown, allowed: string): void => {
    problems.push({ path: `${path}.${key}`, value, allowed });
  };
  if (typeof rule.id !== 'string' || !/^[A-Z]+\d+$/.test(rule.id)) {
    add('id', rule.id, 'capital letters and a number behind them: "ACME01"');
  } else if (taken.has(rule.id)) {
    add('id', rule.id, 'an id that no other rule has');
  }
  if (!severities.some((each) => each === rule.severity)) {
    add('severity', rule.severity, `one of ${severities.map((each) => `"${each}"`).join(', ')}`);
  }
  for (const key of texts) {
    if (typeof rule[key] !== 'string') {
      add(key, rule[key], 'a text');
    }
  }
  for (const key of ['otherwise', 'link'] as const) {
    if (rule[key] !== undefined && typeof rule[key] !== 'string') {
      add(key, rule[key], 'a text, or left out');
    }
  }
  if (typeof rule.check !== 'function') {
    add('check', rule.check, 'a function from a context to findings');
  }
  if (rule.needs !== undefined && rule.needs !== 'before' && rule.needs !== 'live') {
    add('needs', rule.needs, '"before", "live" or left out');
  }
  if (rule.scope !== undefined && rule.scope !== 'object' && rule.scope !== 'files') {
    add('scope', rule.scope, '"object", "files" or left out');
  }
  return problems;
}
