import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSwapFile, swapFleet, swapOutlook } from 'cluster-canary/swap';
import type { SwapFleetSettings, SwapRecord } from 'cluster-canary/swap';
import { InvalidInput, formatProblem } from 'cluster-canary/validation';
import { OwnFleet, t0 } from './own-fleet';

const hour = 3_600_000;
const region = 'eu-west-1';
const settingsOf = (program: OwnFleet, more: Partial<SwapFleetSettings> = {}): SwapFleetSettings => ({
  ...{ fleet: 'apps', region, to: '1.36', program },
  ...more,
});
const wholeWay = [
  'ready green',
  'Swap 1.35 to 1.36: add slot green (1.36)',
  'deliver green',
  'try green',
  'prescale green',
  'Swap 1.35 to 1.36: shift traffic to green',
  'soak green',
  'drain blue',
  'Swap 1.35 to 1.36: remove slot blue',
];

/** Everything that is wrong, a line each. */
async function refusals(call: Promise<unknown>): Promise<readonly string[]> {
  const error: unknown = await call.catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(InvalidInput);
  return (error as InvalidInput).problems.map(formatProblem);
}

test('a program of our own, with runners of our own: the whole way, and nothing to do after it', async () => {
  const fleet = new OwnFleet();
  const outcome = await swapFleet(settingsOf(fleet), fleet.options());
  expect(outcome).toMatchObject({ verdict: 'completed', fleet: 'apps', record: { by: 'alex@laptop' } });
  // A day of soak, asked every five minutes.
  expect([...new Set(fleet.done)]).toEqual(wholeWay);
  expect(outcome.endedAt - t0).toBeGreaterThanOrEqual(24 * hour);
  expect(fleet.configuration).toEqual({ slots: { green: '1.36' }, weights: { green: 100 } });
  expect(outcome.log.map(({ text }) => text)).toEqual(fleet.lines);
  const again = await swapFleet(settingsOf(fleet), fleet.options());
  expect(again).toMatchObject({ verdict: 'completed', unchanged: true });
});

test('phases, windows and versions on the way are those of a swap file', async () => {
  const fleet = new OwnFleet();
  fleet.configuration = { slots: { blue: '1.34' }, weights: { blue: 100 } };
  const outcome = await swapFleet(
    settingsOf(fleet, {
      via: ['1.35'],
      windows: [{ days: ['Tue'], from: '09:00', to: '16:00' }],
      phases: { soak: { for: '0s' }, prescale: { skip: true } },
    }),
    fleet.options(),
  );
  expect(outcome.verdict).toBe('completed');
  expect(new Set(outcome.phases.map(({ from, to }) => `${from} to ${to}`))).toEqual(
    new Set(['1.34 to 1.35', '1.35 to 1.36']),
  );
  expect(fleet.done.some((text) => text.startsWith('prescale'))).toBe(false);
  const created = outcome.phases.find(({ phase }) => phase === 'create')!;
  expect(new Date(created.startedAt).toISOString()).toBe('2026-03-03T09:00:00.000Z');
});

test('a dry run says each phase and what the first deployment would change, and writes nothing', async () => {
  const fleet = new OwnFleet();
  const before = fleet.configuration;
  const { end, swaps, next, changes, problems } = await swapOutlook(settingsOf(fleet), fleet.options());
  expect([end.verdict, problems]).toEqual(['completed', []]);
  expect(swaps).toMatchObject([{ old: { name: 'blue', version: '1.35' }, new: { name: 'green' } }]);
  expect(swaps[0]!.phases.map(({ phase }) => phase)).toEqual([
    ...['ready', 'create', 'deliver', 'try', 'prescale', 'shift', 'soak', 'drain', 'delete'],
  ]);
  expect(next).toEqual({ slots: { blue: '1.35', green: '1.36' }, weights: { blue: 100, green: 0 } });
  expect(changes).toEqual([{ op: 'update', type: 'ours:fleet:Slots', name: 'apps' }]);
  expect(fleet.lines).toEqual(['Previews the first deployment: our own program']);
  expect([fleet.configuration, fleet.done, fleet.memory]).toEqual([before, [], {}]);
  expect(await refusals(swapOutlook(settingsOf(fleet), fleet.options({ ask: 'back' })))).toEqual([
    'ask: "back": must be "forward": the way back is not looked ahead',
  ]);
});

