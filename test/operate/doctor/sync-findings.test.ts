import * as fc from 'fast-check';
import { KubernetesError } from '../../../lib/core/kubernetes/errors';
import type { DoctorContext } from '../../../lib/operate/doctor';
import { applicationFailures } from '../../../lib/operate/doctor/sync/failures';
import { retryOutlook } from '../../../lib/operate/doctor/sync/retry-outlook';
import { syncCheck } from '../../../lib/operate/doctor/sync/sync-check';

const now = new Date('2026-03-04T10:00:00Z');
const refusal =
  'Internal error occurred: failed calling webhook "mpod.elbv2.k8s.aws": failed to call webhook: Post "https://w.kube-system.svc:443/mutate-v1-pod?timeout=10s": no endpoints available for service "w"';
const application = (name: string, status: object, spec: object = {}): any => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd' },
  spec,
  status,
});
const refused = (kind: string, name: string, message = refusal) => ({
  group: 'apps',
  version: 'v1',
  kind,
  namespace: 'podinfo',
  name,
  status: 'SyncFailed',
  hookPhase: 'Failed',
  message,
});
const operation = (over: object = {}) => ({
  phase: 'Running',
  message: `one or more objects failed to apply, reason: ${refusal}. Retrying attempt #2 at 9:59AM.`,
  startedAt: '2026-03-04T09:59:00Z',
  finishedAt: '2026-03-04T09:59:50Z',
  retryCount: 2,
  operation: { retry: { limit: 5 }, initiatedBy: { automated: true } },
  ...over,
});
const context = (applications: readonly any[] | ((namespace?: string) => readonly any[])) =>
  ({
    api: {
      server: 'https://example.com',
      get: () => Promise.reject(new Error('nothing is read by name')),
      list: (_kind: object, { namespace }: { namespace?: string } = {}) =>
        Promise.resolve().then(() =>
          typeof applications === 'function' ? applications(namespace) : applications,
        ),
    },
    namespace: 'argocd',
    concurrency: 4,
    now: () => now,
    progress: () => undefined,
    signal: new AbortController().signal,
  }) as unknown as DoctorContext;
const examine = (applications: readonly any[]) => syncCheck().examine(context(applications));

describe('when it is tried again', () => {
  test.each([
    // The wait is that of the raised count: 5 s, doubled twice.
    ['the defaults', operation(), 'waiting', '2026-03-04T10:00:10.000Z'],
    [
      'its own backoff',
      operation({
        operation: { retry: { limit: 5, backoff: { duration: '10', factor: 3, maxDuration: '1m' } } },
      }),
      'waiting',
      '2026-03-04T10:00:50.000Z',
    ],
    [
      'the longest wait',
      operation({ retryCount: 900, operation: { retry: { limit: -1 } } }),
      'waiting',
      '2026-03-04T10:02:50.000Z',
    ],
    [
      'a time that has passed',
      operation({ finishedAt: '2026-03-04T09:00:00Z' }),
      'waiting',
      '2026-03-04T09:00:20.000Z',
    ],
    ['a try under way', operation({ finishedAt: undefined }), 'trying', undefined],
    ['no more tries', operation({ phase: 'Failed', retryCount: 5 }), 'exhausted', undefined],
    ['no retry', operation({ phase: 'Failed', retryCount: 0, operation: {} }), 'none', undefined],
    ['success', operation({ phase: 'Succeeded' }), 'over', undefined],
  ])('%s', (_name, operationState, state, next) => {
    const outlook = retryOutlook(application('podinfo', { operationState }), now);
    expect({ state: outlook.state, next: outlook.next?.toISOString() }).toEqual({ state, next });
  });

  test('is said in a sentence, with the time and what is set', () => {
    const text = (over: object) =>
      retryOutlook(application('podinfo', { operationState: operation(over) }), now).text;
    expect(text({})).toBe(
      'It fails since 2026-03-04T09:59:00Z (for 1m); 2 of 5 retries used; the next try is at 2026-03-04T10:00:10Z (in 10s).',
    );
    expect(text({ finishedAt: '2026-03-04T09:00:00Z' })).toContain(
      'the next try was due at 2026-03-04T09:00:20Z.',
    );
    expect(text({ phase: 'Failed', operation: {} })).toContain('no retry is set (a sync that a user starts');
    expect(
      text({ phase: 'Failed', operation: { retry: { limit: 0 }, initiatedBy: { automated: true } } }),
    ).toContain('no retry is set (`spec.syncPolicy.retry.limit` is 0)');
  });
});

