import { settingsProblems } from '../../../lib/shift/checks';
import * as fc from 'fast-check';
import { InvalidInput } from '../../../lib/core/validation';
import type { TargetState } from '../../../lib/shift/checks';
import { awsTargetHealth, countTargets, targetHealth } from '../../../lib/shift/checks/targets';
import { SourceError } from '../../../lib/shift/engine';
import { evaluateTargets } from '../../../lib/shift/evaluation';
import { contextOf, subject, windowOf } from './health-samples';

const times = (count: number, state: string, reason?: string): TargetState[] =>
  Array.from({ length: count }, () => ({ state, ...(reason ? { reason } : {}) }));
const evaluate = (...targets: TargetState[][]) => evaluateTargets('green', countTargets(targets.flat()), 0.9);

test.each([
  ['all healthy', [times(10, 'healthy')], 'pass', /10 of 10/],
  ['just enough', [times(9, 'healthy'), times(1, 'unhealthy')], 'pass', /9 of 10/],
  ['too few', [times(8, 'healthy'), times(2, 'unhealthy')], 'fail', /8 of 10.*90 %/],
  ['nobody', [[]], 'inconclusive', /no target is registered/],
  ['on no listener', [times(3, 'unused', 'Target.NotInUse')], 'inconclusive', /on no listener/],
  ['stopped machines', [times(3, 'unused', 'Target.InvalidState')], 'inconclusive', /Target.InvalidState/],
  [
    'only leaving',
    [times(2, 'draining'), times(1, 'unhealthy.draining')],
    'inconclusive',
    /on their way out/,
  ],
  ['leaving ones count for nothing', [times(2, 'healthy'), times(5, 'draining')], 'pass', /2 of 2/],
  ['zones that are off count for nothing', [times(2, 'healthy'), times(2, 'unused')], 'pass', /2 of 2/],
  [
    'first health checks under way',
    [times(1, 'healthy'), times(2, 'initial', 'Elb.InitialHealthChecking')],
    'inconclusive',
    /2 not decided \(Elb.InitialHealthChecking\)/,
  ],
  ['initial ones can’t save it', [times(5, 'unhealthy'), times(2, 'initial')], 'fail', /0 of 7/],
  ['initial ones can’t spoil it', [times(19, 'healthy'), times(1, 'initial')], 'pass', /19 of 20/],
  [
    'no health checks',
    [times(3, 'unavailable', 'Target.HealthCheckDisabled')],
    'inconclusive',
    /HealthCheckDisabled/,
  ],
  ['a state that AWS adds later', [times(3, 'new-state')], 'inconclusive', /3 not decided/],
])('%s', (_name, targets, status, reason) => {
  const result = evaluate(...targets);
  expect(result.status).toBe(status);
  expect(result.reason).toMatch(reason);
});

test('what is not decided yet never turns a verdict round', () => {
  const count = fc.nat({ max: 20 });
  fc.assert(
    fc.property(
      count,
      count,
      count,
      fc.double({ min: 0.01, max: 1, noNaN: true }),
      (healthy, unhealthy, open, min) => {
        const verdict = (well: number, ill: number, unclear: number) =>
          evaluateTargets(
            'green',
            countTargets([
              ...times(well, 'healthy'),
              ...times(ill, 'unhealthy'),
              ...times(unclear, 'initial'),
            ]),
            min,
          ).status;
        const now = verdict(healthy, unhealthy, open);
        for (let well = 0; well <= open; well += 1) {
          const later = verdict(healthy + well, unhealthy + open - well, 0);
          expect([later, 'inconclusive']).toContain(now);
        }
        expect(verdict(0, 0, open)).toBe('inconclusive');
      },
    ),
  );
});

