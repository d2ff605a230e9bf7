import type { AccessRule } from '../kubernetes';
import { accessRuleKeys } from '../kubernetes';
import type { OptionsOf } from '../problems';
import { mapOf, listOf } from '../problems';
import type { ShiftWindow } from './window';
import { shiftWindowKeys } from './window';
import type { WorkflowPlan } from './workflow-plan';
import { workflowPlanKeys } from './workflow-plan';

/** Where the value of an environment variable is kept. */
export interface SecretKey {
  /** Name of the Secret, in the namespace of the workflow. */
  readonly secret: string;
  /** Key in the Secret whose value is used. */
  readonly key: string;
}

export const secretKeyKeys: OptionsOf<SecretKey> = { secret: 'plain', key: 'plain' };

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
   * Rights on the API server of this cluster that checks and lease need: of `plans.shiftAccess(plan)`, those of the
   * cluster that the workflow runs in. They are granted in their own namespaces. Where they hold `patch` of Secrets, a policy
   * lets the account change the traffic labels of Argo CD's cluster Secrets alone.
   *
   * @default - none but what Argo's executor needs
   */
  readonly access?: readonly AccessRule[];
  /** Environment variables in plain text. @default - none */
  readonly env?: Readonly<Record<string, string>>;
  /** Environment variables whose values are kept in Secrets: keys of metric services. @default - none */
  readonly secrets?: Readonly<Record<string, SecretKey>>;
  /** Secrets that are mounted, by the path of the folder: kubeconfigs. @default - none */
  readonly secretFolders?: Readonly<Record<string, string>>;
  /** Resources of the pods. @default - requests 50m and 128Mi, limit 512Mi of memory */
  readonly resources?: object;
  /** User and group that the pods run as; never 0. @default 65532 - the user of images without one of their own */
  readonly user?: number;
  /** Whether a NetworkPolicy refuses all connections to the pods. They connect out to wherever checks ask. @default true */
  readonly networkPolicy?: boolean;
  /** Labels of all objects and pods. @default - `app.kubernetes.io/name` and `app.kubernetes.io/instance` */
  readonly labels?: Readonly<Record<string, string>>;
  /** Fields of the container laid over ours, unchecked. @default - none */
  readonly containerArgs?: object;
  /** Fields of the workflow's spec laid over ours, unchecked: `nodeSelector`, say. @default - none */
  readonly specArgs?: object;
}

export const shiftWorkflowPropsKeys: OptionsOf<ShiftWorkflowProps> = {
  name: 'plain',
  namespace: 'plain',
  plan: workflowPlanKeys,
  image: 'plain',
  command: 'list',
  serviceAccountName: 'plain',
  start: 'plain',
  window: shiftWindowKeys,
  deadline: 'plain',
  parallelism: 'plain',
  retries: 'plain',
  keepSucceeded: 'plain',
  keepFailed: 'plain',
  access: listOf(accessRuleKeys),
  env: 'plain',
  secrets: mapOf(secretKeyKeys),
  secretFolders: 'plain',
  resources: 'plain',
  user: 'plain',
  networkPolicy: 'plain',
  labels: 'plain',
  containerArgs: 'plain',
  specArgs: 'plain',
};
