import type { Operation } from '../../../core/admission/requests';
import type { RawFinding, Rule, RuleContext } from '../../rule';
import { admissionPolicies, admissionWebhooks } from '../../views/admission';
import type { AdmissionWebhook } from '../../views/admission';
import type { KnownNamespace } from '../../views/workloads';
import { systemResources } from './shared/built-in-resources';
import { listInWords, webhookInWords } from './shared/format';
import { ofPolicy, refusesUnseen } from './shared/policy-risks';
import { asksAbout, asksForLabel, knownNamespace, reachOf, unlessInWords } from './shared/reach';
import type { Reach } from './shared/reach';

/** @see https://kubernetes.io/docs/concepts/cluster-administration/admission-webhooks-good-practices/#webhook-limit-scope */
export const wh03: Rule = {
  id: 'WH03',
  severity: 'error',
  title: 'Webhook reaches system namespaces',
  why: 'what the pods of the system need is refused, or waits for the timeout, while the webhook cannot be called, and nothing else comes back without them',
  fix: 'leave kube-system and kube-node-lease out: namespaceSelector with kubernetes.io/metadata.name NotIn',
  liveKinds: [{ apiVersion: 'v1', kind: 'Namespace' }],
  *check(context) {
    for (const webhook of context.objects.view(admissionWebhooks)) {
      yield* evaluate(context, webhook);
    }
    for (const policy of context.objects.view(admissionPolicies)) {
      const risk = refusesUnseen(policy);
      for (const found of risk ? evaluate(context, policy) : []) {
        yield ofPolicy(found, risk!);
      }
    }
  },
};

/** To connect to a pod is nothing that the system needs. */
const operations: readonly Operation[] = ['CREATE', 'UPDATE', 'DELETE'];

function* evaluate(context: RuleContext, webhook: AdmissionWebhook): Iterable<RawFinding> {
  const asked = systemResources
    .filter(({ group, resource }) =>
      operations.some((operation) => asksAbout(webhook, { operation, group, resource, namespaced: true })),
    )
    .map(({ resource }) => resource);
  const concerned = ['kube-system', 'kube-node-lease']
    // Nothing but leases is in the second.
    .filter((name) => asked.length > 0 && (name === 'kube-system' || asked.includes('leases')))
    .map((name) => knownNamespace(context, name));
  const reached = concerned.flatMap((namespace) => reachedIn(webhook, namespace));
  const certain = reached.filter(({ unless }) => unless.length === 0);
  if (reached.length === 0) {
    return;
  }
  const shown = certain.length > 0 ? certain : reached;
  const unless = [...new Set(shown.flatMap((each) => each.unless))];
  yield {
    object: webhook.object,
    pointer: webhook.field.get('namespaceSelector').pointer,
    severity: certain.length === 0 ? 'info' : webhook.failurePolicy === 'Fail' ? 'error' : 'warning',
    message: `${webhookInWords(webhook)} is called for ${listInWords(asked)} in ${shown.map(({ name }) => name).join(' and ')}${unlessInWords({ unless })}`,
  };
}

/** Objects of the system have no label that asks for a webhook, unless somebody gives them one. */
function reachedIn(webhook: AdmissionWebhook, namespace: KnownNamespace): (Reach & { name: string })[] {
  const { name } = namespace;
  const { objectSelector } = webhook;
  const unlabelled = reachOf(webhook, namespace, {});
  if (unlabelled) {
    return [{ name, unless: unlabelled.unless }];
  }
  const labelled =
    asksForLabel(objectSelector) && reachOf({ ...webhook, objectSelector: undefined }, namespace, {});
  return labelled
    ? [{ name, unless: ['they lack the labels that objectSelector requires', ...labelled.unless] }]
    : [];
}
