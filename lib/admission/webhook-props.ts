import type { OptionsOf } from '../problems';
import { listOf } from '../problems';
import type { CaInjection, ServingCertificate } from './ca-injection';
import { caInjectionKeys } from './ca-injection';
import type { FailurePolicy, Intent } from './intent';
import type { Labels, LabelSelector } from './label-selector';
import { labelSelectorKeys } from './label-selector';
import type { MatchCondition } from './match-conditions';
import { matchConditionKeys } from './match-conditions';
import type { WebhookRule } from './webhook-rule';
import { webhookRuleKeys } from './webhook-rule';
import type { WebhookServer, WebhookService } from './webhook-server';
import { webhookServerKeys, webhookServiceKeys } from './webhook-server';

/** Metadata of a webhook configuration, which belongs to the cluster and has no namespace. */
export interface WebhookMetadata {
  /**
   * Name of the webhook configuration. A renamed one is a new one, without a CA until it is injected.
   * @default - the webhook's name
   */
  readonly name?: string;
  /** Labels. @default - those of the chart */
  readonly labels?: Labels;
  /** Annotations beside those that inject the CA. @default - none */
  readonly annotations?: Readonly<Record<string, string>>;
}

export const webhookMetadataKeys: OptionsOf<WebhookMetadata> = {
  name: 'plain',
  labels: 'plain',
  annotations: 'plain',
};

/** What a webhook of either kind needs. */
export interface WebhookProps {
  /** Name of the webhook: a DNS name of at least three parts, `readiness.pods.example.com`. */
  readonly name: string;
  /** Metadata of the webhook configuration. @default - named after the webhook */
  readonly metadata?: WebhookMetadata;
  /** What the webhook is for: decides what happens while it can't be asked, and whom it is asked about. */
  readonly intent: Intent;
  /** The requests that the webhook is asked about. */
  readonly rules: readonly WebhookRule[];
  /** The Service that the webhook's server stands behind. */
  readonly service: WebhookService;
  /**
   * The label by which an object asks for the webhook: `{ 'example.com/inject': 'true' }`. Required for the intents
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
  readonly server?: WebhookServer;
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

export const webhookPropsKeys: OptionsOf<WebhookProps> = {
  name: 'plain',
  metadata: webhookMetadataKeys,
  intent: 'plain',
  rules: listOf(webhookRuleKeys),
  service: webhookServiceKeys,
  optIn: 'plain',
  objectSelector: labelSelectorKeys,
  namespaceSelector: labelSelectorKeys,
  exemptNamespaces: 'list',
  server: webhookServerKeys,
  certificate: 'open',
  caInjection: caInjectionKeys,
  failurePolicy: 'plain',
  timeoutSeconds: 'plain',
  sideEffects: 'plain',
  matchConditions: listOf(matchConditionKeys),
};

/** What a mutating webhook needs. */
export interface MutatingWebhookProps extends WebhookProps {
  /**
   * Whether the webhook is asked again when a later one changed the object. `IfNeeded` is for webhooks that accept
   * their own output.
   * @default 'Never' - as Kubernetes has it: not every webhook accepts its own output
   */
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded';
}

export const mutatingWebhookPropsKeys: OptionsOf<MutatingWebhookProps> = {
  ...webhookPropsKeys,
  reinvocationPolicy: 'plain',
};

/** What a validating webhook needs. */
export type ValidatingWebhookProps = WebhookProps;
