import type { KubernetesObject, PodLogs } from '../../kubernetes';
import { isKubernetesError } from '../../kubernetes';
import type { LogFailures } from './log-failures';
import { logFailures } from './log-failures';

/** A pod of Argo CD's repo-server, which asks GitHub. */
export interface RepoServerPod {
  readonly name: string;
  /** Name of its node; empty where it has none yet. */
  readonly node: string;
  readonly container: string;
}

/** A repo-server's pod, and what it wrote. */
export interface ReadPod extends RepoServerPod {
  readonly failures: LogFailures;
  /** Whether the log was longer than what was read. */
  readonly cut: boolean;
}

/** How much of each log is read. */
export interface LogLimits {
  /** How far back, in seconds. @default 3600 - a token of an installation lasts an hour, so each was renewed once */
  readonly sinceSeconds: number;
  /** @default 20000 */
  readonly tailLines: number;
  /** @default 8388608 - eight megabytes */
  readonly limitBytes: number;
  /** Of one try, in milliseconds. @default 20000 */
  readonly timeout: number;
}

export const defaultLogLimits: LogLimits = {
  sinceSeconds: 3_600,
  tailLines: 20_000,
  limitBytes: 8_388_608,
  timeout: 20_000,
};

/** The repo-servers among pods that run. Charts and operators name them differently. */
export function repoServersOf(pods: readonly KubernetesObject[]): readonly RepoServerPod[] {
  return pods.filter(isRepoServer).map(({ metadata, spec }) => {
    const { nodeName = '', containers = [] } = (spec ?? {}) as {
      readonly nodeName?: string;
      readonly containers?: readonly { readonly name: string }[];
    };
    const names = containers.map(({ name }) => name);
    const container = names.find((name) => name.endsWith('repo-server')) ?? names[0] ?? 'repo-server';
    return { name: metadata.name, node: nodeName, container };
  });
}

function isRepoServer({ metadata, status }: KubernetesObject): boolean {
  const { labels = {} } = metadata;
  const { phase } = (status ?? {}) as { readonly phase?: string };
  const named =
    labels['app.kubernetes.io/component'] === 'repo-server' ||
    /(^|-)repo-server$/.test(labels['app.kubernetes.io/name'] ?? '');
  return named && (phase === undefined || phase === 'Running');
}

/**
 * Reads what a pod wrote lately.
 *
 * @returns a line that says why it can't be read, where it can't
 */
export async function readPod(
  logs: PodLogs,
  namespace: string,
  pod: RepoServerPod,
  limits: LogLimits,
  signal: AbortSignal,
): Promise<ReadPod | string> {
  const { name, container } = pod;
  try {
    const text = await logs.podLog({ namespace, pod: name, container, ...limits, signal });
    const lines = text.split('\n').length - 1;
    const cut = lines >= limits.tailLines || Buffer.byteLength(text) >= limits.limitBytes;
    return { ...pod, failures: logFailures(text), cut };
  } catch (error) {
    signal.throwIfAborted();
    if (isKubernetesError(error)) {
      return `log of the pod ${name}: ${(error as Error).message}`;
    }
    throw error;
  }
}
