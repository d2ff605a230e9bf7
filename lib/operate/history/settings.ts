import { awsRegion } from '../../core/aws/arns';
import type { AwsAccess } from '../../core/aws/arns';
import { awsClients } from '../../core/aws/clients';
import type { AllowStatement } from '../../core/aws/iam';
import type { KubernetesSettings } from '../../core/kubernetes/access';
import type { AccessRule } from '../../core/kubernetes/api';
import { openKubernetes } from '../../core/kubernetes/open';
import { dnsLabel } from '../../core/validation/formats';
import type { Problems } from '../../core/validation/problems';
import type { LeaseSettings } from '../../shift/leases';
import type { HistoryStore } from './entry';
import { folderHistory } from './folder';
import { kubernetesHistory, kubernetesHistoryAccess } from './kubernetes';
import { ssmHistory, ssmHistoryPermissions } from './ssm';

/** Where the history is kept: one of these. */
export type HistorySettings =
  | { readonly ssm: AwsAccess }
  | {
      readonly kubernetes: Pick<KubernetesSettings, 'kubeconfig' | 'context'> & {
        /** Namespace of the ConfigMaps, which is there already. */
        readonly namespace: string;
      };
    }
  /** A folder of this machine. */
  | { readonly folder: string };

/**
 * The history is kept beside the lease.
 *
 * @param region of the fleet, where the lease names none. @default - the environment's
 * @returns nothing where there is no lease
 */
export function historyOfLease(lease: LeaseSettings, region?: string): HistorySettings | undefined {
  if (lease === 'none') {
    return undefined;
  }
  if ('kubernetes' in lease) {
    const { namespace, kubeconfig, context } = lease.kubernetes;
    return {
      kubernetes: {
        namespace,
        ...(kubeconfig !== undefined && { kubeconfig }),
        ...(context !== undefined && { context }),
      },
    };
  }
  const { region: own = region, roleArn } = lease.ssm ?? {};
  return {
    ssm: { ...(own !== undefined && { region: own }), ...(roleArn !== undefined && { roleArn }) },
  };
}

/** Forms of {@link parseHistoryPlace}. */
const places = '"ssm", "ssm:REGION", "kubernetes:NAMESPACE" or "folder:PATH"';

/**
 * Reads a place as a command line names it: `ssm`, `ssm:eu-west-1`, `kubernetes:argocd`, `folder:./history`.
 *
 * @returns nothing where it is none, which is added to the problems
 */
export function parseHistoryPlace(
  said: string,
  path: string,
  problems: Problems,
): HistorySettings | undefined {
  const before = problems.all.length;
  const [, kind = '', value] = /^([a-z]+)(?::(.*))?$/su.exec(said) ?? [];
  if (kind === 'ssm' && (value === undefined || problems.check(path, value, awsRegion))) {
    return { ssm: value === undefined ? {} : { region: value } };
  }
  if (kind === 'kubernetes' && value !== undefined && problems.check(path, value, dnsLabel)) {
    return { kubernetes: { namespace: value } };
  }
  if (kind === 'folder' && value !== undefined && value !== '') {
    return { folder: value };
  }
  if (problems.all.length === before) {
    problems.add(path, said, places);
  }
  return undefined;
}

/** A store, and how what it was opened with is closed. */
export interface OpenHistory {
  readonly store: HistoryStore;
  /** Closes its connections. */
  close(): void;
}

/**
 * Opens the history. Nothing is asked yet.
 *
 * @example
 * const { store, close } = await openHistory({ ssm: { region: 'eu-west-1' } });
 * const { entries } = await store.list({ fleet: 'apps', limit: 10 });
 *
 * @throws InvalidInput where there is no kubeconfig that can be used
 */
export async function openHistory(settings: HistorySettings): Promise<OpenHistory> {
  if ('folder' in settings) {
    return { store: folderHistory(settings.folder), close: () => undefined };
  }
  if ('kubernetes' in settings) {
    const { namespace, ...access } = settings.kubernetes;
    const api = await openKubernetes(access);
    return { store: kubernetesHistory(api, namespace), close: () => api.close() };
  }
  const clients = awsClients(settings.ssm);
  return { store: ssmHistory(clients), close: () => clients.close() };
}

/** What the rights are for. */
export interface HistoryUse {
  readonly use: 'add' | 'list';
  /** @default - every fleet */
  readonly fleet?: string;
  /** Account of the identity that asks. @default - any */
  readonly account?: string;
}

/** The least rights at AWS that a history needs. */
export function historyPermissions(
  settings: HistorySettings,
  { use, fleet, account }: HistoryUse,
): readonly AllowStatement[] {
  return 'ssm' in settings
    ? ssmHistoryPermissions(use, {
        ...(fleet !== undefined && { fleet }),
        ...(settings.ssm.region !== undefined && { region: settings.ssm.region }),
        ...(account !== undefined && { account }),
      })
    : [];
}

/** The least rights at the API server that a history needs. */
export function historyAccess(
  settings: HistorySettings,
  { use }: Pick<HistoryUse, 'use'>,
): readonly AccessRule[] {
  return 'kubernetes' in settings ? kubernetesHistoryAccess(use, settings.kubernetes.namespace) : [];
}
