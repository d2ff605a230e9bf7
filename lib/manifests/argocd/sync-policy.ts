import type { FieldChecks } from '../../core/validation/fields';
import { wholeNumber } from '../../core/validation/formats';
import type { OptionsOf } from '../../core/validation/option-keys';
import { retryDuration, syncOption } from './argo-object';

/**
 * When and how an Application is synchronised.
 * @see https://argo-cd.readthedocs.io/en/stable/user-guide/auto_sync/
 */
export interface SyncPolicy {
  /** Synchronises automatically; `{}` is on, too. @default - every sync is started by a user */
  readonly automated?: AutomatedSync;
  /** How a sync works, each `OPTION=VALUE`. @default - Argo CD's defaults, and what other settings bring */
  readonly syncOptions?: readonly SyncOption[];
  /** How often a failed sync is tried again. @default - Argo CD's default */
  readonly retry?: SyncRetry;
  /**
   * Labels and annotations of the destination's namespace; brings `CreateNamespace=true`, without which Argo
   * CD ignores them.
   * @default - the namespace is left alone
   */
  readonly managedNamespaceMetadata?: NamespaceMetadata;
}

/** Options of automated syncs. */
export interface AutomatedSync {
  /** Whether it is on. @default true */
  readonly enabled?: boolean;
  /** Whether objects that left the source are deleted. @default false */
  readonly prune?: boolean;
  /** Whether changes made in the cluster are taken back. @default false */
  readonly selfHeal?: boolean;
  /** Whether pruning may leave nothing at all. @default false */
  readonly allowEmpty?: boolean;
}

const automatedSyncKeys: OptionsOf<AutomatedSync> = {
  enabled: 'plain',
  prune: 'plain',
  selfHeal: 'plain',
  allowEmpty: 'plain',
};

/**
 * A sync option with its value.
 * @see https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/
 */
export type SyncOption =
  | 'ApplyOutOfSyncOnly=true'
  | 'ClientSideApplyMigration=false'
  | 'CreateNamespace=true'
  | 'Delete=confirm'
  | 'Delete=false'
  | 'FailOnSharedResource=true'
  | 'Prune=confirm'
  | 'Prune=false'
  | 'PruneLast=true'
  | 'PrunePropagationPolicy=background'
  | 'PrunePropagationPolicy=foreground'
  | 'PrunePropagationPolicy=orphan'
  | 'Replace=true'
  | 'RespectIgnoreDifferences=true'
  | 'ServerSideApply=true'
  | 'SkipDryRunOnMissingResource=true'
  | 'Validate=false'
  | (string & {});

/** How often, and after which waits, a failed sync is tried again. */
export interface SyncRetry {
  /** Number of tries; -1 never stops. */
  readonly limit: number;
  /** Whether a retry takes the newest revision instead of the one that failed. @default false */
  readonly refresh?: boolean;
  /** Waits between tries. @default - Argo CD's default */
  readonly backoff?: {
    /** First wait, `5s`; a bare number is seconds. @default - Argo CD's default */
    readonly duration?: string;
    /** Factor from wait to wait, at least 1. @default - Argo CD's default */
    readonly factor?: number;
    /** Longest wait, `3m`; a bare number is seconds. @default - Argo CD's default */
    readonly maxDuration?: string;
  };
}

const syncRetryKeys: OptionsOf<SyncRetry> = {
  limit: 'plain',
  refresh: 'plain',
  backoff: { duration: 'plain', factor: 'plain', maxDuration: 'plain' },
};

/** Labels and annotations of a namespace. */
export interface NamespaceMetadata {
  /** Labels. @default - none */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations. @default - none */
  readonly annotations?: Readonly<Record<string, string>>;
}

const namespaceMetadataKeys: OptionsOf<NamespaceMetadata> = { labels: 'plain', annotations: 'plain' };

export const syncPolicyKeys: OptionsOf<SyncPolicy> = {
  automated: automatedSyncKeys,
  syncOptions: 'list',
  retry: syncRetryKeys,
  managedNamespaceMetadata: namespaceMetadataKeys,
};

/** Checks a sync policy on its own. */
export function checkSyncPolicy(checks: FieldChecks, path: string, policy: SyncPolicy): void {
  checks.each(`${path}.syncOptions`, policy.syncOptions, syncOption);
  checks.distinct(
    `${path}.syncOptions`,
    (policy.syncOptions ?? []).map((option) => String(option).split('=')[0]),
    'an option',
  );
  if (policy.retry) {
    checks.required(`${path}.retry.limit`, policy.retry.limit, wholeNumber(-1, Number.MAX_SAFE_INTEGER));
    const { duration, factor, maxDuration } = policy.retry.backoff ?? {};
    checks.optional(`${path}.retry.backoff.duration`, duration, retryDuration);
    checks.optional(`${path}.retry.backoff.factor`, factor, wholeNumber(1, Number.MAX_SAFE_INTEGER));
    checks.optional(`${path}.retry.backoff.maxDuration`, maxDuration, retryDuration);
  }
  checks.labels(`${path}.managedNamespaceMetadata.labels`, policy.managedNamespaceMetadata?.labels);
  checks.annotations(
    `${path}.managedNamespaceMetadata.annotations`,
    policy.managedNamespaceMetadata?.annotations,
  );
}

/** Whether the policy synchronises automatically: an `automated` without `enabled` does. */
export function synchronisesItself(policy: SyncPolicy | undefined): boolean {
  return policy?.automated !== undefined && policy.automated.enabled !== false;
}
