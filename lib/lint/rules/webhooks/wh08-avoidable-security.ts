import type { Rule } from '../../rule';
import { admissionPolicies, admissionWebhooks } from '../../views/admission';
import { listInWords, nameInWords, webhookInWords } from './shared/format';
import { isSelective } from './shared/reach';

/** @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-objectselector */
export const wh08: Rule = {
  id: 'WH08',
  severity: 'error',
  title: 'Security that an author can avoid',
  why: 'the author of an object also writes its labels, and so decides whether the webhook sees it',
  fix: 'take the objectSelector out; leave out whole namespaces where something has to be left out',
  scope: 'object',
  *check({ objects }) {
    for (const webhook of [...objects.view(admissionWebhooks), ...objects.view(admissionPolicies)]) {
      const { intent, objectSelector, object, field } = webhook;
      if (intent === 'security' && isSelective(objectSelector)) {
        const { matchLabels = {}, matchExpressions = [] } = objectSelector!;
        const keys = [...Object.keys(matchLabels), ...matchExpressions.map(({ key }) => key)];
        yield {
          object,
          pointer: field.get('objectSelector').pointer,
          message: `${webhookInWords(webhook)} is declared as security, and its objectSelector goes by the labels ${listInWords(keys.map(nameInWords))}`,
        };
      }
    }
  },
};
