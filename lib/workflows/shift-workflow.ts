import { createHash } from 'node:crypto';
import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { stringify } from 'yaml';
import { ValidatingPolicy, withoutNamespace } from '../admission';
import { parseDuration } from '../durations';
import { InvalidInput, refuseOptions } from '../problems';
import { accessObjects } from './access-objects';
import { changesSecrets, labelsPolicy } from './labels-policy';
import type { ShiftPod } from './pods';
import { planFile } from './pods';
import { checkProps } from './props-problems';
import type { ShiftWorkflowProps } from './shift-workflow-props';
import { shiftWorkflowPropsKeys } from './shift-workflow-props';
import { cronOf, startingDeadlineSeconds } from './window';
import { formOf } from './workflow-plan';
import { workflowSpec } from './workflow-spec';

const argo = 'argoproj.io/v1alpha1';

/** A ConfigMap holds a mebibyte; the object around it needs some of that. */
const longestPlan = 1_000_000;

/** Eight digits keep two plans of one name apart. */
const hashLength = 8;

/**
 * A traffic shift as an Argo Workflow: no process of ours runs for longer than a route shifts, and none while a person is
 * waited for.
 *
 * It makes a ConfigMap with the plan, a service account with the rights of Argo's executor and of the plan's checks, a
 * NetworkPolicy and a WorkflowTemplate; where `access` reaches Secrets, a ValidatingAdmissionPolicy that limits the account's
 * changes of them to the traffic labels; with `start: 'once'` also a Workflow, or a CronWorkflow where there is a window,
 * that runs it once for each plan. Rights at AWS come to the service account by EKS Pod Identity: see
 * `plans.shiftRights`.
 *
 * Every wave is a task of a DAG, with a pod for each of its routes. A wave begins when the one before has succeeded. When
 * a route fails, it has rolled itself back; then its wave is taken back, or every wave, as the plan says, and the workflow
 * fails. At a pause of the plan the pods end, and a suspended node waits until it is resumed (`argo resume`, or the
 * button): for all routes of a wave at once. Checks don't run meanwhile. A node that is set to failed instead takes the
 * wave back.
 *
 * @example
 * new workflows.ShiftWorkflow(chart, 'shift', {
 *   name: 'apps-web',
 *   namespace: 'shifts',
 *   image: 'registry.example.com/cluster-canary@sha256:…',
 *   plan: parse(readFileSync('plan.yaml', 'utf8')),
 *   window: { from: 9, to: 17, timeZone: 'Europe/Berlin' },
 * });
 */
export class ShiftWorkflow extends Construct {
  /** The service account that the pods run as. */
  public readonly serviceAccount: {
    /** Its namespace. */
    readonly namespace: string;
    /** Its name. */
    readonly name: string;
  };
  /** The WorkflowTemplate. */
  public readonly template: ApiObject;
  /** What runs it once: a Workflow or a CronWorkflow. Unset with `start: 'byHand'`. */
  public readonly run?: ApiObject;

