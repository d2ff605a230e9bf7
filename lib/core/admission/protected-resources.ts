import type { WebhookRule } from './requests';

/** A resource that must stay writable while a webhook is down. */
export interface ProtectedResource {
  /** API group, `''` for the core group. */
  readonly group: string;
  /** `resource` or `resource/subresource`; a resource stands for all its subresources too. */
  readonly resource: string;
  /** Whether its objects are in namespaces: else a namespace selector has no effect on them. */
  readonly namespaced: boolean;
  /** What stands still without it, for a person. */
  readonly why: string;
}

const ofCluster = (group: string, resource: string, why: string): ProtectedResource => ({
  group,
  resource,
  namespaced: false,
  why,
});

const inNamespaces = (group: string, resource: string, why: string): ProtectedResource => ({
  group,
  resource,
  namespaced: true,
  why,
});

/**
 * What must stay writable. A namespace selector does not help for most of these: it has no effect on resources of the
 * cluster.
 * @see https://kubernetes.io/docs/concepts/cluster-administration/admission-webhooks-good-practices/#webhook-limit-scope
 */
export const protectedResources: readonly ProtectedResource[] = [
  ofCluster('', 'nodes', 'a node that can not report its state is given up'),
  inNamespaces('coordination.k8s.io', 'leases', 'nodes and leader elections live on leases'),
  ofCluster('certificates.k8s.io', 'certificatesigningrequests', 'a node can not join without a certificate'),
  ofCluster('authentication.k8s.io', 'tokenreviews', 'tokens could not be verified'),
  ofCluster('authentication.k8s.io', 'selfsubjectreviews', 'clients could not read their own identity'),
  ...['subjectaccessreviews', 'selfsubjectaccessreviews', 'selfsubjectrulesreviews'].map((resource) =>
    ofCluster('authorization.k8s.io', resource, 'access could not be checked'),
  ),
  inNamespaces('authorization.k8s.io', 'localsubjectaccessreviews', 'access could not be checked'),
  inNamespaces('', 'pods/binding', 'no pod could be scheduled'),
  inNamespaces('', 'bindings', 'no pod could be scheduled'),
];

/** A resource of a rule that a webhook which fails closed must not be called for. */
export interface ForbiddenResource {
  /** Position in the rule's `resources`, or in its `apiGroups` where the group itself is too wide. */
  readonly path: string;
  /** What the rule says there. */
  readonly value: string;
  /** What would be allowed, and why. */
  readonly allowed: string;
}

/**
 * What a rule must not match when a request is refused while the webhook is down (`failurePolicy: Fail`):
 * every group or resource at once, and what the cluster needs to come back.
 *
 * @param fails when requests are refused unseen, for the messages
 */
export function forbiddenWithFail(rule: WebhookRule, fails = 'the webhook is down'): ForbiddenResource[] {
  const named = (what: string): string =>
    `${what} by name: with failurePolicy Fail a catch-all stops the cluster when ${fails}`;
  const found: ForbiddenResource[] = [];
  const groupsAll = rule.apiGroups.indexOf('*');
  if (groupsAll >= 0) {
    found.push({ path: `apiGroups[${groupsAll}]`, value: '*', allowed: named('API groups') });
  }
  const operationsAll = rule.operations.indexOf('*');
  if (operationsAll >= 0) {
    found.push({ path: `operations[${operationsAll}]`, value: '*', allowed: named('operations') });
  }
  rule.resources.forEach((value, position) => {
    const path = `resources[${position}]`;
    if (value.split('/')[0] === '*') {
      found.push({ path, value, allowed: named('resources') });
      return;
    }
    const hit = protectedResources.find(
      ({ group, resource }) => rule.apiGroups.includes(group) && covers(value, resource),
    );
    if (hit) {
      found.push({
        path,
        value,
        allowed: `a resource that may be refused while ${fails}: without ${hit.resource}, ${hit.why}`,
      });
    }
  });
  return found;
}

/** Whether what a rule names, a resource or its subresources, touches a protected resource. */
export function covers(value: string, guarded: string): boolean {
  const [resource, below] = value.split('/');
  const [guardedResource, guardedBelow] = guarded.split('/');
  return (
    resource === guardedResource && (guardedBelow === undefined || below === guardedBelow || below === '*')
  );
}
