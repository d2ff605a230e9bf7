import * as fc from 'fast-check';
import { InvalidInput } from '../../../lib/core/validation';
import { totalRetryWait } from '../../../lib/lint';
import type { RetryStrategy } from '../../../lib/manifests/workflows';
import {
  leastRetryWait,
  retryTimes,
  retryProblems,
  retryStrategy,
  transientErrorEnv,
  transientErrorPattern,
} from '../../../lib/manifests/workflows';

/** Messages of tries that ended, as API servers and Argo's controller write them. */
const messages = {
  webhook:
    'Internal error occurred: failed calling webhook "pods.example.com": failed to call webhook: Post "https://gate.gate-system.svc:443/?timeout=3s": tls: failed to verify certificate: x509: certificate signed by unknown authority',
  away: 'Internal error occurred: failed calling webhook "pods.example.com": failed to call webhook: Post "https://gate.gate-system.svc:443/?timeout=3s": dial tcp 10.0.0.1:443: connect: connection refused',
  deleted: 'pod deleted',
  denied: 'admission webhook "pods.example.com" denied the request: no tag',
  policy: `pods "a" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no`,
  restricted: 'pods "a" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true',
  malformed: 'Pod "a" is invalid: spec.containers[0].image: Required value',
  failed: 'Error (exit code 2): main',
  killed: 'Error (exit code 137)',
  outOfMemory: 'OOMKilled (exit code 137)',
  evicted: 'The node was low on resource: memory.',
} as const;

interface End {
  readonly status: 'Error' | 'Failed';
  readonly exitCode: string;
  readonly message: string;
}

const ends: Record<keyof typeof messages, End> = {
  webhook: { status: 'Error', exitCode: '-1', message: messages.webhook },
  away: { status: 'Error', exitCode: '-1', message: messages.away },
  deleted: { status: 'Error', exitCode: '-1', message: messages.deleted },
  denied: { status: 'Error', exitCode: '-1', message: messages.denied },
  policy: { status: 'Error', exitCode: '-1', message: messages.policy },
  restricted: { status: 'Error', exitCode: '-1', message: messages.restricted },
  malformed: { status: 'Error', exitCode: '-1', message: messages.malformed },
  failed: { status: 'Failed', exitCode: '2', message: messages.failed },
  killed: { status: 'Failed', exitCode: '137', message: messages.killed },
  outOfMemory: { status: 'Failed', exitCode: '137', message: messages.outOfMemory },
  evicted: { status: 'Failed', exitCode: '-1', message: messages.evicted },
};

/** Whether Argo tries again after an end. Its expressions are read as JavaScript, as far as these use them. */
function triesAgain(strategy: RetryStrategy, { status, exitCode, message }: End): boolean {
  const { retryPolicy, expression } = retryStrategy(strategy);
  if (retryPolicy === 'OnError' && status !== 'Error') {
    return false;
  }
  const script = expression
    .replaceAll(/(lastRetry\.message) matches ("(?:[^"\\]|\\.)*")/g, 'new RegExp($2).test($1)')
    .replaceAll(/(lastRetry\.exitCode) in (\[[^\]]*\])/g, '$2.includes($1)')
    .replaceAll('not (', '!(');
  // oxlint-disable-next-line typescript/no-implied-eval -- the expressions are the library's own
  return Boolean(new Function('lastRetry', `return ${script}`)({ status, exitCode, message }));
}

describe('what is tried again', () => {
  const again: Record<string, readonly (keyof typeof messages)[]> = {
    refusals: ['webhook', 'away'],
    errors: ['webhook', 'away', 'deleted'],
    interruptions: ['webhook', 'away', 'deleted', 'killed', 'evicted'],
    failures: ['webhook', 'away', 'deleted', 'failed', 'killed', 'outOfMemory', 'evicted'],
  };

  test.each(Object.entries(again))('%s', (retries, expected) => {
    const found = Object.entries(ends)
      .filter(([, end]) => triesAgain({ retries } as RetryStrategy, end))
      .map(([name]) => name);
    expect(found).toEqual(expected);
  });

  test('failures, but for final exit statuses', () => {
    const strategy: RetryStrategy = { retries: 'failures', finalExitCodes: [1, 2] };
    expect(triesAgain(strategy, ends.failed)).toBe(false);
    expect(triesAgain(strategy, { ...ends.failed, exitCode: '3' })).toBe(true);
    expect(triesAgain(strategy, ends.webhook)).toBe(true);
    expect(triesAgain(strategy, ends.denied)).toBe(false);
  });

  test('a condition of the user narrows it, whatever stands in it', () => {
    const strategy: RetryStrategy = { retries: 'failures', expression: 'false || lastRetry.exitCode == "2"' };
    expect(triesAgain(strategy, ends.failed)).toBe(true);
    expect(triesAgain(strategy, ends.webhook)).toBe(false);
  });
});

