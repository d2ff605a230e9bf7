import type { KubernetesObject, KubernetesReader } from '../kubernetes';
import { isKubernetesError } from '../kubernetes';
import type { Application } from './application';
import { applicationsOf, isOnlyBehind } from './application';
import type { RegisteredCluster } from './application-cluster';
import { clustersIn, namesOnlyServer } from './application-cluster';

/** What a hub says. */
export interface HubFindings {
  readonly applications: readonly Application[];
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
