import { drainedKinds } from '../../../lib/operate/drain/cluster-objects';
import { phaseFacts, readSwap, swapPhases } from '../../../lib/operate/swap';
import type { KnownBeside, PhaseFactName, SwapPhase } from '../../../lib/operate/swap';
import { parsePlan } from '../../../lib/shift/plan-file';
import type { CheckedPlanFile } from '../../../lib/shift/plan-file';
import { fullSwap, leastSwap } from './file/swap-files';

const stack: KnownBeside['program'] = { name: 'Pulumi stack production' };

type Facts = Partial<Record<PhaseFactName, readonly string[]>>;

/** Facts of a phase by their names. */
function factsOf(
  text: string,
  phase: SwapPhase,
  program: KnownBeside['program'] = stack,
  plan?: CheckedPlanFile,
): Facts {
  const facts = phaseFacts(readSwap(text, 'swap.yaml'), { program, ...(plan && { plan }) })[phase];
  expect(new Set(facts.map(({ name }) => name)).size).toBe(facts.length);
  return Object.fromEntries(facts.map(({ name, values }) => [name, values]));
}

const withPhases = (more: string): string => `${leastSwap}${more}`;

const asked = [
  'eks-health',
  'eks-versions',
  'eks-insights',
  'eks-addons',
  'eks-nodes',
  'eks-addresses',
].concat(['eks-quotas', 'client-calls', 'live-objects', 'custom-resources', 'workloads']);

const untouched = 'PersistentVolumeClaims stay; drain does not pass while their volumes are there';

test.each<[string, string, SwapPhase, Facts]>([
  ['what is asked without a word', leastSwap, 'ready', { subjects: asked, failOn: ['error'] }],
  [
    'what a file says of ready',
    fullSwap,
    'ready',
    {
      hubs: ['hub', 'other.yaml'],
      subjects: ['eks-insights'],
      manifests: ['rendered'],
      failOn: ['warning'],
      allow: ['EKS09'],
    },
  ],
  ['a stack', leastSwap, 'create', { deploys: ['pulumi up of the Pulumi stack production'] }],
  ['checks', leastSwap, 'deliver', { checks: ['argoApplications'] }],
  [
    'hubs, and the checks that they stand for',
    fullSwap,
    'deliver',
    {
      resumes: ['hub', 'other.yaml'],
      checks: ['argoApplications of hub', 'argoApplications 2 of other.yaml'],
    },
  ],
  ['no checks', leastSwap, 'try', {}],
  ['a phase that is left out', withPhases('  soak: { skip: true }\n'), 'soak', {}],
  [
    'a cluster by context and kubeconfig, and a name of its own',
    withPhases(
      '  try: { checks: [{ argoApplications: { context: hub, kubeconfig: hub.yaml } }, { clusterVitals: { name: smoke } }] }\n',
    ),
    'try',
    { checks: ['argoApplications of hub (hub.yaml)', 'smoke'] },
  ],
  [
    'targets by tags',
    leastSwap,
    'prescale',
    {
      healthy: ['50 % of the targets that the old slot has, at least 1'],
      routes: ["those of the fleet's tagged target groups"],
    },
  ],
  [
    'targets of a route',
    fullSwap,
    'prescale',
    { healthy: ['80 % of the targets that the old slot has, at least 1'], routes: ['albRule'] },
  ],
  [
    'a shift by the program',
    leastSwap,
    'shift',
    {
      deploys: ['pulumi up of the Pulumi stack production'],
      traffic: ['the program moves the weights, by its own steps and checks'],
    },
  ],
  ['a soak without checks', leastSwap, 'soak', { checks: [], every: ['5m'] }],
  ['a soak', fullSwap, 'soak', { checks: ['targetHealth'], every: ['1m'] }],
  [
    'a drain without a word',
    leastSwap,
    'drain',
    expect.objectContaining({
      idleFor: ['1m'],
      pauses: [],
      volumes: [untouched],
      sweep: ['what is left in AWS is deleted'],
    }),
  ],
  [
    'what a file says of drain',
    fullSwap,
    'drain',
    expect.objectContaining({
      pauses: ['hub', 'other.yaml'],
      volumes: ['PersistentVolumeClaims are deleted with their data, and what mounts them is scaled to 0'],
      sweep: ['drain does not pass while something is left in AWS'],
    }),
  ],
  [
    'volumes that are kept, after a longer time',
    withPhases('  drain: { volumes: keep, idleFor: 90s }\n'),
    'drain',
    expect.objectContaining({
      volumes: ['PersistentVolumeClaims stay, and their volumes'],
      idleFor: ['1m30s'],
    }),
  ],
  ['the end', leastSwap, 'delete', { deploys: ['pulumi up of the Pulumi stack production'] }],
])('%s', (_, text, phase, expected) => {
  expect(factsOf(text, phase)).toEqual(expected);
});

