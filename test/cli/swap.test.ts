import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import { SwapWorld, fleetScript } from './swap-world';
import { clusterCanary as ownProcess, root, scratch } from './run-cli';
import { clusterCanary } from './run-here';
import { BareRepository } from '../operate/swap/programs/git/hosting';

jest.setTimeout(120_000);

const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });
const schemaOf = (name: string) =>
  ajv.compile(JSON.parse(readFileSync(join(root, 'schemas', name), 'utf8')) as object);
const schemas = {
  outcome: schemaOf('swap-outcome.json'),
  dryRun: schemaOf('swap-dry-run.json'),
  rights: schemaOf('shift-rights.json'),
};
const documentOf = (kind: keyof typeof schemas, text: string): any => {
  const document = JSON.parse(text) as unknown;
  expect([schemas[kind](document), schemas[kind].errors]).toEqual([true, null]);
  return document;
};

const file = join(scratch, 'swap.yaml');
const script = join(scratch, 'fleet.sh');
const world = new SwapWorld(join(scratch, 'world.json'));
const run = (...args: readonly string[]) =>
  clusterCanary(['swap', file, ...args], { env: world.env, cwd: scratch });

const command = JSON.stringify(['sh', script, join(scratch, 'world.json')]);

/** A swap of hubs whose phases ask no one but EKS. */
function write(phases: string): void {
  writeFileSync(
    file,
    `fleet: apps
to: "1.36"
moves: hub
program:
  commands: { read: ${command}, preview: ${command}, deploy: ${command} }
phases:
  ready: { skip: true }
  deliver: { skip: true }
${phases}`,
  );
}

beforeAll(async () => {
  writeFileSync(script, fleetScript);
  await world.start();
});
afterAll(() => world.stop());
beforeEach(() => {
  world.parameters.clear();
  world.configuration = { slots: { blue: '1.35' }, active: 'blue' };
  write('  create: { approve: true }\n  soak: { for: 1h }\n');
});

test('a dry run says what there is, each phase, and what the first deployment would change', async () => {
  const shown = await run('--dry-run', '--json');
  expect(shown.status).toBe(0);
  expect(documentOf('dryRun', shown.stdout)).toMatchObject({
    dryRun: true,
    region: 'eu-west-1',
    configuration: { slots: { blue: '1.35' }, active: 'blue' },
    clusters: { blue: { version: '1.35', status: 'ACTIVE' } },
    live: { blue: 100 },
    state: null,
    ends: { verdict: 'completed', unchanged: false },
    swaps: [
      {
        old: { name: 'blue', version: '1.35' },
        new: { name: 'green', version: '1.36' },
        phases: expect.arrayContaining([
          expect.objectContaining({ phase: 'ready', skip: true }),
          expect.objectContaining({
            phase: 'create',
            timeoutSeconds: 3600,
            approval: { timeoutSeconds: 86_400, onTimeout: 'hold' },
          }),
          expect.objectContaining({ phase: 'soak', leastSeconds: 3600 }),
        ]),
      },
    ],
    next: { slots: { blue: '1.35', green: '1.36' }, active: 'blue' },
    changes: [{ op: 'create', type: 'aws:eks/cluster:Cluster', name: 'apps-green' }],
    problems: [],
  });
  const text = await run('--dry-run');
  expect(text.stdout).toContain('From blue (1.35) to green (1.36):');
  expect(text.stdout).toContain('create aws:eks/cluster:Cluster apps-green');
  expect(text.stdout).toContain('a person agrees within 24h, else hold');
  expect(text.stdout).toContain('soak      at least 1h, inconclusive for 15m at most');
  expect([...world.parameters.keys()]).toEqual([]);
  expect(world.configuration).toEqual({ slots: { blue: '1.35' }, active: 'blue' });
});

