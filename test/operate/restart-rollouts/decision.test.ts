import * as fc from 'fast-check';
import type { Pod } from '../../../lib/operate/restart-rollouts';
import {
  restartDecision,
  restartHistory,
  defaultRestartLimits,
  withRestart,
} from '../../../lib/operate/restart-rollouts';
import type { ObservedRollout } from '../../../lib/operate/restart-rollouts/rollout';
import type { Changes } from './rollouts';
import { ago, now, pod, stuck } from './rollouts';

const decide = (
  rollout: ObservedRollout,
  pods: readonly Pod[] = [pod(), pod()],
  limits = defaultRestartLimits,
) => restartDecision(rollout, pods, restartHistory(rollout), now, limits);
const restarts = (...times: string[]): Changes => ({
  annotations: { 'cluster-canary/restarts': times.join() },
});
const condition = (more: object): Changes => ({
  status: {
    conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }, more],
  },
});
const steps = { canary: { steps: [{ setWeight: 50 }, { pause: {} }] } };
const midway = (at: number): Changes => ({
  spec: { replicas: 4, strategy: steps },
  status: { stableRS: 'old', currentStepIndex: at },
});

test.each<[string, string, ObservedRollout, Pod[]?]>([
  ['it is stuck', 'restart', stuck()],
  ['it is healthy', 'fine', stuck({ status: { phase: 'Healthy' } })],
  ['it has no status', 'fine', { ...stuck(), status: undefined }],
  ['it is deleted', 'changing', stuck({ metadata: { deletionTimestamp: ago(1) } })],
  ['a restart is under way', 'changing', stuck({ spec: { restartAt: ago(60) } })],
  [
    'an older restart is under way',
    'changing',
    stuck({ spec: { restartAt: ago(60) }, status: { restartedAt: ago(9) } }),
  ],
  [
    'a restart is over',
    'restart',
    stuck({ spec: { restartAt: ago(9e4) }, status: { restartedAt: ago(9e4) } }),
  ],
  ['it is paused', 'changing', stuck({ spec: { paused: true } })],
  ['its controller is behind', 'changing', stuck({ status: { observedGeneration: '3' } })],
  ['its controller is of an old version', 'restart', stuck({ status: { observedGeneration: '5f7b' } })],
  ['its spec is invalid', 'broken', stuck(condition({ type: 'InvalidSpec', status: 'True' }))],
  ['it was aborted', 'broken', stuck(condition({ type: 'Progressing', reason: 'RolloutAborted' }))],
  ['its update is aborted', 'broken', stuck({ status: { abort: true } })],
  [
    'pods are refused',
    'broken',
    stuck(condition({ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate' })),
  ],
  ['pods were refused', 'restart', stuck(condition({ type: 'ReplicaFailure', status: 'False' }))],
  ['it is degraded otherwise', 'broken', stuck({ status: { conditions: [] } })],
  ['a pod is not ready', 'broken', stuck(), [pod(), pod('aa', { ready: false })]],
  ['a pod more is not ready', 'broken', stuck(), [pod(), pod(), pod('aa', { ready: false })]],
  ['a pod is missing', 'broken', stuck(), [pod()]],
  ['there are no pods', 'broken', stuck(), []],
  ['a pod is leaving', 'broken', stuck(), [pod(), pod('aa', { gone: true })]],
  ['an unready pod is leaving', 'restart', stuck(), [pod(), pod(), pod('aa', { ready: false, gone: true })]],
  ['a pod is of another Rollout', 'broken', stuck(), [pod(), pod('aa', { owner: 'podinfo-2' })]],
  [
    'an unready pod is of another one',
    'restart',
    stuck(),
    [pod(), pod(), pod('aa', { owner: 'x', ready: false })],
  ],
  [
    'pods are ready for too short',
    'broken',
    stuck({ spec: { minReadySeconds: 30 } }),
    [pod(), pod('aa', { since: 9 })],
  ],
  ['pods are ready for long enough', 'restart', stuck({ spec: { minReadySeconds: 30 } })],
  ['old pods alone are there', 'broken', stuck({ status: { stableRS: 'old' } }), [pod('old'), pod('old')]],
  [
    'half of it is due and there',
    'restart',
    stuck(midway(0)),
    ['old', 'old', 'aa', 'aa'].map((each) => pod(each)),
  ],
  [
    'half of it is due, less is there',
    'broken',
    stuck(midway(1)),
    ['old', 'old', 'old', 'aa'].map((each) => pod(each)),
  ],
  ['all of it is due', 'broken', stuck(midway(2)), ['old', 'old', 'aa', 'aa'].map((each) => pod(each))],
  ['it wants one pod', 'limited', stuck({ spec: { replicas: 1 } })],
  ['it says no replicas', 'limited', stuck({ spec: { replicas: undefined } })],
  ['it was restarted just now', 'limited', stuck(restarts(ago(60)))],
  ['it was restarted a while ago', 'restart', stuck(restarts(ago(1801)))],
  ['it was restarted often today', 'limited', stuck(restarts(ago(8e4), ago(7e4), ago(6e4)))],
  ['it was restarted often yesterday', 'restart', stuck(restarts(ago(9e4), ago(7e4), ago(6e4)))],
  ['its history is damaged', 'limited', stuck(restarts('yesterday'))],
  ['its history is of no day', 'limited', stuck(restarts('2026-19-41T12:00:00Z'))],
  ['it was restarted in the future', 'limited', stuck(restarts(ago(-600)))],
])('%s: %s', (_, outcome, rollout, ...pods) => {
  expect(decide(rollout, ...pods)).toMatchObject({ outcome });
});

test('one pod is restarted where that is wanted', () => {
  const rollout = stuck({ spec: { replicas: 1 } });
  expect(decide(rollout, [pod()], { ...defaultRestartLimits, minReplicas: 1 }).outcome).toBe('restart');
});

test('only pods that are missing are worth a wait', () => {
  expect(decide(stuck(), [pod()]).passing).toBe(true);
  expect(decide(stuck({ status: { abort: true } })).passing).toBeUndefined();
  expect(decide(stuck(restarts(ago(60)))).passing).toBeUndefined();
});

test('however often it is asked: never more than the limit within a day, never without the cool-down', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 7_200 }), { minLength: 50, maxLength: 150 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 60, max: 7_200 }),
      (gaps, perDay, seconds) => {
        let at = now.getTime();
        let annotations: Record<string, string> = {};
        const done: number[] = [];
        for (const gap of gaps) {
          at += gap * 1000;
          const rollout = stuck({ annotations });
          const limits = { coolDown: seconds * 1000, perDay, minReplicas: 2 };
          const history = restartHistory(rollout)!;
          if (restartDecision(rollout, [pod(), pod()], history, new Date(at), limits).outcome === 'restart') {
            annotations = withRestart(history, new Date(at));
            done.push(at);
          }
        }
        expect(annotations['cluster-canary/restarts-total']).toBe(String(done.length));
        done.forEach((each, index) => {
          const before = done.slice(0, index);
          expect(before.filter((other) => each - other < 86_400_000).length).toBeLessThan(perDay);
          expect(each - (before.at(-1) ?? 0)).toBeGreaterThanOrEqual(seconds * 1000);
        });
        // It goes on as soon as it may: the limit is no lock.
        expect(done.length).toBeGreaterThan(0);
      },
    ),
    { numRuns: 50 },
  );
});

test('a pod that is not available always stays its hand', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 1, max: 4 }), (good, bad) => {
      const pods = [
        ...Array.from({ length: good }, () => pod()),
        ...Array.from({ length: bad }, () => pod('aa', { ready: false })),
      ];
      expect(decide(stuck(), pods).outcome).toBe('broken');
    }),
  );
});

test('an annotation that somebody else wrote is never counted from nothing', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (text) => {
      const history = restartHistory(stuck(restarts(text)));
      expect(history === undefined || history.times.length > 0).toBe(true);
    }),
  );
});
