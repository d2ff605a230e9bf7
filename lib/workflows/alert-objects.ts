import { podSecurity, restricted } from './pods';
import type { WorkflowAlertsProps, WorkflowEvent } from './workflow-alerts-props';

/** An object that alerts need. */
export interface AlertObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly [field: string]: unknown;
}

const argo = 'argoproj.io/v1alpha1';
const rbac = 'rbac.authorization.k8s.io';

/** Fields of the alert, each with where it stands in the event. */
const fields = {
  reason: 'body.reason',
  message: 'body.message',
  namespace: 'body.involvedObject.namespace',
  workflow: 'body.involvedObject.name',
  uid: 'body.involvedObject.uid',
  at: 'body.metadata.creationTimestamp',
} as const;

/**
 * User of Argo Events' image, which names none.
 * @see https://github.com/argoproj/argo-events/blob/v1.9.10/manifests/base/controller-manager/controller-manager-deployment.yaml
 */
const user = 9731;

/** Both pods write nothing but below /tmp, where Argo Events mounts a volume. */
const template = {
  securityContext: podSecurity(user),
  container: {
    resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { memory: '256Mi' } },
    securityContext: { ...restricted, readOnlyRootFilesystem: true },
  },
};

/** What looks at events and posts them, each with an account of its own: only the first may read anything. */
export function alertObjects(props: WorkflowAlertsProps): readonly AlertObject[] {
  const { name, namespace, workflowNamespace = namespace } = props;
  const reader = `${name}-source`;
  const role = workflowNamespace === namespace ? reader : `${namespace}-${reader}`;
  const events = props.events ?? ['WorkflowNodeError', 'WorkflowFailed'];
  const bus = props.eventBusName === undefined ? {} : { eventBusName: props.eventBusName };
  const pod = (serviceAccountName: string): object => ({ template: { ...template, serviceAccountName } });
  const roleRef = { apiGroup: rbac, kind: 'Role', name: role };
  const rules = [{ apiGroups: [''], resources: ['events'], verbs: ['get', 'list', 'watch'] }];
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: reader, namespace } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: `${name}-sensor`, namespace } },
    { apiVersion: `${rbac}/v1`, kind: 'Role', metadata: { name: role, namespace: workflowNamespace }, rules },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata: { name: role, namespace: workflowNamespace },
      roleRef,
      subjects: [{ kind: 'ServiceAccount', name: reader, namespace }],
    },
    {
      apiVersion: argo,
      kind: 'EventSource',
      metadata: { name, namespace },
      spec: {
        ...bus,
        ...pod(reader),
        resource: Object.fromEntries(
          events.map((event) => [entryOf(event), watched(event, workflowNamespace)]),
        ),
      },
    },
    {
      apiVersion: argo,
      kind: 'Sensor',
      metadata: { name, namespace },
      spec: {
        ...bus,
        ...pod(`${name}-sensor`),
        dependencies: events.map((event) => ({
          name: entryOf(event),
          eventSourceName: name,
          eventName: entryOf(event),
        })),
        triggers: events.map((event) => trigger(event, props)),
      },
    },
  ];
}

/** `WorkflowNodeError` becomes `workflow-node-error`. */
function entryOf(event: WorkflowEvent): string {
  return event.replace(/(?!^)([A-Z])/g, '-$1').toLowerCase();
}

/**
 * New events of one reason. One that is only counted up is not told again.
 * @see https://github.com/argoproj/argo-events/blob/master/pkg/eventsources/sources/resource/start.go
 */
function watched(event: WorkflowEvent, namespace: string): object {
  const field = (key: string, text: string): object => ({ key, operation: '==', value: `^${text}$` });
  return {
    namespace,
    group: '',
    version: 'v1',
    resource: 'events',
    eventTypes: ['ADD'],
    filter: {
      // What was there before is not told again when the pod starts anew.
      afterStart: true,
      fields: [field('reason', event), field('involvedObject.kind', 'Workflow')],
    },
  };
}

function trigger(event: WorkflowEvent, { url, authorization }: WorkflowAlertsProps): object {
  const dependencyName = entryOf(event);
  const severity = event.startsWith('WorkflowNode') ? 'warning' : 'critical';
  const payload = [
    // A field that is not there is empty text: without a value the whole alert would be an error.
    ...Object.entries(fields).map(([dest, dataKey]) => ({
      src: { dependencyName, dataKey, value: '' },
      dest,
    })),
    { src: { dependencyName, value: severity }, dest: 'severity' },
  ];
  const secureHeaders =
    authorization === undefined
      ? {}
      : {
          secureHeaders: [
            {
              name: 'Authorization',
              valueFrom: { secretKeyRef: { name: authorization.secret, key: authorization.key } },
            },
          ],
        };
  return {
    template: {
      name: dependencyName,
      conditions: dependencyName,
      http: {
        url,
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        ...secureHeaders,
        payload,
        timeout: 10,
      },
    },
    retryStrategy: { steps: 3, duration: '3s', factor: 2, jitter: 0.2 },
    policy: { status: { allow: [200, 201, 202, 204] } },
  };
}
