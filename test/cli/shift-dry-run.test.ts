import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { shiftPlan } from '../../lib/shift/engine';
import { schedule, scheduleWithin } from '../../lib/shift/engine/schedule';
import { FleetServer, groupOf, ruleOf } from '../shift/evacuate/fleet-server';
import { clusterCanary, scratch } from './run-cli';

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

test('is as planned where there are enough', async () => {
  const { steps, minimumSeconds } = JSON.parse(await dryRun({ blue: 10, green: 10 }, '--json'));
  expect([steps.length, minimumSeconds]).toEqual([2, 300]);
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