test('what is missing on this machine is found by a dry run, and before a swap begins', async () => {
  const text = readFileSync(file, 'utf8');
  const missing = text
    .replace('ready: { skip: true }', 'ready: { manifests: [rendered] }')
    .replace('phases:\n', 'phases:\n  try: { checks: [{ clusterVitals: { kubeconfig: nosuch.yaml } }] }\n')
    .replace(/deploy: \[[^\]]*\]/, 'deploy: [nosuchprogram]');
  writeFileSync(file, missing);
  const problems = [
    expect.stringMatching(
      /^phases\.ready\.manifests\[0\]: "rendered": must be a file or folder that can be read/,
    ),
    expect.stringMatching(
      /^phases\.try\.checks\[0\]\.clusterVitals\.kubeconfig: "nosuch\.yaml": must be a file/,
    ),
    expect.stringMatching(/^program\.commands\.deploy: nosuchprogram: no program of that name/),
  ];
  const shown = await run('--dry-run', '--json');
  expect([shown.status, documentOf('dryRun', shown.stdout).problems]).toEqual([1, problems]);
  const done = await run('--json');
  expect(done.status).toBe(2);
  const { verdict, reason, state } = documentOf('outcome', done.stdout);
  expect({ verdict, state }).toEqual({ verdict: 'aborted', state: null });
  for (const name of ['ready.manifests[0]', 'try.checks[0]', 'nosuchprogram']) {
    expect(reason).toContain(name);
  }
  expect(done.stderr).not.toContain('read again');
  expect([...world.parameters.keys()].filter((name) => name.includes('history'))).toEqual([]);
  // A fleet that has the version needs nothing.
  world.configuration = { slots: { green: '1.36' }, active: 'green' };
  expect((await run()).status).toBe(0);
});

test('a program that is missing later undoes nothing: the swap goes on where it is there again', async () => {
  expect((await run('--no-wait')).status).toBe(0);
  await run('--approve', 'create');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace(/deploy: \[[^\]]*\]/, 'deploy: [nosuchprogram]'));
  const stopped = documentOf('outcome', (await run('--no-wait', '--json')).stdout);
  expect(stopped).toMatchObject({
    ...{ verdict: 'aborted', phase: 'create' },
    reason: expect.stringMatching(/^create was not deployed: program\.commands\.deploy: nosuchprogram/),
  });
  writeFileSync(file, text);
  expect(documentOf('outcome', (await run('--no-wait', '--json')).stdout)).toMatchObject({
    ...{ verdict: 'held', phase: 'soak' },
  });
});

test('a dry run of a program that a pipeline deploys says what it commits', async () => {
  const bare = new BareRepository({ 'clusters.yaml': 'slots: { blue: "1.35" }\nactive: blue\n' });
  try {
    const git = (more: string) =>
      `fleet: apps\nto: "1.36"\nmoves: hub\nphases: { ready: { skip: true }, deliver: { skip: true } }\nprogram:\n` +
      `  git:\n    repository: "${bare.url}"\n    file: clusters.yaml\n    slots: [slots]\n    active: [active]\n` +
      `    deployed: { command: ["true"] }\n${more}`;
    const path = bare.url.replace('file://', '');
    writeFileSync(file, git(''));
    const pushed = await run('--dry-run');
    expect(pushed.stdout).toContain(
      `\n  a push to main of ${path}, file clusters.yaml: "Swap 1.35 to 1.36: add slot green (1.36)"\n` +
        '  what the pipeline then changes is not known before\n',
    );
    expect(pushed.stdout).not.toContain('no changes');
    writeFileSync(file, git('    github: { repository: acme/infra, token: { env: NO_SUCH_TOKEN } }\n'));
    const asked = documentOf('dryRun', (await run('--dry-run', '--json')).stdout);
    expect(asked).toMatchObject({
      deployment: {
        ...{ phase: 'create', title: 'Swap 1.35 to 1.36: add slot green (1.36)', canPreview: false },
        commit: { by: 'pullRequest', repository: path, branch: 'main', file: 'clusters.yaml' },
      },
      changes: null,
    });
  } finally {
    bare.remove();
  }
});

test('a dry run of commands without a preview does not say that nothing changes', async () => {
  writeFileSync(file, readFileSync(file, 'utf8').replace(/preview: \[.*?\], /, ''));
  const { stdout } = await run('--dry-run');
  expect(stdout).toContain('  what it changes is not known: the program has no preview\n');
  expect(stdout).not.toContain('no changes');
});

