import { refuseOptions } from '../problems';
import { exemptingSelector, systemNamespaces } from './exempt-namespaces';
import type { FailurePolicy } from './intent';
import { intentPolicy } from './intent';
import type { LabelSelector } from './label-selector';
import type { MatchCondition } from './match-conditions';
import type { WebhookProps } from './webhook-props';
import { mutatingWebhookPropsKeys } from './webhook-props';
import type { WebhookRule } from './webhook-rule';
import { withScope } from './webhook-rule';
import type { WebhookService } from './webhook-server';
import { calledService } from './webhook-server';

/** One entry of a webhook configuration, as Kubernetes has it, with everything said that has a default. */
export interface WebhookEntry {
  /** Name of the entry: a DNS name with two dots at least. */
  readonly name: string;
  /** Versions of AdmissionReview that it understands, the preferred one first. */
  readonly admissionReviewVersions: readonly string[];
  /** How the API server reaches it; the CA bundle is injected. */
  readonly clientConfig: {
    /** The Service that is called. */
    readonly service: Required<WebhookService>;
  };
  /** Which requests it sees. */
  readonly rules: readonly WebhookRule[];
  /** What becomes of a request when the webhook can't be asked. */
  readonly failurePolicy: FailurePolicy;
  /** A request in another version of the same resource is seen as well. */
  readonly matchPolicy: 'Equivalent';
  /** Objects of which namespaces it sees. */
  readonly namespaceSelector: LabelSelector;
  /** Objects with which labels it sees. @default - all */
  readonly objectSelector?: LabelSelector;
  /** CEL conditions, all of which a request has to fulfil. @default - none */
  readonly matchConditions?: readonly MatchCondition[];
  /** Whether it changes anything beside the object, and then not in a dry run. */
  readonly sideEffects: 'None' | 'NoneOnDryRun';
  /** How long the API server waits for its answer, in seconds. */
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
  refuseOptions('webhookEntry', props, mutatingWebhookPropsKeys);
  const { service, matchConditions = [] } = props;
  const { failurePolicy, optIn } = intentPolicy(props.intent);
  return {
    name: props.name,
    admissionReviewVersions: ['v1'],
    clientConfig: { service: calledService(service) },
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
