import type { ObjectIndex } from '../../object-index';
import type { RawFinding, Rule } from '../../rule';
import { admissionWebhooks } from '../../views/admission';
import type { AdmissionWebhook } from '../../views/admission';
import { nameInWords, objectInWords, webhookInWords } from './shared/format';
import { asksAbout, conditionsInWords, isOptIn, isSelective } from './shared/reach';
import { lacksBudget, leastReplicas, serverOf } from './shared/server';

/** @see https://kubernetes.io/docs/concepts/cluster-administration/admission-webhooks-good-practices/#fail-open-validate-final-state */
export const wh06: Rule = {
  id: 'WH06',
  severity: 'error',
  title: 'Every new pod depends on the webhook',
  why: 'while the webhook cannot be called, or its certificate does not fit, every pod that is created is refused, although few need it',
  fix: 'require a label (matchLabels, In or Exists), set failurePolicy: Ignore, or declare cluster-canary/intent: security',
  *check({ objects }) {
    const pods = { operation: 'CREATE', group: '', resource: 'pods', namespaced: true } as const;
    for (const webhook of objects.view(admissionWebhooks)) {
      if (webhook.failurePolicy === 'Fail' && !isOptIn(webhook) && asksAbout(webhook, pods)) {
        yield* webhook.intent === 'security' ? evaluateSecurity(objects, webhook) : [refusing(webhook)];
      }
    }
  },
};

function refusing(webhook: AdmissionWebhook): RawFinding {
  const selective = isSelective(webhook.namespaceSelector) || isSelective(webhook.objectSelector);
  const unless = conditionsInWords(webhook);
  return {
    object: webhook.object,
    pointer: webhook.field.get('objectSelector').pointer,
    severity: unless.length > 0 ? 'info' : 'error',
    message: [
      `${webhookInWords(webhook)} is called for new pods, and no label opts in`,
      ...unless.map((each) => `, unless ${each}`),
      ...(selective ? ['; its selectors only leave some out (NotIn, DoesNotExist)'] : []),
    ].join(''),
  };
}

/** It has to see every pod: so it must not be away. */
function* evaluateSecurity(objects: ObjectIndex, webhook: AdmissionWebhook): Iterable<RawFinding> {
  const { service, object, namespaceSelector } = webhook;
  const { workloads = [] } = service ? serverOf(objects, service) : {};
  const replicas = leastReplicas(objects, workloads);
  const lacking = [
    ...(isSelective(namespaceSelector)
      ? []
      : ['a namespaceSelector that leaves namespaces of the system out']),
    ...(replicas !== undefined && replicas < 2 ? [`two replicas (it has ${replicas})`] : []),
    ...workloads
      .filter((workload) => lacksBudget(objects, workload))
      .map((workload) => `a PodDisruptionBudget for ${objectInWords(workload.object)}`),
  ];
  if (lacking.length > 0) {
    yield {
      object,
      pointer: webhook.field.get('namespaceSelector').pointer,
      severity: 'warning',
      message: `${webhookInWords(webhook)}, declared as security, is called for new pods without ${lacking.join(', and ')}`,
      fix: 'give it at least two replicas, a PodDisruptionBudget, and a namespaceSelector that leaves kube-system out',
    };
  }
  if (service && workloads.length === 0) {
    yield {
      object,
      pointer: service.field.pointer,
      severity: 'info',
      message: `${webhookInWords(webhook)}, declared as security, is called for new pods; what is behind its Service ${nameInWords(service.namespace)}/${nameInWords(service.name)} is not here, so replicas and PodDisruptionBudget are not known`,
      fix: 'lint the webhook together with its Service, its Deployment and its PodDisruptionBudget',
    };
  }
}
