import type { WebhookRule } from '../../../admission';
import { matchesRequest, operationsOf } from '../../../admission';
import { Field } from '../../field';
import type { JudgedObject } from '../../judged-object';
import type { ObjectIndex } from '../../object-index';
import type { AdmissionWebhook } from '../../objects/admission-webhooks';

const group = 'admissionregistration.k8s.io';

/** A ValidatingAdmissionPolicy that refuses: one with a binding that denies. */
interface DenyingPolicy {
  readonly object: JudgedObject;
  readonly rules: readonly WebhookRule[];
}

/**
 * View of the ValidatingAdmissionPolicies that refuse something.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */
function denyingPolicies(objects: ObjectIndex): readonly DenyingPolicy[] {
  const denied = new Set(
    objects
      .ofKind(group, 'ValidatingAdmissionPolicyBinding')
      .map((binding) => Field.of(binding).get('spec'))
      .filter((spec) => spec.get('validationActions').texts.includes('Deny'))
      .map((spec) => spec.get('policyName').text),
  );
  return objects
    .ofKind(group, 'ValidatingAdmissionPolicy')
    .filter(({ name }) => denied.has(name))
    .map((object) => ({
      object,
      rules: Field.of(object)
        .get('spec', 'matchConstraints', 'resourceRules')
        .items.map((rule) => ({
          operations: rule.get('operations').texts as WebhookRule['operations'],
          apiGroups: rule.get('apiGroups').texts,
          apiVersions: rule.get('apiVersions').texts,
          resources: rule.get('resources').texts,
        })),
    }));
}

/** Whether a policy of the API server judges whatever a webhook is asked about, by resources and operations. */
export function isBackedByPolicy(objects: ObjectIndex, webhook: AdmissionWebhook): boolean {
  const policies = objects.view(denyingPolicies);
  return webhook.rules.every((rule) =>
    [...operationsOf([rule])].every((operation) =>
      rule.apiGroups.every((apiGroup) =>
        rule.resources.every((resource) =>
          policies.some(({ rules }) =>
            rules.some((each) =>
              matchesRequest(each, { operation, group: apiGroup, resource, namespaced: true }),
            ),
          ),
        ),
      ),
    ),
  );
}
