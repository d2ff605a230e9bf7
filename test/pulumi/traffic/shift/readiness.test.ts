import type { AwsClients } from '../../../../lib/core/aws/clients';
import { listenerRuleSplits } from '../../../../lib/pulumi/traffic/shift/kinds';
import { waitUntilReady } from '../../../../lib/pulumi/traffic/shift/readiness';
import type { SplitShift } from '../../../../lib/pulumi/traffic/shift/split-kind';
import type { Check, CheckResult, CheckStatus } from '../../../../lib/shift/engine';
import { SourceError } from '../../../../lib/shift/engine';
import { FakeLoadBalancer, fakeClock, groupArn, listenerArn } from './fake-load-balancer';

const web = { tag: 'p/dev/web', priority: 10, targets: { blue: groupArn('blue'), green: groupArn('green') } };
const shift: SplitShift = {
  what: 'FleetTraffic "apps"',
  kind: listenerRuleSplits,
  rules: [web],
  wanted: { blue: 0, green: 100 },
  clusterNames: {},
  settings: { inconclusiveLimit: '1m' },
  checks: [{ kubernetesPods: { namespace: 'podinfo', labels: { app: 'podinfo' } } }],
  lease: 'none',
  holder: 'test',
  resumedTo: undefined,
  roleArn: undefined,
};

const pods = (evaluate: Check['evaluate']): Check => ({
  name: 'pods',
  stages: ['before', 'after'],
  evaluate,
});
const answer = (status: CheckStatus, reason: string): Promise<CheckResult> =>
  Promise.resolve({ status, reason, figures: [] });

function waiting(check: Check, signal = new AbortController().signal) {
  const balancer = new FakeLoadBalancer();
  balancer.checks = [check];
  const clock = fakeClock();
  const parts = balancer.parts(clock);
  const clients = { region: 'eu-west-1' } as AwsClients;
  const lines: string[] = [];
  const log = { info: (line: string) => void lines.push(line) };
  const started = clock.time;
  const done = waitUntilReady(
    shift,
    { tag: web.tag, place: listenerArn },
    { parts, clients, live: {} as never },
    log,
    signal,
  );
  return { done, lines, passed: () => clock.time - started };
}

test('what it waits for is told when it changes, and not at every look', async () => {
  let looks = 0;
  const { done, lines, passed } = waiting(
    pods(() => {
      looks += 1;
      return looks === 6
        ? answer('pass', 'ready')
        : answer('inconclusive', `${looks < 4 ? 0 : 1} of 2 ready`);
    }),
  );
  await done;
  expect(passed()).toBe(25_000);
  expect(lines).toEqual([
    expect.stringMatching(/waits before the rule is created: pods: 0 of 2 ready$/),
    expect.stringMatching(/waits before the rule is created: pods: 1 of 2 ready$/),
  ]);
});

test('a source that fails for too long is no readiness', async () => {
  const { done } = waiting(pods(() => Promise.reject(new SourceError('no answer from the cluster'))));
  await expect(done).rejects.toThrow(/slots that are not ready: pods: its source failed: no answer from the/);
});

test('an interrupt is heard while a check does not answer', async () => {
  const interrupt = new AbortController();
  const { done } = waiting(
    pods(() => new Promise(() => undefined)),
    interrupt.signal,
  );
  setImmediate(() => interrupt.abort());
  await expect(done).rejects.toThrow(/interrupted before a new rule was created/);
});

test('an interrupt says what it was waiting for', async () => {
  const interrupt = new AbortController();
  let looks = 0;
  const { done } = waiting(
    pods(() => {
      looks += 1;
      if (looks === 3) {
        interrupt.abort();
      }
      return answer('inconclusive', '0 of 2 ready');
    }),
    interrupt.signal,
  );
  await expect(done).rejects.toThrow(/interrupted before .* it was waiting for pods: 0 of 2 ready$/);
});
