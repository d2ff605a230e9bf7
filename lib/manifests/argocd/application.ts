import type { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { capacityFieldManager } from '../../core/names';
import { across, list, object, optional } from '../../core/validation/collections';
import type { Objections } from '../../core/validation/collections';
import { dnsLabel, dnsSubdomain, labelKey, nonEmptyText, wholeNumber } from '../../core/validation/formats';
import { isPlainObject } from '../../core/validation/problems';
import type { Entries, PathSteps, Schema, Unevaluated } from '../../core/validation/schema';
import { completed, refuseProps, constructSubject, withKeys } from '../field-schemas';
import type { Completion, FieldsOf } from '../field-schemas';
import { applicationSourceSchema, lacksReleaseName } from './application-source';
import type { ApplicationSource } from './application-source';
import { anyText, argoObject, argoObjectEntries, clusterServer, jsonPointer } from './argo-object';
import type { ArgoObjectProps } from './argo-object';
import { syncPolicySchema } from './sync-policy';
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

/**
 * What a traffic shift with `capacity` may raise in a cluster, as `ignoreDifferences` of an Application or of the template of an
 * ApplicationSet: as long as a shift holds a minimum, neither self-heal nor a sync takes it back.
 *
 * By field manager and not by JSON pointer. A pointer is ignored for good, so that a new minimum in Git would never reach the
 * cluster; a minimum that was given back belongs to another manager, and Git decides again. Both hold with client-side and
 * server-side apply, and with server-side diff.
 *
 * Argo CD finds a manager's fields by the Kubernetes schemas that it was built with. Where an object has a field that is newer,
 * the minimum is reverted all the same, and the shift says so.
 *
 * @see https://argo-cd.readthedocs.io/en/stable/user-guide/diffing/#application-level-configuration
 * @see https://argo-cd.readthedocs.io/en/stable/faq/#how-do-i-fix-field-not-declared-in-schema
 *
 * @example
 * new argocd.Application(chart, 'podinfo', {
 *   name: 'podinfo',
 *   project: 'apps',
 *   source: { repoURL: 'https://github.com/stefanprodan/podinfo', path: 'kustomize', targetRevision: '6.14.1' },
 *   destination: { name: 'blue', namespace: 'podinfo' },
 *   syncPolicy: { automated: { prune: true, selfHeal: true } },
 *   ignoreDifferences: argocd.capacityDifferences(),
 * });
 */
export function capacityDifferences(): IgnoredDifference[] {
  const kinds = [
    ['autoscaling', 'HorizontalPodAutoscaler'],
    ['keda.sh', 'ScaledObject'],
    ['apps', 'Deployment'],
    ['apps', 'StatefulSet'],
    ['argoproj.io', 'Rollout'],
  ] as const;
  return kinds.map(([group, kind]) => ({ group, kind, managedFieldsManagers: [capacityFieldManager] }));
}

function ignoredDifferenceSchema(by: Completion): Schema<IgnoredDifference> {
  const paths = optional(list(completed(nonEmptyText, by)));
  return withKeys(
    'at least one',
    ['jsonPointers', 'jqPathExpressions', 'managedFieldsManagers'],
    object<IgnoredDifference>({
      group: optional(completed(anyText, by)),
      kind: completed(nonEmptyText, by),
      name: optional(completed(anyText, by)),
      namespace: optional(completed(anyText, by)),
      jsonPointers: optional(list(completed(jsonPointer, by))),
      jqPathExpressions: paths,
      managedFieldsManagers: paths,
    }),
  );
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

function destinationSchema(by: Completion): Schema<Destination> {
  return withKeys(
    'exactly one',
    ['name', 'server'],
    object<FieldsOf<Destination>>({
      name: optional(completed(nonEmptyText, by)),
      server: optional(completed(clusterServer, by)),
      namespace: optional(completed(dnsLabel, by)),
    }),
  ) as Schema<Destination>;
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
   * Argo CD only hides the difference, and every sync still overwrites the field. {@link capacityDifferences} has what
   * traffic shifts raise.
   * @see https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/#respect-ignore-differences-configs
   * @default - none
   */
  readonly ignoreDifferences?: readonly IgnoredDifference[];
  /** Number of past revisions kept for a rollback. @default - Argo CD's default, 10 */
  readonly revisionHistoryLimit?: number;
}

/** Entries for a spec, each by itself. */
export function applicationSpecEntries(by: Completion): Entries<ApplicationSpec> {
  return {
    project: completed(dnsSubdomain, by),
    source: optional(applicationSourceSchema(by, false)),
    sources: optional(list(applicationSourceSchema(by, true), 1, 'a list with at least one source')),
    destination: destinationSchema(by),
    syncPolicy: optional(syncPolicySchema(by)),
    ignoreDifferences: optional(list(ignoredDifferenceSchema(by))),
    revisionHistoryLimit: optional(completed(wholeNumber(0, Number.MAX_SAFE_INTEGER), by)),
  };
}

/** A sync option that another setting needs. */
interface ImpliedOption {
  readonly option: string;
  readonly because: string;
}

/**
 * What entries of a spec say together.
 *
 * @param at place of the spec
 * @param name of the Application, or the template of it
 */
export function specObjections(
  at: PathSteps,
  spec: Unevaluated<ApplicationSpec>,
  name: unknown,
  by: Completion,
  { mustBe, mustBeSecretly }: Objections,
): void {
  if ((spec.source === undefined) === (spec.sources === undefined)) {
    mustBeSecretly([...at, 'source'], 'exactly one of "source", "sources"');
  }
  const sources = Array.isArray(spec.sources) ? (spec.sources as readonly unknown[]) : [];
  const placed = sources.map((source, position) => [['sources', position], source] as const);
  for (const [steps, source] of [[['source'], spec.source] as const, ...placed]) {
    if (lacksReleaseName(source, name, by)) {
      mustBe(
        [...at, ...steps, 'helm', 'releaseName'],
        'given, at most 53 characters: the name of the Application is too long for a Helm release',
      );
    }
  }
  const given = givenOptions(spec);
  for (const { option, because } of impliedOptions(spec)) {
    const [word] = option.split('=');
    given.forEach((each, position) => {
      if (String(each).startsWith(`${word}=`) && each !== option) {
        mustBe(
          [...at, 'syncPolicy', 'syncOptions', position],
          `"${option}", since "${because}" does not work without it`,
        );
      }
    });
  }
  const { destination } = spec;
  const hasNamespace = isPlainObject(destination) && destination.namespace !== undefined;
  if (syncOptions(spec).includes('CreateNamespace=true') && !hasNamespace) {
    mustBe(
      [...at, 'destination', 'namespace'],
      'given: "CreateNamespace=true" creates the namespace of the destination',
    );
  }
}

function givenOptions({ syncPolicy }: Unevaluated<ApplicationSpec>): readonly unknown[] {
  const options = isPlainObject(syncPolicy) ? syncPolicy.syncOptions : undefined;
  return Array.isArray(options) ? options : [];
}

function impliedOptions({ ignoreDifferences, syncPolicy }: Unevaluated<ApplicationSpec>): ImpliedOption[] {
  const ignores = Array.isArray(ignoreDifferences) && ignoreDifferences.length > 0;
  const manages = isPlainObject(syncPolicy) && Boolean(syncPolicy.managedNamespaceMetadata);
  return [
    ...(ignores ? [{ option: 'RespectIgnoreDifferences=true', because: 'ignoreDifferences' }] : []),
    ...(manages ? [{ option: 'CreateNamespace=true', because: 'managedNamespaceMetadata' }] : []),
  ];
}

/** The options that were given, then those that other settings need. */
function syncOptions(spec: Unevaluated<ApplicationSpec>): unknown[] {
  return [...new Set([...givenOptions(spec), ...impliedOptions(spec).map(({ option }) => option)])];
}

/** The spec as it is in the manifest. */
export function applicationSpecManifest(spec: ApplicationSpec): Record<string, unknown> {
  const options = syncOptions(spec);
  const policy = { ...spec.syncPolicy, syncOptions: options.length > 0 ? options : undefined };
  // Server-side apply makes null of an object that becomes empty, and refuses it: kubernetes/kubernetes#135841.
  const syncPolicy = Object.values(policy).some((value) => value !== undefined) ? policy : undefined;
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

const applicationSchema = across(
  object<ApplicationProps>({
    ...argoObjectEntries,
    ...applicationSpecEntries('deployment'),
    finalizers: optional(list(completed(labelKey))),
  }),
  (props, objections) => specObjections([], props, props.name, 'deployment', objections),
);

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
    refuseProps(constructSubject('Application', id, props), applicationSchema, props);
    super(scope, id);
    this.apiObject = argoObject(this, 'Application', props, applicationSpecManifest(props));
  }
}
