import type { Operation, RequestKind } from '../../../admission';
import { matchesRequest } from '../../../admission';
import type { AdmissionWebhook, JudgedWebhookRule } from '../../objects/admission-webhooks';
import { asksAbout } from './reach';
import { canAllSelect } from './satisfiable';
import { namesVersion } from './served-versions';

/** Seconds that the API server waits where nothing is said. */
export const defaultTimeout = 10;

/** Webhooks that one request passes. */
export interface RequestPath {
  readonly request: RequestKind;
  /** The mutating ones and the slowest validating one, the slowest first. */
  readonly webhooks: readonly AdmissionWebhook[];
  /** Longest time that they take together. */
  readonly seconds: number;
}

/** Seconds that the API server waits for a webhook. */
export function timeoutOf({ field }: AdmissionWebhook): number {
  const seconds = field.get('timeoutSeconds').number;
  return seconds !== undefined && seconds >= 1 && seconds <= 30 ? seconds : defaultTimeout;
}

/** No path is followed further: it is too long by then. */
const mostWebhooks = 20;

/**
 * Paths of requests through webhooks, one for each kind of request that rules name. Mutating webhooks are asked one after
 * another, then the validating ones all at once.
 *
 * Only webhooks that can be asked about the same object are on one path, as far as selectors and versions say; match
 * conditions are not looked at.
 * @see https://kubernetes.io/docs/concepts/cluster-administration/admission-webhooks-good-practices/#design-admission-webhooks-low-latency
 */
export function requestPaths(webhooks: readonly AdmissionWebhook[]): readonly RequestPath[] {
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

function isWide({ apiGroups, resources }: JudgedWebhookRule): boolean {
  return apiGroups.includes('*') || resources.some((each) => each.includes('*'));
}

function requestsOf({ operations, apiGroups, resources, scope }: JudgedWebhookRule): RequestKind[] {
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
