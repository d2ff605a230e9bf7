import { inTurn } from '../async';
import { isPlainObject } from '../validation/problems';
import { KubernetesError, isKubernetesError } from './errors';
import type { RequestSender } from './requests';
import { groupPath } from './resources';
import type { ServedKind, ServedKinds } from './survey';

/** What `Accept` says for discovery in one answer; a server that does not know it answers by group. */
export const aggregatedDiscovery =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,' +
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json';

/** Versions of groups that are asked for at once where the server has no aggregated discovery. */
const discoveredAtOnce = 8;

/** Asks an API server for everything that it serves: in two requests, or in one for each version of a group. */
export async function askServedKinds(
  caller: Pick<RequestSender, 'call'>,
  server: string,
  signal?: AbortSignal,
): Promise<ServedKinds> {
  const read = (path: string, accept = 'application/json'): Promise<unknown> =>
    caller.call({
      request: { verb: 'get', resource: path, group: '' },
      method: 'GET',
      path,
      accept,
      repeatable: 'always',
      ...(signal ? { signal } : {}),
    });
  const answers = await Promise.all(
    ['/api', '/apis'].map(async (path) => {
      const answer = readDiscovery(await read(path, aggregatedDiscovery));
      if (!answer) {
        throw new KubernetesError(
          'faulty',
          `${server}: get ${path}: the answer lists no API groups; is this an API server?`,
        );
      }
      return answer;
    }),
  );
  const silent = answers.flatMap((each) => each.silent);
  const toAsk = answers.flatMap((each) => each.toAsk);
  const asked = await inTurn(toAsk, discoveredAtOnce, async (apiVersion) => {
    try {
      return kindsIn(apiVersion, await read(groupPath(apiVersion)));
    } catch (error) {
      // The server of an aggregated API may be down, or away by now.
      if (!isKubernetesError(error, 'faulty', 'notFound', 'unreachable')) {
        throw error;
      }
      silent.push(apiVersion);
      return [];
    }
  });
  return { kinds: [...answers.flatMap(({ kinds }) => kinds), ...asked.flat()], silent };
}

/** What one of the two answers of discovery says: kinds, or versions of groups that have to be asked for. */
export interface DiscoveryAnswer {
  readonly kinds: readonly ServedKind[];
  readonly silent: readonly string[];
  /** Of an answer that is not aggregated: `v1`, `apps/v1`. */
  readonly toAsk: readonly string[];
}

/**
 * Reads the answer at `/api` or `/apis`, aggregated or not.
 *
 * @returns undefined for what is no answer of discovery
 */
export function readDiscovery(answer: unknown): DiscoveryAnswer | undefined {
  if (!isPlainObject(answer)) {
    return undefined;
  }
  const { kind, items, groups, versions } = answer;
  if (kind === 'APIGroupDiscoveryList') {
    const found = objectsIn(items).flatMap(({ metadata, versions: listed }) =>
      objectsIn(listed).map((version) =>
        aggregated(textOf(isPlainObject(metadata) ? metadata.name : ''), version),
      ),
    );
    return {
      kinds: found.flatMap(({ kinds }) => kinds),
      silent: found.flatMap(({ silent }) => silent),
      toAsk: [],
    };
  }
  if (kind === 'APIGroupList') {
    const toAsk = objectsIn(groups).flatMap(({ versions: listed }) =>
      objectsIn(listed).map(({ groupVersion }) => textOf(groupVersion)),
    );
    return { kinds: [], silent: [], toAsk: toAsk.filter(Boolean) };
  }
  if (kind === 'APIVersions' && Array.isArray(versions)) {
    return { kinds: [], silent: [], toAsk: versions.filter((each) => typeof each === 'string') };
  }
  return undefined;
}

function aggregated(
  group: string,
  { version, freshness, resources }: Readonly<Record<string, unknown>>,
): Omit<DiscoveryAnswer, 'toAsk'> {
  const apiVersion = group === '' ? textOf(version) : `${group}/${textOf(version)}`;
  const kinds = objectsIn(resources).map(({ resource, responseKind, verbs }) => ({
    name: resource,
    kind: isPlainObject(responseKind) ? responseKind.kind : undefined,
    verbs,
  }));
  return {
    kinds: listable(apiVersion, kinds),
    silent: freshness === 'Stale' ? [apiVersion] : [],
  };
}

/** Kinds of an `APIResourceList`: those that can be listed. */
export function kindsIn(apiVersion: string, answer: unknown): readonly ServedKind[] {
  return listable(apiVersion, objectsIn(isPlainObject(answer) ? answer.resources : undefined));
}

function listable(apiVersion: string, resources: readonly Readonly<Record<string, unknown>>[]): ServedKind[] {
  return resources.flatMap(({ name, kind, verbs }) =>
    typeof name === 'string' &&
    typeof kind === 'string' &&
    !name.includes('/') &&
    Array.isArray(verbs) &&
    verbs.includes('list')
      ? [{ apiVersion, kind, resource: name }]
      : [],
  );
}

function objectsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isPlainObject) : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
