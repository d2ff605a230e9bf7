import type { KubernetesSettings } from '../../../../lib/core/kubernetes/access';
import type { KubernetesObject } from '../../../../lib/core/kubernetes/api';
import { KubernetesError } from '../../../../lib/core/kubernetes/errors';
import type { KubernetesFailure } from '../../../../lib/core/kubernetes/errors';
import { formatProblem } from '../../../../lib/core/validation';
import type { JobServer } from '../../../../lib/shift/checks';
import { settingsProblems } from '../../../../lib/shift/checks';
import { kubernetesJob } from '../../../../lib/shift/checks/kubernetes-job/kubernetes-job';
import type { CheckWindow } from '../../../../lib/shift/engine';
import { contextOf, subject, windowOf } from '../health-samples';

const image = `registry.example.com/smoke@sha256:${'0'.repeat(64)}`;
const refusal = (reason: KubernetesFailure, message: string = reason) => new KubernetesError(reason, message);

/** A cluster in memory, and what its controller would do with a Job at a time. */
class Cluster implements JobServer {
  public readonly server = 'https://cluster';
  public readonly jobs = new Map<string, KubernetesObject>();
  public readonly created: KubernetesObject[] = [];
  public readonly removed: [string, object | undefined][] = [];
  public readonly opened: KubernetesSettings[] = [];
  public pods: KubernetesObject[] = [];
  public events: KubernetesObject[] = [];
  public templates: Record<string, KubernetesObject> = {};
  public log: () => Promise<string> = () => Promise.resolve('');
  public refuse: KubernetesError | undefined;
  public now = 1_000_000;
  /** What happens while a second passes. */
  public onTick: () => void = () => undefined;

  public get({ kind, metadata: { name } }: KubernetesObject): Promise<KubernetesObject> {
    const found = this.templates[`${kind}/${name}`] ?? this.jobs.get(name);
    return found ? Promise.resolve(found) : Promise.reject(refusal('notFound'));
  }

  public list({ kind }: { readonly kind: string }): Promise<readonly KubernetesObject[]> {
    return Promise.resolve(kind === 'Pod' ? this.pods : this.events);
  }

  public create(job: KubernetesObject): Promise<KubernetesObject> {
    if (this.refuse) {
      return Promise.reject(this.refuse);
    }
    const made = { ...job, metadata: { ...job.metadata, uid: `u${this.created.length + 1}` } };
    this.created.push(made);
    this.jobs.set(job.metadata.name, made);
    return Promise.resolve(made);
  }

  public remove({ metadata: { name } }: KubernetesObject, options?: object): Promise<void> {
    this.removed.push([name, options]);
    this.jobs.delete(name);
    return Promise.resolve();
  }

  public podLog(): Promise<string> {
    return this.log();
  }

  /** The Job comes to an end. */
  public end(type: 'Complete' | 'Failed', reason = 'BackoffLimitExceeded'): void {
    for (const [name, job] of this.jobs) {
      this.jobs.set(name, { ...job, status: { conditions: [{ type, status: 'True', reason }] } });
    }
  }

  public check(settings: object = {}) {
    return kubernetesJob.kind.create(
      'smoke',
      { namespace: 'shop', image, ...settings },
      contextOf({
        clock: {
          now: () => this.now,
          sleep: (ms) => {
            this.now += ms;
            this.onTick();
            return Promise.resolve();
          },
        },
        kubernetesJobs: (given) => {
          this.opened.push(given);
          return Promise.resolve(this);
        },
      }),
    );
  }
}

const first = { blue: 100, green: 0 };
const before = (more: Partial<CheckWindow> = {}) => windowOf(first, { blue: 99, green: 1 }, more);
const failedPod: KubernetesObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'x', uid: 'u1' }] },
  status: {
    containerStatuses: [
      { name: 'check', state: { terminated: { exitCode: 1, reason: 'Error', message: 'left' } } },
    ],
  },
};

