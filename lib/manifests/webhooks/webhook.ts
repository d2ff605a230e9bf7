import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { intentPolicy, intents } from '../../core/admission/intent';
import type { FailurePolicy, Intent } from '../../core/admission/intent';
import { checkMatchConditions } from '../../core/admission/match-conditions';
import { checkRules, operationsOf } from '../../core/admission/requests';
import { intentAnnotation } from '../../core/names';
import { dnsSubdomain, oneOf, wholeNumber } from '../../core/validation/formats';
import { optionKeyProblems, refuseOptions } from '../../core/validation/option-keys';
import { Problems } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import { withoutNamespace } from '../objects';
import { checkCertificate, injectionOf, sourceProblems } from './ca-injection';
import { checkIntent, checkMetadata, checkNamespaces } from './matching';
import { checkDisruptionBudget, checkServer, checkService, disruptionBudget } from './server';
import {
  exemptNamespacesOf,
  mutatingWebhookPropsKeys,
  webhookEntry,
  webhookPropsKeys,
} from './webhook-props';
import type { MutatingWebhookProps, ValidatingWebhookProps, WebhookProps } from './webhook-props';

const timeout = {
  ...wholeNumber(1, 5),
  allowed: 'a whole number of seconds from 1 to 5: every webhook of a request adds its own',
};

/** Everything that is wrong with the props of a webhook, evaluated from the props alone. */
export function webhookProblems(props: MutatingWebhookProps): readonly Problem[] {
  const unfit = optionKeyProblems(props, mutatingWebhookPropsKeys);
  if (unfit.length > 0) {
    return unfit;
  }
  const problems = new Problems('webhook');
  if (!dnsSubdomain.accepts(props.name) || props.name.split('.').length < 3) {
    problems.add('name', props.name, 'a DNS name of at least three parts: "readiness.pods.example.com"');
  }
  checkMetadata(problems, props.metadata);
  checkRules(problems, 'rules', props.rules);
  checkService(problems, 'service', props.service);
  checkCertificate(problems, props);
  checkNamespaces(problems, props, exemptNamespacesOf(props));
  if (props.server) {
    checkServer(problems, 'server', props.server);
  }
  checkMatchConditions(problems, 'matchConditions', props.matchConditions ?? [], operationsOf(props.rules));
  checkSettings(problems, props);
  if (problems.check('intent', props.intent, oneOf(...intents))) {
    const policy = intentPolicy(props.intent);
    checkIntent(problems, props, policy, { called: 'webhook', fails: 'the webhook is down' });
    if (!policy.optIn && !props.server) {
      problems.addAll([
        {
          path: 'server',
          allowed: 'given with the intent security: its pods need two replicas and a PodDisruptionBudget',
        },
      ]);
    }
  }
  return problems.all;
}

function checkSettings(problems: Problems, props: MutatingWebhookProps): void {
  if (props.timeoutSeconds !== undefined) {
    problems.check('timeoutSeconds', props.timeoutSeconds, timeout);
  }
  if (props.sideEffects !== undefined) {
    problems.check('sideEffects', props.sideEffects, oneOf('None', 'NoneOnDryRun'));
  }
  if (props.reinvocationPolicy !== undefined) {
    problems.check('reinvocationPolicy', props.reinvocationPolicy, oneOf('Never', 'IfNeeded'));
  }
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
   * @param more fields of the entry that only this kind has
   * @throws InvalidInput with everything that is wrong with the props
   */
  protected constructor(
    scope: Construct,
    id: string,
    kind: 'MutatingWebhookConfiguration' | 'ValidatingWebhookConfiguration',
    props: WebhookProps,
    more: Readonly<Record<string, unknown>> = {},
  ) {
    check(scope, id, kind, props);
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

function check(scope: Construct, id: string, kind: string, props: WebhookProps): void {
  const problems = new Problems(`${kind} "${id}"`);
  problems.addAll(webhookProblems(props));
  checkDisruptionBudget(problems, scope, props.service, props.server);
  problems.throwIfAny();
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
    refuseOptions(`MutatingWebhook "${id}"`, props, mutatingWebhookPropsKeys);
    super(scope, id, 'MutatingWebhookConfiguration', props, {
      reinvocationPolicy: props.reinvocationPolicy ?? 'Never',
    });
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
    refuseOptions(`ValidatingWebhook "${id}"`, props, webhookPropsKeys);
    super(scope, id, 'ValidatingWebhookConfiguration', props);
  }
}
