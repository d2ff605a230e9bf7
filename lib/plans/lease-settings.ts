import { awsAccessProblems } from '../aws';
import { longestDuration } from '../leases';
import type { AwsAccess } from '../aws';
import { goDuration, parseDuration } from '../durations';
import type { KubernetesSettings } from '../kubernetes';
import type { Problem, Rule, OptionsOf } from '../problems';
import { dnsLabel, isMapping, knownKeys, nearKey, Problems } from '../problems';
import { checkCluster } from './cluster-settings';

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

const longEnough: Rule = {
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
  const keys = isMapping(lease) ? Object.keys(lease) : [];
  const [kind = ''] = keys;
  if (!isMapping(lease) || keys.length !== 1 || !Object.hasOwn(kinds, kind)) {
    const near = nearKey(typeof lease === 'string' ? lease : kind, ['none', ...Object.keys(kinds)]);
    const meant = near === undefined ? '' : ` (is "${near}" meant?)`;
    problems.add(
      'lease',
      isMapping(lease) ? keys : lease,
      `"none", or a mapping with one of the keys ssm, kubernetes${meant}`,
    );
    return problems.all;
  }
  const given = lease[kind] ?? {};
  const path = `lease.${kind}`;
  if (!isMapping(given)) {
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
