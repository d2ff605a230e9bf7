import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import type { Rule } from '../problems';
import { dnsLabel, dnsLabelUpTo, dnsSubdomain, oneOf, Problems, secretKey, refuseOptions } from '../problems';
import { alertObjects } from './alert-objects';
import type { WorkflowAlertsProps } from './workflow-alerts-props';
import { workflowAlertsPropsKeys } from './workflow-alerts-props';

const httpsUrl: Rule = {
  allowed: 'a URL that starts with "https://", without user information',
  accepts: (value) => typeof value === 'string' && /^https:\/\/[^\s/@?#]+([/?#]\S*)?$/.test(value),
};

/**
 * Alerts on events of workflows, by Argo Events: an EventSource looks at Kubernetes events of Workflows, and a Sensor
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
  /** What looks at events. */
  public readonly eventSource: ApiObject;
  /** What posts them. */
  public readonly sensor: ApiObject;

  /** @throws InvalidInput with everything that is wrong */
  public constructor(scope: Construct, id: string, props: WorkflowAlertsProps) {
    refuseOptions(`WorkflowAlerts "${id}"`, props, workflowAlertsPropsKeys);
    super(scope, id);
    checkProps(props);
    const objects = new Map<string, ApiObject>();
    for (const manifest of alertObjects(props)) {
      const key = `${manifest.kind} ${manifest.metadata.name}`;
      objects.set(manifest.kind, new ApiObject(this, key, manifest));
    }
    this.eventSource = objects.get('EventSource')!;
    this.sensor = objects.get('Sensor')!;
  }
}

function checkProps(props: WorkflowAlertsProps): void {
  const problems = new Problems(`WorkflowAlerts "${props.name}"`);
  problems.check('name', props.name, dnsLabelUpTo(40));
  problems.check('namespace', props.namespace, dnsLabel);
  if (!httpsUrl.accepts(props.url)) {
    // User information or a token may stand in it.
    problems.addSecret('url', httpsUrl.allowed);
  }
  problems.checkGiven('', props, { workflowNamespace: dnsLabel, eventBusName: dnsSubdomain });
  if (props.authorization !== undefined) {
    problems.check('authorization.secret', props.authorization?.secret, dnsSubdomain);
    problems.check('authorization.key', props.authorization?.key, secretKey);
  }
  const { events } = props;
  if (events !== undefined) {
    const known = oneOf('WorkflowNodeError', 'WorkflowNodeFailed', 'WorkflowFailed', 'WorkflowTimedOut');
    events.forEach((each, position) => problems.check(`events[${position}]`, each, known));
    if (events.length === 0 || new Set(events).size < events.length) {
      problems.add('events', events, 'a list of at least one event, each once');
    }
  }
  problems.throwIfAny();
}
