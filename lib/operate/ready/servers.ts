import type { AwsClients } from '../../core/aws/clients';
import { within } from '../../core/async';
import { callAws, present } from '../../core/aws/errors';
import type { KubernetesReader, ServerVersion } from '../../core/kubernetes/api';
import { eksKubeconfig } from '../../core/kubernetes/eks-kubeconfig';
import { oneLine } from '../../core/printable-text';
import { minorVersion } from '../../core/readiness';
import type { ReadinessSubject, SubjectResult } from '../../core/readiness';
import { errorLine } from '../../core/validation/problems';
import type { AskedClusters, AskedServer } from './report';

/** An EKS cluster whose API server is wanted. */
export interface WantedServer {
  /** Name of the cluster. */
  readonly clusterName: string;
  /** Clients in its region. */
  readonly clients: AwsClients;
  /** Role that `aws eks get-token` takes on. @default - none */
  readonly roleArn?: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * A kubeconfig of a cluster, made of what EKS describes.
 *
 * @throws AwsError; an Error where the cluster has no address
 */
export async function eksServer({ clusterName, clients, roleArn, signal }: WantedServer): Promise<string> {
  const { region } = clients;
  const call = { action: 'eks:DescribeCluster', subject: `EKS cluster ${clusterName}` };
  const eks = await clients.eks();
  const { cluster } = await callAws({ ...call, ...(region === undefined ? {} : { region }) }, () =>
    eks.describeCluster({ name: clusterName }, { abortSignal: signal }),
  );
  const { endpoint, certificateAuthority, arn = '', status } = present(call, 'a cluster', cluster);
  if (endpoint === undefined || certificateAuthority?.data === undefined) {
    throw new Error(oneLine(`EKS cluster ${clusterName} is ${status ?? 'unknown'} and has no address`));
  }
  return JSON.stringify(
    eksKubeconfig({
      ...{ clusterName, endpoint, certificateAuthority: certificateAuthority.data },
      region: arn.split(':')[3] ?? region ?? '',
      ...(roleArn === undefined ? {} : { roleArn }),
    }),
  );
}

/**
 * An API server, with its version where it says so.
 *
 * @param timeout how long it may take, in milliseconds
 */
export async function askedServer(
  api: KubernetesReader & ServerVersion,
  signal: AbortSignal,
  timeout: number,
): Promise<AskedServer> {
  const { server } = api;
  try {
    const version = await within(timeout, signal, (own) => api.version(own));
    signal.throwIfAborted();
    return { server, ...(version === undefined ? {} : { version: oneLine(version) }) };
  } catch (error) {
    signal.throwIfAborted();
    return { server, silence: errorLine(error) };
  }
}

/**
 * Whether the API servers are those that the report is about; nothing where none was asked.
 *
 * @param to the wanted version: `1.36`
 */
export function serversResult(
  { kubernetes, newKubernetes }: AskedClusters,
  to: string,
): readonly SubjectResult[] {
  const asked = Object.entries({ cluster: kubernetes, 'new cluster': newKubernetes }).flatMap(
    ([name, server]) => (server ? [`${name} ${server.version ?? 'of an unknown version'}`] : []),
  );
  const { version } = newKubernetes ?? {};
  const minor = minorVersion(version ?? '');
  const isOther = minor !== undefined && minor !== minorVersion(to);
  return asked.length === 0
    ? []
    : [
        {
          name: 'api-servers',
          title: 'API servers that are asked',
          findings: [],
          looked: asked.join(', '),
          untried: [
            ...[kubernetes, newKubernetes].flatMap((each) => {
              const why = each && unknownVersion(each);
              return why === undefined ? [] : [`version of ${each!.server}: ${why}`];
            }),
            ...(isOther
              ? [`the new cluster runs ${version}: what it serves and refuses says little about ${to}`]
              : []),
          ],
          seconds: 0,
        },
      ];
}

/** Why it is not known which version a server runs: nobody knows whether it is the one that the report is about. */
function unknownVersion({ version, silence }: AskedServer): string | undefined {
  if (silence !== undefined) {
    return silence;
  }
  if (version === undefined) {
    return 'the server does not say';
  }
  return minorVersion(version) === undefined ? `"${version}" is no version of Kubernetes` : undefined;
}

/** Subjects whose API server could not be opened: they have passed nothing. */
export function unopenedResults(
  subjects: readonly ReadinessSubject[],
  reason: string,
): readonly SubjectResult[] {
  return subjects
    .filter(({ needs }) => needs === 'kubernetes')
    .map(({ name, title }) => ({
      ...{ name, title, findings: [], looked: 'nothing', untried: [oneLine(reason)], seconds: 0 },
    }));
}
