import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvalidInput } from '../../../../lib/core/validation';
import { checkedSwap, readSwap, readSwapFile, swapPlan } from '../../../../lib/operate/swap/file';
import type { SwapSettings } from '../../../../lib/operate/swap/file';
import { fullSwap, leastSwap } from './swap-files';

/** Each problem as the command line prints it, without the file's name. */
function problemsOf(text: string): readonly string[] {
  try {
    readSwap(text, 'swap.yaml');
    return [];
  } catch (error) {
    if (!(error instanceof InvalidInput)) {
      throw error;
    }
    expect(error.subject).toBe('swap.yaml');
    return error.message
      .split('\n')
      .slice(1)
      .map((line) => line.trim().replace(/^swap\.yaml:/, ''));
  }
}

/** The least file with one piece of its text replaced. */
function changed(from: string, to: string, text = leastSwap): string {
  expect(text).toContain(from);
  return text.replace(from, to);
}

const minute = 60_000;

const hour = 60 * minute;

test('the least file gets every default', () => {
  const swap = readSwap(leastSwap, 'a/swap.yaml');
  expect(swap).toMatchObject({
    file: 'a/swap.yaml',
    versions: ['1.36'],
    slots: ['blue', 'green'],
    moves: 'traffic',
    lease: { ssm: {} },
    previews: {},
  });
  const plan = swapPlan(swap);
  expect(plan).toMatchObject({
    fleet: 'apps',
    versions: ['1.36'],
    names: ['blue', 'green'],
    moves: 'traffic',
  });
  expect(plan.windows).toBeUndefined();
  const common = { skip: false, onFailure: 'keep' };
  expect(plan.phases).toEqual({
    ready: { ...common, timeoutMs: 10 * minute },
    create: { ...common, timeoutMs: hour },
    deliver: { ...common, timeoutMs: 30 * minute },
    // It has no checks.
    try: { ...common, skip: true, timeoutMs: 15 * minute },
    prescale: { ...common, timeoutMs: 15 * minute },
    shift: { ...common, timeoutMs: 6 * hour },
    soak: { ...common, timeoutMs: 15 * minute, leastMs: 24 * hour, everyMs: 24 * hour },
    drain: { ...common, timeoutMs: 30 * minute },
    delete: { ...common, timeoutMs: hour },
  });
});

test('a full file says how each phase goes', () => {
  const swap = readSwap(fullSwap, 'swap.yaml');
  const plan = swapPlan(swap);
  expect(plan.versions).toEqual([
    { version: '1.34', nodes: { type: 'm7g.large' } },
    { version: '1.35', nodes: { type: 'm6g.large' } },
    { version: '1.36', nodes: { type: 'm7g.large' } },
  ]);
  expect(plan.names).toEqual(['blue', 'green', 'teal']);
  expect(plan.windows).toEqual([
    { days: [1, 4], from: 540, to: 990, timeZone: 'Europe/Berlin' },
    { days: [0, 1, 2, 3, 4, 5, 6], from: 1320, to: 1440, timeZone: 'UTC' },
  ]);
  expect(plan.phases).toMatchObject({
    create: {
      timeoutMs: 90 * minute,
      onFailure: 'delete',
      approval: { timeoutMs: 24 * hour, onTimeout: 'hold' },
    },
    try: { skip: false, timeoutMs: 10 * minute, onFailure: 'delete' },
    shift: { timeoutMs: 2 * hour, approval: { timeoutMs: 4 * hour, onTimeout: 'back' } },
    soak: { leastMs: 2 * hour, everyMs: minute },
    delete: { approval: { timeoutMs: 24 * hour, onTimeout: 'goOn' } },
  });
  // The Argo CD of each hub is asked.
  expect(swap.phases.deliver).toEqual({
    timeout: '20m',
    checks: [
      { argoApplications: { context: 'hub', namespace: 'argo' } },
      { argoApplications: { kubeconfig: 'other.yaml' } },
    ],
  });
});

