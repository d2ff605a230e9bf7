import { matchesRequest } from '../../../core/admission/requests';
import type { Operation, RequestKind } from '../../../core/admission/requests';
import type { LabelSelector } from '../../../core/kubernetes/label-selector';
import type { ObjectIndex } from '../../object-index';
import type { RawFinding, Rule } from '../../rule';
import { admissionWebhooks } from '../../views/admission';
import type { AdmissionWebhook, WebhookRuleView } from '../../views/admission';
import { listInWords, nameInWords, valueInWords, webhookInWords } from './shared/format';
import { asksAbout } from './shared/reach';
import { namesVersion } from './wh11-review-settings';

/** What selectors ask of one label. */
interface Asked {
  /** It must have one of these values. @default - any, or none at all */
  readonly values?: readonly string[];
  readonly without: readonly string[];
  readonly present: boolean;
  readonly absent: boolean;
}

/** Whether there can be an object that all of these selectors select. */
function canAllSelect(selectors: readonly (LabelSelector | undefined)[]): boolean {
  const asked = new Map<string, Asked>();
  const ask = (key: string, change: (before: Asked) => Asked): unknown =>
    asked.set(key, change(asked.get(key) ?? { without: [], present: false, absent: false }));
  for (const { matchLabels = {}, matchExpressions = [] } of selectors.flatMap((each) => each ?? [])) {
    for (const [key, value] of Object.entries(matchLabels)) {
      ask(key, (before) => ({ ...before, values: among(before.values, [value]) }));
    }
    for (const { key, operator, values = [] } of matchExpressions) {
      switch (operator) {
        case 'In':
          ask(key, (before) => ({ ...before, values: among(before.values, values) }));
          break;
        case 'NotIn':
          ask(key, (before) => ({ ...before, without: [...before.without, ...values] }));
          break;
        case 'Exists':
          ask(key, (before) => ({ ...before, present: true }));
          break;
        case 'DoesNotExist':
          ask(key, (before) => ({ ...before, absent: true }));
          break;
      }
    }
  }
  return [...asked.values()].every(isPossible);
}

function among(before: readonly string[] | undefined, values: readonly string[]): readonly string[] {
  return before ? before.filter((each) => values.includes(each)) : values;
}

function isPossible({ values, without, present, absent }: Asked): boolean {
  return absent
    ? !present && values === undefined
    : values === undefined || values.some((each) => !without.includes(each));
}

/** Seconds that the API server waits where nothing is said. */
const defaultTimeout = 10;

/** Webhooks that one request passes. */
interface RequestPath {
  readonly request: RequestKind;
  /** The mutating ones and the slowest validating one, the slowest first. */
  readonly webhooks: readonly AdmissionWebhook[];
  /** Longest time that they take together. */
  readonly seconds: number;
}

/** Seconds that the API server waits for a webhook. */
function timeoutOf({ field }: AdmissionWebhook): number {
  const seconds = field.get('timeoutSeconds').number;
  return seconds !== undefined && seconds >= 1 && seconds <= 30 ? seconds : defaultTimeout;
}

/** No path is followed further: it is too long by then. */
const mostWebhooks = 20;

/**
 * Paths of requests through webhooks, one for each kind of request that rules name. Mutating webhooks are called one after
 * another, then the validating ones all at once.
 *
 * Only webhooks that can be called for the same object are on one path, as far as selectors and versions say; match
 * conditions are not read.
 * @see https://kubernetes.io/docs/concepts/cluster-administration/admission-webhooks-good-practices/#design-admission-webhooks-low-latency
 */
function requestPaths(webhooks: readonly AdmissionWebhook[]): readonly RequestPath[] {
  const kinds = new Map<string, { readonly request: RequestKind; readonly asked: Set<AdmissionWebhook> }>();
  const wide = webhooks.filter(({ rules }) => rules.some(isWide));
  const anyPods: RequestKind = { operation: 'CREATE', group: '', resource: 'pods', namespaced: true };
  const add = (request: RequestKind, webhook?: AdmissionWebhook): void => {
    const key = `${request.operation} ${request.group} ${request.resource} ${request.namespaced}`;
    const kind = kinds.get(key) ?? { request, asked: new Set() };
    kinds.set(key, kind);
    if (webhook) {
      kind.asked.add(webhook);
    }
  };
  if (wide.length > 0) {
    add(anyPods);
  }
  for (const webhook of webhooks) {
    for (const rule of webhook.rules.filter((each) => !isWide(each))) {
      requestsOf(rule).forEach((request) => add(request, webhook));
    }
  }
  return [...kinds.values()].map(({ request, asked }) => {
    wide.filter((webhook) => asksAbout(webhook, request)).forEach((webhook) => asked.add(webhook));
    const paths = versionsOf(request, asked).map((version) =>
      longestPath(
        request,
        [...asked].filter((webhook) => asksInVersion(webhook, request, version)),
      ),
    );
    return paths.reduce((longest, path) => (path.seconds > longest.seconds ? path : longest));
  });
}

