import type { AdmissionWebhook } from '../../objects/admission-webhooks';
import { admissionWebhooks } from '../../objects/admission-webhooks';
import type { ObjectIndex } from '../../object-index';
import type { RawFinding, Rule } from '../../rule';
import type { RequestPath } from './request-path';
import { defaultTimeout, requestPaths, timeoutOf } from './request-path';
import { listInWords, nameInWords, valueInWords, webhookInWords } from './words';

/** Longest timeout of one webhook, in seconds. */
const longest = 5;

/** What API servers take at most, in seconds. */
const most = 30;

/** Longest time of all webhooks of one request, in seconds: below the 30 s that Kubernetes gives a single one at most. */
const longestTogether = 25;

/** @see https://kubernetes.io/docs/concepts/cluster-administration/admission-webhooks-good-practices/#small-timeout */
export const wh09: Rule = {
  id: 'WH09',
  severity: 'warning',
  title: 'Long timeout',
  why: 'every request waits that long for each webhook that does not answer, and its client may give up before',
  fix: `set timeoutSeconds to ${longest} or less`,
  *check({ objects }) {
    const webhooks = objects.view(admissionWebhooks);
    for (const webhook of webhooks) {
      yield* judge(webhook);
    }
    yield* judgePaths(objects);
  },
};

function* judge(webhook: AdmissionWebhook): Iterable<RawFinding> {
  const said = webhook.field.get('timeoutSeconds');
  if (said.number !== undefined && said.number <= longest) {
    return;
  }
  const what = said.exists
    ? `has timeoutSeconds ${valueInWords(said.value)}${said.number !== undefined && said.number > most ? `, and API servers refuse more than ${most}` : ''}`
    : `has no timeoutSeconds: the API server waits ${defaultTimeout} s`;
  yield { object: webhook.object, pointer: said.pointer, message: `${webhookInWords(webhook)} ${what}` };
}

function* judgePaths(objects: ObjectIndex): Iterable<RawFinding> {
  const reported = new Set<string>();
  for (const path of requestPaths(onceEach(objects))) {
    const key = path.webhooks.map(keyOf).sort().join(' ');
    if (path.seconds > longestTogether && !reported.has(key)) {
      reported.add(key);
      yield tooLong(path);
    }
  }
}

/** Without those that stand in several files. */
function onceEach(objects: ObjectIndex): readonly AdmissionWebhook[] {
  return [...new Map(objects.view(admissionWebhooks).map((webhook) => [keyOf(webhook), webhook])).values()];
}

function keyOf({ object, field, name }: AdmissionWebhook): string {
  return JSON.stringify([object.kind, object.name, field.pointer, name]);
}

function tooLong({ request, webhooks, seconds }: RequestPath): RawFinding {
  const [slowest] = webhooks;
  const named = webhooks.map((webhook) => `${nameInWords(webhook.name)} ${timeoutOf(webhook)} s`);
  return {
    object: slowest!.object,
    pointer: slowest!.field.get('timeoutSeconds').pointer,
    message: `${request.operation} of ${nameInWords(request.resource)} may wait ${seconds} s for webhooks: ${listInWords(named)}`,
    why: `mutating webhooks are asked one after another, so their timeouts add up; over ${longestTogether} s, a client may have given up before the answer`,
    fix: 'set shorter timeouts, or ask fewer webhooks about the same object',
  };
}
