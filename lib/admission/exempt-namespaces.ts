import type { Rule } from '../problems';
import { dnsLabel } from '../problems';
import type { LabelSelector, LabelSelectorRequirement } from './label-selector';
import { selects } from './label-selector';

/** The label that the API server itself puts on every namespace, with the namespace's name. */
export const namespaceNameLabel = 'kubernetes.io/metadata.name';

/**
 * Namespaces that no webhook may reach: a cluster whose system pods or node leases are refused does not come back.
 * @see https://kubernetes.io/docs/concepts/cluster-administration/admission-webhooks-good-practices/#webhook-limit-scope
 */
export const systemNamespaces: readonly string[] = ['kube-node-lease', 'kube-public', 'kube-system'];

/** A namespace for an account that a policy limits: in those of the system no policy holds, and the account could do all that its Role says. */
export const judgedNamespace: Rule = {
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