test('by default a refused pod is tried six times over 285 s, and no other failure', () => {
  expect(retryStrategy()).toEqual({
    limit: 6,
    retryPolicy: 'OnError',
    expression: 'not (lastRetry.message matches "is invalid: |denied (the )?request|violates PodSecurity")',
    backoff: { duration: '15s', factor: 2, cap: '60s' },
  });
  expect(retryTimes()).toEqual([15_000, 45_000, 105_000, 165_000, 225_000, 285_000]);
});

test('fields of its own', () => {
  const strategy = retryStrategy({ maxDuration: '20m', onAnotherNode: true, limit: 8, cap: '2m' });
  expect(strategy.backoff).toEqual({ duration: '15s', factor: 2, cap: '2m', maxDuration: '20m' });
  expect(strategy.affinity).toEqual({ nodeAntiAffinity: {} });
  expect(strategy.limit).toBe(8);
});

test.each([
  ['a wait that is over too soon', { limit: 10, duration: '1', cap: '5' }, ['limit']],
  ['a limit of none', { limit: 0 }, ['limit']],
  [
    'durations that are none',
    { duration: '15 s', cap: '0', maxDuration: 'soon' },
    ['duration', 'cap', 'maxDuration'],
  ],
  ['a factor that is no whole number', { factor: 1.5 }, ['factor']],
  ['an end too early', { maxDuration: '285s' }, ['maxDuration']],
  ['statuses that nothing looks at', { finalExitCodes: [1] }, ['finalExitCodes']],
  [
    'statuses that are none',
    { retries: 'failures', finalExitCodes: [0, 256] },
    ['finalExitCodes[0]', 'finalExitCodes[1]'],
  ],
  [
    'words that are not known',
    { retries: 'always', onAnotherNode: 'yes', expression: ' ' },
    ['retries', 'expression', 'onAnotherNode'],
  ],
])('%s is refused, all at once', (_, strategy, paths) => {
  expect(retryProblems(strategy as RetryStrategy).map(({ path }) => path)).toEqual(paths);
  expect(() => retryStrategy(strategy as RetryStrategy)).toThrow(InvalidInput);
});

test('a sum of waits that is too small is told', () => {
  expect(() => retryStrategy({ limit: 10, duration: '1', cap: '5' })).toThrow(
    /limit: 10: must be so many that all waits are 3m0?s? or more together.*they are 42s/,
  );
});

test('a strategy is accepted exactly where its waits are three minutes or more', () => {
  const seconds = fc.integer({ min: 1, max: 400 }).map((value) => `${value}s`);
  fc.assert(
    fc.property(
      fc.record({
        limit: fc.integer({ min: 1, max: 100 }),
        duration: seconds,
        factor: fc.integer({ min: 1, max: 10 }),
        cap: seconds,
      }),
      (strategy) => {
        const { limit, duration, factor, cap } = strategy;
        const milliseconds = (text: string): number => parseInt(text, 10) * 1000;
        // Wait for wait, as the controller does.
        let total = 0;
        for (let retry = 0; retry < limit; retry++) {
          total += Math.min(milliseconds(duration) * factor ** retry, milliseconds(cap));
        }
        expect(
          totalRetryWait(limit, { duration: milliseconds(duration), factor, cap: milliseconds(cap) }),
        ).toBe(total);
        expect(retryProblems(strategy).length === 0).toBe(total >= leastRetryWait);
        if (total >= leastRetryWait) {
          const moments = retryTimes(strategy);
          expect(moments).toHaveLength(limit);
          expect(moments.at(-1)).toBe(total);
        }
      },
    ),
  );
});

describe('the pattern for the controller', () => {
  test.each([
    [[], ['webhook', 'away']],
    [['pods.example.com'], ['webhook', 'away']],
    [
      ['others.example.com', 'pods.example.com'],
      ['webhook', 'away'],
    ],
    [['podsXexample.com'.toLowerCase(), 'others.example.com'], []],
    [['pods.example.co'], []],
  ])('%j matches a webhook that could not be asked, and no denial', (webhooks, expected) => {
    const pattern = new RegExp(transientErrorPattern(webhooks));
    const matched = Object.entries(messages).filter(([, message]) => pattern.test(message));
    expect(matched.map(([name]) => name)).toEqual(expected);
  });

  test('is the variable that the controller reads', () => {
    expect(transientErrorEnv()).toEqual({ name: 'TRANSIENT_ERROR_PATTERN', value: 'failed calling webhook' });
  });

  test('is made of names only', () => {
    expect(() => transientErrorPattern(['.*', 'a|b'])).toThrow(/webhooks\[0\][^]*webhooks\[1\]/);
  });
});
