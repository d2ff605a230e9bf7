import { parse } from 'yaml';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubernetesError } from '../../../lib/core/kubernetes/errors';
import { InvalidInput } from '../../../lib/core/validation';
import { runShift } from '../../../lib/shift/engine';
import { kubernetesLeases } from '../../../lib/shift/leases/kubernetes';
import { openRoute, parsePlan } from '../../../lib/shift/plan-file';
import { blueArn, plainPlan, ruleArn, wavesPlan } from './plans';

const loadBalancerArn =
  'arn:aws:elasticloadbalancing:eu-west-1:123456789012:loadbalancer/app/edge/50dc6c495c0c9188';

test('a route on AWS knows what it is about, and asks nobody until it is told to', async () => {
  const route = await openRoute(parsePlan(plainPlan, 'plan.yaml'), 'traffic');
  expect(route.router.name).toBe(`ALB rule ${ruleArn}`);
  expect(route.subject).toMatchObject({
    layer: 'http',
    region: 'eu-west-1',
    loadBalancerArn,
    slots: {
      blue: { targetGroupArn: blueArn, clusterName: 'apps-blue' },
      green: { clusterName: 'apps-green' },
    },
  });
  expect(route.checks.map(({ name }) => name)).toEqual(['cloudWatch.errorShare']);
  expect(route.lease.name).toMatch(/^SSM parameter \/cluster-canary\/leases\/listener-rule-app-edge-/);
  route.close();
});

test('the lease may be another, or none', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cluster-canary-plans-'));
  try {
    const kubeconfig = join(folder, 'config');
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name: 'hub', cluster: { server: 'https://127.0.0.1:1' } }],
        users: [{ name: 'me', user: { token: 'x' } }],
        contexts: [{ name: 'hub', context: { cluster: 'hub', user: 'me' } }],
        'current-context': 'hub',
      }),
    );
    const nameWith = async (lease: string): Promise<string> => {
      const route = await openRoute(parsePlan(`${plainPlan}lease: ${lease}\n`, 'plan.yaml'), 'traffic');
      route.close();
      return route.lease.name;
    };
    expect(await nameWith('none')).toBe('no lease');
    expect(await nameWith('{ ssm: { region: eu-central-1, duration: 5m } }')).toMatch(/^SSM parameter /);
    expect(await nameWith(`{ kubernetes: { namespace: traffic, kubeconfig: ${kubeconfig} } }`)).toMatch(
      /^Lease traffic\/shift-/,
    );
    await expect(
      nameWith(`{ kubernetes: { namespace: traffic, kubeconfig: ${folder}/none } }`),
    ).rejects.toThrow(InvalidInput);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('capacity is moved where the plan says so, and each slot’s cluster is known', async () => {
  const plain = await openRoute(parsePlan(plainPlan, 'plan.yaml'), 'traffic');
  plain.close();
  expect(plain.capacity).toBeUndefined();
  const text = plainPlan.replace('  checks:', '  capacity: {}\n  checks:');
  const moved = await openRoute(parsePlan(text, 'plan.yaml'), 'traffic');
  moved.close();
  expect(moved.capacity).toBeDefined();
  const simulated = parsePlan(`${wavesPlan}shift: { capacity: { contexts: { blue: b } } }\n`, 'p');
  await expect(openRoute(simulated, 'us')).rejects.toThrow(/contexts\.green: is required: a context/);
});

test('capacity takes a lease, whose record holds what was raised', () => {
  const text = plainPlan.replace('  checks:', '  capacity: {}\n  checks:');
  const content = { ...(parse(text) as object), lease: 'none' };
  expect(() => parsePlan(JSON.stringify(content), 'plan.yaml')).toThrow(
    /lease: "?none"?: must be a lease: its record holds what shift\.capacity has raised/,
  );
});

test('each route of a plan is opened for itself', async () => {
  const plan = parsePlan(
    wavesPlan.replace(
      'us: { router: { simulated: {} }',
      'us: { router: { simulated: { live: { blue: 80, green: 20 } } }',
    ),
    'p',
  );
  const [eu, us] = await Promise.all([openRoute(plan, 'eu'), openRoute(plan, 'us')]);
  expect(await eu.router.read()).toEqual({ blue: 100, green: 0 });
  expect(await us.router.read()).toEqual({ blue: 80, green: 20 });
  expect([eu.lease.name, us.lease.name]).toEqual(['no lease', 'no lease']);
});

test('a simulated route can be run', async () => {
  const plan = parsePlan(
    'router: { simulated: }\nslots: { a: , b: , c: }\nweights: { b: 60, c: 40 }\nshift: { step: [50], every: 1ms, bake: 0s }\n',
    'plan.yaml',
  );
  const route = await openRoute(plan, 'traffic');
  const { router, checks, lease } = route;
  const outcome = await runShift({ plan: await route.plan(), router, checks, lease });
  expect(outcome).toMatchObject({
    verdict: 'completed',
    from: { a: 100, b: 0, c: 0 },
    final: { a: 0, b: 60, c: 40 },
  });
});

describe('the Leases of an API server', () => {
  const lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'a', namespace: 'b', resourceVersion: '1' },
  } as const;
  const failing = (reason: ConstructorParameters<typeof KubernetesError>[0]) => {
    const fail = () => Promise.reject(new KubernetesError(reason, reason));
    return kubernetesLeases({ get: fail, create: fail, replace: fail } as any);
  };

  test('are read and written as they are', async () => {
    const calls: unknown[] = [];
    const take = (name: string) => (given: unknown, options: unknown) => {
      calls.push([name, given, options]);
      return Promise.resolve(lease);
    };
    const leases = kubernetesLeases({
      get: take('get'),
      create: take('create'),
      replace: take('replace'),
    } as any);
    const { signal } = new AbortController();
    expect(await leases.get('b', 'a', signal)).toBe(lease);
    expect(await leases.create(lease, signal)).toBe(lease);
    expect(await leases.replace(lease, signal)).toBe(lease);
    const reference = {
      apiVersion: lease.apiVersion,
      kind: 'Lease',
      metadata: { name: 'a', namespace: 'b' },
    };
    expect(calls).toEqual([
      ['get', reference, signal],
      ['create', lease, { signal }],
      ['replace', lease, { signal }],
    ]);
  });

  test.each([
    ['get', 'notFound', ['denied', 'conflict']],
    ['create', 'alreadyExists', ['denied', 'notFound']],
    ['replace', 'conflict', ['denied', 'unreachable']],
    ['replace', 'notFound', ['throttled']],
  ] as const)('%s: %s is an answer, %j are failures', async (call, answer, failures) => {
    const ask = (reason: any) =>
      call === 'get' ? failing(reason).get('b', 'a') : failing(reason)[call](lease);
    expect(await ask(answer)).toBeUndefined();
    for (const failure of failures) {
      await expect(ask(failure)).rejects.toThrow(KubernetesError);
    }
  });
});
