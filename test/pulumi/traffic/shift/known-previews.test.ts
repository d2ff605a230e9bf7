import { EventEmitter } from 'node:events';
import { ruleTag } from '../../../../lib/core/names';
import { listenerRuleSplits } from '../../../../lib/pulumi/traffic/shift/kinds';
import { TrafficShift } from '../../../../lib/pulumi/traffic/shift/traffic-shift';
import { FakeLoadBalancer, fakeClock, groupArn, listenerArn, ruleArn } from './fake-load-balancer';

const targets = { blue: groupArn('blue-web'), green: groupArn('green-web') };
const preview = { url: 'https://www.example.com/', headers: { 'x-slot': 'hunter2' } };
const web = { tag: 'p/dev/web', priority: 10, targets, previews: { green: preview } };
const due = { tag: web.tag, place: listenerArn };
const pods = { kubernetesPods: { namespace: 'podinfo', labels: { app: 'podinfo' } } } as never;

/** A shift to green, whose rule is there or not yet. */
function setting(isLive: boolean) {
  const balancer = new FakeLoadBalancer();
  if (isLive) {
    balancer.add({ id: ruleArn(1), tags: { [ruleTag]: web.tag }, targets: [] });
    balancer.set(ruleArn(1), { [targets.blue]: 100, [targets.green]: 0 });
  }
  const lines: string[] = [];
  const say = (text: string) => void lines.push(text);
  const traffic = new TrafficShift({
    shift: () =>
      Promise.resolve({
        what: 'FleetTraffic "apps"',
        kind: listenerRuleSplits,
        rules: [web],
        wanted: { blue: 0, green: 100 },
        clusterNames: { blue: 'apps-blue', green: 'apps-green' },
        settings: { step: [50], every: '1m', bake: '1m' },
        checks: [pods],
        lease: 'none',
        holder: 'test',
        resumedTo: undefined,
        roleArn: undefined,
      }),
    kind: listenerRuleSplits,
    roleArn: undefined,
    parts: balancer.parts(fakeClock()),
    log: { info: say, warn: say, progress: say },
    interrupts: new EventEmitter(),
  });
  return { balancer, traffic, lines };
}

test.each([
  ['of a shift', true],
  ['before a new rule', false],
])(
  'checks %s know what leads to each slot, with a secret as it is; nothing shows it',
  async (_what, isLive) => {
    const { balancer, traffic, lines } = setting(isLive);
    await (isLive ? traffic.beforeUpdate({ ...due, id: ruleArn(1) }) : traffic.beforeCreate(due));
    expect(balancer.subjects).toEqual([
      expect.objectContaining({
        slots: {
          blue: { targetGroupArn: targets.blue, clusterName: 'apps-blue' },
          green: { targetGroupArn: targets.green, clusterName: 'apps-green', preview },
        },
      }),
    ]);
    expect(JSON.stringify([lines, balancer.record ?? null])).not.toContain('hunter2');
  },
);
