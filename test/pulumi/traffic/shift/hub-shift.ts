import { EventEmitter } from 'node:events';
import { ruleTag } from '../../../../lib/core/names';
import { listenerRuleSplits } from '../../../../lib/pulumi/traffic/shift/kinds';
import type { TrafficShiftOptions } from '../../../../lib/pulumi/traffic/shift/traffic-shift';
import { TrafficShift } from '../../../../lib/pulumi/traffic/shift/traffic-shift';
import type { CheckSettings } from '../../../../lib/shift/checks';
import type { ShiftSettings } from '../../../../lib/shift/engine';
import { FakeLoadBalancer, fakeClock, groupArn, listenerArn, ruleArn } from './fake-load-balancer';

/** What a shift from blue to green left behind. */
export interface HubShift {
  /** Warnings. */
  readonly lines: string[];
  /** Shares by target group. */
  readonly weights: unknown;
  readonly traffic: TrafficShift;
  /** Why it failed. */
  readonly error?: Error;
}

/** Runs a shift from blue to green that tells hubs of it. */
export async function shiftWith(
  hubs: Pick<TrafficShiftOptions, 'labels' | 'window'>,
  { settings, checks = [] }: { settings?: ShiftSettings; checks?: CheckSettings[] } = {},
): Promise<HubShift> {
  const balancer = new FakeLoadBalancer();
  const targets = { blue: groupArn('blue-web'), green: groupArn('green-web') };
  const rule = { tag: 'p/dev/web', priority: 10, targets };
  balancer.add({ id: ruleArn(1), priority: 10, tags: { [ruleTag]: rule.tag }, targets: [] });
  balancer.set(ruleArn(1), { [targets.blue]: 100, [targets.green]: 0 });
  const lines: string[] = [];
  const say = (text: string): void => void lines.push(text);
  const traffic = new TrafficShift({
    shift: () =>
      Promise.resolve({
        what: 'FleetTraffic "apps"',
        kind: listenerRuleSplits,
        rules: [rule],
        wanted: { blue: 0, green: 100 },
        clusterNames: {},
        settings: { step: [10, 50], every: '1m', bake: '1m', ...settings },
        checks,
        lease: 'none',
        holder: 'test',
        resumedTo: undefined,
        roleArn: undefined,
      }),
    kind: listenerRuleSplits,
    roleArn: undefined,
    parts: balancer.parts(fakeClock()),
    log: { info: () => undefined, warn: say, progress: () => undefined },
    ...hubs,
    interrupts: new EventEmitter(),
  });
  const error = await traffic.beforeUpdate({ tag: rule.tag, id: ruleArn(1), place: listenerArn }).then(
    () => undefined,
    (reason: Error) => reason,
  );
  return { lines, weights: balancer.weightsOf(ruleArn(1)), traffic, ...(error && { error }) };
}