test.each([
  [
    'commands: { read: [nosuch], deploy: [nosuch] }',
    /^error: program\.commands\.read: nosuch can't be started: there is no such program/,
  ],
  [
    `git:
    repository: https://git.example.com/infra.git
    file: clusters.yaml
    slots: [slots]
    active: [active]
    deployed: { command: ["true"] }
    token: { env: NO_SUCH_TOKEN }`,
    /^error: .+ is not there: the variable NO_SUCH_TOKEN is not set or empty$/m,
  ],
])('a program that can not be read is one line, without a stack trace: %#', async (program, said) => {
  writeFileSync(
    file,
    `fleet: apps\nto: "1.36"\nmoves: hub\nprogram:\n  ${program}\nphases: { ready: { skip: true }, deliver: { skip: true } }\n`,
  );
  const { status, stderr } = await run('--dry-run');
  expect(status).toBe(2);
  expect(stderr).toMatch(said);
  expect(stderr).not.toMatch(/^ +at /m);
});

test('nothing is to be done where the fleet has the version', async () => {
  world.configuration = { slots: { green: '1.36' }, active: 'green' };
  const done = await run('--json');
  expect(done.status).toBe(0);
  expect(documentOf('outcome', done.stdout)).toMatchObject({
    verdict: 'completed',
    unchanged: true,
    state: null,
  });
});

test('a refusal that is written while its phase begins says that it came too late', async () => {
  const held = documentOf('outcome', (await run('--no-wait', '--json')).stdout);
  const { parameters } = world;
  const set = parameters.set.bind(parameters);
  const written = jest.spyOn(parameters, 'set').mockImplementation((name, values) => {
    const [record] = [...parameters].find(([, each]) => each.at(-1)!.includes(`"id":"${held.state.id}"`))!;
    if (name !== record) {
      const begun = parameters
        .get(record)!
        .at(-1)!
        .replace('"phase":"create"', `"phase":"create","phaseStartedAt":${Date.now()}`);
      set(record, [...parameters.get(record)!, begun]);
    }
    return set(name, values);
  });
  try {
    const late = await run('--refuse', 'create');
    expect([late.status, late.stdout]).toEqual([
      2,
      `The refusal came too late: create of swap ${held.state.id} has begun already; --back takes the traffic back.\n`,
    ]);
  } finally {
    written.mockRestore();
  }
});

test('it waits for a person, goes on with the answer, and goes back where it is asked to', async () => {
  const first = await run('--no-wait', '--json');
  expect(first.status).toBe(0);
  const held = documentOf('outcome', first.stdout);
  expect(held).toMatchObject({ verdict: 'held', phase: 'create', state: { new: { name: 'green' } } });
  expect(held.again).not.toBeNull();
  expect(world.configuration.slots).toEqual({ blue: '1.35' });
  expect(first.stderr).toMatch(/^\d\d:\d\d:\d\d create: a person has to agree by .*--approve create/m);

  const answer = await run('--approve', 'create');
  expect([answer.status, answer.stdout]).toEqual([
    0,
    expect.stringContaining(`Agreed to: create of swap ${held.state.id}`),
  ]);

  const second = await run('--no-wait', '--json');
  expect(second.status).toBe(0);
  const soaking = documentOf('outcome', second.stdout);
  expect(soaking).toMatchObject({ verdict: 'held', phase: 'soak' });
  expect(soaking.history).toContainEqual(
    expect.objectContaining({ phase: 'create', verdict: 'passed', approvedBy: expect.stringContaining('@') }),
  );
  expect(world.configuration).toEqual({ slots: { blue: '1.35', green: '1.36' }, active: 'green' });

  const late = await run('--refuse', 'create');
  expect([late.status, late.stdout]).toEqual([2, expect.stringContaining('has passed already')]);

  const begun = await run('--refuse', 'soak');
  expect([begun.status, begun.stdout]).toEqual([
    2,
    `soak of swap ${held.state.id} has begun already; --back takes the traffic back. Nothing was written.\n`,
  ]);

  const back = await run('--back');
  expect([back.status, back.stdout]).toEqual([0, expect.stringContaining('Rolled back')]);
  expect(world.configuration.active).toBe('blue');
  // The new cluster stays for a look, and the swap is in the history.
  expect(world.configuration.slots).toHaveProperty('green');
  expect([...world.parameters.keys()].filter((name) => name.includes('/history/apps/'))).toHaveLength(1);
});

test.each([
  ['--refuse', 'a refusal would have no effect. --back takes the traffic back.'],
  ['--approve', 'agreeing would have no effect.'],
])('%s of a phase before which no one is asked is not written', async (flag, why) => {
  const { status, stdout } = await run(flag, 'drain');
  expect([status, stdout]).toEqual([2, `The file asks no one before drain: ${why} Nothing was written.\n`]);
  expect([...world.parameters.keys()]).toEqual([]);
});

