import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { createHash } from 'node:crypto';
import { parseDuration } from '../../../core/durations';
import type { AccessRule } from '../../../core/kubernetes/api';
import { opaque } from '../../../core/validation/arguments';
import { across, list, object, optional, record } from '../../../core/validation/collections';
import { dnsLabel, dnsLabelUpTo, dnsSubdomain, variableName } from '../../../core/validation/formats';
import { InvalidInput } from '../../../core/validation/problems';
import { yaml } from '../../../core/validation/yaml';
import { duration, fits, flag, oneOf, whole } from '../../../core/validation/values';
import { commandPodEntries, commandPodEnvironment } from '../../command-pod';
import { labels as labelsSchema, refuseProps, secretValue, constructSubject } from '../../field-schemas';
import { withoutNamespace } from '../../objects';
import { ValidatingPolicy } from '../../webhooks';
import { changesSecrets, labelsPolicy } from './labels-policy';
import { formOf, workflowPlan } from './plan';
import type { WorkflowPlan } from './plan';
import { metricsPorts, refuseUnreachableMetrics } from './metrics-ports';
import { accessObjects, planFile } from './pods';
import type { ShiftPod } from './pods';
import { accessRule, environmentOf, folder, notInBoth } from './pod-props';
import type { EnvironmentSecret } from './pod-props';
import { requireSecrets } from './secret-sources';
import { workflowSpec } from './spec';
import { cronOf, workflowShiftWindow, startingDeadlineSeconds } from './window';
import type { ShiftWindow } from './window';

/** What a `ShiftWorkflow` is made of. */
export interface ShiftWorkflowProps {
  /** Name of the objects: a DNS label of at most 40 characters, since Argo Workflows makes longer names of it. */
  readonly name: string;
  /** Namespace of all objects; Argo Workflows has to watch it. */
  readonly namespace: string;
  /** The plan, as a plan file has it. What is wrong with it beyond its form the command says, before it writes anything. */
  readonly plan: WorkflowPlan;
  /**
   * Image with the command `cluster-canary`, by its digest: `NAME@sha256:…`. A tag may be another image for the pod that
   * goes on after a pause.
   */
  readonly image: string;
  /**
   * The command in the image. It is needed even where the image says it: else Argo Workflows asks the registry.
   *
   * @default ['cluster-canary']
   */
  readonly command?: readonly string[];
  /** Name of the service account, which is created. @default - the name of the workflow */
  readonly serviceAccountName?: string;
  /**
   * What starts a shift: a person or a program that submits the WorkflowTemplate (`byHand`), or that a new plan or image
   * is applied (`once`): each starts once, in the window where there is one.
   *
   * @default 'byHand'
   */
  readonly start?: 'byHand' | 'once';
  /** When waves may start. @default - at any time */
  readonly window?: ShiftWindow;
  /**
   * How long all of it may take, pauses and waits for the window included. Then pods are interrupted, which does what the
   * plan's `onInterrupt` says; nothing is taken back.
   *
   * @default '168h' - a person may be away for some days
   */
  readonly deadline?: string;
  /** How many pods run at once. @default - all of a wave */
  readonly parallelism?: number;
  /** How often a pod that was lost, killed or could not run is tried again. @default 8 - for a quarter of an hour */
  readonly retries?: number;
  /** How long a workflow that succeeded is kept. @default '24h' */
  readonly keepSucceeded?: string;
  /** How long one that failed is kept. @default '168h' */
  readonly keepFailed?: string;
  /**
   * Rights on the API server of this cluster that checks and lease need: of `planFile.shiftAccess(plan)`, those of the
   * cluster that the workflow runs in. They are granted in their own namespaces. Where they hold `patch` of Secrets, a policy
   * lets the account change the traffic labels of Argo CD's cluster Secrets alone.
   *
   * @default - none but what Argo's executor needs
   */
  readonly access?: readonly AccessRule[];
  /** Environment variables in plain text. @default - none */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Environment variables whose values are kept in Secrets: keys of metric services, tokens of sinks and approvals. Those that the
   * plan names for secrets are required: `PREVIEW_VALUE_GREEN` for `headers: { x-slot: { env: PREVIEW_VALUE_GREEN } }`, say.
   *
   * @default - none
   */
  readonly secrets?: Readonly<Record<string, EnvironmentSecret>>;
  /** Secrets that are mounted, by the path of the folder: kubeconfigs, and files that the plan reads secrets from. @default - none */
  readonly secretFolders?: Readonly<Record<string, string>>;
  /** Resources of the pods. @default - requests 50m and 128Mi, limit 512Mi of memory */
  readonly resources?: object;
  /** User and group that the pods run as; never 0. @default 65532 - the user of images without one of their own */
  readonly user?: number;
  /**
   * Whether a NetworkPolicy refuses all connections to the pods. They connect out to wherever checks ask and sinks are. The sink
   * `prometheus` needs `false`.
   *
   * @default true
   */
  readonly networkPolicy?: boolean;
  /** Labels of all objects and pods. @default - `app.kubernetes.io/name` and `app.kubernetes.io/instance` */
  readonly labels?: Readonly<Record<string, string>>;
  /** Fields of the container laid over ours, unchecked. @default - none */
  readonly containerArgs?: object;
  /** Fields of the workflow's spec laid over ours, unchecked: `nodeSelector`, say. @default - none */
  readonly specArgs?: object;
}