test('a Job that completes passes, and is removed', async () => {
  const cluster = new Cluster();
  cluster.onTick = () => cluster.end('Complete');
  const check = cluster.check();
  const result = await check.evaluate(before());
  expect(result).toEqual({
    status: 'pass',
    reason: expect.stringMatching(/^green: Job shop\/canary-smoke-green-\w{12} complete after 1 s$/),
    figures: [{ name: 'failed Jobs', slot: 'green', value: 0, unit: 'count', max: 0 }],
  });
  expect(cluster.opened).toEqual([{ context: 'apps-green' }]);
  expect(cluster.removed).toEqual([
    [cluster.created[0]!.metadata.name, { propagation: 'Background', uid: 'u1' }],
  ]);
  // Others are not done yet: the same question has the same answer.
  expect(await check.evaluate(before({ to: 1_070_000 }))).toEqual(result);
  expect(cluster.created).toHaveLength(1);
});

test('one that fails says so with its last words', async () => {
  const cluster = new Cluster();
  cluster.onTick = () => cluster.end('Failed');
  cluster.pods = [failedPod, { ...failedPod, metadata: { name: 'of another Job' } }];
  cluster.log = () => Promise.resolve('GET /checkout\n500\n');
  const result = await cluster.check().evaluate(before());
  expect(result).toMatchObject({ status: 'fail', figures: [{ value: 1 }] });
  expect(result.holds).toBeUndefined();
  expect(result.reason).toMatch(
    /failed \(BackoffLimitExceeded\), container check ended with 1, its last words: GET \/checkout \| 500$/,
  );
  expect(cluster.jobs.size).toBe(0);
});

test.each<[string, () => Promise<string>, RegExp]>([
  ['empty', () => Promise.resolve(''), /its last words: left$/],
  ['gone', () => Promise.reject(refusal('faulty')), /its last words: left$/],
])('a log that is %s: what the container left', async (_name, log, expected) => {
  const cluster = new Cluster();
  cluster.onTick = () => cluster.end('Failed');
  cluster.pods = [failedPod];
  cluster.log = log;
  expect((await cluster.check().evaluate(before())).reason).toMatch(expected);
});

test('one that runs is inconclusive, and is asked for again', async () => {
  const cluster = new Cluster();
  const check = cluster.check();
  const running = await check.evaluate(before());
  expect(running).toMatchObject({ status: 'inconclusive', figures: [{ value: null }] });
  expect(running.reason).toMatch(/has not ended after 9 s$/);
  cluster.end('Complete');
  expect((await check.evaluate(before())).status).toBe('pass');
  expect(cluster.created).toHaveLength(1);
});

test('a run that goes on finds the Job of the one that was killed', async () => {
  const cluster = new Cluster();
  await cluster.check().evaluate(before());
  cluster.now += 100_000;
  cluster.onTick = () => cluster.end('Complete');
  const later = await cluster.check().evaluate(before({ startedAt: cluster.now }));
  expect(later.status).toBe('pass');
  expect(cluster.created).toHaveLength(1);
});

test.each([
  ['has ended a short time before counts', 100_000, 1],
  ['has ended longer ago than it may run does not count for another shift', 400_000, 2],
])('a Job that %s', async (_name, pause, created) => {
  const cluster = new Cluster();
  await cluster.check().evaluate(before());
  cluster.end('Failed');
  cluster.now += pause;
  cluster.onTick = () => (cluster.created.length > 1 ? cluster.end('Complete') : undefined);
  const later = await cluster.check().evaluate(before({ startedAt: cluster.now }));
  expect([cluster.created.length, later.status]).toEqual([created, created === 1 ? 'fail' : 'pass']);
});

