import { exemptingSelector, systemNamespaces } from './exempt-namespaces';
import type { FailurePolicy } from './intent';
import { intentPolicy } from './intent';
import type { LabelSelector } from './label-selector';
import type { MatchCondition } from './match-conditions';
import type { WebhookProps } from './webhook-props';
import type { WebhookRule } from './webhook-rule';
import { withScope } from './webhook-rule';

/** One entry of a webhook configuration, as Kubernetes has it, with everything said that has a default. */
export interface WebhookEntry {
  readonly name: string;
  readonly admissionReviewVersions: readonly string[];
  readonly clientConfig: {
    readonly service: {
      readonly name: string;
      readonly namespace: string;
      readonly port: number;
      readonly path: string;
    };
  };
  readonly rules: readonly WebhookRule[];
  readonly failurePolicy: FailurePolicy;
  readonly matchPolicy: 'Equivalent';
  readonly namespaceSelector: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly matchConditions?: readonly MatchCondition[];
  readonly sideEffects: 'None' | 'NoneOnDryRun';
  readonly timeoutSeconds: number;
}

/** Namespaces that a webhook leaves out, sorted: the system's, its server's, its certificate's and those given. */
export function exemptNamespacesOf(props: WebhookProps): string[] {
  const injection = props.certificate?.caInjection ?? props.caInjection;
  const all = [
    ...systemNamespaces,
    props.service.namespace,
    ...(injection?.providerNamespaces ?? []),
    ...(props.exemptNamespaces ?? []),
  ];
  return [...new Set(all)].sort();
}

/** The entry that follows from props in which nothing is wrong. */
export function webhookEntry(props: WebhookProps): WebhookEntry {
  const { service, matchConditions = [] } = props;
  const { failurePolicy, optIn } = intentPolicy(props.intent);
  return {
    name: props.name,
    admissionReviewVersions: ['v1'],
    clientConfig: {
      service: {
        name: service.name,
        namespace: service.namespace,
        port: service.port ?? 443,
        path: service.path ?? '/',
      },
    },
    rules: props.rules.map(withScope),
    failurePolicy,
    matchPolicy: 'Equivalent',
    namespaceSelector: exemptingSelector(exemptNamespacesOf(props), props.namespaceSelector),
    ...(optIn ? { objectSelector: optInSelector(props) } : {}),
    ...(matchConditions.length > 0 ? { matchConditions } : {}),
    sideEffects: props.sideEffects ?? 'None',
    timeoutSeconds: props.timeoutSeconds ?? 3,
  };
}

/** The object selector of a webhook or policy that objects ask for. */
export function optInSelector({
  optIn,
  objectSelector = {},
}: Pick<WebhookProps, 'optIn' | 'objectSelector'>): LabelSelector {
  const { matchLabels, matchExpressions = [] } = objectSelector;
  return {
    matchLabels: { ...matchLabels, ...optIn },
    ...(matchExpressions.length > 0 ? { matchExpressions } : {}),
  };
}
