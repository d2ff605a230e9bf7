import type { CheckSettings } from '../../checks';
import type { LeaseSettings } from '../../plans';
import type { ShiftSettings, Weights } from '../../shift';
import type { RuleKind } from './rule-kind';
import type { WeightsByArn } from './rule-weights';
import type { WantedRule } from './wanted-rule';

/** What is shifted to what. */
export interface RuleShift {
  /** For people: `FleetTraffic "apps"`. */
  readonly what: string;
  readonly kind: RuleKind;
  readonly rules: readonly WantedRule[];
  /** Weights of every slot of the program. */
  readonly wanted: Weights;
  /** Name of each slot's EKS cluster, as far as known. */
  readonly clusterNames: Readonly<Record<string, string>>;
  readonly settings: ShiftSettings;
  readonly checks: readonly CheckSettings[];
  /** Whether it is to have no checks, which a preview says. @default false */
  readonly unchecked?: boolean;
  readonly lease: LeaseSettings | undefined;
  /** Who holds the lease: the engine lets a stack be updated once at a time, so each of its runs may take it over. */
  readonly holder: string;
  readonly resumedTo: number | undefined;
  /** ARN of an IAM role that AWS is called with. */
  readonly roleArn: string | undefined;
}

/** A rule that is to be created. */
export interface NewRule {
  /** Which of the rules it is. */
  readonly tag: string;
  /** Id of the live rule that a resource is to be a part of: of records. @default - none */
  readonly partOf?: string;
  /** Where it is to stand: ARN of the listener or the load balancer; of records the zone. */
  readonly place: string;
}

/** A rule whose update is due. */
export interface DueRule extends NewRule {
  readonly id: string;
  /** Its weights in Pulumi's state: where a rollback goes when no record says otherwise. */
  readonly before?: WeightsByArn;
}
