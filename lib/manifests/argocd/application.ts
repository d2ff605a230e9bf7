import type { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { FieldChecks } from '../../core/validation/fields';
import { dnsLabel, dnsSubdomain, labelKey, nonEmptyText, wholeNumber } from '../../core/validation/formats';
import { listOf, refuseOptions } from '../../core/validation/option-keys';
import type { OptionsOf } from '../../core/validation/option-keys';
import { Problems } from '../../core/validation/problems';
import {
  checkApplicationSource,
  directoryOptionsKeys,
  helmOptionsKeys,
  kustomizeOptionsKeys,
  sourcePluginKeys,
} from './application-source';
import type { ApplicationSource } from './application-source';
import { argoObject, argoObjectPropsKeys, checkArgoObject, clusterServer, jsonPointer } from './argo-object';
import type { ArgoObjectProps } from './argo-object';
import { checkSyncPolicy, syncPolicyKeys } from './sync-policy';
import type { SyncPolicy } from './sync-policy';

/**
 * Fields of some objects that may differ from the source, because something in the cluster sets them. At least
 * one of the three lists says which fields.
 * @see https://argo-cd.readthedocs.io/en/stable/user-guide/diffing/
 */
export interface IgnoredDifference {
  /** API group of the objects. @default - the core group */
  readonly group?: string;
  /** Kind of the objects. */
  readonly kind: string;
  /** Name of the object. @default - all of the kind */
  readonly name?: string;
  /** Namespace of the object. @default - any */
  readonly namespace?: string;
  /** Fields as JSON pointers. @default - none */
  readonly jsonPointers?: readonly string[];
  /** Fields as jq paths. @default - none */
  readonly jqPathExpressions?: readonly string[];
  /** Field managers whose fields count. @default - none */
  readonly managedFieldsManagers?: readonly string[];
}

const ignoredDifferenceKeys: OptionsOf<IgnoredDifference> = {
  group: 'plain',
  kind: 'plain',
  name: 'plain',
  namespace: 'plain',
  jsonPointers: 'list',
  jqPathExpressions: 'list',
  managedFieldsManagers: 'list',
};

/** Checks what may differ. */
function checkIgnoredDifferences(
  checks: FieldChecks,
  path: string,
  differences: readonly IgnoredDifference[],
): void {
  differences.forEach((difference, position) => {
    const at = `${path}[${position}]`;
    checks.required(`${at}.kind`, difference.kind, nonEmptyText);
    const { jsonPointers = [], jqPathExpressions = [], managedFieldsManagers = [] } = difference;
    if (jsonPointers.length + jqPathExpressions.length + managedFieldsManagers.length === 0) {
      checks.problems.add(
        at,
        difference,
        'at least one of "jsonPointers", "jqPathExpressions", "managedFieldsManagers"',
      );
    }
    checks.each(`${at}.jsonPointers`, jsonPointers, jsonPointer);
    checks.each(`${at}.jqPathExpressions`, jqPathExpressions, nonEmptyText);
    checks.each(`${at}.managedFieldsManagers`, managedFieldsManagers, nonEmptyText);
  });
}

/**
 * Where an Application's objects go: a cluster by the name it is registered under, or by its API server.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/declarative-setup/#applications
 */
export type Destination = DestinationByName | DestinationByServer;

/** A cluster by the name in its Secret; `in-cluster` is the one that Argo CD runs in. */
export interface DestinationByName {
  /** Name of the cluster in Argo CD. */
  readonly name: string;
  /** Left out: one of `name` and `server` says which cluster. */
  readonly server?: undefined;
  /** Namespace for objects that name none. @default - every object must name its own */
  readonly namespace?: string;
}

/** A cluster by its API server. */
export interface DestinationByServer {
  /**
   * URL of the API server; `https://kubernetes.default.svc` is the cluster that Argo CD runs in. The managed Argo CD of EKS
   * takes the cluster's ARN instead.
   */
  readonly server: string;
  /** Left out: one of `name` and `server` says which cluster. */
  readonly name?: undefined;
  /** Namespace for objects that name none. @default - every object must name its own */
  readonly namespace?: string;
}

/** Checks where an Application goes. */
function checkDestination(checks: FieldChecks, path: string, destination: Destination): void {
  checks.exactlyOne(path, destination, ['name', 'server']);
  checks.optional(`${path}.name`, destination?.name, nonEmptyText);
  checks.optional(`${path}.server`, destination?.server, clusterServer);
  checks.optional(`${path}.namespace`, destination?.namespace, dnsLabel);
}

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
  /** When and how to synchronise. @default - every sync is started by a user */
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

/** The spec as it is in the manifest. */
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

/**
 * What happens to an Application's objects when it is deleted.
 * @see https://argo-cd.readthedocs.io/en/stable/user-guide/app_deletion/
 */
export type ApplicationFinalizer =
  | 'resources-finalizer.argocd.argoproj.io'
  | 'resources-finalizer.argocd.argoproj.io/foreground'
  | 'resources-finalizer.argocd.argoproj.io/background'
  | (string & {});

/** What an Application is made of. */
export interface ApplicationProps extends ArgoObjectProps, ApplicationSpec {
  /**
   * Finalizers. With `resources-finalizer.argocd.argoproj.io` the Application's objects are deleted with it,
   * and its deletion hangs while its cluster can't be reached.
   * @default - none: what was deployed stays
   */
  readonly finalizers?: readonly ApplicationFinalizer[];
}

const applicationPropsKeys: OptionsOf<ApplicationProps> = {
  ...argoObjectPropsKeys,
  ...applicationSpecKeys,
  finalizers: 'list',
};

/**
 * An Argo CD Application.
 *
 * The name may have 253 characters, as every custom resource's. Argo CD tracks objects by annotation, so the 63
 * characters of a label value bind only where `application.resourceTrackingMethod` is set to `label`; Helm's 53
 * for a release bind where a source is a chart and sets no `releaseName`.
 * @see https://argo-cd.readthedocs.io/en/stable/user-guide/resource_tracking/
 *
 * @example
 * new argocd.Application(chart, 'podinfo', {
 *   name: 'podinfo',
 *   project: 'apps',
 *   source: { repoURL: 'https://github.com/stefanprodan/podinfo', path: 'kustomize', targetRevision: '6.14.1' },
 *   destination: { name: 'blue', namespace: 'podinfo' },
 *   syncPolicy: { automated: { prune: true, selfHeal: true }, syncOptions: ['CreateNamespace=true'] },
 * });
 */
export class Application extends Construct {
  /** The Kubernetes object. */
  public readonly apiObject: ApiObject;

  /** @throws InvalidInput where a field is missing or wrong, or settings contradict each other */
  public constructor(scope: Construct, id: string, props: ApplicationProps) {
    refuseOptions(`Application "${id}"`, props, applicationPropsKeys);
    super(scope, id);
    const problems = new Problems(`Application "${props.name}"`);
    const checks = new FieldChecks(problems);
    checkArgoObject(checks, props);
    checkApplicationSpec(checks, '', props, props.name);
    checks.each('finalizers', props.finalizers, labelKey);
    problems.throwIfAny();
    this.apiObject = argoObject(this, 'Application', props, applicationSpecManifest(props));
  }
}
