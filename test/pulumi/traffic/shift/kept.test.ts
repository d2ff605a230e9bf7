import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listenerRuleSplits } from '../../../../lib/pulumi/traffic/shift/kinds';
import { planSettings } from '../../../../lib/pulumi/traffic/shift/split-group';
import type { Check } from '../../../../lib/shift/engine';
import { parsePlan } from '../../../../lib/shift/plan-file';
import { groupArn, ruleArn } from './fake-load-balancer';
import { due, setting } from './shift-setting';

const scratch = mkdtempSync(join(tmpdir(), 'kept-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Shifts a rule from blue to green, keeps that below a folder, and answers what was logged. */
async function shifted(folder: string, checks: readonly Check[] = []) {
  const { balancer, traffic, lines } = setting({
    shift: {
      clusterNames: {},
      settings: { step: 50, every: '1m', bake: '1m' },
      history: { folder },
      holder: 'pulumi up of acme/shop/prod',
    },
  });
  balancer.checks = [...checks];
  const failure = await traffic
    .beforeUpdate(due())
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
