import type { ManifestObject } from '../../object';
import type { RawFinding, Rule } from '../../rule';
import { admissionWebhooks } from '../../views/admission';
import type { AdmissionWebhook } from '../../views/admission';
import { builtInGroups } from './shared/built-in-resources';
import { listInWords, nameInWords } from './shared/format';

/**
 * Only the server knows whether its decision fits CEL. Certainly not where it has side effects, or is outside of the
 * cluster, where it knows other things. Who declares what a webhook is for has thought about it.
 * @see https://kubernetes.io/docs/concepts/cluster-administration/admission-webhooks-good-practices/#choose-admission-mechanism
 */
export const wh13: Rule = {
  id: 'WH13',
  severity: 'info',
  title: 'A policy in the API server may do',
  why: 'CEL in the API server needs no server, no certificate and no network, so it cannot be unreachable',
  fix: 'where the decision fits CEL: a ValidatingAdmissionPolicy, a MutatingAdmissionPolicy, or a rule in the CRD',
  scope: 'object',
  *check({ objects }) {
    const byObject = new Map<ManifestObject, AdmissionWebhook[]>();
    for (const webhook of objects.view(admissionWebhooks).filter(mayBePolicy)) {
      const same = byObject.get(webhook.object) ?? [];
      byObject.set(webhook.object, same);
      same.push(webhook);
    }
    for (const webhooks of byObject.values()) {
      yield finding(webhooks);
    }
  },
};

function mayBePolicy({ field, service, rules, intent }: AdmissionWebhook): boolean {
  return (
    intent === undefined &&
    field.get('sideEffects').text === 'None' &&
    service !== undefined &&
    rules.length > 0
  );
}

function finding(webhooks: readonly AdmissionWebhook[]): RawFinding {
  const [first] = webhooks;
  const own = webhooks.every(({ rules }) =>
    rules.every(({ apiGroups }) => apiGroups.every((group) => group !== '*' && !builtInGroups.has(group))),
  );
  const [policy, inSchema] =
    first!.type === 'mutating'
      ? ['a MutatingAdmissionPolicy (Kubernetes 1.36)', 'defaults in the schema of the CRD']
      : ['a ValidatingAdmissionPolicy (Kubernetes 1.30)', 'x-kubernetes-validations in the CRD'];
  const names = listInWords(webhooks.map(({ name }) => nameInWords(name)));
  return {
    object: first!.object,
    pointer: first!.field.pointer,
    message: `${names}: ${own ? `${inSchema}, or ${policy},` : policy} may do without a server`,
  };
}
