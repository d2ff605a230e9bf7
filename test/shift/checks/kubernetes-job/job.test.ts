import type { KubernetesObject } from '../../../../lib/core/kubernetes/api';
import type { WantedJob } from '../../../../lib/shift/checks/kubernetes-job/job';
import {
  containerSpec,
  copiedSpec,
  jobObject,
  ownershipOf,
  wantedAt,
} from '../../../../lib/shift/checks/kubernetes-job/job';

const image = `registry.example.com/smoke@sha256:${'0'.repeat(64)}`;
const about = { slot: 'green', stage: 'before' } as const;
const wanted: WantedJob = {
  namespace: 'shop',
  check: 'Smoke test: checkout!',
  ...about,
  question: { live: { blue: 100, green: 0 } },
  spec: containerSpec({ image }, 0, about),
  timeoutMs: 90_500,
};

test('a Job that nobody removes goes by itself, and one that hangs ends', () => {
  expect(jobObject(wanted, 0)).toMatchObject({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: expect.stringMatching(/^canary-smoke-test-checkout-green-[0-9a-f]{12}$/),
      namespace: 'shop',
      labels: {
        'app.kubernetes.io/managed-by': 'cluster-canary',
        'cluster-canary/check': 'smoke-test-checkout',
      },
    },
    spec: { backoffLimit: 0, activeDeadlineSeconds: 91, ttlSecondsAfterFinished: 3600 },
  });
});

const nameOf = (change: Partial<WantedJob>) => jobObject({ ...wanted, ...change }, 0).metadata.name;

test.each<[string, Partial<WantedJob>]>([
  ['another step', { question: { live: { blue: 99, green: 1 } } }],
  ['another stage', { stage: 'after' }],
  ['another slot', { slot: 'red' }],
  ['another check', { check: 'Smoke test: checkout?' }],
])('%s is another Job', (_name, change) => {
  expect(nameOf(change)).not.toBe(nameOf({}));
});

test('the name is the same whatever the order of keys and the time, and never too long', () => {
  expect(nameOf({ question: { live: { green: 0, blue: 100 } } })).toBe(nameOf({}));
  expect(nameOf({ check: 'x'.repeat(300), slot: 'y'.repeat(300) }).length).toBeLessThan(57);
  expect(nameOf({ check: '***', slot: '–' })).toMatch(/^canary-[0-9a-f]{12}$/);
});

test('the pod keeps to the Pod Security Standard restricted', () => {
  const spec: any = containerSpec(
    {
      image,
      command: ['/smoke'],
      args: ['--fast'],
      env: { TARGET: 'http://web', TOKEN: { secret: 'smoke', key: 'token' } },
      user: 1000,
      serviceAccountName: 'smoke',
      resources: { requests: { cpu: '1' } },
    },
    2,
    about,
  );
  expect(spec).toEqual({
    backoffLimit: 2,
    template: {
      spec: {
        restartPolicy: 'Never',
        automountServiceAccountToken: false,
        serviceAccountName: 'smoke',
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 1000,
          runAsGroup: 1000,
          seccompProfile: { type: 'RuntimeDefault' },
        },
        containers: [
          {
            name: 'check',
            image,
            command: ['/smoke'],
            args: ['--fast'],
            env: [
              { name: 'CLUSTER_CANARY_SLOT', value: 'green' },
              { name: 'CLUSTER_CANARY_STAGE', value: 'before' },
              { name: 'TARGET', value: 'http://web' },
              { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'smoke', key: 'token' } } },
            ],
            resources: { requests: { cpu: '1' } },
            securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
          },
        ],
      },
    },
  });
  expect((wanted.spec as any).template.spec.containers[0].resources.limits).toEqual({ memory: '256Mi' });
});

const podTemplate = {
  metadata: {
    labels: {
      app: 'smoke',
      'job-name': 'x',
      'controller-uid': 'u',
      'batch.kubernetes.io/controller-uid': 'u',
    },
  },
  spec: { containers: [{ name: 'a' }] },
};

test('a copy of a Job has nothing of its controller, and runs', () => {
  const from: KubernetesObject = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'smoke' },
    spec: {
      suspend: true,
      manualSelector: false,
      selector: { matchLabels: { 'controller-uid': 'u' } },
      backoffLimit: 4,
      parallelism: 2,
      template: podTemplate,
    },
    status: {},
  };
  const copy = {
    backoffLimit: 4,
    parallelism: 2,
    template: { metadata: { labels: { app: 'smoke' } }, spec: podTemplate.spec },
  };
  expect(copiedSpec(from, undefined)).toEqual(copy);
  expect(copiedSpec(from, 0)).toEqual({ ...copy, backoffLimit: 0 });
});

test("a copy of a CronJob is that of its Job's template", () => {
  const from: KubernetesObject = {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'smoke' },
    spec: { schedule: '* * * * *', suspend: true, jobTemplate: { spec: { template: podTemplate } } },
  };
  expect(copiedSpec(from, undefined)).toEqual({
    template: { metadata: { labels: { app: 'smoke' } }, spec: podTemplate.spec },
  });
});

test('whose a Job is, its labels and annotations say', () => {
  const there = jobObject(wanted, 5_000);
  const withMetadata = (change: object): KubernetesObject => ({
    ...there,
    metadata: { ...there.metadata, ...change },
  });
  expect(ownershipOf(there, wanted)).toBe('same');
  expect(ownershipOf(there, { ...wanted, timeoutMs: 1 })).toBe('otherSpec');
  expect(ownershipOf(there, { ...wanted, spec: {} })).toBe('otherSpec');
  expect(ownershipOf(withMetadata({ labels: undefined }), wanted)).toBe('foreign');
  expect(
    ownershipOf(withMetadata({ labels: { ...there.metadata.labels, 'cluster-canary/check': 'x' } }), wanted),
  ).toBe('foreign');
  expect(ownershipOf(withMetadata({ annotations: {} }), wanted)).toBe('foreign');
  expect(wantedAt(there)).toBe(5_000);
  expect(wantedAt(withMetadata({ annotations: {}, creationTimestamp: '1970-01-01T00:00:07Z' }))).toBe(7_000);
});
