import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseClusterSet, withDefaults } from '../../lib/manifests/cluster-sync';
import { desiredState } from '../../lib/operate/cluster-sync';
import type { PreviewPlan } from '../../lib/pulumi/preview';
import type { ProgramRun } from './preview-programs';
import { configurationsOf, inputsOf, namesOf, previewPrograms, weightsOf } from './preview-programs';

const examples = resolve(__dirname, '../../examples');

const steps = {
  pair: configurationsOf('pair', 'production'),
  talk: configurationsOf('talk', 'production'),
  batch: configurationsOf('batch', 'production'),
};
const answers = 'regions/answers.yaml';
const runs = {
  smallest: [{ program: 'smallest' }],
  pair: steps.pair.map((config) => ({ program: 'pair', config })),
  talk: steps.talk.map((config) => ({ program: 'talk', config })),
  batch: steps.batch.map((config) => ({ program: 'batch', config })),
  adopted: [{ program: 'adopted' }],
  regions: [
    { program: 'regions/cell', stack: 'eu' },
    { program: 'regions/cell', stack: 'us' },
    { program: 'regions/records', answers },
  ],
} satisfies Record<string, ProgramRun[]>;
type Example = keyof typeof runs;

const plans = {} as Record<Example, PreviewPlan[]>;

beforeAll(() => {
  const made = previewPrograms(Object.values(runs).flat());
  for (const [name, own] of Object.entries(runs)) {
    plans[name as Example] = made.splice(0, own.length);
  }
});

/** A fleet in the words of a configuration: versions and weights by slot. */
interface Turn {
  readonly versions: Readonly<Record<string, string>>;
  readonly weights: Readonly<Record<string, number>>;
}

/** Slots that are made, changed or taken out. */
const changed = (before: Turn, after: Turn): string[] =>
  [...new Set([...Object.keys(before.versions), ...Object.keys(after.versions)])].filter(
    (slot) => before.versions[slot] !== after.versions[slot],
  );

describe.each<[Example, (config: Record<string, any>) => Turn]>([
  ['pair', (config) => ({ versions: config['pair:versions'], weights: config['pair:weights'] })],
  ['talk', (config) => ({ versions: config['talk:apps'], weights: config['talk:weights'] })],
  ['batch', (config) => ({ versions: config['batch:slots'], weights: config['batch:weights'] })],
])('the steps of examples/%s', (name, turn) => {
  const turns = steps[name as keyof typeof steps].map(turn);

  test('no cluster is changed or goes that has traffic', () => {
    turns.slice(1).forEach((after, index) => {
      const slots = changed(turns[index]!, after);
      expect([index + 1, slots.filter((slot) => (turns[index]!.weights[slot] ?? 0) > 0)]).toEqual([
        index + 1,
        [],
      ]);
      expect([index + 1, slots.filter((slot) => (after.weights[slot] ?? 0) > 0)]).toEqual([index + 1, []]);
    });
  });

  test('the traffic ends on clusters of a newer version', () => {
    const versions = ({ versions: all, weights }: Turn) =>
      Object.keys(weights)
        .filter((slot) => weights[slot]! > 0)
        .map((slot) => Number(all[slot]!.replace('.', '')));
    expect(Math.min(...versions(turns.at(-1)!))).toBeGreaterThan(Math.max(...versions(turns[0]!)));
  });
});

test('examples/smallest: a fleet, a load balancer and weights', () => {
  const [plan] = plans.smallest;
  expect(namesOf(plan!, 'eks:index:Cluster')).toEqual(['apps-blue', 'apps-green']);
  expect(weightsOf(plan!, 'apps-web')).toEqual([100, 0]);
  const lines = readFileSync(join(examples, 'smallest/index.ts'), 'utf8').trim().split('\n');
  expect(lines.length).toBeLessThanOrEqual(30);
});

test('examples/pair: each step is what its program registers', () => {
  const shown = plans.pair.map((plan) => [
    ...['apps-blue', 'apps-green'].map((slot) => inputsOf(plan, 'eks:index:Cluster', slot).version),
    ...weightsOf(plan, 'apps-web'),
  ]);
  expect(shown).toEqual([
    ['1.35', '1.35', 100, 0],
    ['1.35', '1.36', 100, 0],
    ['1.35', '1.36', 0, 100],
    ['1.36', '1.36', 0, 100],
    ['1.36', '1.36', 50, 50],
  ]);
  expect(inputsOf(plans.pair[0]!, 'eks:index:Cluster', 'apps-blue').deletionProtection).toBe(true);
});

