import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Chart, Testing } from 'cdk8s';
import * as fc from 'fast-check';
import { InvalidInput } from '../../../lib/core/validation';
import type { WorkflowAlertsProps, WorkflowEvent } from '../../../lib/manifests/workflows';
import { WorkflowAlerts } from '../../../lib/manifests/workflows';
import { argoErrors } from './argo-definitions';

const usual: WorkflowAlertsProps = {
  name: 'alerts',
  namespace: 'events',
  url: 'https://alerts.example.com/argo?team=a',
};

function objectsOf(props: Partial<WorkflowAlertsProps> = {}): any[] {
  const chart = new Chart(Testing.app(), 'test');
  const made = new WorkflowAlerts(chart, 'alerts', { ...usual, ...props });
  expect([made.eventSource.kind, made.sensor.kind]).toEqual(['EventSource', 'Sensor']);
  return Testing.synth(chart);
}

const ofKind = (objects: any[], kind: string): any => objects.find((each) => each.kind === kind);

test('a step that ended with an error, and a workflow that failed, are told by default', () => {
  const objects = objectsOf();
  const { resource } = ofKind(objects, 'EventSource').spec;
  expect(Object.keys(resource).sort()).toEqual(['workflow-failed', 'workflow-node-error']);
  expect(resource['workflow-failed']).toEqual({
    ...{ namespace: 'events', group: '', version: 'v1', resource: 'events', eventTypes: ['ADD'] },
    filter: {
      afterStart: true,
      fields: [
        { key: 'reason', operation: '==', value: '^WorkflowFailed$' },
        { key: 'involvedObject.kind', operation: '==', value: '^Workflow$' },
      ],
    },
  });
  const { dependencies, triggers } = ofKind(objects, 'Sensor').spec;
  expect(dependencies).toEqual(
    ['workflow-node-error', 'workflow-failed'].map((name) => ({
      name,
      eventName: name,
      eventSourceName: 'alerts',
    })),
  );
  const severities = triggers.map(({ template }: any) => [
    template.conditions,
    template.http.payload.find(({ dest }: any) => dest === 'severity').src.value,
  ]);
  expect(severities).toEqual([
    ['workflow-node-error', 'warning'],
    ['workflow-failed', 'critical'],
  ]);
});

test('only what looks at events may read anything: events, in the namespace of the workflows', () => {
  const objects = objectsOf({ workflowNamespace: 'batch', eventBusName: 'bus' });
  const role = ofKind(objects, 'Role');
  expect([role.metadata, role.rules]).toEqual([
    { name: 'events-alerts-source', namespace: 'batch' },
    [{ apiGroups: [''], resources: ['events'], verbs: ['get', 'list', 'watch'] }],
  ]);
  const binding = ofKind(objects, 'RoleBinding');
  expect(binding.roleRef.name).toBe(role.metadata.name);
  expect(binding.metadata.namespace).toBe('batch');
  expect(binding.subjects).toEqual([{ kind: 'ServiceAccount', name: 'alerts-source', namespace: 'events' }]);
  const [source, sensor] = ['EventSource', 'Sensor'].map((kind) => ofKind(objects, kind).spec);
  expect(source.template.serviceAccountName).toBe('alerts-source');
  expect(sensor.template.serviceAccountName).toBe('alerts-sensor');
  expect([source.eventBusName, sensor.eventBusName]).toEqual(['bus', 'bus']);
  expect(
    objects.filter(({ kind }) => kind === 'ServiceAccount').map(({ metadata }) => metadata.name),
  ).toEqual(['alerts-source', 'alerts-sensor']);
});

test('the pods of both keep to the Pod Security Standard restricted, and have limits', () => {
  const objects = objectsOf();
  for (const kind of ['EventSource', 'Sensor']) {
    expect(ofKind(objects, kind).spec.template).toMatchObject({
      securityContext: { runAsNonRoot: true, runAsUser: 9731, seccompProfile: { type: 'RuntimeDefault' } },
      container: {
        resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { memory: '256Mi' } },
        securityContext: {
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
          readOnlyRootFilesystem: true,
        },
      },
    });
  }
});

test('the header comes from a Secret', () => {
  const { triggers } = ofKind(objectsOf({ authorization: { secret: 'hook', key: 'header' } }), 'Sensor').spec;
  for (const { template } of triggers) {
    expect(template.http.secureHeaders).toEqual([
      { name: 'Authorization', valueFrom: { secretKeyRef: { name: 'hook', key: 'header' } } },
    ]);
  }
});

test('refused, all at once, and without the URL, which may hold a token', () => {
  const props = {
    ...{ name: 'A', namespace: 'B', workflowNamespace: 'C', eventBusName: 'D' },
    url: 'https://user:hunter2@alerts.example.com',
    events: ['WorkflowSucceeded', 'WorkflowFailed', 'WorkflowFailed'] as any,
    authorization: { secret: '!', key: '' },
  };
  let error: unknown;
  try {
    objectsOf(props);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(InvalidInput);
  expect((error as InvalidInput).problems.map(({ path }) => path)).toEqual([
    ...['name', 'namespace', 'workflowNamespace', 'url', 'authorization.secret', 'authorization.key'],
    ...['events[0]', 'events', 'eventBusName'],
  ]);
  expect((error as Error).message).not.toContain('hunter2');
});

test('whatever the options: the objects fit the schema of Argo Events', () => {
  const all: WorkflowEvent[] = [
    'WorkflowNodeError',
    'WorkflowNodeFailed',
    'WorkflowFailed',
    'WorkflowTimedOut',
  ];
  fc.assert(
    fc.property(
      fc.record(
        {
          workflowNamespace: fc.constantFrom('batch', 'events'),
          authorization: fc.constant({ secret: 'hook', key: 'header' }),
          events: fc.shuffledSubarray(all, { minLength: 1 }),
          eventBusName: fc.constantFrom('default', 'other'),
        },
        { requiredKeys: [] },
      ),
      (props) => {
        const objects = objectsOf(props).filter(({ apiVersion }) => apiVersion === 'argoproj.io/v1alpha1');
        expect(objects).toHaveLength(2);
        expect(objects.flatMap((each) => argoErrors(each))).toEqual([]);
      },
    ),
  );
});

if (existsSync(resolve(__dirname, '../../../../shared/crds'))) {
  test('the schema says what does not fit', () => {
    const sensor = ofKind(objectsOf(), 'Sensor');
    sensor.spec.triggers[0].template.http.urls = [];
    delete sensor.spec.triggers[1].template.http.url;
    expect(argoErrors(sensor)).toHaveLength(2);
  });
}
