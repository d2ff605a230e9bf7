import { readinessSubjects } from '../../../core/readiness';
import type { ReadinessSubject } from '../../../core/readiness';
import type { CommonCheckArgs } from '../check-kind';
import type { SlotServersArgs } from '../shared/slot-servers';

/** What the check `readiness` takes. */
export interface ReadinessArgs extends CommonCheckArgs, SlotServersArgs {
  /** The Kubernetes version to upgrade to: `1.36`. @default - that of each slot that gains */
  readonly to?: string;
  /** AWS region of the clusters. @default - that of the load balancer */
  readonly region?: string;
  /** The subjects that are asked: `eks-insights`. @default - all but those that another setting asks for */
  readonly subjects?: readonly string[];
  /** Whether Helm's release records are read: they are Secrets, and hold the values of releases. @default false */
  readonly helmReleases?: boolean;
  /** Ids of findings that are accepted: `EKS09`. @default - none */
  readonly allow?: readonly string[];
  /** The least severity that fails. @default 'error' */
  readonly failOn?: 'error' | 'warning';
  /**
   * Subjects of which something may be untried, for want of a right say. Of every other one that is inconclusive.
   *
   * @default - none: what nobody looked at has not passed
   */
  readonly mayBeUntried?: readonly string[];
  /** How long the subjects may take; it has to be less than the minute that a check has. @default '45s' */
  readonly timeout?: string;
}

/** Time of the subjects: less than a check has. */
export const defaultTimeout = '45s';

/** Those that the settings ask for. */
export function chosenSubjects({ subjects, helmReleases }: ReadinessArgs): readonly ReadinessSubject[] {
  return readinessSubjects.filter(
    ({ name, optional: option }) =>
      (subjects?.includes(name) ?? true) && (option === undefined || helmReleases === true),
  );
}
