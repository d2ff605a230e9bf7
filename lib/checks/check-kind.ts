import type { Problem } from '../problems';
import type { Check, ShiftSubject } from '../shift';
import type { CheckContext } from './check-context';
import type { IamStatement } from './iam-statement';
import type { KubernetesRight } from './kubernetes-source';

/** A kind of check: how its settings are judged, what it needs, and how one is made. */
export interface CheckKind<Args> {
  /**
   * What is wrong with settings that may come from a file; paths are those within the settings: `max`.
   *
   * @param args always an object; nothing else is known of it
   * @param subject ARNs and names of clusters may be missing in it: a deployment may not know them yet
   */
  problems(args: Readonly<Record<string, unknown>>, subject: ShiftSubject): readonly Problem[];

  /**
   * Makes the check. Asks nobody yet.
   *
   * @param name unique in the plan
   * @param args settings without a problem
   * @throws InvalidInput where the subject lacks what the check needs: an ARN, the name of a cluster
   */
  create(name: string, args: Args, context: CheckContext): Check;

  /** The rights at AWS that it needs, for the role that a shift runs with. */
  rights(args: Args, subject: ShiftSubject): readonly IamStatement[];

  /** The rights that it needs on API servers of Kubernetes. @default - none */
  access?(args: Args, subject: ShiftSubject): readonly KubernetesRight[];
}

/** What every kind of check takes. */
export interface NamedCheck {
  /** Name of the check in reports. @default - its kind, with a number from the second of a kind on */
  readonly name?: string;
}