/** Versions of a request that webhooks tell apart, and any other one. */
function versionsOf(
  request: RequestKind,
  asked: ReadonlySet<AdmissionWebhook>,
): readonly (string | undefined)[] {
  const versions = [...asked]
    .filter(isExact)
    .flatMap(({ rules }) => rules.filter((rule) => matchesRequest(rule, request)))
    .flatMap(({ apiVersions }) => apiVersions);
  return [undefined, ...new Set(versions.filter((version) => version !== '*'))];
}

/** With `matchPolicy: Equivalent`, the default, a request is converted to the version that a rule names. */
function asksInVersion(
  webhook: AdmissionWebhook,
  request: RequestKind,
  version: string | undefined,
): boolean {
  return (
    !isExact(webhook) ||
    webhook.rules.some((rule) => matchesRequest(rule, request) && namesVersion(rule, version))
  );
}

function isExact({ field }: AdmissionWebhook): boolean {
  return field.get('matchPolicy').text === 'Exact';
}

function isWide({ apiGroups, resources }: WebhookRuleView): boolean {
  return apiGroups.includes('*') || resources.some((each) => each.includes('*'));
}

function requestsOf({ operations, apiGroups, resources, scope }: WebhookRuleView): RequestKind[] {
  const each: readonly Operation[] = operations.includes('*')
    ? ['CREATE', 'UPDATE', 'DELETE', 'CONNECT']
    : operations;
  const namespaced = scope !== 'Cluster';
  return each.flatMap((operation) =>
    apiGroups.flatMap((group) => resources.map((resource) => ({ operation, group, resource, namespaced }))),
  );
}

function longestPath(request: RequestKind, asked: readonly AdmissionWebhook[]): RequestPath {
  const slowestFirst = [...asked].sort((one, other) => timeoutOf(other) - timeoutOf(one));
  const chosen: AdmissionWebhook[] = [];
  const addIfPossible = (webhook: AdmissionWebhook): boolean => {
    const together = [...chosen, webhook];
    const possible =
      chosen.length < mostWebhooks &&
      canAllSelect(together.map(({ namespaceSelector }) => namespaceSelector)) &&
      canAllSelect(together.map(({ objectSelector }) => objectSelector));
    return possible && chosen.push(webhook) > 0;
  };
  slowestFirst.filter(({ type }) => type === 'mutating').forEach(addIfPossible);
  slowestFirst.filter(({ type }) => type === 'validating').some(addIfPossible);
  const seconds = chosen.reduce((sum, webhook) => sum + timeoutOf(webhook), 0);
  return { request, webhooks: chosen, seconds };
}

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
      yield* evaluate(webhook);
    }
    yield* evaluatePaths(objects);
  },
};

function* evaluate(webhook: AdmissionWebhook): Iterable<RawFinding> {
  const said = webhook.field.get('timeoutSeconds');
  if (said.number !== undefined && said.number <= longest) {
    return;
  }
  const what = said.exists
    ? `has timeoutSeconds ${valueInWords(said.value)}${said.number !== undefined && said.number > most ? `, and API servers refuse more than ${most}` : ''}`
    : `has no timeoutSeconds: the API server waits ${defaultTimeout} s`;
  yield { object: webhook.object, pointer: said.pointer, message: `${webhookInWords(webhook)} ${what}` };
}

function* evaluatePaths(objects: ObjectIndex): Iterable<RawFinding> {
  const reported = new Set<string>();
  for (const path of requestPaths(onceEach(objects))) {
    const key = path.webhooks.map(keyOf).sort().join(' ');
    if (path.seconds > longestTogether && !reported.has(key)) {
      reported.add(key);
      yield tooLong(path);
    }
  }
}

/** Without those that are in several files. */
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
    why: `mutating webhooks are called one after another, so their timeouts add up; over ${longestTogether} s, a client may have given up before the answer`,
    fix: 'set shorter timeouts, or call fewer webhooks for the same object',
  };
}
