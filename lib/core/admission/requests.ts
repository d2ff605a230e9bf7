import { selects } from '../kubernetes/label-selector';
import type { LabelSelector, LabelSelectorRequirement } from '../kubernetes/label-selector';
import { dnsLabel } from '../validation/formats';
import type { Format } from '../validation/problems';

/** What is done to an object. `*` stands for all of them, and for those that Kubernetes adds later. */
export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT' | '*';

/**
 * Requests that a webhook is asked about.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-rules
 */
export interface WebhookRule {
  /** What is done to the object. */
  readonly operations: readonly Operation[];
  /** API groups; `''` is the core group, that of pods. */
  readonly apiGroups: readonly string[];
  /** API versions. One is enough: requests in other versions of a group are converted (`matchPolicy: Equivalent`). */
  readonly apiVersions: readonly string[];
  /** Resources, in the plural: `pods`, `pods/exec`. */
  readonly resources: readonly string[];
  /** Whether to match resources of the cluster, in namespaces, or both. @default '*' - both, as Kubernetes has it */
  readonly scope?: 'Cluster' | 'Namespaced' | '*';
}

/** A rule with its scope said. */
export function withScope({ scope: given = '*', ...rule }: WebhookRule): WebhookRule {
  const { operations, apiGroups, apiVersions, resources } = rule;
  return { operations, apiGroups, apiVersions, resources, scope: given };
}

/** The operations that the rules together name. */
export function operationsOf(rules: readonly WebhookRule[]): ReadonlySet<Operation> {
  const named = new Set(rules.flatMap(({ operations }) => operations));
  return named.has('*') ? new Set<Operation>(['CREATE', 'UPDATE', 'DELETE', 'CONNECT', '*']) : named;
}

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

/** The label that the API server itself puts on every namespace, with the namespace's name. */
export const namespaceNameLabel = 'kubernetes.io/metadata.name';

/**
 * Namespaces that no webhook may reach: a cluster whose system pods or node leases are refused does not come back.
 * @see https://kubernetes.io/docs/concepts/cluster-administration/admission-webhooks-good-practices/#webhook-limit-scope
 */
export const systemNamespaces: readonly string[] = ['kube-node-lease', 'kube-public', 'kube-system'];

/** A namespace for an account that a policy limits: in those of the system no policy holds, and the account could do all that its Role says. */
export const evaluatedNamespace: Format = {
  allowed: `${dnsLabel.allowed}; none of ${systemNamespaces.join(', ')}: the policy for its account leaves these out`,
  accepts: (value) => dnsLabel.accepts(value) && !systemNamespaces.includes(value as string),
};

/** A namespace selector that leaves out the namespaces with these names, whatever else it asks for. */
export function exemptingSelector(
  namespaces: readonly string[],
  narrowed: LabelSelector = {},
): LabelSelector {
  const exempt: LabelSelectorRequirement = {
    key: namespaceNameLabel,
    operator: 'NotIn',
    values: namespaces,
  };
  return {
    ...(narrowed.matchLabels ? { matchLabels: narrowed.matchLabels } : {}),
    matchExpressions: [...(narrowed.matchExpressions ?? []), exempt],
  };
}

/**
 * Whether a namespace selector names the namespaces that it wants, and selects none of them.
 * Only requirements on the namespace's name are looked at: other labels can't be known.
 */
export function selectsNoNamespace(selector: LabelSelector): boolean {
  const byLabel = selector.matchLabels?.[namespaceNameLabel];
  const expressions = (selector.matchExpressions ?? []).filter(({ key }) => key === namespaceNameLabel);
  const named = [
    ...(byLabel === undefined ? [] : [byLabel]),
    ...expressions.flatMap(({ operator, values = [] }) => (operator === 'In' ? values : [])),
  ];
  const onlyNames: LabelSelector = {
    ...(byLabel === undefined ? {} : { matchLabels: { [namespaceNameLabel]: byLabel } }),
    matchExpressions: expressions,
  };
  return named.length > 0 && !named.some((name) => selects(onlyNames, { [namespaceNameLabel]: name }));
}
