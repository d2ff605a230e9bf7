import { prescalePhase } from '../../../../lib/operate/swap/phases/prescale';
import { BalancingWorld, arnOf } from '../../live-traffic/balancing-world';
import { clusterOf, never, phaseRun } from './phase-runs';

function prescale(
  states: Record<string, readonly string[]>,
  rules: Record<string, number>[],
  percent?: number,
) {
  const world = new BalancingWorld(
    rules.map((weights, at) => ({
      ...{ arn: `2/${at + 3}`, priority: at + 1, weights },
      conditions: [{ Field: 'host-header', HostHeaderConfig: { Values: [`${at}.example.com`] } }],
    })),
  );
  const phase = prescalePhase({
    ...{ fleet: 'apps', clusterOf, clients: world.clients },
    ...(percent !== undefined && { healthyPercent: percent }),
    targetHealth: {
      targets: (arn) => Promise.resolve((states[arn] ?? []).map((state) => ({ state }))),
    },
  });
  const run = phaseRun();
  return { run, answer: phase.run(run, never) };
}

const both = [{ blue: 100, green: 0 }];
const many = (count: number, state = 'healthy') => Array.from({ length: count }, () => state);

test.each<[string, readonly string[], readonly string[], number | undefined, boolean]>([
  ['half of them', many(2), many(4), undefined, true],
  ['less than half', many(1), many(4), undefined, false],
  ['half of an odd number is rounded up', many(2), many(5), undefined, false],
  ['what is not healthy does not count', ['healthy', ...many(3, 'initial')], many(4), undefined, false],
  ['what is not healthy is no measure', many(1), [...many(2), ...many(8, 'unhealthy')], undefined, true],
  ['as many as the old slot has', many(3), many(4), 100, false],
  ['none at all, where the old slot has none', [], [], undefined, false],
  ['one, where the old slot has none', many(1), [], undefined, true],
])('%s', async (_, green, blue, percent, passes) => {
  const { answer, run } = prescale({ [arnOf('green')]: green, [arnOf('blue')]: blue }, both, percent);
  expect(await answer).toMatchObject(passes ? { passed: true } : { passed: false, final: false });
  expect(run.said).toHaveLength(passes ? 1 : 0);
});

test('it says what is missing', async () => {
  const { answer } = prescale({ [arnOf('green')]: many(1), [arnOf('blue')]: many(4) }, both);
  expect(await answer).toEqual({
    passed: false,
    final: false,
    reason: 'targetgroup/green/1: 1 healthy targets of 2 (blue has 4)',
  });
});

test('without a rule that forwards to both nothing is known', async () => {
  const { answer } = prescale({ [arnOf('green')]: many(4), [arnOf('blue')]: many(4) }, [{ blue: 100 }]);
  expect(await answer).toMatchObject({
    passed: false,
    final: false,
    reason: expect.stringMatching(/^no rule forwards to target groups of both green and blue/),
  });
});
