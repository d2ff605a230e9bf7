import type { OptionsOf } from '../problems';
import { oneOf, textRule, listOf } from '../problems';
import type { FieldChecks } from './field-checks';

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
  /** Groups of the identity provider that have the role. @default - nobody but holders of its tokens */
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

export const projectRoleKeys: OptionsOf<ProjectRole> = {
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
export function checkRoles(checks: FieldChecks, path: string, roles: readonly ProjectRole[]): void {
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

/** A role as it stands in the manifest, its permissions in Argo CD's policy language. */
export function roleManifest(project: string, role: ProjectRole): Record<string, unknown> {
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