test('an answer to the next swap is to that one alone; a refusal takes it back', async () => {
  const answer = await run('--refuse', 'create', '--by', 'kim@example.com');
  expect(answer.stdout).toContain('Refused: create of the next swap');
  const refused = await run('--json');
  expect(refused.status).toBe(1);
  expect(documentOf('outcome', refused.stdout)).toMatchObject({
    verdict: 'rolledBack',
    reason: expect.stringContaining('kim@example.com refuses create'),
  });
  expect(world.configuration.slots).toEqual({ blue: '1.35' });
  // A schedule does not ask again what a person has refused.
  const scheduled = await run('--no-wait', '--json');
  expect(scheduled.status).toBe(0);
  expect(documentOf('outcome', scheduled.stdout)).toMatchObject({ verdict: 'rolledBack', unchanged: true });
  const seen = await run('--dry-run');
  expect(seen.stdout).toMatch(/Rolled back: Swap .* went back at .*run it with --retry/s);
  expect((await run('--dry-run', '--retry')).stdout).toMatch(/From blue \(1\.35\) to green \(1\.36\)/);
  const asked = await run('--no-wait', '--json', '--retry');
  expect(documentOf('outcome', asked.stdout)).toMatchObject({ verdict: 'held', phase: 'create' });
});

test('a file answers, too', async () => {
  writeFileSync(join(scratch, 'answer-create'), '');
  const done = await run('--no-wait', '--json', '--resume-file', join(scratch, 'answer'));
  expect(documentOf('outcome', done.stdout)).toMatchObject({ verdict: 'held', phase: 'soak' });
});

test('a swap that is forgotten leaves all as it is', async () => {
  expect((await run('--forget')).status).toBe(0);
  await run('--no-wait');
  const done = await run('--forget');
  expect([done.status, done.stdout]).toEqual([
    0,
    expect.stringMatching(/is forgotten; it was at create\. .* as they were\.\n$/),
  ]);
  expect(world.configuration).toEqual({ slots: { blue: '1.35' }, active: 'blue' });
});

test('a record that can not be read is not forgotten, and the reason is said', async () => {
  await run('--no-wait');
  for (const [name, versions] of world.parameters) {
    world.parameters.set(name, [...versions, versions.at(-1)!.replace('"phase":"create"', '"phase":"none"')]);
  }
  const done = await run('--forget');
  expect([done.status, done.stdout]).toEqual([
    2,
    expect.stringMatching(/^SSM parameter .*phase: .*must be .*Nothing was written\.\n$/),
  ]);
});

test('one that is forgotten once it has drained says what is left to do', async () => {
  await run('--no-wait');
  for (const [name, versions] of world.parameters) {
    world.parameters.set(name, [
      ...versions,
      versions.at(-1)!.replace('"phase":"create"', '"phase":"delete"'),
    ]);
  }
  const done = await run('--forget');
  expect(done.status).toBe(0);
  expect(done.stdout).toContain('is forgotten; it was at delete');
  expect(done.stdout).toContain('blue may be drained: Argo CD leaves it alone');
  expect(done.stdout).toContain('cluster-canary drain apps-blue --hub KUBECONFIG --resume');
});

test('it does not begin before its time', async () => {
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const done = await run('--schedule', later, '--no-wait');
  expect([done.status, done.stdout]).toEqual([
    0,
    `It is not to begin before ${later}. Nothing was changed.\n`,
  ]);
  const read = await run('--schedule', later, '--no-wait', '--json');
  expect(read.status).toBe(0);
  expect(documentOf('outcome', read.stdout)).toMatchObject({
    verdict: 'held',
    again: later,
    state: null,
    history: [],
  });
  const waiting = await ownProcess(['swap', file, '--schedule', later], {
    env: world.env,
    cwd: scratch,
    signalAt: 'Waits until',
  });
  expect(waiting.status).toBe(130);
  expect([...world.parameters.keys()]).toEqual([]);
});

test('what somebody else has changed is said, and nothing more is done', async () => {
  await run('--no-wait');
  world.configuration = { slots: { blue: '1.35', teal: '1.36' }, active: 'blue' };
  const done = await run();
  expect([done.status, done.stdout]).toEqual([1, expect.stringMatching(/^Aborted: .*teal/)]);
});

