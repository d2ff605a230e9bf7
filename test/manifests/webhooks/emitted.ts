import { MutatingWebhookConfiguration } from 'kubernetes-models/admissionregistration.k8s.io/v1/MutatingWebhookConfiguration';
import { ValidatingWebhookConfiguration } from 'kubernetes-models/admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration';
import { ValidatingAdmissionPolicy } from 'kubernetes-models/admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy';
import { ValidatingAdmissionPolicyBinding } from 'kubernetes-models/admissionregistration.k8s.io/v1/ValidatingAdmissionPolicyBinding';
import { CustomResourceDefinition } from 'kubernetes-models/apiextensions.k8s.io/v1/CustomResourceDefinition';
import { APIService } from 'kubernetes-models/apiregistration.k8s.io/v1/APIService';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import type { Labels } from '../../../lib/core/kubernetes/label-selector';
import type { Webhook, WebhookEntry } from '../../../lib/manifests/webhooks';

/** A webhook configuration as it is emitted. */
export interface Configuration {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly annotations: Labels };
  readonly webhooks: readonly [WebhookEntry];
}

export function configurationOf(webhook: Webhook): Configuration {
  return webhook.configuration.toJson() as Configuration;
}

/** Throws if the object does not fit the schema of its kind. */
export function validate(object: { readonly kind: string }): void {
  const models = {
    MutatingWebhookConfiguration,
    ValidatingWebhookConfiguration,
    ValidatingAdmissionPolicy,
    ValidatingAdmissionPolicyBinding,
    CustomResourceDefinition,
    APIService,
    PodDisruptionBudget,
  };
  new models[object.kind as keyof typeof models](object as never).validate();
}
