import type { KubernetesApi } from '../../kubernetes';

/** What the guard needs of an API server; `get` and `patch` for a gate only. */
export type GuardApi = Pick<KubernetesApi, 'list' | 'get' | 'patch'>;
