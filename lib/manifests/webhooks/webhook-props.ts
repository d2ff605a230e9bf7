import { intentPolicy } from '../../core/admission/intent';
import type { FailurePolicy, Intent } from '../../core/admission/intent';
import type { MatchCondition } from '../../core/admission/match-conditions';
import { exemptingSelector, systemNamespaces, withScope } from '../../core/admission/requests';
import type { WebhookRule } from '../../core/admission/requests';
import type { LabelSelector, Labels } from '../../core/kubernetes/label-selector';
import { object, optional } from '../../core/validation/collections';
import { dnsSubdomain } from '../../core/validation/formats';
import type { Entries, Schema } from '../../core/validation/schema';
import { fits, number, oneOf, that } from '../../core/validation/values';
import { refuseProps } from '../field-schemas';
import { tlsEntries } from './ca-injection';
import type { CaInjection, ServingCertificate } from './ca-injection';
import { matchConditions, matchingEntries, webhookMetadata } from './matching';
import type { WebhookMetadata } from './matching';
import { serviceOfServer, webhookPods, webhookService } from './server';
import type { WebhookPods, WebhookService } from './server';

/** What a webhook of either kind needs. */
export interface WebhookProps {
  /** Name of the webhook: a DNS name of at least three parts, `readiness.pods.example.com`. */
  readonly name: string;
  /** Metadata of the webhook configuration. @default - named after the webhook */
  readonly metadata?: WebhookMetadata;
  /** What the webhook is for: decides what happens while it can't be called, and whom it is called for. */
  readonly intent: Intent;
  /** The requests that the webhook is called for. */
  readonly rules: readonly WebhookRule[];
  /** The Service that the webhook's server is behind. */
  readonly service: WebhookService;
  /**
   * The label by which an object opts in to the webhook: `{ 'example.com/inject': 'true' }`. Required for the intents
   * `convenience` and `required`, refused for `security`, since an author could leave it out.
   * @default - none
   */
  readonly optIn?: Labels;
  /**
   * What an object's labels must fulfil beside `optIn`. Refused for the intent `security`.
   * @default - nothing more
   */
  readonly objectSelector?: LabelSelector;
  /**
   * What a namespace's labels must fulfil. The system namespaces, the server's own and `exemptNamespaces` are left
   * out in any case.
   * @default - nothing more
   */
  readonly namespaceSelector?: LabelSelector;
  /**
   * Further namespaces that must come up without the webhook: those of what its server needs in order to start.
   * @default - only the system namespaces, the server's own and those that provide the certificate
   */
  readonly exemptNamespaces?: readonly string[];
  /**
   * What is known of the server's pods: makes the PodDisruptionBudget. Required for the intent `security`.
   * @default - nothing, and no PodDisruptionBudget is made
   */
  readonly server?: WebhookPods;
  /**
   * The certificate that the server serves: it is created before the webhook, its CA is injected, and it must be
   * valid for the Service. Give either this or `caInjection`.
   * @default - `caInjection` is given
   */
  readonly certificate?: ServingCertificate;
  /**
   * Where the CA is injected from, for a certificate that is made elsewhere.
   * @default - from `certificate`
   */
  readonly caInjection?: CaInjection;
  /**
   * May be given to say it aloud; must be what the intent says.
   * @default - `Ignore` for a convenience, `Fail` otherwise
   */
  readonly failurePolicy?: FailurePolicy;
  /**
   * How long the API server waits for an answer, in whole seconds from 1 to 5. All webhooks of a request have to
   * answer before its client gives up, and Kubernetes' own 10 s each are too long for that.
   * @default 3
   */
  readonly timeoutSeconds?: number;
  /**
   * Whether the webhook changes anything apart from the object: `None`, or nothing when a request is a dry run.
   * @default 'None'
   */
  readonly sideEffects?: 'None' | 'NoneOnDryRun';
  /** CEL expressions that must all be true, at most 64. @default - none */
  readonly matchConditions?: readonly MatchCondition[];
}

/** What a mutating webhook needs. */
export interface MutatingWebhookProps extends WebhookProps {
  /**
   * Whether the webhook is called again when a later one changed the object. `IfNeeded` is for webhooks that accept
   * their own output.
   * @default 'Never' - as Kubernetes has it: not every webhook accepts its own output
   */
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded';
}

const webhookEntries: Entries<WebhookProps> = {
  ...matchingEntries,
  ...tlsEntries,
  name: that(
    fits({
      ...dnsSubdomain,
      allowed: 'a DNS name of at least three parts: "readiness.pods.example.com"',
    }),
    'a DNS name of at least three parts: "readiness.pods.example.com"',
    (name) => name.split('.').length >= 3,
  ),
  metadata: optional(object<WebhookMetadata>(webhookMetadata)),
  service: webhookService,
  server: optional(webhookPods),
  timeoutSeconds: optional(
    number('a whole number of seconds from 1 to 5: every webhook of a request adds its own', {
      min: 1,
      max: 5,
      whole: true,
    }),
  ),
  sideEffects: optional(oneOf('None', 'NoneOnDryRun')),
  matchConditions: optional(matchConditions),
};

/** Props of a validating webhook. */
export const webhookProps: Schema<WebhookProps> = object<WebhookProps>(webhookEntries);

/** Props of a mutating webhook. */
export const mutatingWebhookProps: Schema<MutatingWebhookProps> = object<MutatingWebhookProps>({
  ...webhookEntries,
  reinvocationPolicy: optional(oneOf('Never', 'IfNeeded')),
});

/** What a validating webhook needs. */
export type ValidatingWebhookProps = WebhookProps;

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
  /** What becomes of a request when the webhook can't be called. */
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
export function exemptNamespacesOf(props: Partial<WebhookProps>): string[] {
  const injection = props.certificate?.caInjection ?? props.caInjection;
  const all = [
    ...systemNamespaces,
    ...(props.service ? [props.service.namespace] : []),
    ...(injection?.providerNamespaces ?? []),
    ...(props.exemptNamespaces ?? []),
  ];
  return [...new Set(all)].sort();
}

/**
 * The entry that follows from props in which nothing is wrong.
 *
 * @throws InvalidInput for props that are wrong by themselves
 */
export function webhookEntry(props: WebhookProps): WebhookEntry {
  refuseProps('webhookEntry', mutatingWebhookProps as Schema<WebhookProps>, props);
  const { service, matchConditions: conditions = [] } = props;
  const { failurePolicy, optIn } = intentPolicy(props.intent);
  return {
    name: props.name,
    admissionReviewVersions: ['v1'],
    clientConfig: { service: serviceOfServer(service) },
    rules: props.rules.map(withScope),
    failurePolicy,
    matchPolicy: 'Equivalent',
    namespaceSelector: exemptingSelector(exemptNamespacesOf(props), props.namespaceSelector),
    ...(optIn ? { objectSelector: optInSelector(props) } : {}),
    ...(conditions.length > 0 ? { matchConditions: conditions } : {}),
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