describe('examples/talk', () => {
  const of = (step: number) => plans.talk[step]!;

  test('the application clusters are swapped by steps 1 to 4, those of Argo CD by 5 and 6', () => {
    expect(steps.talk).toHaveLength(7);
    const shown = plans.talk.map((plan) => [
      namesOf(plan, 'eks:index:Cluster').join(' '),
      weightsOf(plan, 'apps-web').join('/'),
      weightsOf(plan, 'argocd-ui').join('/'),
    ]);
    const all = 'apps-blue apps-green hub-blue hub-green';
    expect(shown).toEqual([
      [all, '100/0', '100/0'],
      [all, '100/0', '100/0'],
      [all, '99/1', '100/0'],
      [all, '0/100', '100/0'],
      ['apps-green hub-blue hub-green', '100', '100/0'],
      ['apps-green hub-blue hub-green', '100', '0/100'],
      ['apps-green hub-green', '100', '100'],
    ]);
  });

  test('in each application cluster one hub may write: the one that people are led to', () => {
    const writers = plans.talk.map((plan) =>
      plan.resources
        .filter(({ name }) => /^argocd-.*-writer$/.test(name))
        .flatMap(({ propertyDependencies }) => propertyDependencies['principalArn'] ?? [])
        .map((urn) => urn.split('::').at(-1)),
    );
    const [blue, green] = ['argocd-blue', 'argocd-green'];
    expect(writers).toEqual([
      [blue, blue],
      [blue, blue],
      [blue, blue],
      [blue, blue],
      [blue],
      [green],
      [green],
    ]);
  });

  test('podinfo comes by the ApplicationSet, automated on the hub that writes alone', () => {
    const automated = (step: number, hub: string) =>
      inputsOf(of(step), ':ApplicationSet', `argocd-${hub}-gitops:argocd/podinfo`).spec.template.spec
        .syncPolicy?.automated !== undefined;
    expect([automated(1, 'blue'), automated(1, 'green')]).toEqual([true, false]);
    expect([automated(5, 'blue'), automated(5, 'green')]).toEqual([false, true]);
  });

  test("the ClusterSet takes others' clusters and leaves the fleet's own to its hubs", () => {
    const set = parseClusterSet(
      readFileSync(join(examples, 'talk/clusterset.yaml'), 'utf8'),
      'clusterset.yaml',
    );
    const cluster = (name: string, tags: Record<string, string>): any => ({
      name,
      arn: `arn:aws:eks:eu-west-1:123456789012:cluster/${name}`,
      region: 'eu-west-1',
      account: '123456789012',
      status: 'ACTIVE',
      endpoint: `https://${name}.example.com`,
      certificateAuthority: 'Y2E=',
      version: '1.35',
      tags: { environment: 'production', ...tags },
    });
    const { secrets, skipped, unselected } = desiredState(
      {
        clusters: [cluster('shop-2023', {}), cluster('apps-blue', { 'cluster-canary/fleet': 'apps' })],
        failures: [],
      },
      withDefaults(set),
    );
    expect([skipped, unselected.map((each) => each.cluster)]).toEqual([[], ['apps-blue']]);
    expect(secrets).toHaveLength(1);
    expect(JSON.stringify(secrets)).toContain('arn:aws:iam::123456789012:role/argocd-target');
    // What the ApplicationSet selects on.
    expect(secrets[0]!.labels).toMatchObject({ env: 'production' });
  });
});

test('examples/adopted: no cluster is made, and the rule that exists is imported', () => {
  const [plan] = plans.adopted;
  expect(namesOf(plan!, 'eks:index:Cluster')).toEqual([]);
  expect(namesOf(plan!, ':TargetGroup')).toEqual(['shop-blue-web', 'shop-green-web']);
  expect(weightsOf(plan!, 'shop-web')).toEqual([100, 0]);
  const listener = inputsOf(plan!, ':ListenerRule', 'shop-web').listenerArn;
  expect(listener).toMatch(/:listener\/app\/shop\//);
  // Asked of EKS when it is deployed.
  expect(plan!.unknown).toMatchObject([{ name: 'aws:eks/getCluster:getCluster', times: 2 }]);
});

describe('examples/regions', () => {
  test('a cell has a cluster behind a load balancer of its own', () => {
    const [eu, us] = plans.regions;
    expect([namesOf(eu!, 'eks:index:Cluster'), namesOf(us!, 'eks:index:Cluster')]).toEqual([
      ['apps-eu'],
      ['apps-us'],
    ]);
    expect([weightsOf(eu!, 'apps-web'), weightsOf(us!, 'apps-web')]).toEqual([[100], [100]]);
    expect(Object.keys(eu!.outputs).sort()).toEqual(['loadBalancer', 'slot']);
  });

  test('a record for each cell, with its weight and its load balancer', () => {
    const [, , plan] = plans.regions;
    expect(plan!.unknown).toEqual([]);
    for (const [cell, region] of [
      ['eu', 'eu-west-1'],
      ['us', 'us-east-1'],
    ]) {
      const record = inputsOf(plan!, ':Record', `apps-${cell}`);
      expect(record).toMatchObject({ name: 'www.example.com', type: 'A', setIdentifier: `apps-${cell}` });
      expect(record.weightedRoutingPolicies).toEqual([{ weight: 50 }]);
      expect(record.aliases[0].name).toContain(region);
    }
  });
});

describe('examples/batch', () => {
  test('what runs everywhere is on each cluster, schedules where the label is', () => {
    const selected = ['everywhere', 'once'].map(
      (folder) =>
        inputsOf(plans.batch[0]!, ':ApplicationSet', `argocd-blue-gitops:argocd/batch-${folder}`).spec
          .generators[0].clusters.selector.matchLabels,
    );
    expect(selected).toEqual([
      expect.not.objectContaining({ 'cluster-canary/active': 'true' }),
      expect.objectContaining({ 'cluster-canary/active': 'true' }),
    ]);
  });

  test('the swap is one step of the weights, then blue goes', () => {
    expect(plans.batch.map((plan) => weightsOf(plan, 'batch-reports'))).toEqual([[100, 0], [0, 100], [100]]);
    expect(namesOf(plans.batch.at(-1)!, 'eks:index:Cluster')).toEqual(['batch-green', 'hub-blue']);
    const releases = namesOf(plans.batch[0]!, ':Release');
    expect(releases).toEqual(
      expect.arrayContaining(['batch-green-argo-workflows', 'batch-green-argo-events']),
    );
  });
});
