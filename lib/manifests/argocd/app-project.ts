import type { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { across, list, object, optional } from '../../core/validation/collections';
import type { Objections } from '../../core/validation/collections';
import { labelKey, oneOfWords, nonEmptyText, textRule } from '../../core/validation/formats';
import { isPlainObject } from '../../core/validation/problems';
import type { Entries, PathSteps, Unevaluated } from '../../core/validation/schema';
import { text } from '../../core/validation/values';
import { completed, refuseProps, repeatedIn, constructSubject, withKeys } from '../field-schemas';
import { anyText, argoObject, argoObjectEntries } from './argo-object';
import type { ArgoObjectProps } from './argo-object';
import { repositoryUrl } from './repository-credential';
import { description, syncWindowSchema } from './sync-window';
import type { SyncWindow } from './sync-window';

/**
 * A role of a project: who may do what with its Applications.
 * @see https://argo-cd.readthedocs.io/en/stable/user-guide/projects/#project-roles
 */
export interface ProjectRole {
  /** Name of the role: letters, digits, `-` and `_`. */
  readonly name: string;
  /** What the role is for. @default - nothing */
  readonly description?: string;
  /** What the role may do. @default - nothing beyond seeing the project */
  readonly policies?: readonly ProjectPolicy[];
  /** Groups of the identity provider that have the role. @default - only holders of its tokens */
  readonly groups?: readonly string[];
}

/** One permission of a role, always within its project. */
export interface ProjectPolicy {
  /** What the permission is about. @default 'applications' */
  readonly resource?: 'applications' | 'applicationsets' | 'logs' | 'exec' | 'clusters' | 'repositories';
  /** What may be done: `get`, `create`, `update`, `delete`, `sync`, `override`, `action/...` or `*`. */
  readonly action: string;
  /** Name of the object, or `NAMESPACE/NAME`, with wildcards. @default '*' - everything in the project */
  readonly object?: string;
  /** Whether it is allowed or denied. @default 'allow' */
  readonly effect?: 'allow' | 'deny';
}

/** As Argo CD's own validation: https://github.com/argoproj/argo-cd/blob/37ee0097cf851bc2dd7665fc081bbce61a7e836e/pkg/apis/application/v1alpha1/types.go */
const roleName = textRule(
  /^[a-zA-Z0-9]([-_a-zA-Z0-9]*[a-zA-Z0-9])?$/,
  'letters, digits, "-" and "_", a letter or digit at both ends',
);

const action = textRule(
  /^(get|create|update|delete|sync|override|rollback|\*|(action|update|delete)\/[^\s,]+)$/,
  'one of "get", "create", "update", "delete", "sync", "override", "rollback", "*", or "action/...", "update/...", "delete/..."',
);

const objectName = textRule(
  /^([*\w.-]+\/)?[*\w.-]+$/,
  'a name or "NAMESPACE/NAME" of letters, digits, "-", "_", "." and "*"',
);

const resource = oneOfWords('applications', 'applicationsets', 'logs', 'exec', 'clusters', 'repositories');

const group = textRule(
  /^(?!\s)(?!.*\s$)([^",\n\r\t]+|"[^"\n\r\t]+")$/,
  'a name without spaces around it, in double quotes if it holds a comma',
);

const projectRole = across(
  object<ProjectRole>({
    name: completed(roleName),
    description: optional(text('a text')),
    policies: optional(
      list(
        object<ProjectPolicy>({
          resource: optional(completed(resource)),
          action: completed(action),
          object: optional(completed(objectName)),
          effect: optional(completed(oneOfWords('allow', 'deny'))),
        }),
      ),
    ),
    groups: optional(list(completed(group))),
  }),
  ({ policies, groups }, objections) => {
    refuseRepeated(['policies'], policies, 'a permission', objections, (policy) =>
      isPlainObject(policy) ? complete(policy as unknown as ProjectPolicy) : policy,
    );
    refuseRepeated(['groups'], groups, 'a group', objections);
  },
);

function refuseRepeated(
  steps: PathSteps,
  values: unknown,
  what: string,
  { mustBe }: Objections,
  identityOf?: (value: unknown) => unknown,
): void {
  for (const position of repeatedIn(values, identityOf)) {
    mustBe([...steps, position], `${what} that the list does not hold already`);
  }
}

/** A role as it is in the manifest, its permissions in Argo CD's policy language. */
function roleManifest(project: string, role: ProjectRole): Record<string, unknown> {
  return {
    name: role.name,
    description: role.description,
    policies: role.policies?.map((policy) => policyText(project, role.name, policy)),
    groups: role.groups,
  };
}

function policyText(project: string, role: string, policy: ProjectPolicy): string {
  const { resource: about, action: what, object: which, effect } = complete(policy);
  return `p, proj:${project}:${role}, ${about}, ${what}, ${project}/${which}, ${effect}`;
}

function complete(policy: ProjectPolicy): Required<ProjectPolicy> {
  return {
    resource: policy.resource ?? 'applications',
    action: policy.action,
    object: policy.object ?? '*',
    effect: policy.effect ?? 'allow',
  };
}

/** Where a project's Applications may deploy; every field takes wildcards, and a leading `!` forbids. */
export interface ProjectDestination {
  /** Name of the cluster in Argo CD; or `server`. @default - by `server` */
  readonly name?: string;
  /** URL of the cluster's API server; or `name`. @default - by `name` */
  readonly server?: string;
  /** Namespace in the cluster. A leading `!` needs `server`: Argo CD does not read it beside a name. */
  readonly namespace: string;
}

/** A kind of objects; both fields take wildcards. */
export interface ProjectResource {
  /** API group; empty is the core group. */
  readonly group: string;
  /** Kind. */
  readonly kind: string;
}

/** A kind of cluster-wide objects, or some of them. */
export interface ClusterResourceKind extends ProjectResource {
  /** Names that count, with wildcards. @default - all of the kind */
  readonly name?: string;
}

/** What a project allows. */
export interface AppProjectProps extends ArgoObjectProps {
  /** What the project is for, at most 255 characters. @default - nothing */
  readonly description?: string;
  /** Repositories that its Applications may use, with wildcards; a leading `!` forbids. `['*']` is any. */
  readonly sourceRepos: readonly string[];
  /**
   * Clusters and namespaces that its Applications may deploy to. Who may deploy to the namespace of Argo CD
   * itself is its administrator.
   */
  readonly destinations: readonly ProjectDestination[];
  /**
   * Namespaces beside Argo CD's own whose Applications may use the project. The managed Argo CD of EKS asks for its own
   * namespace here, too.
   * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/app-any-namespace/
   * @default - none
   */
  readonly sourceNamespaces?: readonly string[];
  /** Cluster-wide kinds that are allowed. @default - none */
  readonly clusterResourceWhitelist?: readonly ClusterResourceKind[];
  /** Namespaced kinds that are allowed. @default - all that are not forbidden */
  readonly namespaceResourceWhitelist?: readonly ProjectResource[];
  /** Namespaced kinds that are forbidden. @default - none */
  readonly namespaceResourceBlacklist?: readonly ProjectResource[];
  /** Who may do what with the project's Applications. @default - Argo CD's general rules alone */
  readonly roles?: readonly ProjectRole[];
  /** When syncs are allowed or denied. @default - always allowed */
  readonly syncWindows?: readonly SyncWindow[];
  /**
   * Finalizers; `resources-finalizer.argocd.argoproj.io` keeps the project while an Application refers to it.
   * @default - none
   */
  readonly finalizers?: readonly string[];
}

const destination = across(
  withKeys(
    'exactly one',
    ['name', 'server'],
    object<ProjectDestination>({
      name: optional(completed(nonEmptyText)),
      server: optional(completed(nonEmptyText)),
      namespace: completed(nonEmptyText),
    }),
  ),
  ({ name, namespace }, { mustBe }) => {
    if (name !== undefined && typeof namespace === 'string' && namespace.startsWith('!')) {
      // https://github.com/argoproj/argo-cd/blob/37ee0097cf851bc2dd7665fc081bbce61a7e836e/pkg/apis/application/v1alpha1/app_project_types.go
      mustBe(
        ['namespace'],
        'a namespace without "!": Argo CD forbids a namespace only where the cluster is given by "server"',
      );
    }
  },
);

const resourceKind: Entries<ProjectResource> = {
  group: completed(anyText),
  kind: completed(nonEmptyText),
};

/** Entries for `AppProjectProps`, each by itself. */
export const appProjectEntries: Entries<AppProjectProps> = {
  ...argoObjectEntries,
  description: optional(description),
  sourceRepos: list(repositoryUrl()),
  destinations: list(destination),
  sourceNamespaces: optional(list(completed(nonEmptyText))),
  clusterResourceWhitelist: optional(
    list(object<ClusterResourceKind>({ ...resourceKind, name: optional(text('a text')) })),
  ),
  namespaceResourceWhitelist: optional(list(object(resourceKind))),
  namespaceResourceBlacklist: optional(list(object(resourceKind))),
  roles: optional(list(projectRole)),
  syncWindows: optional(list(syncWindowSchema)),
  finalizers: optional(list(completed(labelKey))),
};

const appProjectSchema = across(object<AppProjectProps>(appProjectEntries), (props, objections) => {
  refuseRepeated(['sourceRepos'], props.sourceRepos, 'a repository', objections);
  refuseRepeated(['destinations'], props.destinations, 'a destination', objections, (each) => {
    const { name, server, namespace } = isPlainObject(each) ? each : {};
    return [name ?? server, namespace];
  });
  refuseRepeated(['roles'], props.roles, 'a name', objections, (each) =>
    isPlainObject(each) ? each.name : each,
  );
  // Argo CD tells windows apart without these two.
  refuseRepeated(['syncWindows'], props.syncWindows, 'a window', objections, (each) =>
    isPlainObject(each) ? { ...each, manualSync: undefined, description: undefined } : each,
  );
  refuseNegations(props, objections);
});

/**
 * An Argo CD project: what its Applications may deploy, from where, and where to. It denies every cluster-wide
 * kind that is not listed, and `*` is nowhere unless it is given.
 * @see https://argo-cd.readthedocs.io/en/stable/user-guide/projects/
 *
 * @example
 * new argocd.AppProject(chart, 'apps', {
 *   name: 'apps',
 *   sourceRepos: ['https://github.com/stefanprodan/podinfo'],
 *   destinations: [{ name: '*', namespace: 'podinfo' }],
 *   clusterResourceWhitelist: [{ group: '', kind: 'Namespace' }],
 * });
 */
export class AppProject extends Construct {
  /** The Kubernetes object. */
  public readonly apiObject: ApiObject;

  /** @throws InvalidInput where a field is missing or wrong, or something is listed twice */
  public constructor(scope: Construct, id: string, props: AppProjectProps) {
    refuseProps(constructSubject('AppProject', id, props), appProjectSchema, props);
    super(scope, id);
    this.apiObject = argoObject(this, 'AppProject', props, {
      description: props.description,
      sourceRepos: props.sourceRepos,
      destinations: props.destinations,
      sourceNamespaces: props.sourceNamespaces,
      clusterResourceWhitelist: props.clusterResourceWhitelist ?? [],
      namespaceResourceWhitelist: props.namespaceResourceWhitelist,
      namespaceResourceBlacklist: props.namespaceResourceBlacklist,
      roles: props.roles?.map((role) => roleManifest(props.name, role)),
      syncWindows: props.syncWindows,
    });
  }
}

/** Argo CD refuses a rule that forbids everything. */
function refuseNegations(
  { sourceRepos, destinations }: Unevaluated<AppProjectProps>,
  { mustBe }: Objections,
): void {
  const refuse = (steps: PathSteps, value: unknown): void => {
    if (value === '!*') {
      mustBe(steps, 'left out: nothing is allowed that is not listed');
    }
  };
  for (const [position, url] of (Array.isArray(sourceRepos) ? sourceRepos : []).entries()) {
    refuse(['sourceRepos', position], url);
  }
  for (const [position, each] of (Array.isArray(destinations) ? destinations : []).entries()) {
    for (const field of ['name', 'server', 'namespace']) {
      refuse(['destinations', position, field], isPlainObject(each) ? each[field] : undefined);
    }
  }
}