const commit = { repository: 'https://github.com/acme/infra.git', branch: 'main', file: 'clusters.yaml' };

const git = (deployed: string, github = ''): string =>
  leastSwap.replace(
    /  pulumi: .*/,
    `  git: { repository: "${commit.repository}", file: clusters.yaml, slots: [slots], weights: [weights], ${github}deployed: ${deployed} }`,
  );

const onGitHub = 'github: { repository: acme/infra, token: { env: GITHUB_TOKEN } }, ';

test.each<[string, string, KnownBeside['program'], Facts]>([
  [
    'a push, and a command',
    git('{ command: [./deployed, production] }'),
    { name: 'Git', commit: { ...commit, by: 'push' } },
    {
      deploys: ['a push to main of https://github.com/acme/infra.git, file clusters.yaml'],
      waitsFor: ['the command ./deployed production'],
    },
  ],
  [
    'a pull request, and an environment',
    git('{ environment: production }', onGitHub),
    { name: 'Git', commit: { ...commit, by: 'pullRequest' } },
    {
      deploys: [
        'a pull request, which a person merges, to main of https://github.com/acme/infra.git, file clusters.yaml',
      ],
      waitsFor: ['a deployment to the environment production'],
    },
  ],
  [
    'a commit status',
    git('{ status: deploy/apps }', onGitHub),
    { name: 'Git', commit: { ...commit, by: 'pullRequest' } },
    {
      deploys: [
        'a pull request, which a person merges, to main of https://github.com/acme/infra.git, file clusters.yaml',
      ],
      waitsFor: ['the commit status deploy/apps'],
    },
  ],
  ['commands', fullSwap, { name: 'the command ./fleet.py' }, { deploys: ['the command ./fleet.py'] }],
])('how it is deployed: %s', (_, text, program, expected) => {
  for (const phase of ['create', 'delete'] as const) {
    expect(factsOf(text, phase, program)).toEqual(expected);
  }
  expect(factsOf(text, 'shift', program)).toEqual({
    ...expected,
    traffic: [
      `${program.commit ? 'the pipeline' : 'the program'} moves the weights, by its own steps and checks`,
    ],
  });
});

const byPlan = withPhases('  shift: { plan: infra/plan.json }\n');

const plan = parsePlan(
  `routes:
  web: { router: { httpProxy: { address: "http://127.0.0.1:1" } }, slots: { blue: , green: } }
  api: { router: { httpProxy: { address: "http://127.0.0.1:2" } }, slots: { blue: , green: } }
weights: { green: 100 }
lease: { kubernetes: { namespace: apps } }
shift: { checks: [{ program: { command: [./smoke] } }] }
`,
  'infra/plan.json',
);

test('a shift by a plan: who moves the weights, on which routes, with which checks', () => {
  const traffic = ['then cluster-canary moves the weights by the plan, in its steps'];
  const deploys = ['pulumi up of the Pulumi stack production'];
  expect(factsOf(byPlan, 'shift', stack, plan)).toEqual({
    ...{ deploys, traffic, plan: ['infra/plan.json'] },
    ...{ routes: ['web (httpProxy)', 'api (httpProxy)'], checks: ['program'] },
  });
  // The program has still to write it.
  expect(factsOf(byPlan, 'shift')).toEqual({ deploys, traffic, plan: ['infra/plan.json'] });
  expect(factsOf(byPlan, 'create')).toEqual({
    deploys,
    traffic: ['puts the new slot on the routes of infra/plan.json'],
  });
  expect(factsOf(byPlan, 'delete')).toEqual({
    deploys,
    traffic: ['takes the old slot off every rule and listener of the fleet'],
  });
});

test('hubs hand over, and have no targets', () => {
  const hubs = leastSwap
    .replace('weights: "talk:weights"', 'active: "talk:active"')
    .replace('program:', 'moves: hub\nprogram:');
  expect(factsOf(hubs, 'prescale')).toEqual({});
  expect(factsOf(hubs, 'shift')).toEqual({
    deploys: ['pulumi up of the Pulumi stack production'],
    traffic: ['the old hub hands over to the new one, whose Argo CD writes from then on'],
  });
  expect(factsOf(hubs.replace('{ checks: [{ argoApplications: {} }] }', '{}'), 'deliver')).toEqual({});
});

test('a drain deletes the kinds of which it says so', () => {
  const { deletes = [] } = factsOf(leastSwap, 'drain');
  const kinds = drainedKinds.filter(({ phase }) => phase !== 'volumes').map(({ kind }) => kind);
  expect(deletes.map((each) => each.split(' ')[0])).toEqual([...new Set(kinds)]);
});

test('every phase is there, in any file', () => {
  for (const text of [leastSwap, fullSwap]) {
    expect(Object.keys(phaseFacts(readSwap(text, 'swap.yaml'), { program: stack }))).toEqual([...swapPhases]);
  }
});
