import type { Operation, WebhookRule } from './webhook-rule';

/** A kind of request, as the rules of a webhook see it. */
export interface RequestKind {
  /** What is done to the object. */
  readonly operation: Operation;
  /** API group, `''` for the core group. */
  readonly group: string;
  /** `pods`, or with a subresource `pods/status`. */
  readonly resource: string;
  /** Whether the object is in a namespace. */
  readonly namespaced: boolean;
}

/**
 * Whether a rule matches a request, versions apart: requests in another version of the group are converted
 * (`matchPolicy: Equivalent`). `pods/*` matches pods and all below them, `*` everything without a subresource.
 * @see https://github.com/kubernetes/kubernetes/blob/master/staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/rules/rules.go
 */
export function matchesRequest(rule: WebhookRule, request: RequestKind): boolean {
  const { scope = '*', operations, apiGroups, resources } = rule;
  return (
    (scope === '*' || (scope === 'Namespaced') === request.namespaced) &&
    (operations.includes('*') || operations.includes(request.operation)) &&
    (apiGroups.includes('*') || apiGroups.includes(request.group)) &&
    resources.some((each) => matchesResource(each, request.resource))
  );
}

function matchesResource(named: string, requested: string): boolean {
  const [resource, below = ''] = named.split('/', 2);
  const [ofRequest, belowRequest = ''] = requested.split('/', 2);
  return (resource === '*' || resource === ofRequest) && (below === '*' || below === belowRequest);
}
