import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readModules } from './read-go-lifecycles';
import type { GoLifecycle, GoRelease } from './read-go-lifecycles';

/**
 * The newest that Kubernetes says of each kind. A type that a later release lacks is no longer served by then, which the
 * releases before may not have planned; one may be kept for years after it.
 */
function merged(releases: readonly GoRelease[]): ReadonlyMap<string, GoLifecycle> {
  const found = new Map<string, GoLifecycle>();
  for (const { minor, kinds } of releases) {
    for (const [kind, lifecycle] of found) {
      if (!kinds.has(kind) && (lifecycle.removed ?? Infinity) > minor) {
        found.set(kind, { ...lifecycle, removed: minor });
      }
    }
    for (const [kind, lifecycle] of kinds) {
      found.set(kind, lifecycle);
    }
  }
  return found;
}

/** What only requests and subresources carry is no object. */
const isObject = (kind: string): boolean =>
  !/(List|Options|Result|Dummy| Scale| Status| EphemeralContainers)$/.test(kind);

/** What the types do not say. */
const supplement: Readonly<Record<string, GoLifecycle>> = {
  // https://kubernetes.io/docs/reference/using-api/deprecation-guide/#replicaset-v116
  'apps/v1beta1 ReplicaSet': { deprecated: 8, removed: 16, replacement: 'apps/v1' },
  // https://github.com/kubernetes/kubernetes/pull/84758; the beta version of both was removed in 1.22.
  ...Object.fromEntries(
    ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'].map((kind) => [
      `rbac.authorization.k8s.io/v1alpha1 ${kind}`,
      { deprecated: 17, removed: 22, replacement: 'rbac.authorization.k8s.io/v1' },
    ]),
  ),
  // https://kubernetes.io/blog/2025/04/24/endpoints-deprecation/
  'v1 Endpoints': { deprecated: 33, replacement: 'discovery.k8s.io/v1 EndpointSlice' },
  // https://github.com/FairwindsOps/pluto/blob/master/versions.yaml
  'scheduling.k8s.io/v1alpha1 PriorityClass': {
    deprecated: 14,
    removed: 17,
    replacement: 'scheduling.k8s.io/v1',
  },
};

const all = readModules();
const newestKinds = new Set(all.flatMap((releases) => [...releases.at(-1)!.kinds]).map(([key]) => key));
const kinds = new Map([...all.flatMap((releases) => [...merged(releases)]), ...Object.entries(supplement)]);

/** Versions of a group from the best one on: stable ones, then beta ones, the newest first. */
function rankOf(api: string): number {
  const [, major, stage = 'stable', minor = '0'] = /v(\d+)(?:(alpha|beta)(\d+))?$/.exec(api) ?? [];
  return { alpha: 0, beta: 1, stable: 2 }[stage as 'alpha']! * 10_000 + Number(major) * 100 + Number(minor);
}

/** The best version of the same kind that the newest release has and that is not older. */
function newerOf(key: string): string | undefined {
  const [api = '', kind = ''] = key.split(' ');
  const group = api.split('/')[0]!;
  const others = [...newestKinds].filter((each) => each.startsWith(`${group}/`) && each.endsWith(` ${kind}`));
  const [best] = others.map((each) => each.split(' ')[0]!).sort((one, other) => rankOf(other) - rankOf(one));
  return best !== undefined && rankOf(best) > rankOf(api) ? best : undefined;
}

/** `policy/v1beta1 PodDisruptionBudget 5 21 25 policy/v1`, with `-` for what is not known; a replacement's kind where it is another. */
function lineOf([key, { introduced, deprecated, removed, replacement }]: readonly [
  string,
  GoLifecycle,
]): string {
  const [, kind] = key.split(' ');
  const [api = newerOf(key) ?? '-', other] = replacement?.split(' ') ?? [];
  // The replacement of IngressClass is a list by an oversight of its types.
  const others = other === undefined || other === kind || other === `${kind}List` ? [] : [other];
  return [key, introduced ?? '-', deprecated ?? '-', removed ?? '-', api, ...others].join(' ');
}

const lines = [...kinds]
  .filter(([key, { deprecated, removed }]) => isObject(key) && (deprecated ?? removed) !== undefined)
  .map(lineOf)
  .sort();
const newest = Math.max(...all.flatMap((releases) => releases.map(({ minor }) => minor)));

writeFileSync(
  join(__dirname, '..', '..', '..', 'lib', 'core', 'readiness', 'api-lifecycles', 'table.ts'),
  `/** The newest minor release whose types were read. */
export const newestKnownMinor = ${newest};

/**
 * Kinds that are deprecated or removed in some release: apiVersion, kind, and the minor releases in which it was introduced,
 * deprecated and removed, then what replaces it. \`npx ts-node -T test/core/readiness/write-api-lifecycles.ts\` writes it from
 * the Go modules k8s.io/api, k8s.io/apiextensions-apiserver and k8s.io/kube-aggregator, releases 1.17 to 1.${newest}.
 */
export const table = \`
${lines.join('\n')}
\`;
`,
);
