import { matchConditionRisks, mostMatchConditions } from '../../../core/admission/match-conditions';
import { operationsOf } from '../../../core/admission/requests';
import type { Field } from '../../object';
import type { RawFinding, Rule } from '../../rule';
import { admissionPolicies, admissionWebhooks } from '../../views/admission';
import type { AdmissionWebhook } from '../../views/admission';
import { nameInWords, webhookInWords } from './shared/format';
import { policyRisks } from './shared/policy-risks';
import { longestExpression } from './shared/reach';

/**
 * CEL is checked from its text, without an evaluator: steps into maps that may be absent, and objects that are null on some
 * operations, where no condition of the webhook guards them.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-matchconditions
 */
export const wh10: Rule = {
  id: 'WH10',
  severity: 'error',
  title: 'Match condition that fails',
  why: 'a condition that fails refuses the request without calling the webhook (Fail), or silently skips the webhook (Ignore)',
  fix: 'guard what may be absent: has(object.metadata.labels) && "key" in object.metadata.labels, object != null',
  scope: 'object',
  *check({ objects }) {
    for (const webhook of objects.view(admissionWebhooks)) {
      if (webhook.matchConditions.length > 0) {
        yield* evaluate(webhook);
      }
    }
    for (const policy of objects.view(admissionPolicies)) {
      for (const { field, allowed, isCertain } of policyRisks(policy)) {
        const isError = policy.failurePolicy === 'Fail' && isCondition(field) && isCertain;
        yield {
          object: policy.object,
          pointer: field.pointer,
          severity: isError ? 'error' : 'warning',
          message: `an expression of ${webhookInWords(policy)}, checked by its text: must be ${allowed}${unless(isCertain)}`,
          why: 'an expression that fails refuses the request (Fail), or lets it pass without evaluation (Ignore)',
        };
      }
    }
  },
};

function unless(isCertain: boolean): string {
  return isCertain ? '' : ', unless what the conditions require otherwise is a guard';
}

/** The others are of more kinds than what is read from their text. */
function isCondition({ pointer }: Field): boolean {
  return pointer.startsWith('/spec/matchConditions/');
}

function* evaluate(webhook: AdmissionWebhook): Iterable<RawFinding> {
  const { object, matchConditions, rules, failurePolicy } = webhook;
  if (matchConditions.length > mostMatchConditions) {
    yield {
      object,
      pointer: webhook.field.get('matchConditions').pointer,
      message: `${webhookInWords(webhook)} has ${matchConditions.length} match conditions; the API server takes ${mostMatchConditions}`,
      why: 'the API server refuses the configuration',
      fix: 'put several conditions into one with &&',
    };
    return;
  }
  const long = matchConditions.find(({ expression }) => expression.length > longestExpression);
  if (long) {
    yield {
      object,
      pointer: long.field.get('expression').pointer,
      severity: 'info',
      message: `match condition ${nameInWords(long.name)} of ${webhookInWords(webhook)} has ${long.expression.length} characters, too many to be checked here`,
    };
    return;
  }
  for (const { position, allowed, isCertain } of matchConditionRisks(matchConditions, operationsOf(rules))) {
    const { field, name } = matchConditions[position]!;
    yield {
      object,
      pointer: field.get('expression').pointer,
      severity: failurePolicy === 'Fail' && isCertain ? 'error' : 'warning',
      message: `match condition ${nameInWords(name)} of ${webhookInWords(webhook)}, checked by its text: must be ${allowed}${unless(isCertain)}`,
    };
  }
}
