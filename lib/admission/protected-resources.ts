import type { WebhookRule } from './webhook-rule';

/** A resource that must stay writable while a webhook is down. */
interface ProtectedResource {
  readonly group: string;
  /** `resource` or `resource/subresource`; a resource stands for all its subresources too. */
  readonly resource: string;
  readonly why: string;
}

/**
 * A namespace selector does not help for most of these: it has no effect on resources of the cluster.
 * @see https://kubernetes.io/docs/concepts/cluster-administration/admission-webhooks-good-practices/#webhook-limit-scope
 */
const protectedResources: readonly ProtectedResource[] = [
  { group: '', resource: 'nodes', why: 'a node that can not report its state is given up' },
  { group: 'coordination.k8s.io', resource: 'leases', why: 'nodes and leader elections live on leases' },
  {
    group: 'certificates.k8s.io',
    resource: 'certificatesigningrequests',
    why: 'a node can not join without a certificate',
  },
  { group: 'authentication.k8s.io', resource: 'tokenreviews', why: 'nobody could log in' },
  { group: 'authentication.k8s.io', resource: 'selfsubjectreviews', why: 'nobody could ask who they are' },
  ...[
    'subjectaccessreviews',
    'localsubjectaccessreviews',
    'selfsubjectaccessreviews',
    'selfsubjectrulesreviews',
  ].map((resource) => ({ group: 'authorization.k8s.io', resource, why: 'nobody could be authorized' })),
  { group: '', resource: 'pods/binding', why: 'no pod could be scheduled' },
  { group: '', resource: 'bindings', why: 'no pod could be scheduled' },
];

/** A resource of a rule that a webhook which fails closed must not be asked about. */
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
 */
export function forbiddenWithFail(rule: WebhookRule): ForbiddenResource[] {
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
        allowed: `a resource that may be refused while the webhook is down: without ${hit.resource}, ${hit.why}`,
      });
    }
  });
  return found;
}

function named(what: string): string {
  return `${what} by name: with failurePolicy Fail a catch-all stops the cluster when the webhook is down`;
}

/** Whether a rule's resource touches a protected one. */
function covers(value: string, guarded: string): boolean {
  const [resource, below] = value.split('/');
  const [guardedResource, guardedBelow] = guarded.split('/');
  return (
    resource === guardedResource && (guardedBelow === undefined || below === guardedBelow || below === '*')
  );
}
