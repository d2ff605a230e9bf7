import type { OptionsOf } from '../problems';
import { dnsSubdomain, wholeNumber, listOf } from '../problems';
import type { ApplicationSource } from './application-source';
import { checkApplicationSource } from './application-source-check';
import type { Destination } from './destination';
import { checkDestination } from './destination';
import { directoryOptionsKeys } from './directory-options';
import type { FieldChecks } from './field-checks';
import { helmOptionsKeys } from './helm-options';
import type { IgnoredDifference } from './ignore-differences';
import { checkIgnoredDifferences, ignoredDifferenceKeys } from './ignore-differences';
import { kustomizeOptionsKeys } from './kustomize-options';
import { sourcePluginKeys } from './source-plugin';
import type { SyncPolicy } from './sync-policy';
import { checkSyncPolicy, syncPolicyKeys } from './sync-policy';

/** What an Application deploys, where, and how: of one Application, or of all that an ApplicationSet makes. */
export interface ApplicationSpec {
  /**
   * Project that says what the Application may do. There is no default, since Argo CD's own (`default`) allows
   * everything.
   */
  readonly project: string;
  /** Where the objects come from; or `sources`. @default - from `sources` */
  readonly source?: ApplicationSource;
  /** Several places that the objects come from; or `source`. @default - from `source` */
  readonly sources?: readonly ApplicationSource[];
  /** Cluster and namespace that the objects go to. */
  readonly destination: Destination;
  /** When and how to synchronise. @default - somebody starts every sync */
  readonly syncPolicy?: SyncPolicy;
  /**
   * Fields that may differ from the source. Brings the sync option `RespectIgnoreDifferences=true`: without it
   * Argo CD only hides the difference, and every sync still overwrites the field.
   * @see https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/#respect-ignore-differences-configs
   * @default - none
   */
  readonly ignoreDifferences?: readonly IgnoredDifference[];
  /** Number of past revisions kept for a rollback. @default - Argo CD's default, 10 */
  readonly revisionHistoryLimit?: number;
}

const applicationSourceKeys: OptionsOf<ApplicationSource> = {
  repoURL: 'plain',
  path: 'plain',
  targetRevision: 'plain',
  directory: directoryOptionsKeys,
  kustomize: kustomizeOptionsKeys,
  helm: helmOptionsKeys,
  plugin: sourcePluginKeys,
  ref: 'plain',
  chart: 'plain',
};

export const applicationSpecKeys: OptionsOf<ApplicationSpec> = {
  project: 'plain',
  source: applicationSourceKeys,
  sources: listOf(applicationSourceKeys),
  destination: { name: 'plain', server: 'plain', namespace: 'plain' },
  syncPolicy: syncPolicyKeys,
  ignoreDifferences: listOf(ignoredDifferenceKeys),
  revisionHistoryLimit: 'plain',
};

/** A sync option that another setting needs. */
interface ImpliedOption {
  readonly option: string;
  readonly because: string;
}

/**
 * Checks a spec.
 *
 * @param path of the spec in the arguments; empty at the top
 * @param name of the Application, or the template of it
 */
export function checkApplicationSpec(
  checks: FieldChecks,
  path: string,
  spec: ApplicationSpec,
  name: string,
): void {
  const at = (field: string) => (path ? `${path}.${field}` : field);
  checks.required(at('project'), spec.project, dnsSubdomain);
  if (checks.exactlyOne(at('source'), spec, ['source', 'sources'])) {
    if (spec.source) {
      checkApplicationSource(checks, at('source'), spec.source, false, name);
    }
    spec.sources?.forEach((source, position) => {
      checkApplicationSource(checks, `${at('sources')}[${position}]`, source, true, name);
    });
    if (spec.sources?.length === 0) {
      checks.problems.add(at('sources'), spec.sources, 'a list with at least one source');
    }
  }
  checkDestination(checks, at('destination'), spec.destination);
  if (spec.syncPolicy) {
    checkSyncPolicy(checks, at('syncPolicy'), spec.syncPolicy);
  }
  checkIgnoredDifferences(checks, at('ignoreDifferences'), spec.ignoreDifferences ?? []);
  checks.optional(
    at('revisionHistoryLimit'),
    spec.revisionHistoryLimit,
    wholeNumber(0, Number.MAX_SAFE_INTEGER),
  );
  checkOptions(checks, at, spec);
}

function checkOptions(checks: FieldChecks, at: (field: string) => string, spec: ApplicationSpec): void {
  const given = spec.syncPolicy?.syncOptions ?? [];
  for (const { option, because } of impliedOptions(spec)) {
    const [word] = option.split('=');
    given.forEach((each, position) => {
      if (String(each).startsWith(`${word}=`) && each !== option) {
        checks.problems.add(
          `${at('syncPolicy.syncOptions')}[${position}]`,
          each,
          `"${option}", since "${because}" does not work without it`,
        );
      }
    });
  }
  if (syncOptions(spec).includes('CreateNamespace=true') && spec.destination?.namespace === undefined) {
    checks.problems.add(
      at('destination.namespace'),
      undefined,
      'given: "CreateNamespace=true" creates the namespace of the destination',
    );
  }
}

function impliedOptions(spec: ApplicationSpec): ImpliedOption[] {
  return [
    ...(spec.ignoreDifferences?.length
      ? [{ option: 'RespectIgnoreDifferences=true', because: 'ignoreDifferences' }]
      : []),
    ...(spec.syncPolicy?.managedNamespaceMetadata
      ? [{ option: 'CreateNamespace=true', because: 'managedNamespaceMetadata' }]
      : []),
  ];
}

/** The options that were given, then those that other settings need. */
function syncOptions(spec: ApplicationSpec): string[] {
  return [
    ...new Set<string>([
      ...(spec.syncPolicy?.syncOptions ?? []),
      ...impliedOptions(spec).map(({ option }) => option),
    ]),
  ];
}

/** The spec as it stands in the manifest. */
export function applicationSpecManifest(spec: ApplicationSpec): Record<string, unknown> {
  const options = syncOptions(spec);
  const syncPolicy =
    spec.syncPolicy || options.length > 0
      ? { ...spec.syncPolicy, syncOptions: options.length > 0 ? options : undefined }
      : undefined;
  return {
    project: spec.project,
    source: spec.source,
    sources: spec.sources,
    destination: spec.destination,
    syncPolicy,
    ignoreDifferences: spec.ignoreDifferences?.length ? spec.ignoreDifferences : undefined,
    revisionHistoryLimit: spec.revisionHistoryLimit,
  };
}