/** A CronWorkflow's name has at most 52 characters, and twelve are ours. */
const longestName = 40;

const shiftWorkflowProps = across(
  object<ShiftWorkflowProps>({
    name: fits(dnsLabelUpTo(longestName)),
    namespace: fits(dnsLabel),
    ...commandPodEntries,
    plan: workflowPlan,
    serviceAccountName: optional(fits(dnsSubdomain)),
    start: optional(oneOf('byHand', 'once')),
    window: optional(workflowShiftWindow),
    deadline: optional(duration),
    parallelism: optional(whole(1, 1_000)),
    retries: optional(whole(0, 100)),
    keepSucceeded: optional(duration),
    keepFailed: optional(duration),
    access: optional(list(accessRule)),
    env: optional(commandPodEnvironment),
    secrets: optional(record(secretValue, fits(variableName))),
    secretFolders: optional(record(fits(dnsSubdomain), fits(folder))),
    networkPolicy: optional(flag),
    labels: optional(labelsSchema),
    containerArgs: optional(opaque('an object with fields of a container')),
    specArgs: optional(opaque("an object with fields of a workflow's spec")),
  }),
  ({ env, secrets, secretFolders, networkPolicy, plan, containerArgs }, rules) => {
    notInBoth({ env, secrets }, rules);
    refuseUnreachableMetrics({ plan, networkPolicy }, rules);
    const pod = { env, secrets, containerArgs, folders: [secretFolders] };
    requireSecrets([{ at: ['plan'], value: plan }], pod, rules);
  },
);

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
 * `planFile.shiftPermissions`.
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
    refuseProps(constructSubject('ShiftWorkflow', id, props), shiftWorkflowProps, props);
    super(scope, id);
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
    for (const manifest of accessObjects(name, this.serviceAccount, props.access ?? [], labels)) {
      const { kind, metadata } = manifest;
      const key = kind === 'ServiceAccount' ? kind : `${kind} ${metadata.namespace ?? ''}`;
      const made = new ApiObject(this, key, manifest);
      if (metadata.namespace === undefined) {
        withoutNamespace(made);
      }
    }
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
  const text = yaml.stringify(plan, { aliasDuplicateObjects: false });
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
  const { window, parallelism } = props;
  const pod: ShiftPod = {
    image: props.image,
    command: props.command ?? ['cluster-canary'],
    env: environmentOf(props),
    resources: props.resources ?? {
      requests: { cpu: '50m', memory: '128Mi' },
      limits: { memory: '512Mi' },
    },
    secretFolders: props.secretFolders ?? {},
    ports: metricsPorts(props.plan),
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
