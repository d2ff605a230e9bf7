import { EventEmitter } from 'node:events';
import { ruleTag } from '../../../../lib/core/names';
import type { ShiftDependencies } from '../../../../lib/pulumi/traffic/shift/dependencies';
import { listenerRuleSplits } from '../../../../lib/pulumi/traffic/shift/kinds';
import type { SplitShift } from '../../../../lib/pulumi/traffic/shift/split-kind';
import { TrafficShift } from '../../../../lib/pulumi/traffic/shift/traffic-shift';
import { weightsByArn } from '../../../../lib/pulumi/traffic/shift/weights';
import type { Check, CheckStatus, CheckWindow, ShiftRecord, Weights } from '../../../../lib/shift/engine';
import { FakeLoadBalancer, fakeClock, groupArn, listenerArn, ruleArn } from './fake-load-balancer';

export const groups = (route: string) => ({
  blue: groupArn(`blue-${route}`),
  green: groupArn(`green-${route}`),
});
export const web = { tag: 'p/dev/web', priority: 10, targets: groups('web') };
export const api = { tag: 'p/dev/api', priority: 11, targets: groups('api') };
export const [webRule, apiRule] = [ruleArn(1), ruleArn(2)];

export const blue100 = (route: string) => ({ [groups(route).blue]: 100, [groups(route).green]: 0 });
export const stateOf = (weights: Record<string, number>) =>
  weightsByArn(Object.entries(weights).map(([arn, weight]) => ({ arn, weight })));
export const due = (tag = web.tag, arn = webRule) => ({ tag, id: arn, place: listenerArn });

export interface Setting {
  readonly shift?: Partial<SplitShift>;
  readonly live?: Record<string, number>;
  /** Parts in place of those of the load balancer. */
  readonly parts?: (lines: string[]) => Partial<ShiftDependencies>;
}

/** A load balancer with the rules of two routes, and a shift of them to green. */
export function setting({ shift = {}, live = {}, parts = () => ({}) }: Setting = {}) {
  const balancer = new FakeLoadBalancer();
  const rules = shift.rules ?? [web];
  for (const [rule, arn] of [
    [web, webRule],
    [api, apiRule],
  ] as const) {
    if (rules.includes(rule)) {
      const weights = { ...blue100(rule.tag.split('/').at(-1)!), ...live };
      balancer.add({ id: arn, priority: rule.priority, tags: { [ruleTag]: rule.tag }, targets: [] });
      balancer.set(arn, weights);
    }
  }
  const clock = fakeClock();
  const lines: string[] = [];
  const interrupts = new EventEmitter();
  const say = (kind: string) => (text: string) => void lines.push(`${kind}: ${text}`);
  const traffic = new TrafficShift({
    shift: () =>
      Promise.resolve({
        what: 'FleetTraffic "apps"',
        kind: listenerRuleSplits,
        rules,
        wanted: { blue: 0, green: 100 },
        clusterNames: { blue: 'apps-blue', green: 'apps-green' },
        settings: { step: [10, 50], every: '1m', bake: '1m' },
        checks: [],
        lease: 'none',
        holder: 'test',
        resumedTo: undefined,
        roleArn: undefined,
        ...shift,
      }),
    kind: listenerRuleSplits,
    roleArn: undefined,
    parts: { ...balancer.parts(clock), ...parts(lines) },
    log: { info: say('info'), warn: say('warn'), progress: say('progress') },
    interrupts: interrupts,
  });
  const greens = (arn = webRule) =>
    balancer.writes.filter(({ rule }) => rule === arn).map(({ weights }) => weights.green);
  return { balancer, traffic, lines, clock, interrupts, greens };
}

/** What is on record, and how up runs. */
export type Unfinished = Partial<ShiftRecord> & { readonly wanted: Weights; readonly takesBack?: boolean };

/** A check that answers by the green weight that is live, or about to be. */
export function check(
  answer: (green: number, window: CheckWindow) => CheckStatus,
  stages: Check['stages'] = ['after'],
): Check {
  return {
    name: 'errors',
    stages,
    evaluate: (window) => {
      const green = (window.next ?? window.live).green ?? 0;
      const figures = [
        { name: 'error share', slot: 'green', value: 0.05, unit: 'share' as const, max: 0.01 },
      ];
      return Promise.resolve({ status: answer(green, window), reason: 'too many errors', figures });
    },
  };
}
