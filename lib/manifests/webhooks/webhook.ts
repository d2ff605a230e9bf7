import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { intentPolicy } from '../../core/admission/intent';
import type { FailurePolicy, Intent } from '../../core/admission/intent';
import { intentAnnotation } from '../../core/names';
import { Problems } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import type { Schema } from '../../core/validation/schema';
import { propsProblems, refuseProps } from '../field-schemas';
import { withoutNamespace } from '../objects';
import { certificateProblems, injectionOf, sourceProblems } from './ca-injection';
import { checkIntent, checkMatchConditions, checkNamespaces } from './matching';
import { disruptionBudget, disruptionBudgetProblems } from './server';
import { exemptNamespacesOf, mutatingWebhookProps, webhookEntry, webhookProps } from './webhook-props';
import type { MutatingWebhookProps, ValidatingWebhookProps, WebhookProps } from './webhook-props';

/** Everything that is wrong with the props of a webhook, evaluated from the props alone. */
export function webhookProblems(props: MutatingWebhookProps): readonly Problem[] {
  return propsProblems(mutatingWebhookProps, props, (sound) => problemsTogether(sound, props));
}

/** What of a webhook does not go together. */
function problemsTogether(sound: Partial<WebhookProps>, given: WebhookProps): readonly Problem[] {
  const problems = new Problems('webhook');
  const { intent, rules, matchConditions } = sound;
  problems.addAll(certificateProblems(sound, given));
  checkNamespaces(problems, sound, exemptNamespacesOf(sound));
  if (rules && matchConditions) {
    checkMatchConditions(problems, 'matchConditions', matchConditions, rules);
  }
  checkIntent(problems, { sound, given }, { called: 'webhook', fails: 'the webhook is down' });
  if (intent === 'security' && given.server === undefined) {
    problems.require(
      'server',
      'with the intent security: its pods need two replicas and a PodDisruptionBudget',
    );
  }
  return problems.all;
}

/** What webhooks of both kinds have in common: one webhook configuration with one webhook in it. */
export abstract class Webhook extends Construct {
  /** The webhook configuration. It never holds a CA bundle: that is injected in the cluster. */
  public readonly configuration: ApiObject;
  /** The PodDisruptionBudget of the server, shared with the other webhooks of the chart behind the same Service. */
  public readonly disruptionBudget?: ApiObject;
  /** What the webhook is for. */
  public readonly intent: Intent;
  /** What happens to a request while the webhook can't be called. */
  public readonly failurePolicy: FailurePolicy;

  /**
   * @param kind of the webhook configuration
   * @param schema of the props
   * @param more fields of the entry that only this kind has
   * @throws InvalidInput with everything that is wrong with the props
   */
  protected constructor(
    scope: Construct,
    id: string,
    kind: 'MutatingWebhookConfiguration' | 'ValidatingWebhookConfiguration',
    schema: Schema<WebhookProps>,
    props: WebhookProps,
    more: Readonly<Record<string, unknown>> = {},
  ) {
    refuseProps(`${kind.replace('Configuration', '')} "${id}"`, schema, props, (sound) => [
      ...problemsTogether(sound, props),
      ...disruptionBudgetProblems(scope, sound.service, sound.server),
    ]);
    super(scope, id);
    this.intent = props.intent;
    this.failurePolicy = intentPolicy(props.intent).failurePolicy;
    this.configuration = new ApiObject(this, 'Configuration', {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind,
      metadata: {
        name: props.metadata?.name ?? props.name,
        labels: { ...props.metadata?.labels },
        annotations: {
          ...props.metadata?.annotations,
          ...injectionOf(props).annotations,
          [intentAnnotation]: props.intent,
        },
      },
      webhooks: [{ ...webhookEntry(props), ...more }],
    });
    withoutNamespace(this.configuration);
    if (props.certificate) {
      this.configuration.node.addDependency(props.certificate);
    }
    this.disruptionBudget = disruptionBudget(this, props.service, props.server);
    this.node.addValidation({ validate: () => this.problemsAtSynth() });
  }

  /** What can be spoiled after construction, through the configuration itself. */
  private problemsAtSynth(): string[] {
    const { metadata } = this.configuration.toJson() as {
      metadata: { annotations?: Record<string, string> };
    };
    return sourceProblems(metadata.annotations);
  }
}

/**
 * A webhook that may change objects before they are stored, as one MutatingWebhookConfiguration. Failure policy,
 * selectors and what is needed beside follow from the `intent`; props that contradict it are refused.
 *
 * A mutating webhook is not the last to see an object: what must hold in the end belongs into a validating one.
 *
 * @example
 * new MutatingWebhook(chart, 'readiness', {
 *   name: 'readiness.pods.example.com',
 *   intent: 'required',
 *   optIn: { 'example.com/readiness-gate': 'enabled' },
 *   rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
 *   service: { name: 'readiness', namespace: 'readiness-system', path: '/mutate' },
 *   certificate,
 * });
 */
export class MutatingWebhook extends Webhook {
  /** @throws InvalidInput with everything that is wrong with the props */
  public constructor(scope: Construct, id: string, props: MutatingWebhookProps) {
    const more = { reinvocationPolicy: props?.reinvocationPolicy ?? 'Never' };
    super(scope, id, 'MutatingWebhookConfiguration', mutatingWebhookProps, props, more);
  }
}

/**
 * A webhook that accepts or refuses objects, as one ValidatingWebhookConfiguration. Failure policy, selectors and
 * what is needed beside follow from the `intent`; props that contradict it are refused.
 *
 * @example
 * new ValidatingWebhook(chart, 'images', {
 *   name: 'images.pods.example.com',
 *   intent: 'security',
 *   rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
 *   service: { name: 'images', namespace: 'images-system', path: '/validate' },
 *   server: { podLabels: { app: 'images' }, replicas: 2 },
 *   certificate,
 * });
 */
export class ValidatingWebhook extends Webhook {
  /** @throws InvalidInput with everything that is wrong with the props */
  public constructor(scope: Construct, id: string, props: ValidatingWebhookProps) {
    super(scope, id, 'ValidatingWebhookConfiguration', webhookProps, props);
  }
}
