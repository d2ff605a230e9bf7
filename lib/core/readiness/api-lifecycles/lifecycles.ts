import { table } from './table';

/** How long a kind of a built-in API is served. Versions are minor releases of Kubernetes: 25 is 1.25. */
export interface ApiLifecycle {
  /** `policy`; empty for the core group. */
  readonly group: string;
  /** `v1beta1` */
  readonly version: string;
  /** `PodDisruptionBudget` */
  readonly kind: string;
  /** The first release that deprecates it. @default - it went without notice, as alpha versions do */
  readonly deprecated?: number;
  /** The first release that does not serve it. @default - none is planned */
  readonly removed?: number;
  /** What takes its place, and is served longer. @default - nothing */
  readonly replacement?: {
    /** `policy/v1` */
    readonly apiVersion: string;
    /** `PodDisruptionBudget` */
    readonly kind: string;
  };
}

/** What names a kind. */
interface NamedApi {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The minor release of a version: 36 of `1.36`, `v1.36.2` and `v1.36.2-eks-1a2b3c4`; undefined for what is no such version. */
export function minorVersion(text: string): number | undefined {
  const [, minor] = /^v?1\.(\d{1,3})(?:[.+-]|$)/.exec(text) ?? [];
  return minor === undefined ? undefined : Number(minor);
}

/** Every kind that some release deprecates or removes. */
export const apiLifecycles: readonly ApiLifecycle[] = read(table);

const known: ReadonlyMap<string, ApiLifecycle> = new Map(apiLifecycles.map((each) => [keyOf(each), each]));

/**
 * The lifecycle of a kind that some release deprecates or removes; undefined for every other one, and for what is no built-in
 * API. The list of a kind goes with it.
 *
 * @param apiVersion `policy/v1beta1`
 * @param kind `PodDisruptionBudget`
 */
export function apiLifecycle(apiVersion: string, kind: string): ApiLifecycle | undefined {
  const found = known.get(`${apiVersion} ${kind}`);
  return found ?? (kind.endsWith('List') ? known.get(`${apiVersion} ${kind.slice(0, -4)}`) : undefined);
}

/** Whether a version of Kubernetes does not serve it any more: `1.36`. */
export function isRemoved({ apiVersion, kind }: NamedApi, to: string): boolean {
  return (apiLifecycle(apiVersion, kind)?.removed ?? Infinity) <= (minorVersion(to) ?? 0);
}

/** Whether a version of Kubernetes deprecates it, or one before it did: `1.36`. */
export function isDeprecated({ apiVersion, kind }: NamedApi, to: string): boolean {
  return (apiLifecycle(apiVersion, kind)?.deprecated ?? Infinity) <= (minorVersion(to) ?? 0);
}

function keyOf({ group, version, kind }: Pick<ApiLifecycle, 'group' | 'version' | 'kind'>): string {
  return `${group === '' ? '' : `${group}/`}${version} ${kind}`;
}

function read(text: string): readonly ApiLifecycle[] {
  const all = text.trim().split('\n').map(readLine);
  const byKey = new Map(all.map((each) => [keyOf(each), each]));
  return all.map((each) => withLastReplacement(each, byKey));
}

function readLine(line: string): ApiLifecycle {
  const [apiVersion = '', kind = '', , deprecated, removed, replacement = '-', other = kind] =
    line.split(' ');
  const slash = apiVersion.indexOf('/');
  return {
    ...{ group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1), kind },
    ...(deprecated === '-' ? {} : { deprecated: Number(deprecated) }),
    ...(removed === '-' ? {} : { removed: Number(removed) }),
    ...(replacement === '-' ? {} : { replacement: { apiVersion: replacement, kind: other } }),
  };
}

/** What replaced it may have gone since: the last of the row is named, and none where that is gone, too. */
function withLastReplacement(
  { replacement, ...own }: ApiLifecycle,
  byKey: ReadonlyMap<string, ApiLifecycle>,
): ApiLifecycle {
  let last = replacement;
  for (let after = replacement; after !== undefined;) {
    last = after;
    const next = byKey.get(`${after.apiVersion} ${after.kind}`);
    if (next !== undefined && next.replacement === undefined) {
      last = undefined;
    }
    after = next?.replacement;
  }
  return last === undefined ? own : { ...own, replacement: last };
}
