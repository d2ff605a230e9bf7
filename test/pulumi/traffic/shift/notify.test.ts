import { knownSinks, placedLease } from '../../../../lib/pulumi/traffic/shift/notify';
import type { SplitShift } from '../../../../lib/pulumi/traffic/shift/split-kind';
import type { Check } from '../../../../lib/shift/engine';
import { kubernetesLeaseName } from '../../../../lib/shift/leases';
import type { LeaseSettings } from '../../../../lib/shift/leases';
import { DeliveryFailed, Notifier } from '../../../../lib/shift/notify';
import type { FleetEvent, Sink } from '../../../../lib/shift/notify';
import { toySink } from '../../../shift/notify/events';
import { due, setting as shiftSetting } from './shift-setting';

/** A load balancer with one rule, a shift of it to green, and who hears of that. */
function setting({
  sinks,
  shift = {},
}: { readonly sinks?: readonly Sink[]; readonly shift?: Partial<SplitShift> } = {}) {
  return shiftSetting({
    shift: {
      clusterNames: {},
      ...(sinks && { notify: { sinks: [], route: 'apps', source: 'acme/talk/dev' } }),
      ...shift,
    },
    parts: (lines) => ({
      notifier: ({ source }) => {
        const origin = { by: 'alex@laptop', source };
        return new Notifier({ sinks: sinks ?? [], origin, close: () => lines.push('closed') });
      },
    }),
  });
}

const failsAbove10: Check = {
  name: 'errors',
  stages: ['after'],
  evaluate: ({ live }) =>
    Promise.resolve({
      status: (live.green ?? 0) > 10 ? ('fail' as const) : ('pass' as const),
      reason: 'too many errors',
      figures: [],
    }),
};

describe('sinks', () => {
  test('get the events of a shift, under the name of the resource and the stack', async () => {
    const got: FleetEvent[] = [];
    const sink: Sink = { ...toySink(), deliver: (event) => Promise.resolve(void got.push(event)) };
    const { traffic, lines, greens } = setting({ sinks: [sink] });
    await traffic.beforeUpdate(due());
    expect(greens()).toEqual([10, 50, 100]);
    expect(got.map(({ type }) => type)).toEqual([
      ...['started', 'stepWritten', 'stepWritten', 'stepWritten', 'ended'],
    ]);
    expect(got[0]).toMatchObject({ route: 'apps', source: 'acme/talk/dev', by: 'alex@laptop' });
    expect(lines.filter((line) => /^warn|closed/.test(line))).toEqual(['closed']);
  });

  test('that fail change nothing of it but for a warning', async () => {
    const alone = setting();
    await alone.traffic.beforeUpdate(due());
    const broken: Sink = {
      ...toySink(),
      deliver: () => Promise.reject(new DeliveryFailed('refused', { final: true })),
    };
    const { traffic, lines, greens } = setting({ sinks: [broken] });
    await traffic.beforeUpdate(due());
    expect(greens()).toEqual(alone.greens());
    expect(lines).toContain('warn: toy: 5 of 5 events were not delivered: refused');
    const plain = (all: readonly string[]) => all.filter((line) => !/^warn: toy|^closed/.test(line));
    expect(plain(lines)).toEqual(plain(alone.lines));
  });

  test('hear of a shift that is taken back, and at what place a person has to agree', async () => {
    const got: FleetEvent[] = [];
    const sink: Sink = { ...toySink(), deliver: (event) => Promise.resolve(void got.push(event)) };
    const failing = setting({ sinks: [sink] });
    failing.balancer.checks = [failsAbove10];
    await expect(failing.traffic.beforeUpdate(due())).rejects.toThrow('was rolled back');
    expect(got.find(({ type }) => type === 'rollingBack')).toMatchObject({ failed: [{ name: 'errors' }] });
    expect(got.at(-1)).toMatchObject({ type: 'ended', verdict: 'rolledBack' });
    expect(failing.lines).toContain('closed');

    got.length = 0;
    const paused = setting({ sinks: [sink], shift: { settings: { step: [50], every: '1m', pause: [50] } } });
    const run = paused.traffic.beforeUpdate(due()).catch((error: unknown) => error);
    await run;
    expect(got.find(({ type }) => type === 'paused')).toMatchObject({
      place: 50,
      how: 'set resumedTo to the place, in the settings of the shift, and run pulumi up',
    });
  });
});

test.each<[string, LeaseSettings | undefined, object | undefined]>([
  ['none', 'none', undefined],
  ['in AWS', undefined, undefined],
  [
    'in Kubernetes',
    { kubernetes: { namespace: 'shifts', context: 'hub' } },
    { namespace: 'shifts', name: kubernetesLeaseName('a') },
  ],
])('the Lease that Events are about is that of the first rule: %s', (_, lease, expected) => {
  const placed = placedLease(lease, ['b', 'a']);
  expect(placed && { namespace: placed.namespace, name: placed.name }).toEqual(expected);
});

test('settings of sinks that were Outputs are evaluated when they are known', () => {
  expect(knownSinks([{ sns: { topicArn: 'arn:aws:sns:eu-west-1:123456789012:shifts' } }])).toHaveLength(1);
  expect(knownSinks(undefined)).toEqual([]);
  expect(() => knownSinks([{ sns: { topicArn: 'x' } }])).toThrow(/notify\[0\]\.sns\.topicArn/);
});
