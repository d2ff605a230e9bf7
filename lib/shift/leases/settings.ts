import { awsAccessProblems } from '../../core/aws/arns';
import type { AwsAccess } from '../../core/aws/arns';
import { awsClients } from '../../core/aws/clients';
import type { AwsClients } from '../../core/aws/clients';
import { parseDuration } from '../../core/durations';
import { checkCluster } from '../../core/kubernetes/access';
import type { KubernetesSettings } from '../../core/kubernetes/access';
import { openKubernetes } from '../../core/kubernetes/open';
import { dnsLabel, goDuration } from '../../core/validation/formats';
import { knownKeys, nearKey } from '../../core/validation/known-keys';
import type { OptionsOf } from '../../core/validation/option-keys';
import { Problems, isPlainObject } from '../../core/validation/problems';
import type { Problem, Format } from '../../core/validation/problems';
import type { Lease } from '../engine';
import { longestDuration } from './document';
import type { LeaseOptions } from './document';
import { kubernetesLease, kubernetesLeases } from './kubernetes';
import { noLease } from './memory';
import { ssmLease } from './ssm';

/** How one shift at a time is made sure of, and where the record of an unfinished one is kept. */
export type LeaseSettings =
  /** Neither: a run that goes on after a kill rolls back to the weights that it finds. */
  | 'none'
  /** A parameter of AWS Systems Manager. */
  | { readonly ssm: SsmLeaseSettings }
  /** A Lease in a Kubernetes cluster. */
  | { readonly kubernetes: KubernetesLeaseSettings };

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

/** Keys of `LeaseSettings`. */
export const leaseSettingsKeys = {
  /** Of a lease in a parameter. */
  ssm: { region: 'plain', roleArn: 'plain', duration: 'plain' } satisfies OptionsOf<SsmLeaseSettings>,
  /** Of a lease in a cluster. */
  kubernetes: {
    namespace: 'plain',
    kubeconfig: 'plain',
    context: 'plain',
    duration: 'plain',
  } satisfies OptionsOf<KubernetesLeaseSettings>,
};

const kinds: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(leaseSettingsKeys).map(([kind, keys]) => [kind, Object.keys(keys)]),
);

const longEnough: Format = {
  allowed: 'a duration from 30s to 24h, such as "2m"',
  accepts: (value) =>
    goDuration.accepts(value) &&
    parseDuration(value as string)! >= 30_000 &&
    parseDuration(value as string)! <= longestDuration,
};

/** What is wrong with the settings of a lease; `undefined` is fine. */
export function leaseProblems(lease: unknown): readonly Problem[] {
  const problems = new Problems('lease');
  if (lease === undefined || lease === 'none') {
    return [];
  }
  const keys = isPlainObject(lease) ? Object.keys(lease) : [];
  const [kind = ''] = keys;
  if (!isPlainObject(lease) || keys.length !== 1 || !Object.hasOwn(kinds, kind)) {
    const near = nearKey(typeof lease === 'string' ? lease : kind, ['none', ...Object.keys(kinds)]);
    const meant = near === undefined ? '' : ` (is "${near}" meant?)`;
    problems.add(
      'lease',
      isPlainObject(lease) ? keys : lease,
      `"none", or a mapping with one of the keys ssm, kubernetes${meant}`,
    );
    return problems.all;
  }
  const given = lease[kind] ?? {};
  const path = `lease.${kind}`;
  if (!isPlainObject(given)) {
    problems.add(path, given, `a mapping with ${kinds[kind]!.join(', ')}`);
    return problems.all;
  }
  const settings = knownKeys(problems, path, given, kinds[kind]!);
  if (settings.duration !== undefined) {
    problems.check(`${path}.duration`, settings.duration, longEnough);
  }
  if (kind === 'ssm') {
    problems.addAll(awsAccessProblems(settings), path);
    return problems.all;
  }
  problems.check(`${path}.namespace`, settings.namespace, dnsLabel);
  checkCluster(problems, path, settings);
  return problems.all;
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
