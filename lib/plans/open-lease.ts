import type { AwsClients } from '../aws';
import { awsClients } from '../aws';
import { parseDuration } from '../durations';
import { openKubernetes } from '../kubernetes';
import type { LeaseOptions } from '../leases';
import { kubernetesLease, ssmLease } from '../leases';
import type { Lease } from '../shift';
import { noLease } from '../shift';
import { kubernetesLeases } from './kubernetes-leases';
import type { LeaseSettings } from './lease-settings';
import type { Plan } from './plan';

/** Whether routes of a plan have a lease: those of a simulated router have one only where the plan says so. */
export function hasLease({ lease, routes }: Plan): boolean {
  const isSimulated = Object.values(routes).some(({ router }) => 'simulated' in router);
  return lease === undefined ? !isSimulated : lease !== 'none';
}

/** A lease, and how what it was opened with is closed. */
export interface OpenLease {
  /** The lease. */
  readonly lease: Lease;
  /** Closes the connections that it was opened with. */
  close(): void;
}

/**
 * The lease of a router.
 *
 * @param clients those of the router, for a lease in the same region
 * @param holder who takes it, where that is not another for every run
 * @throws InvalidInput where there is no kubeconfig that can be used
 */
export async function openLease(
  settings: LeaseSettings,
  routerId: string,
  clients: AwsClients | undefined,
  holder?: string,
): Promise<OpenLease> {
  if (settings === 'none') {
    return { lease: noLease(), close: () => undefined };
  }
  if ('kubernetes' in settings) {
    const { namespace, kubeconfig, context, duration } = settings.kubernetes;
    const api = await openKubernetes({ kubeconfig, context });
    const lease = kubernetesLease(routerId, kubernetesLeases(api), {
      namespace,
      ...options(duration, holder),
    });
    return { lease, close: () => api.close() };
  }
  const { region, roleArn, duration } = settings.ssm ?? {};
  const own =
    clients === undefined || region !== undefined || roleArn !== undefined
      ? awsClients({ region: region ?? clients?.region, roleArn })
      : undefined;
  const lease = ssmLease(routerId, (own ?? clients)!, options(duration, holder));
  return { lease, close: () => own?.close() };
}

function options(duration: string | undefined, holder: string | undefined): LeaseOptions {
  return {
    ...(duration !== undefined && { duration: parseDuration(duration)! }),
    ...(holder !== undefined && { holder }),
  };
}
