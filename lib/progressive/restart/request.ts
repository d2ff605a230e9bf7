import type { KubernetesApi } from '../../kubernetes';
import type { RestartDecision } from './decision';
import type { RestartLimits } from './limits';

/** What the calls need of an API server: to list and patch Rollouts, to list pods, to create Events. */
export type RestartApi = Pick<KubernetesApi, 'get' | 'list' | 'create' | 'patch'>;

/** Which Rollouts are looked at. */
export interface RestartRequest {
  /** The Argo CD Application. */
  readonly application: string;
  /** Namespace of the Application. */
  readonly namespace: string;
  /** How often and how soon a Rollout may be restarted. */
  readonly limits: RestartLimits;
  /** Name of the pod or the machine that asks, for the Event. */
  readonly host: string;
  /** Whether nothing is written. @default false */
  readonly dryRun?: boolean;
}

/** What became of one Rollout. */
export interface RolloutOutcome extends RestartDecision {
  /** Name of the Rollout. */
  readonly name: string;
  /** What `spec.restartAt` was set to, RFC 3339. Unset where it was not. */
  readonly restartAt?: string;
  /** The Event that could not be written, or the clock that could not be read. Unset where both could. */
  readonly warning?: string;
}