test('a Job of other settings is replaced, and one of somebody else left alone', async () => {
  const cluster = new Cluster();
  await cluster.check().evaluate(before());
  await cluster.check({ timeout: '1m' }).evaluate(before());
  expect(cluster.created).toHaveLength(2);
  expect(cluster.removed).toHaveLength(1);
  const [[name, job]] = [...cluster.jobs] as [[string, KubernetesObject]];
  cluster.jobs.set(name, { ...job, metadata: { ...job.metadata, labels: {} } });
  await expect(cluster.check().evaluate(before())).rejects.toMatchObject({
    name: 'SourceError',
    message: expect.stringMatching(/is there already, and is not of this check/),
  });
  expect([cluster.created.length, cluster.removed.length]).toEqual([2, 1]);
  cluster.jobs.set(name, {
    ...job,
    metadata: { ...job.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
  });
  expect(await cluster.check().evaluate(before())).toMatchObject({
    status: 'inconclusive',
    reason: expect.stringMatching(/an earlier one of that name is being removed$/),
  });
});

test('another run may create it in the same moment', async () => {
  const cluster = new Cluster();
  const create = cluster.create.bind(cluster);
  cluster.create = async (job) => {
    await create(job);
    throw refusal('alreadyExists');
  };
  cluster.onTick = () => cluster.end('Complete');
  expect((await cluster.check().evaluate(before())).status).toBe('pass');
  expect(cluster.created).toHaveLength(1);
});

test('one that somebody removes is not started again', async () => {
  const cluster = new Cluster();
  cluster.onTick = () => cluster.jobs.clear();
  expect(await cluster.check().evaluate(before())).toMatchObject({
    status: 'fail',
    holds: true,
    reason: expect.stringMatching(/was removed by somebody else before it ended$/),
  });
  expect(cluster.created).toHaveLength(1);
});

test.each<[KubernetesFailure, string, boolean]>([
  ['invalid', 'image: Required value', true],
  ['denied', 'admission webhook "policy.example.com" denied the request: no', true],
  ['denied', 'jobs.batch "x" is forbidden: exceeded quota: few', true],
  ['denied', 'User "ci" cannot create resource "jobs"', false],
  ['unreachable', 'no answer', false],
])('a creation that is %s: %s', async (reason, message, isVerdict) => {
  const cluster = new Cluster();
  cluster.refuse = refusal(reason, message);
  const answer = cluster.check().evaluate(before());
  await (isVerdict
    ? expect(answer).resolves.toMatchObject({
        status: 'fail',
        holds: true,
        reason: expect.stringContaining(`can't be created: ${message}`),
      })
    : expect(answer).rejects.toMatchObject({ name: 'SourceError', message }));
});

test('what keeps it from running is named, and remembered at its deadline', async () => {
  const cluster = new Cluster();
  const { status: _status, ...owned } = failedPod;
  cluster.pods = [
    {
      ...owned,
      status: {
        conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no room' }],
      },
    },
  ];
  const check = cluster.check();
  expect((await check.evaluate(before())).reason).toMatch(/after 0 s, and no node takes its pod: .*no room$/);
  cluster.pods = [];
  cluster.end('Failed', 'DeadlineExceeded');
  expect((await check.evaluate(before())).reason).toMatch(
    /failed \(DeadlineExceeded\), no node takes its pod: .*no room$/,
  );
});

test('an image that can not be pulled holds the shift', async () => {
  const cluster = new Cluster();
  cluster.pods = [
    {
      ...failedPod,
      status: {
        containerStatuses: [
          { name: 'check', state: { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } } },
        ],
      },
    },
  ];
  expect(await cluster.check().evaluate(before())).toMatchObject({
    status: 'fail',
    holds: true,
    reason: expect.stringMatching(/does not run: container check: ImagePullBackOff: no such image$/),
  });
  expect(cluster.removed).toHaveLength(1);
});

test('a Job that can not be removed has its verdict still', async () => {
  const cluster = new Cluster();
  cluster.onTick = () => cluster.end('Complete');
  cluster.remove = () => Promise.reject(refusal('denied', 'no'));
  expect(await cluster.check().evaluate(before())).toMatchObject({
    status: 'pass',
    reason: expect.stringMatching(/complete after 1 s \(it could not be removed: no\)$/),
  });
});

