import { problemsOf } from '../../../lib/core/validation/schema';
import { workflowPlan } from '../../../lib/manifests/workflows/shift-workflow/plan';
import { Xoshiro128 } from '../../../lib/core/random';
import { runShift } from '../../../lib/shift/engine';
import { WeightedProxy } from '../../../lib/shift/demo/weighted-proxy';
import { openRoute, parsePlan, shiftAccess, shiftPermissions } from '../../../lib/shift/plan-file';
import { hasLease } from '../../../lib/shift/plan-file/plan';

let proxy: WeightedProxy;

beforeEach(async () => {
  const upstreams = { blue: () => 1, green: () => 1 };
  proxy = new WeightedProxy({ upstreams, weights: { blue: 100, green: 0 }, random: Xoshiro128.fromSeed(1) });
  await proxy.start();
});
afterEach(() => proxy.stop());

const plan = (more = '') => `router: { httpProxy: { address: "${proxy.adminUrl}" } }
slots: { blue: {}, green: {} }
weights: { green: 100 }
shift: { step: [50], every: 1ms, bake: 0s }
${more}`;
const ssm = 'lease: { ssm: { region: eu-west-1 } }\n';

test('a plan file shifts it, without AWS', async () => {
  const parsed = parsePlan(plan(), 'plan.yaml');
  const route = await openRoute(parsed, 'traffic');
  expect(route.lease.name).toBe('no lease');
  const { shifted: router, checks, lease } = route;
  const outcome = await runShift({ plan: await route.plan(), router, checks, lease });
  route.close();
  expect(outcome).toMatchObject({ verdict: 'completed', final: { blue: 0, green: 100 } });
  expect(proxy.weights).toEqual({ blue: 0, green: 100 });
});

test('it needs no right of its own, and has a lease where the plan names one', () => {
  const parsed = parsePlan(plan(), 'plan.yaml');
  expect([hasLease(parsed), shiftPermissions(parsed), shiftAccess(parsed)]).toEqual([false, [], []]);
  const leased = parsePlan(plan(ssm), 'plan.yaml');
  expect(hasLease(leased)).toBe(true);
  expect(shiftPermissions(leased).flatMap(({ Action }) => Action)).toContain('ssm:PutParameter');
});

test('capacity that is raised has to be on record', () => {
  const capacity = (more: string) =>
    parsePlan(
      plan(more).replace(
        'bake: 0s',
        'bake: 0s, capacity: { contexts: { blue: b, green: g }, services: [{ namespace: a, name: b }] }',
      ),
      'plan.yaml',
    );
  expect(() => capacity('')).toThrow(/lease: .*a lease: its record holds what shift\.capacity has raised/);
  expect(() => capacity(ssm)).not.toThrow();
});

test('a workflow wants a lease, since its weights outlive the pod', () => {
  const settings = (lease?: unknown) => ({
    ...{ weights: { green: 100 }, slots: { blue: {}, green: {} } },
    router: { httpProxy: { address: proxy.adminUrl } },
    ...(lease !== undefined && { lease }),
  });
  const paths = (lease?: unknown) => problemsOf(workflowPlan, settings(lease)).map(({ path }) => path);
  expect([paths(), paths('none'), paths({ kubernetes: { namespace: 'shifts' } })]).toEqual([
    ['lease'],
    ['lease'],
    [],
  ]);
});