test('300 objects that one webhook refuses are one finding', async () => {
  const many = Array.from({ length: 30 }, (_, index) =>
    application(`app-${index}`, {
      operationState: operation({
        syncResult: {
          resources: Array.from({ length: 10 }, (_each, position) =>
            refused('Deployment', `web-${position}`),
          ),
        },
      }),
      conditions: [{ type: 'SyncError', message: `Failed last sync attempt to [abc]: ${refusal}` }],
    }),
  );
  const { findings, looked } = await examine(many);
  expect(looked).toBe('30 Applications');
  // The condition of a running operation is a failure of its own, of the same cause.
  expect(findings).toMatchObject([
    {
      cause: 'webhook-without-endpoints',
      severity: 'warning',
      likelihood: 'certain',
      subject: '30 Applications (330 failures), first argocd/app-0',
    },
  ]);
  expect(findings[0]!.message).toContain('Transient, webhook-without-endpoints (mpod.elbv2.k8s.aws)');
  expect(findings[0]!.evidence).toContainEqual(expect.stringContaining('and 322 more: argocd/app-0'));
  expect(findings[0]!.evidence.length).toBeLessThan(30);
  expect(findings[0]!.evidence).toContainEqual(
    expect.stringContaining('the next try is at 2026-03-04T10:00:10Z'),
  );
});

test('messages that no pattern knows are one finding where they differ in numbers only', async () => {
  const resources = ['the moon 1', 'the moon 2', 'the sun 1'].map((message, index) =>
    refused('Job', `job-${index}`, message),
  );
  const { findings } = await examine([
    application('a', { operationState: operation({ syncResult: { resources } }) }),
  ]);
  expect(findings.map(({ cause, likelihood, evidence }) => [cause, likelihood, evidence.length])).toEqual([
    ['unknown', 'possible', 3],
    ['unknown', 'possible', 2],
  ]);
});

test('what passes by itself is an error where nobody tries again', async () => {
  const status = (over: object) => ({
    operationState: operation({ syncResult: { resources: [refused('Deployment', 'web')] }, ...over }),
  });
  const severity = async (over: object) =>
    (await examine([application('a', status(over))])).findings[0]!.severity;
  expect(await severity({})).toBe('warning');
  expect(await severity({ phase: 'Failed', retryCount: 5 })).toBe('error');
  expect(await severity({ phase: 'Failed', operation: {} })).toBe('error');
});

test('each failure is told once: resources before the operation, the operation before a condition that repeats it', () => {
  const whats = (status: object) => applicationFailures(application('a', status)).map(({ what }) => what);
  const condition = { type: 'SyncError', message: 'Failed last sync attempt to [abc]: the moon' };
  expect(
    whats({
      operationState: operation({ phase: 'Failed', syncResult: { resources: [refused('Job', 'migrate')] } }),
      conditions: [condition],
      resources: [
        {
          kind: 'Job',
          namespace: 'podinfo',
          name: 'migrate',
          health: { status: 'Degraded', message: 'failed' },
        },
        {
          kind: 'Pod',
          namespace: 'podinfo',
          name: 'web',
          health: { status: 'Degraded', message: 'Back-off' },
        },
        { kind: 'Pod', namespace: 'podinfo', name: 'fine', health: { status: 'Healthy' } },
      ],
    }),
  ).toEqual(['Job podinfo/migrate', 'Pod podinfo/web']);
  expect(
    whats({ operationState: operation({ phase: 'Error', message: 'the moon' }), conditions: [condition] }),
  ).toEqual(['the operation']);
  const comparison = { type: 'ComparisonError', message: 'Failed to load target state: the moon' };
  expect(
    whats({
      operationState: operation({ phase: 'Error', message: `ComparisonError: ${comparison.message}` }),
      conditions: [comparison, { type: 'ExcludedResourceWarning', message: 'excluded' }],
    }),
  ).toEqual(['condition ComparisonError']);
  expect(whats({ operationState: operation({ phase: 'Succeeded' }) })).toEqual([]);
});

test('a text that is no manifest is told with its line, a document without kind with its beginning', async () => {
  const { findings } = await examine([
    application('a', {
      conditions: [
        {
          type: 'ComparisonError',
          message:
            'CMP processing failed for application "a": error generating manifests in cmp: failed to unmarshal manifest: error converting YAML to JSON: yaml: line 3: mapping values are not allowed in this context',
          lastTransitionTime: '2026-03-04T09:00:00Z',
        },
        {
          type: 'ComparisonError',
          message: `CMP processing failed for application "a": failed to unmarshal manifest: error unmarshaling JSON: while decoding JSON: Object 'Kind' is missing in '{"image":{"repository":"podinfo"}}'`,
        },
      ],
    }),
  ]);
  expect(findings).toHaveLength(1);
  expect(findings[0]).toMatchObject({ cause: 'plugin-text-is-no-manifest', severity: 'error' });
  const evidence = findings[0]!.evidence.join('\n');
  expect(evidence).toContain('[line 3 of that text]');
  expect(evidence).toContain('[the document that begins {"image":{"repository":"podinfo"}}]');
  expect(evidence).toContain('The condition is there since 2026-03-04T09:00:00Z; Argo CD looks again');
});