test('hubs have no targets that could be scaled, and a handover waits for the Applications by itself', () => {
  const hubs = changed('weights: "talk:weights"', 'active: "talk:activeHub"').concat('moves: hub\n');
  const { prescale, deliver } = swapPlan(readSwap(hubs, 'swap.yaml')).phases;
  expect([prescale.skip, deliver.skip]).toEqual([true, false]);
  const least = hubs.replace(/phases:[^]*argoApplications.*\n/, '');
  expect(least).not.toContain('deliver');
  const swap = readSwap(least, 'swap.yaml');
  expect([swap.phases.deliver, swapPlan(swap).phases.deliver.skip]).toEqual([
    { checks: [], skip: true },
    true,
  ]);
});

test('a pull request has a day to be merged, where the phase does not say its time', () => {
  const file = (github: string, phases = '') =>
    `fleet: apps
to: "1.36"
program:
  git:
    repository: https://github.com/acme/infra.git
    file: clusters.yaml
    slots: [slots]
    weights: [weights]
    deployed: { command: [deployed] }
${github}phases:
  deliver: { skip: true }
${phases}`;
  const timesOf = (text: string) => {
    const { phases } = swapPlan(readSwap(text, 'swap.yaml'));
    return (['create', 'shift', 'drain', 'delete'] as const).map((each) => phases[each].timeoutMs / hour);
  };
  const github = '    github: { repository: acme/infra, token: { env: GITHUB_TOKEN } }\n';
  expect(timesOf(file(github))).toEqual([25, 30, 0.5, 25]);
  expect(timesOf(file(github, '  create: { timeout: 2h }\n'))).toEqual([2, 30, 0.5, 25]);
  expect(timesOf(file(''))).toEqual([1, 6, 0.5, 1]);
});

