import type { OptionsOf } from '../problems';

/**
 * A right on an API server, as plain data: what a Role (with a namespace) or a ClusterRole (without) grants.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/
 */
export interface AccessRule {
  /** `''` is the core group. */
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** Kubernetes can limit neither `create` nor, by a name of one object, `list`. @default - objects of every name */
  readonly resourceNames?: readonly string[];
  /** @default - the rule is needed in every namespace */
  readonly namespace?: string;
}

/** Keys of `AccessRule`. */
export const accessRuleKeys: OptionsOf<AccessRule> = {
  apiGroups: 'list',
  resources: 'list',
  verbs: 'list',
  resourceNames: 'list',
  namespace: 'plain',
};
