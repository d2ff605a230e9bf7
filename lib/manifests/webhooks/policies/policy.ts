import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { intentPolicy } from '../../../core/admission/intent';
import type { FailurePolicy, Intent } from '../../../core/admission/intent';
import { intentAnnotation } from '../../../core/names';
import { InvalidInput } from '../../../core/validation/problems';
import type { Problem } from '../../../core/validation/problems';
import type { Schema } from '../../../core/validation/schema';
import { refuseProps } from '../../field-schemas';
import { withoutNamespace } from '../../objects';
import type { Matching } from '../matching';
import { mutatingWebhookProps } from '../webhook-props';
import type { WebhookProps } from '../webhook-props';
import { mutatingPolicyProblems, validatingPolicyProblems } from './policy-problems';
import type { MutatingPolicyProps, PolicyProps, ValidatingPolicyProps } from './policy-props';
import {
  bindingSpec,
  mutatingPolicySpec,
  policyName,
  validatingBindingSpec,
  validatingPolicySpec,
} from './policy-spec';
import type { PolicySpec } from './policy-spec';

/** What the API server calls the objects of a policy. */
type PolicyKind = 'ValidatingAdmissionPolicy' | 'MutatingAdmissionPolicy';

/** What policies of both kinds have in common: a policy, and one binding that puts it into force. */
export abstract class AdmissionPolicy extends Construct {
  /** The policy. */
  public readonly policy: ApiObject;
  /** What puts it into force. */
  public readonly binding: ApiObject;
  /** What the policy is for. */
  public readonly intent: Intent;
  /** What happens to a request for which an expression fails. */
  public readonly failurePolicy: FailurePolicy;

  /** @throws InvalidInput with everything that is wrong with the props */
  protected constructor(
    scope: Construct,
    id: string,
    kind: PolicyKind,
    props: PolicyProps,
    wrong: readonly Problem[],
    specs: () => { readonly policy: PolicySpec; readonly binding: Readonly<Record<string, unknown>> },
  ) {
    if (wrong.length > 0) {
      throw new InvalidInput(`${kind} "${id}"`, wrong);
    }
    super(scope, id);
    this.intent = props.intent;
    this.failurePolicy = intentPolicy(props.intent).failurePolicy;
    const { policy, binding } = specs();
    this.policy = this.object('Policy', kind, props, policy);
    this.binding = this.object('Binding', `${kind}Binding`, props, binding);
    this.binding.addDependency(this.policy);
  }

  private object(id: string, kind: string, props: PolicyProps, spec: object): ApiObject {
    const object = new ApiObject(this, id, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind,
      metadata: {
        name: policyName(props),
        labels: { ...props.metadata?.labels },
        annotations: { ...props.metadata?.annotations, [intentAnnotation]: props.intent },
      },
      spec,
    });
    return withoutNamespace(object);
  }
}

/**
 * A check in CEL that the API server makes itself, as one ValidatingAdmissionPolicy with its binding: no server, no
 * certificate, and nothing that can't be reached. Failure policy and selectors follow from the `intent` as those of
 * webhooks do; props that contradict it are refused.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 * @example
 * new ValidatingPolicy(chart, 'images', {
 *   name: 'images.pods.example.com',
 *   intent: 'security',
 *   rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
 *   validations: [
 *     {
 *       expression: 'object.spec.containers.all(c, c.image.startsWith("registry.example.com/"))',
 *       message: 'images must come from registry.example.com',
 *     },
 *   ],
 * });
 */
export class ValidatingPolicy extends AdmissionPolicy {
  /** @throws InvalidInput with everything that is wrong with the props */
  public constructor(scope: Construct, id: string, props: ValidatingPolicyProps) {
    super(scope, id, 'ValidatingAdmissionPolicy', props, validatingPolicyProblems(props), () => ({
      policy: validatingPolicySpec(props),
      binding: validatingBindingSpec(props),
    }));
  }
}

/**
 * A change in CEL that the API server makes itself, as one MutatingAdmissionPolicy with its binding. Needs Kubernetes
 * 1.36. A mutating policy is not the last to see an object: what must hold in the end belongs into a validating one.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/
 * @example
 * new MutatingPolicy(chart, 'defaults', {
 *   name: 'defaults.pods.example.com',
 *   kubernetesVersion: '1.36',
 *   intent: 'convenience',
 *   optIn: { 'example.com/defaults': 'enabled' },
 *   rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
 *   mutations: [{ applyConfiguration: 'Object{spec: Object.spec{enableServiceLinks: false}}' }],
 * });
 */
export class MutatingPolicy extends AdmissionPolicy {
  /** @throws InvalidInput with everything that is wrong with the props */
  public constructor(scope: Construct, id: string, props: MutatingPolicyProps) {
    super(scope, id, 'MutatingAdmissionPolicy', props, mutatingPolicyProblems(props), () => ({
      policy: mutatingPolicySpec(props),
      binding: bindingSpec(props),
    }));
  }
}

/** What a policy takes over from the webhook in whose place it is. */
type FromWebhook = Pick<PolicyProps, 'name' | 'metadata' | 'matchConditions' | keyof Matching>;

/** What a validating policy says beyond the webhook in whose place it is. */
export type ValidatingPolicyRest = Omit<ValidatingPolicyProps, keyof FromWebhook>;

/** What a mutating policy says beyond the webhook in whose place it is. */
export type MutatingPolicyRest = Omit<MutatingPolicyProps, keyof FromWebhook>;

/**
 * The props of a policy in place of a webhook: who is evaluated, and what happens where that fails, stay as they were.
 * What only a call needs is left behind: Service, server, certificate, timeout, side effects. With them go the
 * exemptions of the server's own namespace and of cert-manager's; name them in `exemptNamespaces` to keep them.
 *
 * @example
 * new ValidatingPolicy(chart, 'images', asPolicy(webhook, { validations: [{ expression }] }));
 */
export function asPolicy(webhook: WebhookProps, evaluation: ValidatingPolicyRest): ValidatingPolicyProps;

export function asPolicy(webhook: WebhookProps, evaluation: MutatingPolicyRest): MutatingPolicyProps;

export function asPolicy(
  webhook: WebhookProps,
  evaluation: ValidatingPolicyRest | MutatingPolicyRest,
): ValidatingPolicyProps | MutatingPolicyProps {
  refuseProps('asPolicy', mutatingWebhookProps as Schema<WebhookProps>, webhook);
  const { name, metadata, intent, rules, optIn, objectSelector } = webhook;
  const { namespaceSelector, exemptNamespaces, failurePolicy, matchConditions } = webhook;
  const shared: FromWebhook = {
    ...{ name, metadata, intent, rules, optIn, objectSelector },
    ...{ namespaceSelector, exemptNamespaces, failurePolicy, matchConditions },
  };
  return { ...shared, ...evaluation };
}