describe('people', () => {
  const phases = { soak: { for: '0s' }, delete: { approve: { timeout: '1h', onTimeout: 'back' as const } } };

  test('are asked by the program until they answer', async () => {
    const fleet = new OwnFleet();
    const asked: object[] = [];
    const outcome = await swapFleet(
      settingsOf(fleet, { phases }),
      fleet.options({
        approve: (question) => {
          asked.push(question);
          return Promise.resolve(asked.length < 3 ? undefined : { approvedBy: 'kim' });
        },
      }),
    );
    expect(outcome.verdict).toBe('completed');
    // Once more before it begins.
    expect(asked).toEqual(Array(4).fill({ phase: 'delete', swap: outcome.record!.id }));
    expect(outcome.phases.at(-1)).toMatchObject({ phase: 'delete', approvedBy: 'kim' });
    expect(fleet.lines.join('\n')).toContain('delete: a person has to agree by');
    expect(fleet.lines.join('\n')).toContain('the program answers');
  });

  test('who refuse take it back', async () => {
    const fleet = new OwnFleet();
    const outcome = await swapFleet(
      settingsOf(fleet, { phases }),
      fleet.options({ approve: () => Promise.resolve({ refusedBy: 'kim' }) }),
    );
    expect(outcome).toMatchObject({ verdict: 'rolledBack' });
    expect(fleet.configuration.weights).toEqual({ blue: 100, green: 0 });
    expect(fleet.done.slice(-5)).toEqual([
      'drain blue back',
      'Swap back to 1.35: restore in blue what drain deleted',
      'deliver blue back',
      'prescale blue back',
      'Swap back to 1.35: shift traffic to blue',
    ]);
  });

  test('have to be asked by the program where the command can leave no answers', async () => {
    const fleet = new OwnFleet();
    expect(await refusals(swapFleet(settingsOf(fleet, { phases }), fleet.options()))).toEqual([
      'approve: is required: a function: delete ask a person, and the command leaves no answers in a store of your own',
    ]);
    expect(fleet.done).toEqual([]);
  });
});

test('it ends where it would wait, and the next call goes on; then it goes back, and away', async () => {
  const fleet = new OwnFleet();
  const held = await swapFleet(settingsOf(fleet), fleet.options({ waits: false }));
  expect(held).toMatchObject({ verdict: 'held', record: { phase: 'soak' }, again: expect.any(Number) });
  const records: SwapRecord[] = [];
  const back = await swapFleet(
    settingsOf(fleet),
    fleet.options({ ask: 'back', observer: { record: (record) => records.push(record) } }),
  );
  expect(back).toMatchObject({ verdict: 'rolledBack' });
  expect(records.at(-1)).toEqual(back.record);
  expect(fleet.configuration.slots).toHaveProperty('green');
  const away = await swapFleet(settingsOf(fleet), fleet.options({ ask: 'backAndDelete' }));
  expect(away.verdict).toBe('rolledBack');
  expect(fleet.configuration).toEqual({ slots: { blue: '1.35' }, weights: { blue: 100 } });
});

test('what began by hand is taken over', async () => {
  const fleet = new OwnFleet();
  fleet.configuration = { slots: { blue: '1.35', green: '1.36' }, weights: { blue: 60, green: 40 } };
  expect((await swapOutlook(settingsOf(fleet), fleet.options())).end.verdict).toBe('aborted');
  const { swaps } = await swapOutlook(settingsOf(fleet), fleet.options({ adopt: true }));
  expect(swaps).toMatchObject([{ adopted: { phase: 'shift' }, phases: [{ phase: 'shift' }, {}, {}, {}] }]);
  const outcome = await swapFleet(settingsOf(fleet), fleet.options({ adopt: true }));
  expect(outcome).toMatchObject({ verdict: 'completed', record: { adopted: { phase: 'shift' } } });
  expect(fleet.done[0]).toBe(wholeWay[5]);
});

test('an interrupt ends what runs; what an observer throws ends it as a kill does; both times the next call goes on', async () => {
  const fleet = new OwnFleet();
  const interrupt = new AbortController();
  fleet.answers = { try: () => (interrupt.abort(), new Promise(() => undefined)) };
  const held = swapFleet(settingsOf(fleet), fleet.options({ signal: interrupt.signal }));
  // A runner that does not listen is not waited for.
  expect(await held).toMatchObject({ verdict: 'held', record: { phase: 'try' } });
  fleet.answers = {};
  const log = ({ text }: { readonly text: string }) => {
    if (text.startsWith('shift:')) {
      throw new Error('our log is full');
    }
  };
  await expect(swapFleet(settingsOf(fleet), fleet.options({ observer: { log } }))).rejects.toThrow(
    'our log is full',
  );
  fleet.now += 300_001;
  expect(await swapFleet(settingsOf(fleet), fleet.options())).toMatchObject({ verdict: 'completed' });
  expect(fleet.done.filter((text) => text === wholeWay[5])).toHaveLength(1);
}, 30_000);

