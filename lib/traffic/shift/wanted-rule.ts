import type { RuleIdentity } from './rule-identity';
import type { SlotRecord } from './slot-record';

/** A rule of the program that takes part in a shift. */
export interface WantedRule extends RuleIdentity {
  /**
   * What stands on it for each slot: ARN of a target group, set identifier of a record. A preview does not know target groups
   * that it would make.
   */
  readonly targets: Readonly<Record<string, string>>;
  /** Of records: what each slot's say. @default - none */
  readonly records?: Readonly<Record<string, SlotRecord>>;
}
