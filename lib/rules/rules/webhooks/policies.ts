import { matchesRequest, operationsOf } from '../../../admission';
import type { ObjectIndex } from '../../object-index';
import type { JudgedPolicy } from '../../objects/admission-policies';
import { admissionPolicies } from '../../objects/admission-policies';
import type { AdmissionWebhook } from '../../objects/admission-webhooks';

/** View of the ValidatingAdmissionPolicies that refuse something: those with a binding that denies. */
function denyingPolicies(objects: ObjectIndex): readonly JudgedPolicy[] {
  return objects
    .view(admissionPolicies)
    .filter(({ type, bindings }) => type === 'validating' && bindings.some(({ denies }) => denies));
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
              matchesRequest(
                { ...each, scope: '*' },
                { operation, group: apiGroup, resource, namespaced: true },
              ),
            ),
          ),
        ),
      ),
    ),
  );
}