test('a phase that fails is no error, and says why', async () => {
  const fleet = new OwnFleet();
  fleet.answers = { try: () => Promise.resolve({ passed: false, reason: 'smoke test', final: true }) };
  const outcome = await swapFleet(
    settingsOf(fleet, { phases: { try: { onFailure: 'delete' } } }),
    fleet.options(),
  );
  expect(outcome).toMatchObject({
    verdict: 'rolledBack',
    reason: expect.stringContaining('try has not passed: smoke test'),
  });
  expect(fleet.configuration).toEqual({ slots: { blue: '1.35' }, weights: { blue: 100 } });
});

describe('is refused before anything is asked', () => {
  test('all that is wrong with the settings, at once', async () => {
    const fleet = new OwnFleet();
    const wrong = { fleet: 'Apps', to: 1.36, program: fleet, phases: { soka: {}, soak: { for: 'a day' } } };
    const lines = await refusals(swapFleet(wrong as never, fleet.options()));
    expect(lines).toEqual([
      expect.stringMatching(/^fleet: "Apps": must be/),
      expect.stringMatching(/^to: 1\.36: must be/),
      expect.stringMatching(/^phases\.soka: unknown key, did you mean "soak"\?/),
      expect.stringMatching(/^phases\.soak\.for: "a day": must be/),
    ]);
  });

  test.each<[what: string, program: unknown, lines: readonly RegExp[]]>([
    ['none', undefined, [/^program: is required: an object with exactly one of "pulumi", "git", "commands"/]],
    [
      'a program without a method',
      { name: 'x', read: () => 0 },
      [/^program\.preview: /, /^program\.deploy: /],
    ],
    [
      'a program without a name',
      Object.assign(Object.create(new OwnFleet()), { name: '' }),
      [/^program\.name: /],
    ],
    ['settings that are wrong', { git: { repositry: 'x' } }, [/^program\.git/]],
    ['two', { commands: { read: ['a'], deploy: ['a'] }, git: {} }, [/^program: .*exactly one of/]],
  ])('as a program: %s', async (_, program, expected) => {
    const fleet = new OwnFleet();
    const lines = await refusals(swapFleet({ ...settingsOf(fleet), program } as never, fleet.options()));
    for (const pattern of expected) {
      expect(lines).toContainEqual(expect.stringMatching(pattern));
    }
  });

  test('a delivery without checks, unless it has a runner', async () => {
    const fleet = new OwnFleet();
    const { runners, ...options } = fleet.options();
    const { deliver: _, ...others } = runners!;
    expect(await refusals(swapFleet(settingsOf(fleet), { ...options, runners: others }))).toEqual([
      expect.stringMatching(/^phases\.deliver\.checks: must be at least one check/),
    ]);
  });

  test('an option that there is not', async () => {
    const fleet = new OwnFleet();
    const options = { ...fleet.options(), aprove: () => undefined, runners: { shift: () => undefined } };
    expect(await refusals(swapFleet(settingsOf(fleet), options as never))).toEqual([
      expect.stringMatching(/^aprove: unknown key, did you mean "approve"\?/),
      expect.stringMatching(/^runners\.shift: unknown key/),
    ]);
  });
});

describe('a swap file', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'swap-fleet-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const write = (text: string) => {
    writeFileSync(join(folder, 'swap.yaml'), text);
    return join(folder, 'swap.yaml');
  };
  const file = `fleet: apps
region: ${region}
to: "1.36"
program:
  pulumi: { folder: infra, stack: production, slots: "talk:apps", weights: "talk:weights" }
phases:
  soak: { for: 0s }
`;

  test('is swapped with the program that its settings make, from its folder', async () => {
    const fleet = new OwnFleet();
    const { settings, base } = await readSwapFile(write(`${file}  deliver: { skip: true }\n`));
    const made: unknown[] = [];
    const pulumi = (...given: unknown[]) => (made.push(given), fleet);
    expect(await swapFleet(settings, fleet.options({ base, pulumi }))).toMatchObject({
      verdict: 'completed',
    });
    expect(made).toEqual([
      [
        { folder: 'infra', stack: 'production', slots: 'talk:apps', weights: 'talk:weights' },
        { base: folder },
      ],
    ]);
    expect(fleet.done).not.toContain('deliver green');
  });

  test('that names a stack needs what makes a program of it', async () => {
    const fleet = new OwnFleet();
    const { settings } = await readSwapFile(write(`${file}  deliver: { skip: true }\n`));
    expect(await refusals(swapFleet(settings, fleet.options()))).toEqual([
      expect.stringMatching(/^program\.pulumi: .*opened by `pulumi`, which was not given/),
    ]);
  });

  test('is refused with lines and columns', async () => {
    await expect(readSwapFile(write(file.replace('fleet:', 'flet:')))).rejects.toThrow(
      /swap\.yaml:1:1 flet: unknown key, did you mean "fleet"\?/,
    );
    await expect(readSwapFile(join(folder, 'none.yaml'))).rejects.toBeInstanceOf(InvalidInput);
  });
});