test('what Argo CD itself calls a warning is one', async () => {
  const { findings } = await examine([
    application('a', {
      conditions: [
        {
          type: 'SharedResourceWarning',
          message: 'Deployment/web is part of applications argocd/a and argocd/b',
        },
      ],
    }),
  ]);
  expect(findings).toMatchObject([{ cause: 'shared-resource', severity: 'warning' }]);
});

test('an account that may not see every namespace is asked for that of Argo CD, and the right is named', async () => {
  const report = await syncCheck().examine(
    context((namespace) => {
      if (namespace === undefined) {
        throw new KubernetesError('denied', 'may not list applications at the cluster scope', 403);
      }
      return [application('a', {})];
    }),
  );
  expect(report).toMatchObject({
    findings: [],
    looked: '1 Application',
    notChecked: ['may not list applications at the cluster scope'],
  });
});

test('a cluster without Applications is not called healthy, and chosen ones that are missing are named', async () => {
  expect((await examine([])).notChecked).toEqual([expect.stringContaining('there are none')]);
  const report = await syncCheck({ applications: ['a', 'b'] }).examine(
    context([application('a', {}), application('c', {})]),
  );
  expect(report).toMatchObject({
    looked: '1 Application',
    notChecked: ['Application b: there is none of this name'],
  });
});

test('a server that can’t be reached is an error of the check', async () => {
  const unreachable = new KubernetesError('unreachable', 'no answer');
  await expect(
    syncCheck().examine(
      context(() => {
        throw unreachable;
      }),
    ),
  ).rejects.toBe(unreachable);
});

test('secrets in messages are not shown', async () => {
  const message =
    'Failed to load target state: `git fetch https://robot:hunter2hunter2@git.example.com/config.git` failed: token=hunter2hunter2 Bearer hunter2hunter2';
  const secret = refused(
    'Secret',
    'db',
    'Secret "db" is invalid: data[password]: Invalid value: "aHVudGVyMmh1bnRlcjI=": no',
  );
  const { findings } = await examine([
    application('a', {
      conditions: [{ type: 'ComparisonError', message }],
      operationState: operation({ phase: 'Failed', syncResult: { resources: [secret] } }),
    }),
  ]);
  expect(findings).toHaveLength(2);
  expect(JSON.stringify(findings)).not.toMatch(/hunter2|aHVudGVy/);
});

test('whatever an Application says, the check does not fail, and says the same again', async () => {
  const anything = fc.anything({ maxDepth: 2 });
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constant(refusal), anything);
  const resource = fc.record(
    {
      kind: text,
      name: text,
      namespace: text,
      status: fc.oneof(fc.constant('SyncFailed'), text),
      message: text,
      health: fc.oneof(fc.record({ status: fc.constant('Degraded'), message: text }), anything),
    },
    { requiredKeys: [] },
  );
  const status = fc.oneof(
    anything,
    fc.record(
      {
        conditions: fc.oneof(
          fc.array(fc.oneof(fc.record({ type: text, message: text, lastTransitionTime: text }), anything)),
          anything,
        ),
        resources: fc.oneof(fc.array(resource), anything),
        operationState: fc.oneof(
          anything,
          fc.record(
            {
              phase: fc.constantFrom('Running', 'Failed', 'Error', 'Succeeded', 'Terminating'),
              message: text,
              startedAt: fc.oneof(fc.constant('2026-03-04T09:59:00Z'), text),
              finishedAt: fc.oneof(fc.constant('2026-03-04T09:59:50Z'), text),
              retryCount: fc.oneof(fc.double(), fc.integer(), anything),
              operation: fc.oneof(
                anything,
                fc.record({
                  retry: fc.record({
                    limit: fc.oneof(fc.double(), anything),
                    backoff: fc.oneof(
                      fc.record({
                        duration: text,
                        factor: fc.double(),
                        maxDuration: fc.oneof(fc.constant('0'), text),
                      }),
                      anything,
                    ),
                  }),
                }),
              ),
              syncResult: fc.oneof(fc.record({ resources: fc.array(resource) }), anything),
            },
            { requiredKeys: [] },
          ),
        ),
      },
      { requiredKeys: [] },
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(status, { maxLength: 3 }), async (statuses) => {
      const applications = statuses.map((each, index) => application(`app-${index}`, each as object));
      const report = await examine(applications);
      expect(await examine(applications)).toEqual(report);
      for (const { evidence, message } of report.findings) {
        expect(Math.max(0, ...evidence.map((line) => line.length), message.length)).toBeLessThan(6_000);
      }
    }),
    { numRuns: 200 },
  );
});
