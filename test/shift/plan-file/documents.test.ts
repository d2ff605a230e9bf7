import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { checkKinds } from '../../../lib/shift/checks';
import { parsePlan } from '../../../lib/shift/plan-file';
import { readScenario } from '../../../lib/shift/simulation';

const docs = resolve(__dirname, '..', '..', '..', 'docs');
const text = (name: string) => readFileSync(join(docs, name), 'utf8');
const yamlOf = (name: string) => [...text(name).matchAll(/```yaml\n([^]*?)```/g)].map(([, block]) => block!);
const beginning = (word: string) => (block: string) => block.startsWith(`# ${word}`);

const plans = yamlOf('shift.md').filter(beginning('plan'));
const parts = yamlOf('shift.md').filter(beginning('part of a plan'));
const workflows = yamlOf('shift.md').filter(beginning('workflow'));
const scenarios = yamlOf('shift.md').filter(beginning('scenario'));
const checks = yamlOf('checks.md').filter((block) => block.startsWith('- '));

test('every block is one of a kind that is tried below', () => {
  const all = [plans, parts, workflows, scenarios].flat();
  expect(all.length).toBe(yamlOf('shift.md').length);
  expect(checks.length).toBe(yamlOf('checks.md').length);
  expect([plans.length, scenarios.length, checks.length].every((count) => count > 0)).toBe(true);
});

test.each(plans.map((plan) => [plan.split('\n')[0]!, plan]))('a plan can be read: %s', (_name, plan) => {
  expect(() => parsePlan(plan, 'plan.yaml')).not.toThrow();
});

test.each(parts)('a part of a plan can be read: %s', (part) => {
  const whole = { ...JSON.parse(plan([])), ...parse(part) };
  expect(() => parsePlan(JSON.stringify(whole), 'plan.yaml')).not.toThrow();
});

test.each(workflows)('a workflow that a command starts takes what it sends: %s', (workflow) => {
  expect(Object.keys(parse(workflow).on.workflow_dispatch.inputs)).toEqual(['plan', 'route', 'place']);
});

test.each(scenarios.map((one) => [one.split('\n')[0]!, one]))(
  'a scenario can be read: %s',
  (_name, scenario) => {
    expect(() => readScenario(scenario, 'scenario.yaml', ['blue', 'green'])).not.toThrow();
  },
);

const plan = (list: unknown) => {
  const arn = (kind: string) => `arn:aws:elasticloadbalancing:eu-west-1:123456789012:${kind}`;
  const slot = (name: string) => ({
    targetGroupArn: arn(`targetgroup/${name}/1`),
    clusterName: name,
    preview: { url: 'https://www.example.com', headers: { 'x-slot': name } },
  });
  return JSON.stringify({
    router: { albRule: { ruleArn: arn('listener-rule/app/edge/1/2/3') } },
    slots: { blue: slot('blue'), green: slot('green') },
    weights: { green: 100 },
    shift: { checks: list },
  });
};

test.each(checks.map((one) => [one.split('\n')[0]!, one]))('checks can be read: %s', (_name, block) => {
  expect(() => parsePlan(plan(parse(block)), 'plan.yaml')).not.toThrow();
});

test('every kind of check has an example and a heading', () => {
  const shown = checks.flatMap((block) => (parse(block) as object[]).flatMap((check) => Object.keys(check)));
  expect([...new Set(shown)].sort()).toEqual(Object.keys(checkKinds).sort());
  const headings = text('checks.md')
    .split('\n')
    .filter((line) => line.startsWith('#'))
    .join('\n');
  for (const kind of Object.keys(checkKinds)) {
    expect(headings).toContain(`\`${kind}\``);
  }
});

test.each(['shift.md', 'checks.md'])('links of %s lead somewhere', (name) => {
  const links = [...text(name).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)];
  for (const [, file = '', heading] of links) {
    const target = file === '' ? name : file;
    expect([target, existsSync(join(docs, target))]).toEqual([target, true]);
    if (heading !== undefined) {
      const anchors = text(target)
        .split('\n')
        .filter((line) => line.startsWith('#'))
        .map((line) =>
          line
            .replace(/^#+ /, '')
            .toLowerCase()
            .replace(/[^\w\- ]/g, '')
            .replaceAll(' ', '-'),
        );
      expect(anchors).toContain(heading);
    }
  }
});
