import { awsAccess } from '../../core/aws/access-schema';
import type { AwsAccess } from '../../core/aws/arns';
import { awsClients } from '../../core/aws/clients';
import type { AllowStatement } from '../../core/aws/iam';
import type { AccessRule } from '../../core/kubernetes/api';
import { openKubernetes } from '../../core/kubernetes/open';
import { refuseArguments } from '../../core/validation/arguments';
import { object, oneKeyOf } from '../../core/validation/collections';
import { text } from '../../core/validation/values';
import { historyNamespace } from '../../shift/history';
import type { HistoryNamespace } from '../../shift/history';
import type { LeaseSettings } from '../../shift/leases';
import { checkEntry } from './entry';
import type { HistoryStore } from './entry';
import { folderHistory } from './folder';
import { kubernetesHistory, kubernetesHistoryAccess } from './kubernetes';
import { ssmHistory, ssmHistoryPermissions } from './ssm';

/** Where the history is kept: one of these. */
export type HistorySettings =
  | {
      /** Parameters of AWS Systems Manager. */
      readonly ssm: AwsAccess;
    }
  | {
      /** ConfigMaps. */
      readonly kubernetes: HistoryNamespace;
    }
  | {
      /** A folder of this machine. */
      readonly folder: string;
    };

const historySettings = oneKeyOf<{
  readonly ssm: AwsAccess;
  readonly kubernetes: HistoryNamespace;
  readonly folder: string;
}>({
  ssm: object<AwsAccess>(awsAccess),
  kubernetes: object<HistoryNamespace>(historyNamespace),
  folder: text('the path of a folder', /^[^\0]+$/),
});

/**
 * The history is kept beside the lease.
 *
 * @param access of the fleet or of the route, where the lease names none. @default - the environment's
 * @returns nothing where there is no lease
 */
export function historyOfLease(lease: LeaseSettings, access: AwsAccess = {}): HistorySettings | undefined {
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
  const { region = access.region, roleArn = access.roleArn } = lease.ssm ?? {};
  return {
    ssm: { ...(region !== undefined && { region }), ...(roleArn !== undefined && { roleArn }) },
  };
}

/** A store, and how what it was opened with is closed. */
export interface OpenHistory {
  /** The store. */
  readonly store: HistoryStore;
  /** Closes its connections. */
  readonly close: () => void;
}

/**
 * Opens the history of swaps that have ended. Nothing is asked yet.
 *
 * @example
 * const { store, close } = await openHistory({ ssm: { region: 'eu-west-1' } });
 * const { entries } = await store.list({ fleet: 'apps', limit: 10 });
 * close();
 *
 * @throws InvalidInput with every problem of the settings; where there is no kubeconfig that can be used
 */
export async function openHistory(settings: HistorySettings): Promise<OpenHistory> {
  refuseArguments('openHistory', historySettings, settings);
  const { store, close } = await opened(settings);
  return {
    store: {
      ...store,
      add: async (entry, signal) => {
        checkEntry(entry);
        await store.add(entry, signal);
      },
    },
    close,
  };
}

async function opened(settings: HistorySettings): Promise<OpenHistory> {
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
  /** Whether entries are added or listed. */
  readonly use: 'add' | 'list';
  /** Name of the fleet. @default - every fleet */
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
