import { across, list, object, optional } from '../../core/validation/collections';
import { trueOrFalse, wholeNumber } from '../../core/validation/formats';
import type { Schema } from '../../core/validation/schema';
import { completed, completedAnnotations, completedLabels, repeatedIn } from '../field-schemas';
import type { Completion } from '../field-schemas';
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

/** Labels and annotations of a namespace. */
export interface NamespaceMetadata {
  /** Labels. @default - none */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations. @default - none */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A sync policy on its own. */
export function syncPolicySchema(by: Completion): Schema<SyncPolicy> {
  const flag = completed(trueOrFalse, by);
  const policy = object<SyncPolicy>({
    automated: optional(
      object<AutomatedSync>({
        enabled: optional(flag),
        prune: optional(flag),
        selfHeal: optional(flag),
        allowEmpty: optional(flag),
      }),
    ),
    syncOptions: optional(list(completed(syncOption, by))),
    retry: optional(
      object<SyncRetry>({
        limit: completed(wholeNumber(-1, Number.MAX_SAFE_INTEGER), by),
        refresh: optional(flag),
        backoff: optional(
          object({
            duration: optional(completed(retryDuration, by)),
            factor: optional(completed(wholeNumber(1, Number.MAX_SAFE_INTEGER), by)),
            maxDuration: optional(completed(retryDuration, by)),
          }),
        ),
      }),
    ),
    managedNamespaceMetadata: optional(
      object<NamespaceMetadata>({
        labels: optional(completedLabels(by)),
        annotations: optional(completedAnnotations(by)),
      }),
    ),
  });
  return across(policy, ({ syncOptions }, { mustBe }) => {
    const optionOf = (option: unknown): string | undefined => String(option).split('=')[0];
    for (const position of repeatedIn(syncOptions, optionOf)) {
      mustBe(['syncOptions', position], 'an option that the list does not hold already');
    }
  });
}

/** Whether the policy synchronises automatically: an `automated` without `enabled` does. */
export function synchronisesItself(policy: SyncPolicy | undefined): boolean {
  return policy?.automated !== undefined && policy.automated.enabled !== false;
}
