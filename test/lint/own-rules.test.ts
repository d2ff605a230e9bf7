import { readFileSync } from 'node:fs';
import { runInThisContext } from 'node:vm';
import * as ts from 'typescript';
import { lint, readManifests } from '../../lib/lint';
import * as rules from '../../lib/lint';
import { ownRuleFile, views } from './own-rules-section';

/** The rules of an ES module, which Jest would not load as it is. */
function loaded(text: string): readonly rules.Rule[] {
  const { outputText } = ts.transpileModule(text, { compilerOptions: { module: ts.ModuleKind.CommonJS } });
  const exported: { rules?: readonly rules.Rule[] } = {};
  const run = runInThisContext(`(function (require, exports) {${outputText}})`) as (
    load: (name: string) => unknown,
    exports: object,
  ) => void;
  run((name) => (name === 'cluster-canary/lint' ? rules : undefined), exported);
  return exported.rules!;
}

test('the example of a rule of one’s own does what it says', () => {
  const own = loaded(readFileSync(ownRuleFile, 'utf8'));
  const pod = (image: string): string =>
    `apiVersion: v1\nkind: Pod\nmetadata: { name: a }\nspec:\n  containers:\n    - image: ${image}\n`;
  const text = `${pod('a:latest')}---\n${pod('a:1')}---\n${pod('7')}`;
  const { objects } = readManifests(text, { file: 'a.yaml', read: () => text });
  const { findings, failures } = lint(objects, { rules: own });
  expect(failures).toEqual([]);
  expect(findings.map(({ rule, line, message }) => [rule, line, message])).toEqual([
    ['ACME01', 6, 'image a:latest'],
  ]);
});

test('every name that the page tells of is exported', () => {
  const named = Object.entries(views).flatMap(([name, what]) => [
    name,
    ...[...what.matchAll(/`(\w+)`/g)].map(([, other]) => other!),
  ]);
  expect(named.length).toBeGreaterThan(10);
  for (const name of named) {
    expect([name, typeof rules[name as keyof typeof rules]]).toEqual([name, 'function']);
  }
});
