/** Reads what containers have written. */
export interface PodLogs {
  /**
   * The log of one container, as text.
   *
   * @throws KubernetesError; `denied` where the right to `get` `pods/log` is missing, `invalid` where the container has not
   *   started
   */
  podLog(options: PodLogOptions): Promise<string>;
}

/**
 * Which part of which log.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#get-read-log-of-the-specified-pod
 */
export interface PodLogOptions {
  readonly namespace: string;
  /** Name of the pod. */
  readonly pod: string;
  /** Name of the container. @default - the only one of the pod */
  readonly container?: string;
  /** How far back, in seconds. @default - to the beginning */
  readonly sinceSeconds?: number;
  /** How many lines at most, counted from the newest one. @default - all */
  readonly tailLines?: number;
  /**
   * How many bytes at most, counted from the oldest line that is left: a log that is longer loses its newest lines.
   * @default - all
   */
  readonly limitBytes?: number;
  /** Of one try, in milliseconds. @default - that of every call */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
}

/** Path and query of a log. */
export function logPath({ namespace, pod, ...limits }: PodLogOptions): string {
  const { container, sinceSeconds, tailLines, limitBytes } = limits;
  const query = new URLSearchParams(
    Object.entries({ container, sinceSeconds, tailLines, limitBytes })
      .filter(([, value]) => value !== undefined)
      .map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/log`;
  return query ? `${path}?${query}` : path;
}

/** Whether a client of an API server reads logs, too. */
export function readsPodLogs<Client extends object>(client: Client): client is Client & PodLogs {
  return 'podLog' in client && typeof client.podLog === 'function';
}
