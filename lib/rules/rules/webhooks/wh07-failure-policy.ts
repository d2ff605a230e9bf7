import { intentAnnotation, intentPolicy, intents } from '../../../admission';
import type { Intent } from '../../../admission';
import { pointerTo } from '../../json-pointer';
import type { JudgedObject } from '../../judged-object';
import type { ObjectIndex } from '../../object-index';
import type { AdmissionWebhook } from '../../objects/admission-webhooks';
import { admissionPolicies } from '../../objects/admission-policies';
import { admissionWebhooks } from '../../objects/admission-webhooks';
import type { RawFinding, Rule } from '../../rule';
import { settingChanges } from '../../setting-changes';
import { isOptIn } from './opt-in';
import { isBackedByPolicy } from './policies';
import { judgePolicyFailure } from './policy-failure';
import { conditionsInWords } from './reach';
import { nameInWords, valueInWords, webhookInWords } from './words';

/** @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#failure-policy */
export const wh07: Rule = {
  id: 'WH07',
  severity: 'error',
  title: 'Failure policy left open, or against the intent',
  why: 'whether requests are refused or pass while the webhook cannot be asked is the most important thing about it, and nobody decided it',
  fix: 'set failurePolicy: Fail or Ignore',
  *check({ objects }) {
    const annotated = new Set<JudgedObject>();
    for (const each of [...objects.view(admissionWebhooks), ...objects.view(admissionPolicies)]) {
      const declared = each.annotations[intentAnnotation];
      if (declared !== undefined && !each.intent && !annotated.has(each.object)) {
        annotated.add(each.object);
        yield unknownIntent(each.object, declared);
      }
    }
    yield* judgePolicyFailure(objects);
    for (const webhook of objects.view(admissionWebhooks)) {
      yield* judgeExplicit(webhook);
      if (webhook.intent) {
        yield* judgeIntent(objects, webhook, webhook.intent);
      }
    }
  },
};

function unknownIntent(object: JudgedObject, declared: string): RawFinding {
  return {
    object,
    pointer: pointerTo('metadata', 'annotations', intentAnnotation),
    severity: 'warning',
    message: `${intentAnnotation} declares ${valueInWords(declared)}, which is no intent`,
    why: 'it is judged as if nothing were declared',
    fix: `declare one of ${intents.join(', ')}`,
  };
}

function* judgeExplicit(webhook: AdmissionWebhook): Iterable<RawFinding> {
  const { object, field, name } = webhook;
  const said = field.get('failurePolicy');
  if (said.text === 'Fail' || said.text === 'Ignore') {
    return;
  }
  if (said.exists) {
    yield {
      object,
      pointer: said.pointer,
      message: `webhook ${nameInWords(name)} has failurePolicy ${valueInWords(said.value)}`,
      why: 'the API server refuses the configuration',
    };
    return;
  }
  // In v1beta1 it would have been Ignore.
  const mend =
    object.apiVersion === 'admissionregistration.k8s.io/v1' && webhook.intent !== 'convenience'
      ? settingChanges(object, said.steps, 'Fail')
      : undefined;
  yield {
    object,
    pointer: said.pointer,
    severity: 'warning',
    message: `webhook ${nameInWords(name)} has no failurePolicy: the API server takes Fail`,
    ...(mend ? { fixPatch: mend } : {}),
  };
}

function* judgeIntent(objects: ObjectIndex, webhook: AdmissionWebhook, intent: Intent): Iterable<RawFinding> {
  const { object, field, failurePolicy } = webhook;
  const { failurePolicy: wanted, optIn, why } = intentPolicy(intent);
  const asBacked = intent === 'security' && isBackedByPolicy(objects, webhook);
  if (failurePolicy !== wanted && !asBacked) {
    yield {
      object,
      pointer: field.get('failurePolicy').pointer,
      message: `${webhookInWords(webhook)} is declared as ${intent}, which asks for ${wanted}`,
      why,
      fix:
        intent === 'security'
          ? 'set failurePolicy: Fail, or put a ValidatingAdmissionPolicy with a binding that denies beside it'
          : `set failurePolicy: ${wanted}, or declare another intent`,
    };
  }
  if (optIn && !isOptIn(webhook)) {
    const unless = conditionsInWords(webhook);
    yield {
      object,
      pointer: field.get('objectSelector').pointer,
      severity: unless.length > 0 ? 'info' : intent === 'required' ? 'error' : 'warning',
      message: [
        `${webhookInWords(webhook)} is declared as ${intent}, and objects do not have to ask for it by a label`,
        ...unless.map((each) => `unless ${each}`),
      ].join(', '),
      why:
        intent === 'required'
          ? 'objects that do not need the webhook are refused while it cannot be asked'
          : 'objects that do not need the webhook wait for its timeout while it cannot be asked',
      fix: 'ask for a label in objectSelector or namespaceSelector: matchLabels, In or Exists',
    };
  }
}
