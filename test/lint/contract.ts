import type { Rule } from '../../lib/lint';
import { lint, severities } from '../../lib/lint';
import type { ExampleKind } from './examples';
import { evaluateExample, objectsOf, ofRule } from './examples';
import { now } from './lint-text';

/** Texts of the two examples of a rule, by what they are. */
export type Examples = Readonly<Record<ExampleKind, Readonly<Record<string, string>>>>;

/** What every rule has to be and to do, whatever it looks for; each line is something that is not so. */
export function contractProblems(rule: Rule, examples: Examples): string[] {
  const { id, severity, title, why, fix, otherwise, scope, needs } = rule;
  const texts = { title, why, fix, ...(otherwise === undefined ? {} : { otherwise }) };
  return [
    ...(/^[A-Z]+\d\d$/.test(id) ? [] : ['id: not capitals and two digits']),
    ...(severities.includes(severity) ? [] : ['severity: none that there is']),
    ...Object.entries(texts)
      .filter(([, text]) => !isOneLine(text))
      .map(([name]) => `${name}: not one line without a full stop at its end`),
    ...(/^[A-Z](?!.*[.!?] )/.test(title) ? [] : ['title: no capital, or more than a heading']),
    ...(scope !== undefined && needs !== undefined ? ['scope: with needs'] : []),
    ...exampleProblems(rule, examples),
  ];
}

/** One line. What it is put into has a full stop of its own. */
function isOneLine(text: string): boolean {
  return /^\S[^\n]*[^\s.]$/.test(text);
}

function exampleProblems(rule: Rule, { fires, silent }: Examples): string[] {
  const [found, missed] = [evaluateExample(rule, fires), evaluateExample(rule, silent)];
  const messages = ofRule(rule, found).map(({ message }) => message);
  return [
    ...[...found.failures, ...missed.failures].map((failure) => `fails: ${JSON.stringify(failure)}`),
    ...(messages.length > 0 ? [] : ['fires: no finding']),
    ...messages
      .filter((message) => !/^\S[^\n]*\S$/.test(message))
      .map((message) => `message: not one line: ${message}`),
    ...(Object.keys(silent).length > 0 ? [] : ['silent: no example']),
    ...(ofRule(rule, missed).length === 0 ? [] : ['silent: a finding']),
    ...(rule.scope === 'object' ? aloneProblems(rule, fires) : []),
  ];
}

/** A rule of single objects finds the same in each by itself. */
function aloneProblems(rule: Rule, { manifests = '' }: Readonly<Record<string, string>>): string[] {
  const objects = objectsOf(manifests);
  const evaluated = (some: typeof objects): string[] =>
    lint(some, { rules: [rule], now }).findings.map(({ message, pointer }) => `${pointer}: ${message}`);
  const alone = objects.flatMap((each) => evaluated([each]));
  return JSON.stringify(alone.sort()) === JSON.stringify(evaluated(objects).sort())
    ? []
    : ['scope: finds something else in an object by itself'];
}