test('its own rights, as a document', async () => {
  const shown = await run('--rights', '--json');
  expect(shown.status).toBe(0);
  expect(shown.stderr).toContain('needs rights of its own');
  const { aws, kubernetes } = documentOf('rights', shown.stdout);
  const sids = aws[0].policy.Statement.map(({ Sid }: { Sid: string }) => Sid);
  expect(sids).toEqual(
    expect.arrayContaining(['HoldLease', 'AddHistory', 'DescribeClusters', 'SweepLeftovers']),
  );
  // The drain of a hub asks where its user interface gets traffic; targets are not asked, and `ready` is left out.
  const traffic = aws[0].policy.Statement.find(({ Sid }: { Sid: string }) => Sid === 'FindTraffic');
  expect(traffic.Action).toEqual(expect.arrayContaining(['elasticloadbalancing:DescribeRules']));
  expect(traffic.Action).not.toContain('elasticloadbalancing:DescribeTargetHealth');
  expect(sids).not.toEqual(expect.arrayContaining(['ReadReadiness']));
  expect(kubernetes.map(({ of }: any) => of)).toEqual(['EKS cluster apps-blue', 'EKS cluster apps-green']);
});

test('rights of a swap that moves the traffic have those of its plan, once it is there', async () => {
  const arn = 'arn:aws:elasticloadbalancing:eu-west-1:123456789012';
  const plan = join(scratch, 'plan.yaml');
  writeFileSync(
    file,
    readFileSync(file, 'utf8')
      .replace('moves: hub\n', '')
      .replace(/  soak:.*/, '  shift: { plan: plan.yaml }'),
  );
  const before = await run('--rights', '--json');
  expect(before.stderr).toContain(`add what cluster-canary shift ${plan} --rights prints`);
  writeFileSync(
    plan,
    `router: { albRule: { ruleArn: "${arn}:listener-rule/app/edge/3333333333333333/4444444444444444/5555555555555555" } }
slots:
  blue: { targetGroupArn: "${arn}:targetgroup/apps-blue/1111111111111111" }
  green: { targetGroupArn: "${arn}:targetgroup/apps-green/2222222222222222" }
weights: { green: 100 }
shift: { step: [50], every: 1m }
`,
  );
  const [alone, both] = [
    await clusterCanary(['shift', plan, '--rights', '--json'], { env: world.env, cwd: scratch }),
    await run('--rights', '--json'),
  ];
  const actions = (text: string): readonly string[] =>
    JSON.parse(text).aws[0].policy.Statement.flatMap(({ Action }: { Action: string[] }) => Action);
  expect(actions(both.stdout)).toEqual(expect.arrayContaining([...actions(alone.stdout)]));
  expect(JSON.stringify(documentOf('rights', both.stdout))).toContain('leases/listener-rule-');
  const sids = JSON.parse(both.stdout).aws[0].policy.Statement.map(({ Sid }: { Sid: string }) => Sid);
  expect(new Set(sids).size).toBe(sids.length);
});

test.each<[readonly string[], string]>([
  [['--dry-run', '--rights'], '--rights: conflicts with --dry-run'],
  [['--delete'], '--delete: must be given with --back'],
  [['--by', 'kim'], '--by: must be given with --approve or --refuse'],
  [['--approve', 'create', '--by', 'k\u001b[2J'], '--by: '],
  [['--approve', 'creat'], '--approve: "creat": must be one of the phases ready, create'],
  [['--schedule', '2026-02-30T00:00:00Z'], '--schedule: "2026-02-30T00:00:00Z": must be a time'],
  [['--schedule', 'tomorrow'], '--schedule: "tomorrow": must be a time'],
  [['--rights', '--adopt'], '--adopt: conflicts with --rights'],
  [['--back', '--adopt'], '--adopt: conflicts with --back'],
  [['--back', '--retry'], '--retry: conflicts with --back'],
  [['--forget', '--no-wait'], '--no-wait: conflicts with --forget'],
])('%j is refused', async (args, expected) => {
  const { status, stdout, stderr } = await run(...args);
  expect([status, stdout, stderr]).toEqual([2, '', expect.stringContaining(expected)]);
});
