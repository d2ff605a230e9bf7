import { inTurn } from '../../../core/async';
import { leaseNamespace } from '../../../core/kubernetes/api';
import type { KubernetesObject, PodLogs } from '../../../core/kubernetes/api';
import { isKubernetesError } from '../../../core/kubernetes/errors';
import type { CarefulReader } from '../../../core/kubernetes/tolerant-reader';
import { heartbeatOf, skewOf } from '../../clocks';
import type { DoctorContext } from '../check';
import type { MeasuredClock } from './clock-verdict';
import type { ServerCertificates } from './http';
import { repositorySecret, repositorySecretSelector } from './repository';
import type { RepositorySecret } from './repository';

/** What a repo-server wrote of its own requests for tokens, in lines. */
interface LogFailures {
  /** 401: GitHub took no token of the App. */
  readonly refused: number;
  /** Other statuses of GitHub, by number. */
  readonly otherStatuses: Readonly<Record<string, number>>;
  readonly certificate: number;
  readonly proxy: number;
  /** No way to GitHub for another reason: names, connections, time. */
  readonly unreachable: number;
  /** Git itself was refused: a token that has ended, or another credential. */
  readonly git: number;
  /** Installations whose tokens were refused with 401. */
  readonly installations: readonly string[];
}

/**
 * Counts failures in the log of a repo-server, written as text or as JSON. One failure may be in more than one line.
 *
 * @see https://github.com/bradleyfalzon/ghinstallation/blob/v2.17.0/transport.go refreshToken
 * @see https://github.com/argoproj/argo-cd/issues/11231 such lines
 */
export function logFailures(text: string): LogFailures {
  const counts = { refused: 0, certificate: 0, proxy: 0, unreachable: 0, git: 0 };
  const otherStatuses: Record<string, number> = {};
  const installations = new Set<string>();
  for (const line of text.split('\n')) {
    const [, status, installation] = answered.exec(line) ?? [];
    const [, reason] = unanswered.exec(line) ?? [];
    if (status === '401') {
      counts.refused += 1;
      installations.add(installation!);
    } else if (status !== undefined) {
      otherStatuses[status] = (otherStatuses[status] ?? 0) + 1;
    } else if (reason !== undefined) {
      counts[wayOf(reason)] += 1;
    } else if (gitRefused.test(line)) {
      counts.git += 1;
    }
  }
  return { ...counts, otherStatuses, installations: [...installations] };
}

/** Quotes may be escaped, more than once. */
const answered =
  /received non 2xx response status [\\"]*(\d{3})\b.{0,80}? when fetching \S+?\/app\/installations\/(\d+)\/access_tokens/;

const unanswered = /could not get access_tokens from GitHub API for installation ID \d+: (.*)/;

/** Words of go-git and of git. */
const gitRefused = /\bauthentication required\b|Authentication failed for /;

/** Words of Go's network library. */
function wayOf(reason: string): 'certificate' | 'proxy' | 'unreachable' {
  if (/x509:|certificate/.test(reason)) {
    return 'certificate';
  }
  return /^proxyconnect |Proxy Authentication Required|^(Forbidden|Bad Gateway|Service Unavailable)\b/.test(
    reason,
  )
    ? 'proxy'
    : 'unreachable';
}

/** A pod of Argo CD's repo-server, which asks GitHub. */
interface RepoServerPod {
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
function repoServersOf(pods: readonly KubernetesObject[]): readonly RepoServerPod[] {
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
async function readPod(
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

/** All Secrets of repositories and credential templates; none where they may not be read, which is noted. */
export async function secretsOf(
  reader: CarefulReader,
  namespace: string,
): Promise<readonly RepositorySecret[]> {
  const objects = await reader.list(
    { apiVersion: 'v1', kind: 'Secret' },
    { namespace, labelSelector: repositorySecretSelector },
  );
  return (objects ?? []).map(repositorySecret);
}

/** Where Argo CD keeps the certificates that it knows servers by. */
export const certificatesConfigMap = 'argocd-tls-certs-cm';

/** The certificates that Argo CD knows servers by. */
export async function serverCertificates(
  reader: CarefulReader,
  namespace: string,
): Promise<ServerCertificates> {
  const found = await reader.get({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: certificatesConfigMap, namespace },
  });
  const data = found === undefined || found === 'missing' ? {} : (found.data ?? {});
  return Object.fromEntries(Object.entries(data).map(([host, pem]) => [host, String(pem)]));
}

/** The running pods of the repo-server. */
export async function podsOf(reader: CarefulReader, namespace: string): Promise<readonly RepoServerPod[]> {
  const pods = await reader.list({ apiVersion: 'v1', kind: 'Pod' }, { namespace });
  return repoServersOf(pods ?? []);
}

/** What the pods wrote lately; those that can't be read are noted. */
export async function logsOf(
  logs: PodLogs | undefined,
  pods: readonly RepoServerPod[],
  limits: LogLimits,
  { namespace, concurrency, signal }: DoctorContext,
  reader: CarefulReader,
): Promise<readonly ReadPod[]> {
  if (!logs) {
    if (pods.length > 0) {
      reader.note('logs of the repo-servers: nothing here reads logs');
    }
    return [];
  }
  const read = await inTurn(
    pods,
    concurrency,
    (pod) => readPod(logs, namespace, pod, limits, signal),
    signal,
  );
  read.filter((each) => typeof each === 'string').forEach((line) => reader.note(line));
  return read.filter((each) => typeof each !== 'string');
}

/** The clocks of a few nodes, by one heartbeat each: good to about a second. */
export async function clocksOf(
  reader: CarefulReader,
  nodes: readonly string[],
): Promise<readonly MeasuredClock[]> {
  const clocks: MeasuredClock[] = [];
  for (const node of nodes) {
    const lease = await reader.get({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: node, namespace: leaseNamespace },
    });
    const heartbeat = lease === undefined || lease === 'missing' ? undefined : heartbeatOf(lease);
    if (heartbeat !== undefined && typeof heartbeat !== 'string') {
      const { seconds, uncertainty } = skewOf([heartbeat]);
      clocks.push({ node, seconds, uncertainty: Math.max(uncertainty, 1) });
    }
  }
  return clocks;
}
