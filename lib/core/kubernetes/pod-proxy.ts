import type { Call } from './requests';

/** Asks what pods serve, through the API server: the caller needs no way into the cluster's network. */
export interface PodProxy {
  /**
   * What a pod answers to `GET`, as text. It is asked once: what a pod does not answer, the API server has waited for.
   *
   * @throws KubernetesError; `denied` where the right to `get` `pods/proxy` is missing, `faulty` where the API server does not
   *   reach the pod
   * @see https://kubernetes.io/docs/tasks/access-application-cluster/access-cluster-services/#manually-constructing-apiserver-proxy-urls
   */
  podProxy(options: PodProxyOptions): Promise<string>;
}

/** What is asked of which pod. */
export interface PodProxyOptions {
  readonly namespace: string;
  /** Name of the pod. */
  readonly pod: string;
  readonly port: number;
  /** `/metrics` */
  readonly path: string;
  /** Of the answer, in bytes. @default 16777216 */
  readonly longest?: number;
  /** In milliseconds. @default 5000 - a pod is near its API server */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
}

/** The call that asks a pod. */
export function podProxyCall(options: PodProxyOptions): Call {
  const { namespace, pod, port, path, longest = 16_777_216, timeout = 5_000, signal } = options;
  const name = `${pod}:${port}`;
  return {
    request: { verb: 'get', resource: 'pods/proxy', group: '', namespace, name },
    method: 'GET',
    path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/proxy${path}`,
    accept: '*/*',
    longest,
    timeout,
    repeatable: 'unlessBegun',
    ...(signal ? { signal } : {}),
  };
}

/** Whether a client of an API server asks pods, too. */
export function canProxyPods<Client extends object>(client: Client): client is Client & PodProxy {
  return 'podProxy' in client && typeof client.podProxy === 'function';
}
