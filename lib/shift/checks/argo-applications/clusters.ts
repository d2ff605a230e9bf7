import type { KubernetesObject, KubernetesReader } from '../../../core/kubernetes/api';
import { isKubernetesError } from '../../../core/kubernetes/errors';
import { applicationsOf, isOnlyBehind } from './applications';
import type { ObservedApplication } from './applications';

/** A cluster that Argo CD knows: nothing of its Secret but these is kept. */
interface RegisteredCluster {
  /** Name in Argo CD. */
  readonly name: string;
  /** URL of the API server, or the ARN of the cluster. */
  readonly server: string;
  /** Name of the EKS cluster that it logs in to. @default - not known */
  readonly eksName?: string;
  /** Label `cluster-canary/slot`. @default - none */
  readonly slot?: string;
}

/** A cluster as Applications name it. */
export interface ApplicationCluster {
  /** Its names in Argo CD; mostly one. */
  readonly names: readonly string[];
  readonly servers: readonly string[];
}

/** The cluster that Argo CD itself runs in needs no Secret. */
const own: RegisteredCluster = { name: 'in-cluster', server: 'https://kubernetes.default.svc' };

/**
 * Reads Argo CD's cluster Secrets.
 *
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/declarative-setup/#clusters
 */
function clustersIn(secrets: readonly KubernetesObject[]): readonly RegisteredCluster[] {
  const found = secrets.flatMap(({ data, metadata }): RegisteredCluster[] => {
    const { name, server, config } = (data ?? {}) as Readonly<Record<string, unknown>>;
    if (typeof name !== 'string' || typeof server !== 'string') {
      return [];
    }
    const address = plain(decoded(server));
    const eksName = eksNameOf(address, typeof config === 'string' ? decoded(config) : '');
    const slot = metadata.labels?.['cluster-canary/slot'];
    return [
      {
        name: plain(decoded(name)),
        server: address,
        ...(eksName === undefined ? {} : { eksName }),
        ...(slot === undefined ? {} : { slot }),
      },
    ];
  });
  return [own, ...found];
}

/**
 * The cluster of a slot, as Applications name it. A hub of this library calls it FLEET-SLOT, which an adopted cluster isn't
 * called in EKS, and a cluster set gives names by a template; so what counts is, in this order: the Secret of this slot that
 * logs in to the EKS cluster, the name alone, any Secret that logs in to it.
 *
 * @param eksName name of the slot's EKS cluster
 */
export function clusterOfSlot(
  slot: string,
  eksName: string,
  registered: readonly RegisteredCluster[],
): ApplicationCluster {
  const logsIn = registered.filter((each) => each.eksName === eksName);
  const [found = []] = [
    logsIn.filter((each) => each.slot === slot),
    registered.filter(({ name }) => name === eksName),
    logsIn,
  ].filter((each) => each.length > 0);
  return {
    names: found.length > 0 ? [...new Set(found.map(({ name }) => name))] : [eksName],
    servers: found.map(({ server }) => server),
  };
}

/** Whether somebody has to look up the cluster's name. */
function namesOnlyServer({ destination }: ObservedApplication): boolean {
  return destination.name === undefined && destination.server !== undefined;
}

/** Whether an Application is deployed to a cluster, by its name in Argo CD or by its API server. */
export function isDeployedTo(
  { destination }: ObservedApplication,
  { names, servers }: ApplicationCluster,
): boolean {
  if (destination.name !== undefined) {
    return names.includes(destination.name);
  }
  return destination.server !== undefined && servers.includes(plain(destination.server));
}

/**
 * The EKS cluster that a Secret logs in to: `awsAuthConfig`, the option of `aws eks get-token` and `argocd-k8s-auth aws`, or
 * the ARN that the managed Argo CD of EKS takes.
 */
function eksNameOf(server: string, config: string): string | undefined {
  const arn = /^arn:[^:]+:eks:[^:]*:[^:]*:cluster\/(.+)$/.exec(server)?.[1];
  const { awsAuthConfig, execProviderConfig } = parsed(config);
  const args = Array.isArray(execProviderConfig?.args) ? (execProviderConfig.args as readonly unknown[]) : [];
  const option = args[args.indexOf('--cluster-name') + 1];
  const [name] = [
    arn,
    awsAuthConfig?.clusterName,
    args.includes('--cluster-name') ? option : undefined,
  ].filter((each): each is string => typeof each === 'string');
  return name;
}

interface LoginConfig {
  readonly awsAuthConfig?: { readonly clusterName?: unknown };
  readonly execProviderConfig?: { readonly args?: unknown };
}

function parsed(config: string): LoginConfig {
  try {
    return (JSON.parse(config) as LoginConfig | null) ?? {};
  } catch {
    return {};
  }
}

function decoded(text: string): string {
  return Buffer.from(text, 'base64').toString();
}

function plain(text: string): string {
  return text.trim().replace(/(?<!\/)\/+$/, '');
}

/** What a hub says. */
export interface HubFindings {
  readonly applications: readonly ObservedApplication[];
  readonly registered: readonly RegisteredCluster[];
  readonly projects: readonly KubernetesObject[];
}

/** What is looked for. */
export interface WantedFindings {
  readonly namespace: string;
  readonly selector: string | undefined;
  /** Names of the slots' EKS clusters. */
  readonly clusters: readonly string[];
}

const argo = 'argoproj.io/v1alpha1';

/**
 * Asks a hub. Secrets and projects are asked for only where they are needed: who needs none needs no right to them.
 *
 * @throws KubernetesError
 */
export async function lookUp(
  reader: KubernetesReader,
  { namespace, selector, clusters }: WantedFindings,
  signal: AbortSignal | undefined,
): Promise<HubFindings> {
  const options = { namespace, ...(signal ? { signal } : {}) };
  const selected = { ...options, ...(selector === undefined ? {} : { labelSelector: selector }) };
  const applications = applicationsOf(await reader.list({ apiVersion: argo, kind: 'Application' }, selected));
  const named = new Set(applications.map(({ destination }) => destination.name));
  const needed = applications.some(namesOnlyServer);
  const secrets =
    needed || clusters.some((name) => !named.has(name))
      ? await unlessDenied(!needed, () =>
          reader.list(
            { apiVersion: 'v1', kind: 'Secret' },
            { ...options, labelSelector: 'argocd.argoproj.io/secret-type=cluster' },
          ),
        )
      : [];
  const projects = applications.some(isOnlyBehind)
    ? await unlessDenied(true, () => reader.list({ apiVersion: argo, kind: 'AppProject' }, options))
    : [];
  return { applications, registered: clustersIn(secrets), projects };
}

async function unlessDenied(
  mayBe: boolean,
  ask: () => Promise<readonly KubernetesObject[]>,
): Promise<readonly KubernetesObject[]> {
  try {
    return await ask();
  } catch (error) {
    if (mayBe && isKubernetesError(error, 'denied')) {
      return [];
    }
    throw error;
  }
}
