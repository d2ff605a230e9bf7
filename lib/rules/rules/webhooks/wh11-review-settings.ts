import type { Field } from '../../field';
import type { AdmissionWebhook } from '../../objects/admission-webhooks';
import { admissionWebhooks } from '../../objects/admission-webhooks';
import type { ObjectIndex } from '../../object-index';
import type { RawFinding, Rule } from '../../rule';
import { settingChanges } from '../../setting-changes';
import { missedVersions } from './served-versions';
import { listInWords, nameInWords, valueInWords } from './words';

/** @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#webhook-configuration */
export const wh11: Rule = {
  id: 'WH11',
  severity: 'warning',
  title: 'Review settings that miss requests or refuse them',
  why: 'v1 is the version of reviews that lasts, dry runs need webhooks without side effects, and Exact overlooks requests in a version that no rule names',
  fix: 'set admissionReviewVersions: [v1], sideEffects: None or NoneOnDryRun, matchPolicy: Equivalent',
  *check({ objects }) {
    for (const webhook of objects.view(admissionWebhooks)) {
      yield* judge(objects, webhook);
    }
  },
};

function* judge(objects: ObjectIndex, webhook: AdmissionWebhook): Iterable<RawFinding> {
  const { object, field, name, intent } = webhook;
  const shown = `webhook ${nameInWords(name)}`;
  const versions = field.get('admissionReviewVersions');
  if (!versions.texts.includes('v1')) {
    yield {
      object,
      pointer: versions.pointer,
      message: `${shown} ${said(versions)}: v1 is missing`,
      why: 'v1 is the version that lasts: a server that knows v1beta1 alone fails as soon as the API server does not speak it',
      fix: 'put v1 first in admissionReviewVersions, once the server understands it',
    };
  }
  const sideEffects = field.get('sideEffects');
  if (sideEffects.text !== 'None' && sideEffects.text !== 'NoneOnDryRun') {
    yield {
      object,
      pointer: sideEffects.pointer,
      message: `${shown} ${said(sideEffects)}`,
      why: 'the API server takes only None and NoneOnDryRun in v1, and refuses dry runs otherwise',
      fix: 'set sideEffects: None, or NoneOnDryRun where the server looks at dryRun',
    };
  }
  const matchPolicy = field.get('matchPolicy');
  if (matchPolicy.exists && matchPolicy.text !== 'Equivalent' && matchPolicy.text !== 'Exact') {
    yield {
      object,
      pointer: matchPolicy.pointer,
      message: `${shown} ${said(matchPolicy)}`,
      why: 'the API server refuses the configuration',
      fix: 'set matchPolicy: Equivalent',
    };
  }
  const missed = matchPolicy.text === 'Exact' ? missedVersions(objects, webhook) : [];
  if (missed.length > 0) {
    yield {
      object,
      pointer: matchPolicy.pointer,
      message: `${shown} ${said(matchPolicy)}, and no rule names ${listInWords(missed)}`,
      why: 'a request in that version is not sent to the webhook',
      fix: 'set matchPolicy: Equivalent, or name every version that is served',
    };
  }
  if (!matchPolicy.exists && intent && object.apiVersion === 'admissionregistration.k8s.io/v1') {
    // Where an intent is declared, everything is said aloud. Equivalent is what holds anyway.
    const mend = settingChanges(object, matchPolicy.steps, 'Equivalent');
    yield {
      object,
      pointer: matchPolicy.pointer,
      severity: 'info',
      message: `${shown}, declared as ${intent}, does not say matchPolicy: Equivalent`,
      why: 'it holds without being said; said aloud, nobody has to look it up',
      fix: 'set matchPolicy: Equivalent',
      ...(mend ? { fixPatch: mend } : {}),
    };
  }
}

function said(field: Field): string {
  const name = field.steps.at(-1)!;
  return field.exists ? `has ${name} ${valueInWords(field.value)}` : `has no ${name}`;
}
