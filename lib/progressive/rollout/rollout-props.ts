import type { OptionsOf } from '../../problems';
import type { BlueGreenStrategy } from './blue-green-strategy';
import { blueGreenStrategyKeys } from './blue-green-strategy';
import type { CanaryStrategy } from './canary-strategy';
import { canaryStrategyKeys } from './canary-strategy';
import type { PodMetadata } from '../object-metadata';
import { podMetadataKeys } from '../object-metadata';

/** The pods of a Rollout, as a Deployment has them. */
export interface PodTemplate {
  /** Labels and annotations of the pods; a selector needs labels. */
  readonly metadata: PodMetadata;
  /** A PodSpec of Kubernetes. */
  readonly spec: object;
}

const podTemplateKeys: OptionsOf<PodTemplate> = { metadata: podMetadataKeys, spec: 'plain' };

/** Another object whose pod template counts. */
export interface WorkloadRef {
  /** Name of the object, in the Rollout's namespace. */
  readonly name: string;
  /** Kind of the object. @default 'Deployment' */
  readonly kind?: 'Deployment' | 'ReplicaSet' | 'PodTemplate';
  /**
   * When a Deployment's own pods go: `progressively` as the Rollout's come, `onsuccess` when the Rollout is healthy.
   *
   * @default 'progressively' - as many pods as before, all along
   */
  readonly scaleDown?: 'never' | 'onsuccess' | 'progressively';
}

const workloadRefKeys: OptionsOf<WorkloadRef> = { name: 'plain', kind: 'plain', scaleDown: 'plain' };

/** What a Rollout is made of. Times are text as Go reads it: `30s`, `10m`. */
export interface RolloutProps {
  /** Name of the Kubernetes object: a DNS label, since Argo Rollouts makes labels of it. */
  readonly name: string;
  /** Namespace of the Rollout. @default - the chart's */
  readonly namespace?: string;
  /**
   * Labels of the Rollout; those of its pods stand in `template`.
   * @default - none of its own; labels of the chart are added by cdk8s
   */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations of the Rollout. @default - none */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Number of pods. @default - not said, so that an autoscaler's number stays; Argo makes one where nobody says it */
  readonly replicas?: number;
  /** The pods; or `workloadRef`. */
  readonly template?: PodTemplate;
  /** Labels that its pods are found by, which can't be changed later. @default - all labels of the template */
  readonly selector?: Readonly<Record<string, string>>;
  /** An object whose pods it takes over. @default - none: there is a template */
  readonly workloadRef?: WorkloadRef;
  /** How a new version comes. */
  readonly strategy:
    | {
        /** In steps, each under checks. */
        readonly canary: CanaryStrategy;
      }
    | {
        /** All at once, with the old version kept for a while. */
        readonly blueGreen: BlueGreenStrategy;
      };
  /** How long a new pod has to be ready before it counts. @default - no time */
  readonly minReady?: string;
  /** Old ReplicaSets that are kept. @default 3 - the versions are in Git; Argo's own is 10 */
  readonly revisionHistoryLimit?: number;
  /** Going back to one of so many versions skips the steps. @default - none are skipped */
  readonly rollbackWindow?: number;
  /** How long an update may make no progress before it counts as stuck; pauses and analyses are not counted. @default '10m' */
  readonly progressDeadline?: string;
  /**
   * Whether an update that is stuck is taken back.
   *
   * @default false - Argo Rollouts reports that of healthy Rollouts, too
   * (https://github.com/argoproj/argo-rollouts/issues/3316), and a RolloutRestarter helps none that was taken back. New
   * pods that are not ready get no traffic in either case
   */
  readonly progressDeadlineAbort?: boolean;
}

export const rolloutPropsKeys: OptionsOf<RolloutProps> = {
  name: 'plain',
  namespace: 'plain',
  labels: 'plain',
  annotations: 'plain',
  replicas: 'plain',
  template: podTemplateKeys,
  selector: 'plain',
  workloadRef: workloadRefKeys,
  strategy: { canary: canaryStrategyKeys, blueGreen: blueGreenStrategyKeys },
  minReady: 'plain',
  revisionHistoryLimit: 'plain',
  rollbackWindow: 'plain',
  progressDeadline: 'plain',
  progressDeadlineAbort: 'plain',
};
