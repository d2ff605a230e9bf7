import { jobResult, readJobResult, readCaRotationJobs } from '../../../lib/operate/ca-rotation';

const job = (name: string, more: any = {}): any => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, namespace: 'gate-system', ...more.metadata },
  ...(more.conditions ? { status: { conditions: more.conditions } } : {}),
});
const ended = (message?: string, finishedAt = '2026-05-01T10:00:00Z'): any => ({
  status: { containerStatuses: [{ state: { terminated: { message, finishedAt } } }] },
});
const failed = { type: 'Failed', status: 'True', message: 'Job has reached the specified backoff limit' };
const complete = { type: 'Complete', status: 'True' };

test.each<[string, any[], any[], string, string[]]>([
  ['nothing ended', [], [{ status: {} }, {}], 'running', []],
  ['one try was in vain', [], [ended('not over:\n  a pod\n')], 'running', ['not over:', 'a pod']],
  ['it is done', [complete], [ended('over\n')], 'succeeded', ['over']],
  ['it was in vain', [failed], [ended('not over')], 'failed', ['not over']],
  [
    'two tries: the later one counts, whatever their order',
    [failed],
    [
      ended('second', '2026-05-01T10:10:00Z'),
      ended('first', '2026-05-01T10:00:00Z'),
      ended(' \n', '2026-05-01T10:20:00Z'),
    ],
    'failed',
    ['second'],
  ],
  ['its pods are gone', [failed], [], 'failed', [failed.message]],
  [
    'what is about to be',
    [
      { ...complete, status: 'False' },
      { ...failed, status: 'Unknown' },
    ],
    [],
    'running',
    [],
  ],
  [
    'failed and suspended',
    [{ type: 'Suspended', status: 'True' }, failed],
    [ended(undefined)],
    'failed',
    [failed.message],
  ],
])('%s', (_, conditions, pods, state, said) => {
  expect(jobResult(job('gates-g2-gate-01234567', { conditions }), pods)).toEqual({
    name: 'gates-g2-gate-01234567',
    state,
    message: said,
  });
});

/** An API server with these Jobs; each has one pod that says its name. */
function server(jobs: readonly any[]) {
  const asked: string[] = [];
  const api: any = {
    get: ({ metadata }: any) => Promise.resolve(jobs.find((each) => each.metadata.name === metadata.name)),
    list: ({ kind }: any, { namespace, labelSelector }: any) => {
      asked.push(`${kind} ${namespace} ${labelSelector ?? ''}`);
      return Promise.resolve(kind === 'Job' ? jobs : [ended(labelSelector)]);
    },
  };
  return { api, asked };
}

test('pods are those of the Job', async () => {
  const { api, asked } = server([job('gates-g2-gate-01234567', { conditions: [complete] })]);
  const { message: said } = await readJobResult(api, {
    name: 'gates-g2-gate-01234567',
    namespace: 'gate-system',
  });
  expect(said).toEqual(['batch.kubernetes.io/job-name=gates-g2-gate-01234567']);
  expect(asked).toEqual([`Pod gate-system ${said.join('')}`]);
});

test('of a CA rotation all Jobs, and of others none; the newest decides', async () => {
  const at = (creationTimestamp: string) => ({ metadata: { creationTimestamp } });
  const jobs = [
    job('gates-g2-retire-00000003', { ...at('2026-05-03T00:00:00Z'), conditions: [failed] }),
    job('gates-g2-bundle-00000001', { ...at('2026-05-01T00:00:00Z'), conditions: [complete] }),
    job('gates-g2-gate-00000002', { ...at('2026-05-02T00:00:00Z'), conditions: [complete] }),
    job('gates-g21-gate-00000004', { ...at('2026-05-04T00:00:00Z') }),
    job('gates-g2-gate-report', { ...at('2026-05-04T00:00:00Z') }),
    job('more-gates-g2-gate-00000005', { ...at('2026-05-04T00:00:00Z') }),
  ];
  const read = (some: any[]) =>
    readCaRotationJobs(server(some).api, { renewed: 'gates-g2', namespace: 'gate-system' });
  const all = await read(jobs);
  expect(all.jobs.map(({ name, state }) => `${name} ${state}`)).toEqual([
    'gates-g2-bundle-00000001 succeeded',
    'gates-g2-gate-00000002 succeeded',
    'gates-g2-retire-00000003 failed',
  ]);
  expect(all.passed).toBe(false);
  expect((await read(jobs.slice(1))).passed).toBe(true);
  expect(await read([])).toEqual({ schemaVersion: 1, passed: false, jobs: [] });
});