test.each<[string, string, readonly string[]]>([
  ['a version without quotes', changed('"1.36"', '1.36'), ['2:1 to: 1.36: must be']],
  ['an unknown key', `${leastSwap}flet: apps\n`, ['7:1 flet: unknown key, did you mean "fleet"?']],
  [
    'an unknown key of a phase',
    changed('deliver: {', 'deliver: { retries: 3,'),
    ['6:14 phases.deliver.retries: unknown key'],
  ],
  [
    'a phase that can not be left out',
    `${leastSwap}  drain: { skip: true }\n`,
    ['7:12 phases.drain.skip: unknown key'],
  ],
  [
    'two programs',
    changed('  pulumi:', '  commands: { read: [a], deploy: [b] }\n  pulumi:'),
    ['3:1 program: must be an object with exactly one of "pulumi", "git", "commands"'],
  ],
  ['no program', leastSwap.replace(/program:\n.*\n/, ''), ['1:1 program: is required: an object']],
  [
    'hubs of a program with weights',
    `${leastSwap}moves: hub\n`,
    ['4:52 program.pulumi.weights: must be "active", since moves is "hub"'],
  ],
  [
    'no lease',
    `${leastSwap}lease: none\n`,
    [
      '7:1 lease: "none": must be an object with one of the keys ssm, kubernetes: { ssm: {} }; one run at a time',
    ],
  ],
  ['one name', `${leastSwap}slots: [blue]\n`, ['7:1 slots: must be a list of at least two names']],
  [
    'a name twice',
    `${leastSwap}slots: [blue, green, blue]\n`,
    ['7:22 slots[2]: "blue": must be another name'],
  ],
  [
    'versions that go down',
    `${leastSwap}via: ["1.35", "1.34"]\n`,
    ['7:15 via[1]: "1.34": must be newer than 1.35'],
  ],
  [
    'a version that is beyond',
    `${leastSwap}via: ["1.36"]\n`,
    ['7:7 via[0]: "1.36": must be older than 1.36'],
  ],
  [
    'no one looks at the applications',
    changed('  deliver: { checks: [{ argoApplications: {} }] }', '  ready: {}'),
    ['phases.deliver.checks: must be at least one check'],
  ],
  [
    'an empty list of checks',
    changed('[{ argoApplications: {} }]', '[]'),
    ['6:14 phases.deliver.checks: must be at least one check'],
  ],
  [
    'a check that there is not',
    changed('argoApplications', 'argoApplication'),
    ['6:25 phases.deliver.checks[0].argoApplication: "argoApplication": must be'],
  ],
  [
    'a kubeconfig in the file',
    changed('argoApplications: {}', 'argoApplications: { kubeconfigText: secret-token }'),
    ['6:45 phases.deliver.checks[0].argoApplications.kubeconfigText: must be left out'],
  ],
  [
    'a window past midnight',
    `${leastSwap}windows: [{ from: "22:00", to: "02:00" }]\n`,
    ['7:28 windows[0].to: "02:00": must be later than "from"'],
  ],
  [
    'a window of no day, no time zone',
    `${leastSwap}windows: [{ days: [Mo], from: "9:00", to: "12:00", timeZone: "+02:00" }]\n`,
    [
      'windows[0].days[0]: "Mo": must be',
      'windows[0].from: "9:00": must be',
      'windows[0].timeZone: "+02:00": must be',
    ],
  ],
  [
    'a path with a character that none has',
    `${leastSwap}  shift: { plan: "a\\0b" }\n`,
    ['phases.shift.plan: "a\\u0000b": must be a path'],
  ],
  [
    'a preview of no slot',
    `${leastSwap}previews: { teal: { url: "https://a.example" } }\n`,
    ['previews.teal: "teal": must be one of the slots blue, green'],
  ],
  [
    'one preview for two slots',
    `${leastSwap}previews: { blue: { url: "https://a.example" }, green: { url: "https://a.example" } }\n`,
    ['previews.green: must be another one than that of blue'],
  ],
  [
    'a route that is simulated',
    `${leastSwap}route: { router: { simulated: {} }, slots: { blue: {}, green: {} } }\n`,
    ['route.router: must be a router that holds live weights'],
  ],
  [
    'a route of another slot, and an unknown key',
    changed('    green: {', '    mauve: {', fullSwap).replace('route:\n', 'route:\n  routes: 1\n'),
    ['route.routes: unknown key', 'route.slots.mauve: "mauve": must be one of the slots'],
  ],
  [
    'no time',
    `${leastSwap}  soak: { every: 0s, for: 800h }\n`,
    ['soak.every: "0s": must be', 'soak.for: "800h": must be'],
  ],
  [
    'an answer that there is not',
    `${leastSwap}  delete: { approve: { onTimeout: forward } }\n`,
    ['phases.delete.approve.onTimeout: "forward": must be one of "hold", "back", "goOn"'],
  ],
  [
    'a subject that there is not',
    `${leastSwap}  ready: { subjects: [eks-insight] }\n`,
    ['phases.ready.subjects[0]: "eks-insight": must be one of'],
  ],
])('%s is refused where it stands', (_, text, expected) => {
  const found = problemsOf(text);
  expect(found).toEqual(expected.map((part) => expect.stringContaining(part)));
});

test('all problems are said at once, in the order of the file', () => {
  const text = `fleet: Apps\nto: 1.36\nvia: x\nprogram: {}\nlease: none\nphases: { soak: { for: 1d } }\n`;
  const lines = problemsOf(text).map((line) => line.replace(/:\d+ ([^:]+).*/, ' $1'));
  expect(lines).toEqual([
    '1 fleet',
    '2 to',
    '3 via',
    '4 program',
    '5 lease',
    '6 phases.deliver.checks',
    '6 phases.soak.for',
  ]);
});

test('settings of a program are checked in the same way', () => {
  const settings = {
    fleet: 'apps',
    to: '1.36',
    program: { commands: { read: ['a'], deploy: ['b'] } },
    phases: { deliver: { skip: true } },
  } satisfies SwapSettings;
  expect(checkedSwap(settings)).toMatchObject({ versions: ['1.36'], file: 'swap.yaml' });
  expect(() => checkedSwap({ ...settings, to: '1.x' })).toThrow(/^swap: 1 problem\n {2}to: "1\.x": must be/);
  expect(() => checkedSwap(7 as never)).toThrow(InvalidInput);
});

test('a file that is not there is said to be so', () => {
  const folder = mkdtempSync(join(tmpdir(), 'swap-'));
  try {
    const file = join(folder, 'swap.yaml');
    expect(() => readSwapFile(file)).toThrow(InvalidInput);
    writeFileSync(file, leastSwap);
    expect(readSwapFile(file).fleet).toBe('apps');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
