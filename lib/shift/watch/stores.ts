import type { AwsClients } from '../../core/aws/clients';
import type { AllowStatement } from '../../core/aws/iam';
import type { Lease } from '../engine';
import { kubernetesLeaseNameOf, openLeaseOf, ssmLeasePermissions } from '../leases';
import type { LeaseSettings } from '../leases';
import { shiftAnswerRecords } from './answer-record';
import type { ShiftAnswers } from './answer-record';
import { shiftStatusRecords } from './status-record';
import type { ShiftStatus } from './status-record';

/** Where a shift says how far it is, and hears what people ask: beside its record. */
export interface WatchStores {
  /** How far the shift is. */
  readonly status: Lease<ShiftStatus>;
  /** What people ask of it. */
  readonly answers: Lease<ShiftAnswers>;
  /** Closes connections. */
  close(): void;
}

/** A run that was killed keeps no one out for long. */
const lasts = { status: '1m', answers: '30s' };

const statusId = (routerId: string): string => `shift-status/${routerId}`;

const answersId = (routerId: string): string => `shift-answers/${routerId}`;

/**
 * Opens both, in the place of the lease.
 *
 * @param clients those of the router, for a lease in the same region
 * @throws InvalidInput where there is no kubeconfig that can be used
 */
export async function openWatchStores(
  settings: Exclude<LeaseSettings, 'none'>,
  routerId: string,
  clients: AwsClients | undefined,
): Promise<WatchStores> {
  const own = (duration: string): LeaseSettings =>
    'kubernetes' in settings
      ? { kubernetes: { ...settings.kubernetes, duration } }
      : { ssm: { ...settings.ssm, duration } };
  const status = await openLeaseOf(shiftStatusRecords, own(lasts.status), statusId(routerId), clients);
  const answers = await openLeaseOf(shiftAnswerRecords, own(lasts.answers), answersId(routerId), clients);
  return {
    status: status.lease,
    answers: answers.lease,
    close: () => {
      status.close();
      answers.close();
    },
  };
}

/** The least rights at AWS that both need. */
export function watchPermissions(
  routerId: string,
  place: Parameters<typeof ssmLeasePermissions>[1],
): readonly AllowStatement[] {
  return [statusId(routerId), answersId(routerId)].flatMap((id) => ssmLeasePermissions(id, place));
}

/** Names of the Kubernetes Leases that hold both. */
export function watchLeaseNames(routerId: string): readonly string[] {
  return [
    kubernetesLeaseNameOf(shiftStatusRecords, statusId(routerId)),
    kubernetesLeaseNameOf(shiftAnswerRecords, answersId(routerId)),
  ];
}
