import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { list, object, optional } from '../../core/validation/collections';
import { dnsLabel, dnsLabelUpTo, dnsSubdomain } from '../../core/validation/formats';
import { fits, oneOf, secret, text, that } from '../../core/validation/values';
import { containerSecurity, podSecurity, roleOf, serviceAccount } from '../command-pod';
import { refuseProps, secretValue, constructSubject } from '../field-schemas';
import type { Manifest } from '../objects';
import type { EnvironmentSecret } from './shift-workflow/pod-props';

/**
 * Events that the controller of Argo Workflows records for a Workflow.
 *
 * - `WorkflowNodeError`: a step has ended with an error, a refused pod for example. It may be tried again.
 * - `WorkflowNodeFailed`: a step's own program has failed.
 * - `WorkflowFailed`: the workflow has ended, failed or with an error.
 * - `WorkflowTimedOut`: its deadline is over.
 * @see https://argo-workflows.readthedocs.io/en/latest/workflow-events/
 */
export type WorkflowEvent =
  | 'WorkflowNodeError'
  | 'WorkflowNodeFailed'
  | 'WorkflowFailed'
  | 'WorkflowTimedOut';

/** What alerts are made of. */
export interface WorkflowAlertsProps {
  /** Name of the EventSource and the Sensor, and of what belongs to them: a DNS label of at most 40 characters. */
  readonly name: string;
  /** Namespace of these, where an EventBus is, too. */
  readonly namespace: string;
  /** Namespace of the workflows. @default - `namespace` */
  readonly workflowNamespace?: string;
  /** Where alerts are posted to, as JSON: a URL that starts with `https://`. */
  readonly url: string;
  /** The key of a Secret in `namespace` whose value is the header `Authorization`. @default - the header is not sent */
  readonly authorization?: EnvironmentSecret;
  /**
   * What is sent, in any order.
   * @default ['WorkflowNodeError', 'WorkflowFailed'] - the first says that pods are refused while retries may still help,
   * the second that they did not
   */
  readonly events?: readonly WorkflowEvent[];
  /** Name of the EventBus. @default - Argo Events' own: `default` */
  readonly eventBusName?: string;
}

const argo = 'argoproj.io/v1alpha1';

/** Fields of the alert, each with where it is in the event. */
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
  securityContext: podSecurity(user, 'ofGroup'),
  container: {
    resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { memory: '256Mi' } },
    securityContext: containerSecurity,
  },
};

/** What reads events and posts them, each with an account of its own: only the first may read anything. */
function alertObjects(props: WorkflowAlertsProps): readonly Manifest[] {
  const { name, namespace, workflowNamespace = namespace } = props;
  const reader = `${name}-source`;
  const account = { name: reader, namespace };
  const role = workflowNamespace === namespace ? reader : `${namespace}-${reader}`;
  const events = props.events ?? ['WorkflowNodeError', 'WorkflowFailed'];
  const bus = props.eventBusName === undefined ? {} : { eventBusName: props.eventBusName };
  const pod = (serviceAccountName: string): object => ({ template: { ...template, serviceAccountName } });
  return [
    serviceAccount(account),
    serviceAccount({ name: `${name}-sensor`, namespace }),
    ...roleOf(account, { name: role, namespace: workflowNamespace }, [
      { apiGroups: [''], resources: ['events'], verbs: ['get', 'list', 'watch'] },
    ]),
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
 * New events of one reason. One that is only counted up is not sent again.
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
      // What was there before is not sent again when the pod starts anew.
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

const eachOnce = 'a list of at least one event, each once';

const workflowAlertsProps = object<WorkflowAlertsProps>({
  name: fits(dnsLabelUpTo(40)),
  namespace: fits(dnsLabel),
  workflowNamespace: optional(fits(dnsLabel)),
  // User information or a token may be in it.
  url: secret(
    text('a URL that starts with "https://", without user information', /^https:\/\/[^\s/@?#]+([/?#]\S*)?$/),
  ),
  authorization: optional(secretValue),
  events: optional(
    that(
      list(
        oneOf('WorkflowNodeError', 'WorkflowNodeFailed', 'WorkflowFailed', 'WorkflowTimedOut'),
        1,
        eachOnce,
      ),
      eachOnce,
      (events) => new Set(events).size === events.length,
    ),
  ),
  eventBusName: optional(fits(dnsSubdomain)),
});

/**
 * Alerts on events of workflows, by Argo Events: an EventSource reads Kubernetes events of Workflows, and a Sensor
 * posts each to a URL, three times at most where that fails.
 *
 * The body is `{ reason, severity, message, namespace, workflow, uid, at }`, all of them text; `severity` is `warning`
 * for a step and `critical` for a workflow. A message is sent as it is: it may hold what a program has printed.
 *
 * Alerts are for people: Kubernetes events may be lost or counted together, so nothing should be decided by them. The
 * controller has to record them (`nodeEvents` and `workflowEvents` of its configuration, on by default).
 * @see https://argo-workflows.readthedocs.io/en/latest/workflow-events/
 * @see https://argoproj.github.io/argo-events/eventsources/setup/resource/
 *
 * @example
 * new workflows.WorkflowAlerts(chart, 'alerts', {
 *   name: 'batch-alerts',
 *   namespace: 'batch',
 *   url: 'https://alerts.example.com/argo',
 *   authorization: { secret: 'alerts', key: 'authorization' },
 * });
 */
export class WorkflowAlerts extends Construct {
  /** What reads events. */
  public readonly eventSource: ApiObject;
  /** What posts them. */
  public readonly sensor: ApiObject;

  /** @throws InvalidInput with everything that is wrong */
  public constructor(scope: Construct, id: string, props: WorkflowAlertsProps) {
    refuseProps(constructSubject('WorkflowAlerts', id, props), workflowAlertsProps, props);
    super(scope, id);
    const objects = new Map<string, ApiObject>();
    for (const manifest of alertObjects(props)) {
      const key = `${manifest.kind} ${manifest.metadata.name}`;
      objects.set(manifest.kind, new ApiObject(this, key, manifest));
    }
    this.eventSource = objects.get('EventSource')!;
    this.sensor = objects.get('Sensor')!;
  }
}
