import { covers, protectedResources } from '../../../core/admission/protected-resources';
import type { ProtectedResource } from '../../../core/admission/protected-resources';
import type { RawFinding, Rule, RuleContext, Severity } from '../../rule';
import { admissionPolicies, admissionWebhooks } from '../../views/admission';
import type { AdmissionWebhook, WebhookRuleView } from '../../views/admission';
import { nameInWords, webhookInWords } from './shared/format';
import { ofPolicy, refusesUnseen } from './shared/policy-risks';
import {
  asksForLabel,
  conditionsInWords,
  isOptIn,
  isSelective,
  knownNamespace,
  reachOf,
} from './shared/reach';

/**
 * Rules that name such a resource; a rule for everything is a matter of WH01.
 *
 * @see https://kubernetes.io/docs/concepts/cluster-administration/admission-webhooks-good-practices/#webhook-limit-scope
 */
export const wh02: Rule = {
  id: 'WH02',
  severity: 'error',
  title: 'Fail on what keeps the cluster alive',
  why: 'nodes, leases, certificate requests, logins and the scheduling of pods stop while the webhook cannot be called, and the webhook may need them to come back',
  fix: 'take the resource out of the rules, or set failurePolicy: Ignore',
  liveKinds: [{ apiVersion: 'v1', kind: 'Namespace' }],
  *check(context) {
    for (const webhook of context.objects.view(admissionWebhooks)) {
      if (webhook.failurePolicy === 'Fail') {
        for (const rule of webhook.rules) {
          yield* evaluate(context, webhook, rule);
        }
      }
    }
    for (const policy of context.objects.view(admissionPolicies)) {
      const risk = refusesUnseen(policy);
      for (const found of risk ? policy.rules.flatMap((rule) => [...evaluate(context, policy, rule)]) : []) {
        yield ofPolicy(found, risk!);
      }
    }
  },
};

function* evaluate(
  context: RuleContext,
  webhook: AdmissionWebhook,
  rule: WebhookRuleView,
): Iterable<RawFinding> {
  // Somebody's connection to a node is no life sign of it.
  if (!rule.operations.some((each) => each !== 'CONNECT')) {
    return;
  }
  for (const field of rule.field.get('resources').items) {
    const named = field.text ?? '*';
    const hit = protectedResources.find(
      ({ group, resource, namespaced }) =>
        !named.startsWith('*') &&
        (rule.apiGroups.includes(group) || rule.apiGroups.includes('*')) &&
        (rule.scope === '*' || (rule.scope === 'Namespaced') === namespaced) &&
        covers(named, resource),
    );
    if (hit) {
      yield finding(context, webhook, hit, named, field.pointer);
    }
  }
}

function finding(
  context: RuleContext,
  webhook: AdmissionWebhook,
  hit: ProtectedResource,
  named: string,
  pointer: string,
): RawFinding {
  const unless = conditionsInWords(webhook);
  const useless = !hit.namespaced && isSelective(webhook.namespaceSelector);
  return {
    object: webhook.object,
    pointer,
    severity: unless.length > 0 ? 'info' : severityOf(context, webhook, hit),
    message: [
      `${webhookInWords(webhook)} is called for ${nameInWords(named)}: while it ${webhook.object.kind.endsWith('Policy') ? 'fails' : 'is down'}, ${hit.why}`,
      ...unless.map((each) => `, unless ${each}`),
      ...(useless ? ['; its namespaceSelector has no effect on what belongs to the cluster'] : []),
    ].join(''),
  };
}

/** What asks for the webhook by a label, or is no lease of the system's, is not what keeps the cluster alive. */
function severityOf(context: RuleContext, webhook: AdmissionWebhook, hit: ProtectedResource): Severity {
  if (!hit.namespaced) {
    return asksForLabel(webhook.objectSelector) ? 'warning' : 'error';
  }
  const ofSystem = ['kube-system', 'kube-node-lease'].some((name) =>
    reachOf(webhook, knownNamespace(context, name), {}),
  );
  return isOptIn(webhook) || (hit.resource === 'leases' && !ofSystem) ? 'warning' : 'error';
}
