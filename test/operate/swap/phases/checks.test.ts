import type { AwsClients } from '../../../../lib/core/aws/clients';
import { checksPhase } from '../../../../lib/operate/swap/phases/checks';
import type { ChecksPhase } from '../../../../lib/operate/swap/phases/checks';
import type { ShiftSubject } from '../../../../lib/shift/engine';
import { contextOf } from '../../../shift/checks/health-samples';
import { arnOf, BalancingWorld } from '../../live-traffic/balancing-world';
import { clusterOf, never, phaseRun } from './phase-runs';

/** Runs of a program stand for any check: what it is given, and what it answers. */
class Asked {
  public readonly subjects: ShiftSubject[] = [];
  public readonly inputs: any[] = [];
  /** Exit status of a program, and its reason. */
  public answer: (input: any) => readonly [number, string] = () => [0, 'fine'];
  public states: Record<string, readonly string[]> = {};

  public settings(more: Partial<ChecksPhase> = {}): ChecksPhase {
    return {
      ...{ phase: 'try', fleet: 'apps', clusterOf, checks: [{ program: { command: ['smoke'] } }] },
      clients: this.clients([{ blue: 100, green: 0 }]),
      now: () => 5_000_000,
      context: (subject) => {
        this.subjects.push(subject);
        return contextOf({
          subject,
          env: {},
          runProgram: ({ program, input }) => {
            const given = { ...JSON.parse(input as string), program };
            this.inputs.push(given);
            const [status, reason] = this.answer(given);
            const stdout = Buffer.from(JSON.stringify({ reason }));
            return Promise.resolve({ how: 'exited', status, stdout, stderr: Buffer.from('') });
          },
          targetHealth: {
            targets: (arn) => Promise.resolve((this.states[arn] ?? []).map((state) => ({ state }))),
          },
        });
      },
      ...more,
    } as ChecksPhase;
  }

  public clients(rules: Record<string, number>[]): AwsClients {
    const world = new BalancingWorld(
      rules.map((weights, at) => ({
        ...{ arn: `2/${at + 3}`, priority: at + 1, weights },
        conditions: [{ Field: 'host-header', HostHeaderConfig: { Values: [`${at}.example.com`] } }],
      })),
    );
    return Object.assign(world.clients, { region: 'eu-west-1' });
  }
}

const ask = (given: ChecksPhase, run = phaseRun()) => checksPhase(given).run(run, never);

test.each([
  ['deliver', 'before', { blue: 100, green: 0 }],
  ['try', 'before', { blue: 100, green: 0 }],
  ['soak', 'after', { blue: 0, green: 100 }],
] as const)('%s asks as a shift does %s its weights', async (phase, stage, live) => {
  const asked = new Asked();
  const stages = ['before', 'after'] as const;
  const settings = asked.settings({ phase, checks: [{ program: { command: ['smoke'], stages } }] });
  expect(await ask(settings)).toEqual({ passed: true });
  expect(asked.inputs).toMatchObject([
    {
      evaluated: ['green'],
      window: { stage, live, origin: { blue: 100, green: 0 }, wanted: { blue: 0, green: 100 } },
    },
  ]);
});

test('a check that has not the stage is asked in its other one: none is left out', async () => {
  const asked = new Asked();
  const checks = (['before', 'after'] as const).map((stage) => ({
    program: { command: [stage], stages: [stage] },
  }));
  asked.answer = ({ program }) => [program === 'after' ? 1 : 0, program];
  expect(await ask(asked.settings({ checks }))).toMatchObject({
    passed: false,
    reason: 'program 2 fails: after',
  });
  asked.answer = ({ program }) => [program === 'before' ? 1 : 0, program];
  expect(await ask(asked.settings({ phase: 'soak', checks }))).toMatchObject({
    passed: false,
    reason: 'program fails: before',
  });
});

test('on the way back the old slot is the one that gains', async () => {
  const asked = new Asked();
  const slot = { name: 'blue', version: '1.35' };
  const run = phaseRun({ slot, other: { name: 'green', version: '1.36' }, back: true });
  await ask(asked.settings({ phase: 'deliver' }), run);
  expect(asked.inputs).toMatchObject([{ evaluated: ['blue'], window: { live: { blue: 0, green: 100 } } }]);
});

