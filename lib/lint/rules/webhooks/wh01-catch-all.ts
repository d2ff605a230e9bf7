import type { Field } from '../../object';
import type { RawFinding, Rule, Severity } from '../../rule';
import { admissionPolicies, admissionWebhooks } from '../../views/admission';
import type { AdmissionWebhook, WebhookRuleView } from '../../views/admission';
import { builtInGroups } from './shared/built-in-resources';
import { listInWords, nameInWords, webhookInWords } from './shared/format';
import { ofPolicy, policyRisks } from './shared/policy-risks';
import { asksForLabel, conditionsInWords } from './shared/reach';

/** @see https://kubernetes.io/docs/concepts/cluster-administration/admission-webhooks-good-practices/#webhook-limit-scope */
export const wh01: Rule = {
  id: 'WH01',
  severity: 'error',
  title: 'Catch-all rule with Fail',
  why: 'while the webhook cannot be called, everything that the rule matches is refused, what the cluster needs to come back included',
  fix: 'name API groups and resources one by one, or set failurePolicy: Ignore',
  scope: 'object',
  *check({ objects }) {
    for (const webhook of objects.view(admissionWebhooks)) {
      if (webhook.failurePolicy === 'Fail') {
        for (const rule of webhook.rules) {
          yield* evaluate(webhook, rule);
        }
      }
    }
    for (const policy of objects.view(admissionPolicies).filter((each) => each.failurePolicy === 'Fail')) {
      const [risk] = policyRisks(policy);
      for (const finding of risk ? policy.rules.flatMap((rule) => [...evaluate(policy, rule)]) : []) {
        // Whether a binding denies is not read: one may come any day.
        yield ofPolicy(finding, risk!);
      }
    }
  },
};

function* evaluate(webhook: AdmissionWebhook, rule: WebhookRuleView): Iterable<RawFinding> {
  const { field, apiGroups, resources } = rule;
  const groups = wildcard(field.get('apiGroups'), (each) => each === '*');
  const all = wildcard(field.get('resources'), (each) => each.split('/')[0] === '*');
  if (apiGroups.length === 0 || resources.length === 0 || !(groups ?? all)) {
    return;
  }
  const named = groups
    ? `resources ${listInWords(resources.map(nameInWords))} of every API group`
    : `every resource (${all!.text}) of API group ${listInWords(apiGroups.map((each) => each || 'core').map(nameInWords))}`;
  const unless = conditionsInWords(webhook);
  const own = !groups && !apiGroups.some((each) => builtInGroups.has(each));
  yield {
    object: webhook.object,
    pointer: (groups ?? all)!.pointer,
    severity: own || unless.length > 0 ? 'info' : severityOf(webhook, rule),
    message: `${webhookInWords(webhook)} matches ${named}${unless.length > 0 ? `, unless ${unless.join()}` : ''}`,
    ...(own
      ? { why: 'resources that are added to the group later are refused too while the webhook is down' }
      : {}),
  };
}

function wildcard(list: Field, is: (text: string) => boolean): Field | undefined {
  return list.items.find(({ text }) => text !== undefined && is(text));
}

/** Objects of the cluster pass every namespace selector. */
function severityOf(
  { objectSelector, namespaceSelector }: AdmissionWebhook,
  rule: WebhookRuleView,
): Severity {
  const limited =
    asksForLabel(objectSelector) || (rule.scope === 'Namespaced' && asksForLabel(namespaceSelector));
  return limited ? 'warning' : 'error';
}
