import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ruleTag } from '../../../../lib/core/names';
import { listenerRuleSplits } from '../../../../lib/pulumi/traffic/shift/kinds';
import { planSettings } from '../../../../lib/pulumi/traffic/shift/split-group';
import { TrafficShift } from '../../../../lib/pulumi/traffic/shift/traffic-shift';
import type { Check } from '../../../../lib/shift/engine';
import { parsePlan } from '../../../../lib/shift/plan-file';
import { FakeLoadBalancer, fakeClock, groupArn, listenerArn, ruleArn } from './fake-load-balancer';

const scratch = mkdtempSync(join(tmpdir(), 'kept-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Shifts a rule from blue to green, keeps that below a folder, and answers what was logged. */
async function shifted(folder: string, checks: readonly Check[] = []) {
  const balancer = new FakeLoadBalancer();
  balancer.checks = [...checks];
  const [blue, green] = [groupArn('blue-web'), groupArn('green-web')];
  const id = ruleArn(1);
  balancer.add({ id, priority: 10, tags: { [ruleTag]: 'p/dev/web' }, targets: [] });
  balancer.set(id, { [blue]: 100, [green]: 0 });
  const lines: string[] = [];
  const say = (kind: string) => (text: string) => void lines.push(`${kind}: ${text}`);
  const traffic = new TrafficShift({
    shift: () =>
      Promise.resolve({
        what: 'FleetTraffic "apps"',
        kind: listenerRuleSplits,
        rules: [{ tag: 'p/dev/web', priority: 10, targets: { blue, green } }],
        wanted: { blue: 0, green: 100 },
        clusterNames: {},
        settings: { step: 50, every: '1m', bake: '1m' },
        checks: [],
        lease: 'none',
        history: { folder },
        holder: 'pulumi up of acme/shop/prod',
        resumedTo: undefined,
        roleArn: undefined,
      }),
    kind: listenerRuleSplits,
    roleArn: undefined,
    parts: balancer.parts(fakeClock()),
    log: { info: say('info'), warn: say('warn'), progress: () => undefined },
  });
  const failure = await traffic
    .beforeUpdate({ tag: 'p/dev/web', id, place: listenerArn })
    .then(() => undefined)
    .catch((error: Error) => error.message);
  return { lines: lines.filter((line) => /kept: |history/.test(line)), failure };
}

const broken: Check = {
  name: 'errors',
  stages: ['after'],
  evaluate: () => Promise.resolve({ status: 'fail', reason: 'too many', figures: [] }),
};

test.each([
  ['completed', [], undefined],
  ['rolledBack', [broken], expect.stringContaining('was rolled back')],
])('a shift that is %s is kept', async (verdict, checks, failed) => {
  const folder = join(scratch, verdict);
  const { lines, failure } = await shifted(folder, checks);
  expect(failure).toEqual(failed);
  const [file] = readdirSync(folder);
  expect(lines).toEqual([`info: kept: ${file!.replace('.json', '')} (folder ${folder})`]);
  expect(file).toMatch(/^\d{8}t\d{6}z-fleettraffic-apps-[0-9a-f]{8}\.json$/);
  expect(JSON.parse(readFileSync(join(folder, file!), 'utf8'))).toMatchObject({
    verdict,
    run: {
      plan: 'pulumi up of acme/shop/prod',
      route: 'FleetTraffic "apps"',
      by: expect.stringContaining('@'),
    },
  });
});

test('what can not be kept is a warning, and the update goes on', async () => {
  const file = join(scratch, 'file');
  writeFileSync(file, '');
  const { lines, failure } = await shifted(file);
  expect(failure).toBeUndefined();
  expect(lines).toEqual([
    expect.stringMatching(/^warn: warning: the history has not all of it: folder .*: a file$/),
  ]);
});

test('the plan for others says it', () => {
  const parts = {
    kind: listenerRuleSplits,
    rules: {
      web: { id: ruleArn(1), targets: { blue: groupArn('blue-web'), green: groupArn('green-web') } },
    },
    weights: { green: 100 },
    clusterNames: {},
    settings: {},
    checks: [],
    lease: undefined,
    history: { s3: { bucket: 'records' } },
    roleArn: undefined,
  };
  const text = JSON.stringify(planSettings(parts));
  expect(parsePlan(text, 'plan.json').history).toEqual({ s3: { bucket: 'records' } });
});