test('an interrupt leaves the Job to the next run', async () => {
  const cluster = new Cluster();
  const interrupt = new AbortController();
  cluster.onTick = () => interrupt.abort(new Error('interrupted'));
  await expect(cluster.check().evaluate(before(), interrupt.signal)).rejects.toThrow('interrupted');
  expect([cluster.jobs.size, cluster.removed.length]).toEqual([1, 0]);
});

test('it runs before the first traffic of a slot, and after each step where that is asked for', async () => {
  const cluster = new Cluster();
  cluster.onTick = () => cluster.end('Complete');
  expect(
    await cluster.check().evaluate(windowOf({ blue: 99, green: 1 }, { blue: 90, green: 10 })),
  ).toMatchObject({
    status: 'pass',
    reason: 'runs before a slot gets its first traffic',
  });
  expect(cluster.created).toEqual([]);
  const check = cluster.check({ stages: ['after'] });
  expect(check.stages).toEqual(['after']);
  for (const green of [1, 1, 10]) {
    expect((await check.evaluate(windowOf({ blue: 100 - green, green }))).status).toBe('pass');
  }
  expect(cluster.created).toHaveLength(2);
});

test('a template of the cluster says what is run', async () => {
  const cluster = new Cluster();
  const template = { spec: { containers: [{ name: 'smoke', image: 'smoke:1' }] } };
  cluster.templates = {
    'CronJob/smoke': {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name: 'smoke' },
      spec: { jobTemplate: { spec: { template } } },
    },
  };
  await cluster.check({ image: undefined, template: { cronJob: 'smoke' } }).evaluate(before());
  expect(cluster.created[0]!.spec).toMatchObject({ template, activeDeadlineSeconds: 300 });
  await expect(
    cluster.check({ image: undefined, template: { job: 'other' } }).evaluate(before()),
  ).rejects.toMatchObject({ name: 'SourceError', message: 'notFound' });
});

const problems = (args: object) =>
  settingsProblems(kubernetesJob.kind, { namespace: 'shop', ...args }, subject).map((each) =>
    formatProblem(each),
  );

test.each<[object, RegExp]>([
  [{}, /^image: .*must be there, or "template"/],
  [{ image: 'smoke:1' }, /^image: .*by its digest/],
  [{ image, template: { job: 'x' } }, /^image: conflicts with template/],
  [{ template: { job: 'x' }, args: ['x'] }, /^args: conflicts with template/],
  [{ template: { job: 'x', cronJob: 'y' } }, /^template: must be the name of one/],
  [{ image, env: { API_TOKEN: 'hunter2' } }, /^env\.API_TOKEN: must be \{ secret: NAME, key: KEY \}/],
  [{ image, args: ['--password=hunter2'] }, /^args\[0\]: must be a text without a login/],
  [{ image, user: 0 }, /^user: 0: must be/],
  [{ image, contexts: { red: 'x' } }, /^contexts\.red: .*the slots are blue, green/],
  [{ image, resources: { limits: { memory: 'a lot' } } }, /^resources\.limits\.memory: .*quantity/],
])('%j is refused', (args, expected) => {
  const found = problems(args);
  expect(found).toEqual([expect.stringMatching(expected)]);
  expect(found.join()).not.toContain('hunter2');
});

test('it needs to run Jobs, and to read what became of them', () => {
  const rules = kubernetesJob.kind.access!({ namespace: 'shop', template: { cronJob: 'smoke' } }, subject);
  expect(
    rules.map(
      ({ rule }) =>
        `${rule.verbs.join()} ${rule.resources.join()} ${(rule.resourceNames ?? []).join()} ${rule.namespace}`,
    ),
  ).toEqual([
    'get,create,delete jobs  shop',
    'get cronjobs smoke shop',
    'list pods,events  shop',
    'get pods/log  shop',
  ]);
  expect(rules[0]).toMatchObject({
    cluster: 'slots',
    at: [{ context: 'apps-blue' }, { context: 'apps-green' }],
  });
});
