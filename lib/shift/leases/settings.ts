import { awsAccess } from '../../core/aws/access-schema';
import type { AwsAccess } from '../../core/aws/arns';
import { awsClients } from '../../core/aws/clients';
import type { AwsClients } from '../../core/aws/clients';
import { parseDuration } from '../../core/durations';
import type { KubernetesSettings } from '../../core/kubernetes/access';
import { clusterEntries } from '../../core/kubernetes/access-schema';
import { openKubernetes } from '../../core/kubernetes/open';
import { either, object, oneKeyOf, optional } from '../../core/validation/collections';
import { goDuration } from '../../core/validation/formats';
import { isPlainObject } from '../../core/validation/problems';
import type { Schema } from '../../core/validation/schema';
import {
  dnsLabelText,
  duration as anyDuration,
  following,
  oneOf,
  orNull,
} from '../../core/validation/values';
import type { Lease, ShiftRecord } from '../engine';
import { longestDuration } from './document';
import type { LeaseOptions } from './document';
import { kubernetesLeaseOf, kubernetesLeases } from './kubernetes';
import { noLeaseOf } from './memory';
import type { RecordKind } from './record-kind';
import { shiftRecords } from './shift-records';
import { ssmLeaseOf } from './ssm';

/** How one shift at a time is made sure of, and where the record of an unfinished one is kept. */
export type LeaseSettings =
  /** Neither: a run that goes on after a kill rolls back to the weights that it finds. */
  | 'none'
  | {
      /** A parameter of AWS Systems Manager. */
      readonly ssm: SsmLeaseSettings;
    }
  | {
      /** A Lease in a Kubernetes cluster. */
      readonly kubernetes: KubernetesLeaseSettings;
    };

/** A lease in a parameter of AWS Systems Manager, beside the router. */
export interface SsmLeaseSettings extends AwsAccess, LeaseDuration {}

/** A lease in a Kubernetes cluster: an object of the kind Lease. */
export interface KubernetesLeaseSettings extends LeaseDuration, Omit<KubernetesSettings, 'kubeconfigText'> {
  /** Namespace of the Lease, which is there already. */
  readonly namespace: string;
}

/** How long a lease lasts. */
export interface LeaseDuration {
  /** How long a run that was killed keeps others out. @default '2m' */
  readonly duration?: string;
}

/** Exactly one of these has the lease. */
interface LeaseKinds {
  readonly ssm: SsmLeaseSettings;
  readonly kubernetes: KubernetesLeaseSettings;
}

const duration = following(
  {
    allowed: 'a duration from 30s to 24h, such as "2m"',
    accepts: (value) => {
      const milliseconds = goDuration.accepts(value) ? parseDuration(value as string)! : 0;
      return milliseconds >= 30_000 && milliseconds <= longestDuration;
    },
  },
  anyDuration.json,
);

/** A lease that there is. */
const someLease = {
  when: isPlainObject,
  schema: oneKeyOf<LeaseKinds>({
    ssm: orNull(object<SsmLeaseSettings>({ ...awsAccess, duration: optional(duration) })),
    kubernetes: object<KubernetesLeaseSettings>({
      namespace: dnsLabelText,
      ...clusterEntries,
      duration: optional(duration),
    }),
  }),
};

/** What a plan file, and a program, may say of the lease. */
export const leaseSchema: Schema<LeaseSettings> = either<LeaseSettings>(
  '"none", or an object with one of the keys ssm, kubernetes: { ssm: {} }',
  { when: (value) => value === 'none', schema: oneOf('none') },
  someLease,
);

/** The same, of what can't do without one. */
export const neededLeaseSchema: Schema<Exclude<LeaseSettings, 'none'>> = either<
  Exclude<LeaseSettings, 'none'>
>(
  'an object with one of the keys ssm, kubernetes: { ssm: {} }; one run at a time has to be made sure of',
  someLease,
);

/** A lease, and how what it was opened with is closed. */
export interface OpenLease<R = ShiftRecord> {
  /** The lease. */
  readonly lease: Lease<R>;
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
export function openLease(
  settings: LeaseSettings,
  routerId: string,
  clients: AwsClients | undefined,
  holder?: string,
): Promise<OpenLease> {
  return openLeaseOf(shiftRecords, settings, routerId, clients, holder);
}

/**
 * The same for records of another kind.
 *
 * @param id of what only one at a time may change: another one for each kind of record
 */
export async function openLeaseOf<R extends object>(
  kind: RecordKind<R>,
  settings: LeaseSettings,
  id: string,
  clients: AwsClients | undefined,
  holder?: string,
): Promise<OpenLease<R>> {
  if (settings === 'none') {
    return { lease: noLeaseOf(), close: () => undefined };
  }
  if ('kubernetes' in settings) {
    const { namespace, kubeconfig, context, duration } = settings.kubernetes;
    const api = await openKubernetes({ kubeconfig, context });
    const lease = kubernetesLeaseOf(kind, id, kubernetesLeases(api), {
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
  const lease = ssmLeaseOf(kind, id, (own ?? clients)!, options(duration, holder));
  return { lease, close: () => own?.close() };
}

function options(duration: string | undefined, holder: string | undefined): LeaseOptions {
  return {
    ...(duration !== undefined && { duration: parseDuration(duration)! }),
    ...(holder !== undefined && { holder }),
  };
}
