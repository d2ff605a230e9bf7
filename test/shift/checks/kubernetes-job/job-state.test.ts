import type { KubernetesObject } from '../../../../lib/core/kubernetes/api';
import type { ObservedJob } from '../../../../lib/shift/checks/kubernetes-job/job-state';
import {
  failedContainer,
  jobState,
  lastWordsOf,
} from '../../../../lib/shift/checks/kubernetes-job/job-state';

const conditions = (...given: readonly object[]) => ({
  status: { conditions: given.map((each) => ({ status: 'True', ...each })) },
});
const job = (more: object = {}): KubernetesObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'smoke', namespace: 'shop', uid: 'u1' },
  ...more,
});
const pod = (status: object): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'smoke-abcde' },
  status,
});
const waiting = (reason: string, message?: string, kind = 'containerStatuses') =>
  pod({ [kind]: [{ name: 'check', state: { waiting: { reason, message } } }] });
const unschedulable = pod({
  conditions: [
    {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message: '0/3 nodes are available: 3 Insufficient cpu.',
    },
  ],
});
const event = (
  reason: string,
  message: string,
  lastTimestamp = '2026-01-01T00:00:00Z',
): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'e' },
  reason,
  message,
  lastTimestamp,
});

const seconds = (ageSeconds: number, more: Partial<ObservedJob> = {}): ObservedJob => ({
  job: job(),
  pods: [],
  events: [],
  ageMs: ageSeconds * 1000,
  timeoutMs: 300_000,
  ...more,
});

test.each<[string, ObservedJob, object]>([
  ['new', seconds(0), { state: 'running' }],
  ['complete', seconds(5, { job: job(conditions({ type: 'Complete' })) }), { state: 'complete' }],
  [
    'complete, later than it may be',
    seconds(9_999, { job: job(conditions({ type: 'Complete' })) }),
    { state: 'complete' },
  ],
  [
    'a condition that is not True',
    seconds(5, { job: job(conditions({ type: 'Complete', status: 'False' })) }),
    { state: 'running' },
  ],
  [
    'failed',
    seconds(5, { job: job(conditions({ type: 'Failed', reason: 'BackoffLimitExceeded' })) }),
    { state: 'failed', why: 'BackoffLimitExceeded' },
  ],
  [
    'about to fail: its pods are there still',
    seconds(5, {
      job: job(conditions({ type: 'FailureTarget', reason: 'DeadlineExceeded', message: 'too\nlong' })),
    }),
    { state: 'failed', why: 'DeadlineExceeded: too long' },
  ],
  [
    'suspended',
    seconds(5, { job: job(conditions({ type: 'Suspended' })) }),
    { state: 'running', obstacle: 'it is suspended' },
  ],
  [
    'an image that was tried in vain',
    seconds(2, { pods: [waiting('ImagePullBackOff', 'Back-off pulling image "a"')] }),
    { state: 'stuck', why: 'container check: ImagePullBackOff: Back-off pulling image "a"' },
  ],
  [
    'an image of an init container',
    seconds(2, { pods: [waiting('InvalidImageName', undefined, 'initContainerStatuses')] }),
    { state: 'stuck', why: 'container check: InvalidImageName' },
  ],
  [
    'an image that is tried once',
    seconds(2, { pods: [waiting('ErrImagePull', 'not found')] }),
    { state: 'running', obstacle: 'container check: ErrImagePull: not found' },
  ],
  [
    'an image that does not come',
    seconds(15, { pods: [waiting('ErrImagePull', 'not found')] }),
    { state: 'stuck', why: 'container check: ErrImagePull: not found' },
  ],
  [
    'a Secret that there is not',
    seconds(15, { pods: [waiting('CreateContainerConfigError', 'secret "smoke" not found')] }),
    { state: 'stuck', why: 'container check: CreateContainerConfigError: secret "smoke" not found' },
  ],
  ['a container that is made', seconds(100, { pods: [waiting('ContainerCreating')] }), { state: 'running' }],
  [
    'no room: a node may come',
    seconds(200, { pods: [unschedulable] }),
    {
      state: 'running',
      obstacle: 'no node takes its pod: Unschedulable: 0/3 nodes are available: 3 Insufficient cpu.',
    },
  ],
  [
    'no room in all of its time',
    seconds(330, { pods: [unschedulable] }),
    {
      state: 'stuck',
      why: 'no node takes its pod: Unschedulable: 0/3 nodes are available: 3 Insufficient cpu.',
    },
  ],
  [
    'a quota: the newest event counts',
    seconds(15, {
      events: [
        event('FailedCreate', 'an old one', '2025-01-01T00:00:00Z'),
        event('FailedCreate', 'Error creating: pods "x" is forbidden: exceeded quota: few'),
        event('SuccessfulCreate', 'other', '2027-01-01T00:00:00Z'),
      ],
    }),
    {
      state: 'stuck',
      why: 'no pod can be created: Error creating: pods "x" is forbidden: exceeded quota: few',
    },
  ],
  [
    'a refusal that may pass',
    seconds(14, { events: [event('FailedCreate', 'no')] }),
    { state: 'running', obstacle: 'no pod can be created: no' },
  ],
  [
    'a refusal that has passed: there is a pod',
    seconds(100, { pods: [waiting('ContainerCreating')], events: [event('FailedCreate', 'no')] }),
    { state: 'running' },
  ],
  ['nobody looks at it', seconds(329), { state: 'running' }],
  [
    'nobody has looked at it',
    seconds(330),
    { state: 'stuck', why: expect.stringContaining('nothing has ended it') },
  ],
  [
    'without sense',
    seconds(1, { job: job({ status: { conditions: 'x' } }), pods: [pod({ containerStatuses: [1] })] }),
    { state: 'running' },
  ],
])('%s', (_name, observed, expected) => {
  expect(jobState(observed)).toEqual(expected);
});

const terminated = (exitCode: number, more: object = {}) => ({
  name: 'check',
  state: { terminated: { exitCode, ...more } },
});

test('the container that failed last is the cause', () => {
  const pods = [
    pod({ containerStatuses: [terminated(2, { reason: 'Error', finishedAt: '2026-01-01T00:00:01Z' })] }),
    pod({
      containerStatuses: [
        terminated(137, { reason: 'OOMKilled', finishedAt: '2026-01-01T00:00:09Z', message: 'bye' }),
      ],
    }),
    pod({ containerStatuses: [terminated(0, { reason: 'Completed', finishedAt: '2026-01-01T00:00:10Z' })] }),
  ];
  expect(failedContainer(pods)).toMatchObject({
    pod: 'smoke-abcde',
    container: 'check',
    text: 'container check ended with 137 (OOMKilled)',
    message: 'bye',
  });
  expect(failedContainer(pods.slice(0, 1))!.text).toBe('container check ended with 2');
  expect(failedContainer(pods.slice(2))).toBeUndefined();
  expect(failedContainer([])).toBeUndefined();
});

test.each([
  ['', undefined],
  ['\n \n', undefined],
  ['a\n\nb\n', 'a | b'],
  ['1\n2\n3\n4\n5\n6\n7', '3 | 4 | 5 | 6 | 7'],
  ['\u001b[31mred\u001b[0m \u202eback', '[31mred [0m back'],
  [
    'TOKEN=hunter2hunter2 curl https://me:secret@example.com/',
    'TOKEN=[secret] curl https://[secret]@example.com/',
  ],
])('last words of %j', (log, expected) => {
  expect(lastWordsOf(log)).toBe(expected);
});

test('last words are short', () => {
  expect(lastWordsOf('word '.repeat(10_000))!.length).toBeLessThanOrEqual(300);
});