  /** @throws InvalidInput with everything that is wrong */
  public constructor(scope: Construct, id: string, props: ShiftWorkflowProps) {
    refuseOptions(`ShiftWorkflow "${id}"`, props, shiftWorkflowPropsKeys);
    super(scope, id);
    checkProps(props);
    const { name, namespace, window } = props;
    const plan = planText(props);
    const labels = labelsOf(props);
    this.serviceAccount = { namespace, name: props.serviceAccountName ?? name };
    const configMap = `${name}-plan-${hashOf(plan)}`;
    const object = (key: string, manifest: Manifest): ApiObject =>
      new ApiObject(this, key, { ...manifest, metadata: { namespace, ...manifest.metadata, labels } });

    object('Plan', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: configMap },
      // A workflow that waits at a pause goes on with the plan that it began with.
      immutable: true,
      data: { [planFile]: plan },
    });
    object('ServiceAccount', {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: this.serviceAccount.name },
    });
    accessObjects(name, namespace, this.serviceAccount.name, props.access ?? []).forEach((manifest) => {
      const metadata = { ...manifest.metadata, labels };
      const made = new ApiObject(this, `${manifest.kind} ${metadata.namespace ?? ''}`, {
        ...manifest,
        metadata,
      });
      if (metadata.namespace === undefined) {
        withoutNamespace(made);
      }
    });
    const policies = changesSecrets(props.access ?? [])
      ? [new ValidatingPolicy(this, 'Policy', labelsPolicy(name, this.serviceAccount, labels))]
      : [];
    if (props.networkPolicy !== false) {
      object('NetworkPolicy', {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata: { name },
        spec: { podSelector: { matchLabels: labels }, policyTypes: ['Ingress'], ingress: [] },
      });
    }
    const spec = { ...specOf(props, configMap, labels, this.serviceAccount.name), ...props.specArgs };
    this.template = object('Template', {
      apiVersion: argo,
      kind: 'WorkflowTemplate',
      metadata: { name },
      spec: { ...spec, workflowMetadata: { labels } },
    });
    // Before there is a policy, the account could change any Secret there.
    this.template.addDependency(...policies);
    if (props.start === 'once') {
      // Another plan or image is another object, which starts anew.
      const started = { name: `${name}-${hashOf(JSON.stringify([plan, spec]))}` };
      const workflow = { workflowTemplateRef: { name } };
      this.run = window
        ? object('Run', {
            apiVersion: argo,
            kind: 'CronWorkflow',
            metadata: started,
            spec: {
              schedules: [cronOf(window)],
              timezone: window.timeZone,
              startingDeadlineSeconds,
              concurrencyPolicy: 'Forbid',
              // One run, whatever comes of it: what was rolled back is not tried again every day.
              stopStrategy: { expression: 'cronworkflow.succeeded + cronworkflow.failed > 0' },
              workflowSpec: workflow,
            },
          })
        : object('Run', { apiVersion: argo, kind: 'Workflow', metadata: started, spec: workflow });
    }
  }
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly [field: string]: unknown;
}

function planText({ name, plan }: ShiftWorkflowProps): string {
  // Data of a program may name one object twice: the file says it twice, too.
  const text = stringify(plan, { aliasDuplicateObjects: false });
  const bytes = Buffer.byteLength(text);
  if (bytes > longestPlan) {
    throw new InvalidInput(`ShiftWorkflow "${name}"`, [
      {
        path: 'plan',
        value: `${bytes} bytes of YAML`,
        allowed: `at most ${longestPlan} bytes, as a ConfigMap holds`,
      },
    ]);
  }
  return text;
}

function labelsOf({ name, labels }: ShiftWorkflowProps): Record<string, string> {
  return { 'app.kubernetes.io/name': 'traffic-shift', 'app.kubernetes.io/instance': name, ...labels };
}

function specOf(
  props: ShiftWorkflowProps,
  configMap: string,
  podLabels: Readonly<Record<string, string>>,
  serviceAccountName: string,
): object {
  const { env = {}, secrets = {}, window, parallelism } = props;
  const pod: ShiftPod = {
    image: props.image,
    command: props.command ?? ['cluster-canary'],
    env: [
      ...Object.entries(env).map(([name, value]) => ({ name, value })),
      ...Object.entries(secrets).map(([name, { secret, key }]) => ({
        name,
        valueFrom: { secretKeyRef: { name: secret, key } },
      })),
    ],
    resources: props.resources ?? {
      requests: { cpu: '50m', memory: '128Mi' },
      limits: { memory: '512Mi' },
    },
    secretFolders: props.secretFolders ?? {},
    configMap,
    containerArgs: props.containerArgs ?? {},
  };
  return workflowSpec({
    form: formOf(props.plan),
    pod,
    ...(window ? { window } : {}),
    ...(parallelism === undefined ? {} : { parallelism }),
    retries: props.retries ?? 8,
    serviceAccountName,
    mutex: props.name,
    user: props.user ?? 65_532,
    podLabels,
    deadlineSeconds: seconds(props.deadline ?? '168h'),
    keepSucceededSeconds: seconds(props.keepSucceeded ?? '24h'),
    keepFailedSeconds: seconds(props.keepFailed ?? '168h'),
  });
}

function seconds(duration: string): number {
  return Math.ceil(parseDuration(duration)! / 1000);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, hashLength);
}
