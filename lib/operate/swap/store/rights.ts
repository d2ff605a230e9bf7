import type { AllowStatement } from '../../../core/aws/iam';
import type { AccessRule } from '../../../core/kubernetes/api';
import { kubernetesLeaseAccess, kubernetesLeaseNameOf, ssmLeasePermissions } from '../../../shift/leases';
import type { LeaseSettings } from '../../../shift/leases';
import { swapRecords } from '../record-schema';
import { swapLeaseId } from './swap-store';
import type { SwappedFleet } from './swap-store';

/**
 * The least rights at AWS that the lease of a fleet's swaps needs.
 *
 * @param account of the identity that asks. @default - any
 * @returns nothing for a lease that is no parameter of SSM
 */
export function swapStorePermissions(
  settings: LeaseSettings,
  fleet: SwappedFleet,
  account?: string,
): readonly AllowStatement[] {
  if (settings === 'none' || 'kubernetes' in settings) {
    return [];
  }
  const region = settings.ssm?.region ?? fleet.region;
  return ssmLeasePermissions(swapLeaseId(fleet), { region, ...(account !== undefined && { account }) });
}

/**
 * The least rights at the API server of the lease.
 *
 * @returns nothing for a lease that is no Lease of Kubernetes
 */
export function swapStoreAccess(settings: LeaseSettings, fleet: SwappedFleet): readonly AccessRule[] {
  return settings !== 'none' && 'kubernetes' in settings
    ? kubernetesLeaseAccess(settings.kubernetes.namespace, [
        kubernetesLeaseNameOf(swapRecords, swapLeaseId(fleet)),
      ])
    : [];
}
