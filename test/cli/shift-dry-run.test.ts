import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shiftPlan } from '../../lib/shift/engine';
import { schedule, scheduleWithin } from '../../lib/shift/engine/schedule';
import { FleetServer, groupOf, ruleOf } from '../shift/evacuate/fleet-server';
import { scratch } from './run-cli';
import { clusterCanary } from './run-here';

const file = join(scratch, 'dry-run-plan.yaml');
writeFileSync(
  file,
  JSON.stringify({
    router: { albRule: { ruleArn: ruleOf(0) } },
    slots: { blue: { targetGroupArn: groupOf('blue') }, green: { targetGroupArn: groupOf('green') } },
    weights: { green: 100 },
    shift: { step: [50], every: '2m', bake: '1m', checks: [{ targetHealth: {} }, { capacity: {} }] },
    lease: { ssm: {} },
  }),
);

/** What a dry run says of a fleet whose slots have so many healthy targets. */
async function dryRun(
  healthy: Readonly<Record<string, number>>,
  ...flags: readonly string[]
): Promise<string> {
  const server = await new FleetServer({ rules: [{ blue: 100, green: 0 }], healthy }).start();
  try {
    const { status, stdout } = await clusterCanary(['shift', file, '--dry-run', ...flags], {
      env: server.env,
    });
    expect(status).toBe(0);
    expect(server.calls.filter((call) => /^(Modify|Put)/.test(call))).toEqual([]);
    return stdout;
  } finally {
    server.stop();
  }
}

test('shows how far the first step goes with the targets of now', async () => {
  const text = await dryRun({ blue: 10, green: 2 });
  expect(text).toMatch(/0s {2}blue 70, green 30 {2}\(30 % of the way\)\n +2m {2}blue 50, green 50/);
  expect(text).toMatch(/capacity now: pass: green: 2 healthy targets for 50 %, enough for 30 %/);
  const { steps, bounds, minimumSeconds } = JSON.parse(await dryRun({ blue: 10, green: 2 }, '--json'));
  expect(steps.map(({ weights }: { weights: Record<string, number> }) => weights['green'])).toEqual([
    30, 50, 100,
  ]);
  expect(bounds).toEqual([expect.objectContaining({ name: 'capacity', status: 'pass' })]);
  expect(minimumSeconds).toBe(420);
});

test('says where a step would wait', async () => {
  const text = await dryRun({ blue: 500, green: 2 });
  expect(text).toMatch(/capacity now: inconclusive: .*enough for 0 %[\s\S]*A step waits for it/);
});

test.each([
  [undefined, 'approvals.link.key is not there: the variable LINK_KEY is not set or empty'],
  [
    'short',
    'approvals.link.key: must be a key of at least 32 bytes, in the variable LINK_KEY; create one with: openssl rand -base64 32',
  ],
  ['k'.repeat(32), undefined],
])('warns of a key of links that is %s', async (key, warning) => {
  const linked = join(scratch, 'linked.yaml');
  writeFileSync(
    linked,
    'router: { simulated: }\nslots: { blue: , green: }\nweights: { green: 100 }\nshift: { pause: [50] }\n' +
      'approvals: { link: { key: { env: LINK_KEY } } }\n',
  );
  const { status, stderr } = await clusterCanary(['shift', linked, '--dry-run'], {
    env: { ...(key !== undefined && { LINK_KEY: key }) },
  });
  expect(status).toBe(0);
  expect(stderr.split('\n').filter((line) => line.includes('LINK_KEY'))).toEqual(
    warning === undefined ? [] : [`warning: ${warning}`],
  );
});

test('is as planned where there are enough', async () => {
  const { steps, minimumSeconds } = JSON.parse(await dryRun({ blue: 10, green: 10 }, '--json'));
  expect([steps.length, minimumSeconds]).toEqual([2, 300]);
});

test('says what the shift would send on its own', async () => {
  const plan = join(scratch, 'synthetic-plan.yaml');
  const slot = (name: string) => ({ preview: { url: `https://${name}.example.com` } });
  const [requests, errors] = ['all', 'failed'].map((of) => `${of}{slot="{{slot}}"}[{{period}}]`);
  const synthetic = { rate: 2, paths: ['/healthz'], inQueries: true };
  const settings = {
    router: { simulated: {} },
    slots: { blue: slot('blue'), green: slot('green') },
    weights: { green: 100 },
    shift: {
      checks: [{ 'prometheus.comparison': { address: 'https://p.example', requests, errors, synthetic } }],
    },
    lease: 'none',
  };
  writeFileSync(plan, JSON.stringify(settings));
  const what =
    'synthetic requests, 2 a second to each of blue, green by its preview: GET /healthz; 30s before the first percent, then at each look';
  const shown = await clusterCanary(['shift', plan, '--dry-run'], {});
  expect(shown.stdout).toContain(`prometheus.comparison would send ${what}.\n`);
  const json = await clusterCanary(['shift', plan, '--dry-run', '--json'], {});
  expect(JSON.parse(json.stdout).sends).toEqual([{ name: 'prometheus.comparison', what }]);
});

test('shows how to ask each slot that has a preview, and no secret', async () => {
  const plan = join(scratch, 'previews-plan.yaml');
  const url = 'https://www.example.com/';
  const green = { preview: { url, headers: { 'x-slot': 'green', 'x-key': { env: 'SHOP_KEY' } } } };
  const blue = { preview: { url: 'https://blue.example.com', headers: { 'x-key': { file: '/run/key' } } } };
  const settings = {
    router: { simulated: {} },
    slots: { blue, green, other: {} },
    weights: { green: 100 },
    lease: 'none',
  };
  writeFileSync(plan, JSON.stringify(settings));
  const env = { SHOP_KEY: 'hunter2' };
  const lines = {
    blue: 'curl https://blue.example.com -H "x-key: $PREVIEW_VALUE"',
    green: `curl ${url} -H 'x-slot: green' -H "x-key: $SHOP_KEY"`,
  };
  const shown = await clusterCanary(['shift', plan, '--dry-run'], { env });
  expect(shown.stdout).toContain(
    `To ask a slot past the weights:\n  blue   ${lines.blue}\n  green  ${lines.green}\n`,
  );
  const json = await clusterCanary(['shift', plan, '--dry-run', '--json'], { env });
  expect(JSON.parse(json.stdout).previews).toEqual(lines);
  expect(shown.stdout + shown.stderr + json.stdout).not.toContain('hunter2');
});

test('a pause comes before the first step alone', () => {
  const plan = shiftPlan(['blue', 'green'], { green: 100 }, { step: [50], pause: [0, 50], every: '2m' });
  const planned = schedule({ blue: 100, green: 0 }, plan);
  const within = scheduleWithin(planned, plan, { green: 10 });
  expect(within.steps.map(({ percent, pauseBefore }) => [percent, pauseBefore])).toEqual([
    [10, 0],
    [50, undefined],
    [100, 50],
  ]);
});
