import * as fc from 'fast-check';
import type { KubernetesApi, KubernetesObject } from '../../../lib/core/kubernetes/api';
import { KubernetesError } from '../../../lib/core/kubernetes/errors';
import type { KubernetesFailure } from '../../../lib/core/kubernetes/errors';
import type { FleetEvent, PlacedLease } from '../../../lib/shift/notify';
import { eventObject, kubernetesEvents } from '../../../lib/shift/notify/kubernetes-events';
import type { KubernetesEventsSettings } from '../../../lib/shift/notify/kubernetes-events';
import { samples } from './events';

const signal = new AbortController().signal;
const hub = { namespace: 'shifts', context: 'hub' };

function opened(settings: KubernetesEventsSettings, failure?: KubernetesFailure, lease?: PlacedLease) {
  const created: KubernetesObject[] = [];
  const asked: object[] = [];
  const api = {
    create: (object: KubernetesObject) => {
      created.push(object);
      return failure === undefined
        ? Promise.resolve(object)
        : Promise.reject(new KubernetesError(failure, `https://hub.example: create: ${failure}`));
    },
  };
  const sink = kubernetesEvents.open(settings, {
    env: {},
    readFile: () => Promise.reject(new Error('no file')),
    http: { send: () => Promise.reject(new Error('no HTTP')) },
    aws: () => Promise.reject(new Error('no AWS')) as never,
    kubernetes: (at) => {
      asked.push(at);
      return Promise.resolve(api as unknown as KubernetesApi);
    },
    base: '.',
    leaseOf: (route) => (route === 'traffic' ? lease : undefined),
  });
  return { sink, created, asked };
}

const lease: PlacedLease = { at: { context: 'hub' }, namespace: 'shifts', name: 'shift-traffic-1' };
const ofLease = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  name: 'shift-traffic-1',
  namespace: 'shifts',
};
const ofNamespace = { apiVersion: 'v1', kind: 'Namespace', name: 'shifts', namespace: 'shifts' };

test('an Event on the cluster that the settings name', async () => {
  const { sink, created, asked } = opened(hub, undefined, lease);
  await sink.deliver(samples.rollingBack, signal);
  expect(asked).toEqual([{ kubeconfig: undefined, context: 'hub' }]);
  expect(created).toEqual([
    {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 'cluster-canary-r1-7', namespace: 'shifts' },
      eventTime: '2031-05-06T07:08:09.000000Z',
      type: 'Warning',
      reason: 'ShiftRollingBack',
      action: 'ShiftTraffic',
      reportingController: 'cluster-canary/shift',
      reportingInstance: 'alex@laptop',
      note: 'traffic: rolls back. Rolls back: A check has failed: errors.',
      regarding: ofLease,
    },
  ]);
});

test.each<[string, KubernetesEventsSettings, PlacedLease | undefined, object]>([
  ['of the same cluster and namespace', hub, lease, ofLease],
  ['of the own cluster', { namespace: 'shifts' }, { ...lease, at: {} }, ofLease],
  [
    'of another namespace',
    { ...hub, namespace: 'ops' },
    lease,
    { ...ofNamespace, name: 'ops', namespace: 'ops' },
  ],
  ['of another cluster', { namespace: 'shifts', context: 'other' }, lease, ofNamespace],
  ['that is not there', hub, undefined, ofNamespace],
])('it is about a Lease %s', (_, settings, placed, regarding) => {
  expect(eventObject(settings, samples.started, placed).regarding).toEqual(regarding);
});

test('what is neither a warning nor bad news is normal', () => {
  const types = Object.values(samples).map((event) => [event.type, eventObject(hub, event).type]);
  expect(Object.fromEntries(types)).toEqual({
    ...{ started: 'Normal', stepWritten: 'Normal', checkAnswered: 'Warning', waiting: 'Warning' },
    ...{ paused: 'Warning', resumed: 'Normal', rollingBack: 'Warning', ended: 'Warning' },
  });
});

test('an Event that is there already is delivered', async () => {
  await expect(opened(hub, 'alreadyExists').sink.deliver(samples.started, signal)).resolves.toBeUndefined();
});

test.each<[KubernetesFailure, boolean]>([
  ['denied', true],
  ['invalid', true],
  ['notFound', true],
  ['unauthenticated', true],
  ['unreachable', false],
  ['throttled', false],
  ['faulty', false],
])('%s: whether another try is of no use: %s', async (failure, final) => {
  await expect(opened(hub, failure).sink.deliver(samples.started, signal)).rejects.toMatchObject({
    ...{ name: 'DeliveryFailed', message: `https://hub.example: create: ${failure}`, how: { final } },
  });
});

test('its least rights are to create Events in the namespace', () => {
  expect(kubernetesEvents.access!(hub)).toEqual({
    at: { kubeconfig: undefined, context: 'hub' },
    rules: [{ apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create'], namespace: 'shifts' }],
  });
});

test('whatever texts come from outside, within the bounds of the API server', () => {
  const outside = fc.oneof(
    fc.fullUnicodeString({ maxLength: 300 }),
    fc.constantFrom('', '語'.repeat(2_000), '😀'.repeat(2_000), 'A_b/C.'.repeat(100)),
  );
  fc.assert(
    fc.property(fc.constantFrom(...Object.values(samples)), outside, outside, (event, one, other) => {
      const strange = { ...event, id: one, route: one, by: one, reason: other } as object as FleetEvent;
      const { note, reportingInstance, metadata } = eventObject(hub, strange) as KubernetesObject & {
        readonly note: string;
        readonly reportingInstance: string;
      };
      expect(Buffer.byteLength(note)).toBeLessThanOrEqual(1_024);
      expect(Buffer.byteLength(reportingInstance)).toBeLessThanOrEqual(128);
      expect(reportingInstance).not.toBe('');
      expect(metadata.name).toMatch(/^[a-z0-9]([-a-z0-9]{0,251}[a-z0-9])?$/);
    }),
  );
});
