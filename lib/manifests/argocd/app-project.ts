import type { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { FieldChecks } from '../../core/validation/fields';
import { labelKey, oneOf, nonEmptyText, textRule } from '../../core/validation/formats';
import { listOf, refuseOptions } from '../../core/validation/option-keys';
import type { OptionsOf } from '../../core/validation/option-keys';
import { Problems } from '../../core/validation/problems';
import { anyText, argoObject, argoObjectPropsKeys, checkArgoObject } from './argo-object';
import type { ArgoObjectProps } from './argo-object';
import { checkRepositoryUrl } from './repository-credential';
import { checkDescription, checkSyncWindows, syncWindowKeys } from './sync-window';
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

const projectPolicyKeys: OptionsOf<ProjectPolicy> = {
  resource: 'plain',
  action: 'plain',
  object: 'plain',
  effect: 'plain',
};

const projectRoleKeys: OptionsOf<ProjectRole> = {
  name: 'plain',
  description: 'plain',
  policies: listOf(projectPolicyKeys),
  groups: 'list',
};

/** As Argo CD's own validation: https://github.com/argoproj/argo-cd/blob/37ee0097cf851bc2dd7665fc081bbce61a7e836e/pkg/apis/application/v1alpha1/types.go */
const roleName = textRule(
  /^[a-zA-Z0-9]([-_a-zA-Z0-9]*[a-zA-Z0-9])?$/,
  'letters, digits, "-" and "_", a letter or digit at both ends',
);

const action = textRule(
  /^(get|create|update|delete|sync|override|rollback|\*|(action|update|delete)\/[^\s,]+)$/,
  'one of "get", "create", "update", "delete", "sync", "override", "rollback", "*", or "action/...", "update/...", "delete/..."',
);

const object = textRule(
  /^([*\w.-]+\/)?[*\w.-]+$/,
  'a name or "NAMESPACE/NAME" of letters, digits, "-", "_", "." and "*"',
);

const resource = oneOf('applications', 'applicationsets', 'logs', 'exec', 'clusters', 'repositories');

const group = textRule(
  /^(?!\s)(?!.*\s$)([^",\n\r\t]+|"[^"\n\r\t]+")$/,
  'a name without spaces around it, in double quotes if it holds a comma',
);

/** Checks a project's roles. */
function checkRoles(checks: FieldChecks, path: string, roles: readonly ProjectRole[]): void {
  roles.forEach((role, position) => {
    const at = `${path}[${position}]`;
    checks.required(`${at}.name`, role.name, roleName);
    role.policies?.forEach((policy, each) => {
      checks.optional(`${at}.policies[${each}].resource`, policy.resource, resource);
      checks.required(`${at}.policies[${each}].action`, policy.action, action);
      checks.optional(`${at}.policies[${each}].object`, policy.object, object);
      checks.optional(`${at}.policies[${each}].effect`, policy.effect, oneOf('allow', 'deny'));
    });
    checks.distinct(`${at}.policies`, (role.policies ?? []).map(complete), 'a permission');
    checks.each(`${at}.groups`, role.groups, group);
    checks.distinct(`${at}.groups`, role.groups ?? [], 'a group');
  });
  checks.distinct(
    path,
    roles.map(({ name }) => name),
    'a name',
  );
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

const projectDestinationKeys: OptionsOf<ProjectDestination> = {
  name: 'plain',
  server: 'plain',
  namespace: 'plain',
};

/** A kind of objects; both fields take wildcards. */
export interface ProjectResource {
  /** API group; empty is the core group. */
  readonly group: string;
  /** Kind. */
  readonly kind: string;
}

const resourceKindKeys: OptionsOf<ProjectResource> = { group: 'plain', kind: 'plain' };

/** A kind of cluster-wide objects, or some of them. */
export interface ClusterResourceKind extends ProjectResource {
  /** Names that count, with wildcards. @default - all of the kind */
  readonly name?: string;
}

const clusterResourceKindKeys: OptionsOf<ClusterResourceKind> = { ...resourceKindKeys, name: 'plain' };

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

/** Keys of `AppProjectProps`. */
export const appProjectPropsKeys: OptionsOf<AppProjectProps> = {
  ...argoObjectPropsKeys,
  description: 'plain',
  sourceRepos: 'list',
  destinations: listOf(projectDestinationKeys),
  sourceNamespaces: 'list',
  clusterResourceWhitelist: listOf(clusterResourceKindKeys),
  namespaceResourceWhitelist: listOf(resourceKindKeys),
  namespaceResourceBlacklist: listOf(resourceKindKeys),
  roles: listOf(projectRoleKeys),
  syncWindows: listOf(syncWindowKeys),
  finalizers: 'list',
};

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
    refuseOptions(`AppProject "${id}"`, props, appProjectPropsKeys);
    super(scope, id);
    const problems = new Problems(`AppProject "${props.name}"`);
    check(new FieldChecks(problems), props);
    problems.throwIfAny();
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

function check(checks: FieldChecks, props: AppProjectProps): void {
  checkArgoObject(checks, props);
  checkDescription(checks, 'description', props.description);
  props.sourceRepos.forEach((url, position) => {
    checkRepositoryUrl(checks, `sourceRepos[${position}]`, url);
  });
  checks.distinct('sourceRepos', props.sourceRepos, 'a repository');
  props.destinations.forEach((destination, position) => {
    const at = `destinations[${position}]`;
    checks.exactlyOne(at, destination, ['name', 'server']);
    checks.optional(`${at}.name`, destination.name, nonEmptyText);
    checks.optional(`${at}.server`, destination.server, nonEmptyText);
    checks.required(`${at}.namespace`, destination.namespace, nonEmptyText);
    if (destination.name !== undefined && destination.namespace?.startsWith('!')) {
      // https://github.com/argoproj/argo-cd/blob/37ee0097cf851bc2dd7665fc081bbce61a7e836e/pkg/apis/application/v1alpha1/app_project_types.go
      checks.problems.add(
        `${at}.namespace`,
        destination.namespace,
        'a namespace without "!": Argo CD forbids a namespace only where the cluster is given by "server"',
      );
    }
  });
  checks.distinct(
    'destinations',
    props.destinations.map(({ name, server, namespace }) => [name ?? server, namespace]),
    'a destination',
  );
  checks.each('sourceNamespaces', props.sourceNamespaces, nonEmptyText);
  checkNegations(checks, props);
  for (const list of [
    'clusterResourceWhitelist',
    'namespaceResourceWhitelist',
    'namespaceResourceBlacklist',
  ] as const) {
    props[list]?.forEach(({ group, kind }, position) => {
      checks.required(`${list}[${position}].group`, group, anyText);
      checks.required(`${list}[${position}].kind`, kind, nonEmptyText);
    });
  }
  checkRoles(checks, 'roles', props.roles ?? []);
  checkSyncWindows(checks, 'syncWindows', props.syncWindows ?? []);
  checks.each('finalizers', props.finalizers, labelKey);
}

/** Argo CD refuses a rule that forbids everything. */
function checkNegations(checks: FieldChecks, props: AppProjectProps): void {
  const fields: [string, string | undefined][] = [
    ...props.sourceRepos.map((url, position): [string, string] => [`sourceRepos[${position}]`, url]),
    ...props.destinations.flatMap((destination, position) =>
      (['name', 'server', 'namespace'] as const).map((field): [string, string | undefined] => [
        `destinations[${position}].${field}`,
        destination[field],
      ]),
    ),
  ];
  for (const [path, value] of fields) {
    if (value === '!*') {
      checks.problems.add(path, value, 'left out: nothing is allowed that is not listed');
    }
  }
}