describe('the check', () => {
  const asked: string[] = [];
  const states: Record<string, TargetState[]> = {};
  const check = targetHealth.kind.create(
    'health',
    {},
    contextOf({
      targetHealth: {
        targets: (arn) => {
          asked.push(arn);
          return Promise.resolve(states[arn] ?? []);
        },
      },
    }),
  );
  beforeEach(() => {
    asked.length = 0;
    states['arn:blue'] = times(5, 'unhealthy');
    states['arn:green'] = times(5, 'healthy');
  });

  test('judges the slot that is about to get weight, and the one that has got it', async () => {
    expect(check.stages).toEqual(['before', 'after']);
    const before = await check.evaluate(windowOf({ blue: 100, green: 0 }, { blue: 99, green: 1 }));
    const after = await check.evaluate(windowOf({ blue: 99, green: 1 }));
    expect(asked).toEqual(['arn:green', 'arn:green']);
    expect(before).toEqual(after);
    expect(after).toEqual({
      status: 'pass',
      reason: 'green: 5 of 5 targets healthy, at least 90 % needed',
      figures: [
        {
          ...{ name: 'healthy share', slot: 'green', value: 1, unit: 'share', min: 0.9 },
          counts: { counted: 5, of: 5, what: 'targets are healthy' },
        },
        { name: 'healthy targets', slot: 'green', value: 5, unit: 'count' },
      ],
    });
  });

  test('a sick slot that loses its weight does not keep the traffic from the well one', async () => {
    expect((await check.evaluate(windowOf({ blue: 50, green: 50 }))).status).toBe('pass');
  });

  test('without a slot that gains, all that have weight are judged', async () => {
    const result = await check.evaluate(windowOf({ blue: 100, green: 0 }));
    expect(result.status).toBe('fail');
    expect(asked).toEqual(['arn:blue']);
  });

  test('one sick slot of two that gain fails', async () => {
    const origin = { red: 100, blue: 0, green: 0 };
    const slots = { ...subject.slots, red: { targetGroupArn: 'arn:red' } };
    const both = targetHealth.kind.create(
      'health',
      {},
      {
        ...contextOf({ targetHealth: { targets: (arn) => Promise.resolve(states[arn]!) } }),
        subject: { ...subject, slots },
      },
    );
    const result = await both.evaluate(windowOf({ red: 80, blue: 10, green: 10 }, undefined, { origin }));
    expect(result.status).toBe('fail');
    expect(result.reason).toMatch(/blue: 0 of 5.*green: 5 of 5/);
  });

  test('a slot without a target group is refused', () => {
    const slots = { ...subject.slots, red: {}, grey: {} };
    const create = () =>
      targetHealth.kind.create('health', {}, { ...contextOf({}), subject: { ...subject, slots } });
    expect(create).toThrow(InvalidInput);
    expect(create).toThrow(/slots.red.targetGroupArn[^]*slots.grey.targetGroupArn/);
  });

  test.each([
    [{}, []],
    [{ min: 1, name: 'x' }, []],
    [{ min: 0 }, ['min']],
    [{ min: 90, minimum: 1, name: '' }, ['minimum', 'name', 'min']],
  ])('%j', (args, paths) => {
    expect(settingsProblems(targetHealth.kind, args, subject).map(({ path }) => path)).toEqual(paths);
  });
});

describe('Elastic Load Balancing', () => {
  const clients = (describeTargetHealth: (...args: any[]) => Promise<unknown>): any => ({
    region: 'eu-west-1',
    elasticLoadBalancing: () => Promise.resolve({ describeTargetHealth }),
  });

  test('answers every target', async () => {
    const asked: unknown[] = [];
    const source = awsTargetHealth(
      clients((input) => {
        asked.push(input);
        return Promise.resolve({
          TargetHealthDescriptions: [
            { TargetHealth: { State: 'healthy' } },
            { TargetHealth: { State: 'unused', Reason: 'Target.NotInUse' } },
            {},
          ],
        });
      }),
    );
    expect(await source.targets('arn:green')).toEqual([
      { state: 'healthy' },
      { state: 'unused', reason: 'Target.NotInUse' },
      { state: 'unknown' },
    ]);
    expect(asked).toEqual([{ TargetGroupArn: 'arn:green' }]);
  });

  test('a refusal is a failing source; an abort stays one', async () => {
    const refused = Object.assign(new Error('not authorized'), { name: 'AccessDenied' });
    const source = awsTargetHealth(clients(() => Promise.reject(refused)));
    await expect(source.targets('arn:green')).rejects.toThrow(SourceError);
    await expect(source.targets('arn:green')).rejects.toThrow(
      /arn:green.*elasticloadbalancing:DescribeTargetHealth/,
    );
    const reason = new Error('enough');
    await expect(source.targets('arn:green', AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
