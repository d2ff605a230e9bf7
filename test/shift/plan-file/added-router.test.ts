import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { InvalidInput } from '../../../lib/core/validation';
import { problemsOf } from '../../../lib/core/validation/schema';
import { workflowPlan } from '../../../lib/manifests/workflows/shift-workflow/plan';
import { runShift } from '../../../lib/shift/engine';
import { openRoute, parsePlan, shiftAccess, shiftPermissions } from '../../../lib/shift/plan-file';
import { hasLease } from '../../../lib/shift/plan-file/plan';
import { routerNames, subjectOf } from '../../../lib/shift/routers';
import { asked, gateways } from '../routers/toy-router';

/** A file with a kind, and one line in the registry: what CONTRIBUTING.md says of a router. */
jest.mock('../../../lib/shift/routers/registry', () => {
  const { routerKinds: known } = jest.requireActual('../../../lib/shift/routers/registry');
  const { toy } = jest.requireActual('../routers/toy-router');
  return { routerKinds: { ...known, toy } };
});

const plan = `router: { toy: { gateway: edge } }
slots:
  blue: { backend: apps-blue, clusterName: apps-blue }
  green: { backend: apps-green }
weights: { green: 100 }
shift: { step: [50], every: 1ms, bake: 0s }
lease: none
`;

beforeEach(() => {
  asked.length = 0;
  gateways.clear();
});

test('the recipe names the files that it was followed with', () => {
  const recipes = readFileSync(resolve(__dirname, '../../../CONTRIBUTING.md'), 'utf8');
  const row = recipes.split('\n').find((line) => line.startsWith('| router '))!;
  const named = [...row.matchAll(/`((?:lib|test|docs)\/[^`]*)`/g)].map(([, path]) => path!);
  expect(named).toContain('lib/shift/routers/registry.ts');
  expect(named).toContain('test/shift/routers/fakes.ts');
  const files = named.filter((path) => !/NAME|KIND/.test(path));
  expect(files.filter((path) => !existsSync(resolve(__dirname, '../../..', path)))).toEqual([]);
  expect(routerNames()).toContain('toy');
});

test('a plan file shifts it', async () => {
  gateways.set('edge', { 'apps-blue': 100 });
  const route = await openRoute(parsePlan(plan, 'plan.yaml'), 'traffic');
  expect([route.router.name, asked]).toEqual(['gateway edge', []]);
  expect(route.subject).toEqual({ layer: 'http', slots: { blue: { clusterName: 'apps-blue' }, green: {} } });
  const { shifted: router, checks, lease } = route;
  const outcome = await runShift({ plan: await route.plan(), router, checks, lease });
  expect(outcome).toMatchObject({ verdict: 'completed', final: { blue: 0, green: 100 } });
  expect(gateways.get('edge')).toEqual({ 'apps-blue': 0, 'apps-green': 100 });
  // One puts green there, and two shift.
  expect(asked.filter((call) => call === 'write')).toHaveLength(3);
  route.close();
});

test.each<[string, string, RegExp]>([
  ['its name', plan.replace('toy:', 'toi:'), /1:11 router\.toi: must be spelled "toy"$/],
  ['a setting', plan.replace('gateway:', 'gatewy:'), /gatewy: unknown key, did you mean "gateway"\?/],
  [
    'a value',
    plan.replace('edge', 'Edge'),
    /1:18 router\.toy\.gateway: "Edge": must be the name of a gateway$/,
  ],
  [
    'a slot',
    plan.replace('backend: apps-g', 'bakend: apps-g'),
    /slots\.green\.bakend: unknown key, did you mean "backend"\?/,
  ],
  [
    'a slot of another router',
    plan.replace('backend: apps-g', 'targetGroupArn: apps-g'),
    /targetGroupArn: unknown key/,
  ],
  [
    'a slot twice',
    plan.replace('apps-green', 'apps-blue'),
    /4:12 slots\.green\.backend: .* another than that of the slot "blue"$/,
  ],
])('a plan file that is wrong in %s is refused at its place', (_what, text, expected) => {
  const lines = (): string[] => {
    try {
      parsePlan(text, 'plan.yaml');
      return [];
    } catch (error) {
      return (error as InvalidInput).message.split('\n');
    }
  };
  expect(lines()).toContainEqual(expect.stringMatching(expected));
});

test('what else reads a plan reads of it, too', () => {
  const parsed = parsePlan(plan, 'plan.yaml');
  expect(shiftPermissions(parsed)).toEqual([
    {
      Sid: 'WriteWeights',
      Effect: 'Allow',
      Action: ['toys:UpdateGateway'],
      Resource: ['arn:aws:toys:eu-west-1:123456789012:gateway/edge'],
    },
  ]);
  expect(shiftAccess(parsed)).toEqual([]);
  expect(subjectOf(parsed.routes.traffic!).layer).toBe('http');
  const { lease: _none, ...leased } = parsed;
  expect([hasLease(parsed), hasLease(leased)]).toEqual([false, true]);
  // Its weights outlive the pod that shifts them, so a workflow wants a lease.
  const { router, slots } = parsed.routes.traffic!;
  const problems = problemsOf(workflowPlan, { weights: { green: 100 }, router, slots, lease: 'none' });
  expect(problems.map(({ path }) => path)).toEqual(['lease']);
});