test.each([
  ['deliver', 1, { passed: false, final: false, reason: 'program fails: why' }],
  ['try', 1, { passed: false, final: true, reason: 'program fails: why' }],
  ['soak', 1, { passed: false, final: true, reason: 'program fails: why' }],
  ['deliver', 2, { passed: false, final: false, reason: 'program is inconclusive: why' }],
  ['try', 2, { passed: false, final: false, reason: 'program is inconclusive: why' }],
  ['soak', 2, { passed: false, final: false, reason: 'program is inconclusive: why' }],
  ['try', 0, { passed: true }],
] as const)('in %s, a status of %d', async (phase, status, answer) => {
  const asked = new Asked();
  asked.answer = () => [status, 'why'];
  expect(await ask(asked.settings({ phase }))).toEqual(answer);
});

test('all that is not well is said, failures first', async () => {
  const asked = new Asked();
  const checks = ['late', 'well', 'broken'].map((name) => ({ program: { name, command: [name] } }));
  asked.answer = ({ program }) => [{ late: 2, well: 0, broken: 1 }[program as 'late'], `it is ${program}`];
  const settings = asked.settings({ phase: 'deliver', checks });
  expect(await ask(settings)).toEqual({
    passed: false,
    final: false,
    reason: 'broken fails: it is broken; late is inconclusive: it is late',
  });
});

test('without checks nothing is asked, and that is said', async () => {
  const run = phaseRun();
  expect(await ask(new Asked().settings({ checks: [] }), run)).toEqual({ passed: true });
  expect(run.said).toEqual(['try: no checks: nothing is asked']);
});

test('a question begins anew once it is answered, and not while something is inconclusive', async () => {
  const asked = new Asked();
  let now = 1_000;
  const phase = checksPhase(asked.settings({ phase: 'soak', now: () => now }));
  const began: number[] = [];
  for (const status of [2, 2, 0, 0]) {
    asked.answer = ({ window }) => (began.push(window.startedAt), [status, 'why']);
    await phase.run(phaseRun(), never);
    now += 1_000;
  }
  expect(began).toEqual([1_000, 1_000, 1_000, 4_000]);
  expect(asked.subjects).toHaveLength(1);
});

describe('what checks know of the slots', () => {
  const preview = { url: 'https://green.example.com' };

  test('the rules that lead to both, with clusters and previews', async () => {
    const asked = new Asked();
    await ask(asked.settings({ previews: { green: preview } }));
    expect(asked.subjects).toMatchObject([
      {
        layer: 'http',
        region: 'eu-west-1',
        slots: {
          blue: { targetGroupArn: arnOf('blue'), clusterName: 'apps-blue' },
          green: { targetGroupArn: arnOf('green'), clusterName: 'apps-green', preview },
        },
      },
    ]);
  });

  test('of several rules, a check on target groups is asked for each, and others once', async () => {
    const asked = new Asked();
    asked.states = { [arnOf('green')]: ['healthy'] };
    const clients = asked.clients([{ blue: 100, green: 0 }, { blue: 100, green: 0 }, { blue: 100 }]);
    const checks = [{ program: { command: ['smoke'] } }, { targetHealth: {} }];
    const run = phaseRun();
    expect(await ask(asked.settings({ checks, clients }), run)).toEqual({ passed: true });
    expect(asked.inputs).toHaveLength(1);
    expect(asked.subjects).toHaveLength(2);
  });

  test('a given route counts alone', async () => {
    const asked = new Asked();
    const route = { router: { simulated: {} }, slots: { blue: { clusterName: 'old' }, green: {} } };
    await ask(asked.settings({ route, clients: {} as never, previews: { green: preview } }));
    expect(asked.subjects[0]!.slots).toMatchObject({
      blue: { clusterName: 'old' },
      green: { clusterName: 'apps-green', preview },
    });
  });

  test('without a load balancer clusters can be asked all the same, and that is said', async () => {
    const asked = new Asked();
    const run = phaseRun({ slot: { name: 'teal', version: '1.36' } });
    expect(await ask(asked.settings(), run)).toEqual({ passed: true });
    expect(run.said).toEqual(['try: no load balancer forwards to slot teal of fleet apps']);
    expect(asked.subjects[0]!.slots).toEqual({
      blue: { clusterName: 'apps-blue' },
      teal: { clusterName: 'apps-teal' },
    });
    await expect(ask(asked.settings({ checks: [{ targetHealth: {} }] }), run)).rejects.toThrow(
      'target group',
    );
  });
});

test('an interrupt ends it', async () => {
  const asked = new Asked();
  const interrupt = new AbortController();
  asked.answer = () => (interrupt.abort(new Error('interrupted')), [0, 'fine']);
  await expect(checksPhase(asked.settings()).run(phaseRun(), interrupt.signal)).rejects.toThrow(
    'interrupted',
  );
});
