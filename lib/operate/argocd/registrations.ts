import type { KubernetesSettings } from '../../core/kubernetes/access';
import type { KubernetesApi, KubernetesObject } from '../../core/kubernetes/api';
import { labelsBeforeDrainAnnotation, skipReconcileAnnotation } from '../../core/names';

/** A hub, and where its Argo CD keeps cluster Secrets. */
export interface Hub {
  /** For messages: its context, file or server. */
  readonly name: string;
  /** API server of the hub. */
  readonly api: KubernetesApi;
  /** Namespace of Argo CD. */
  readonly namespace: string;
}

/** A cluster Secret, as far as it says which cluster it registers. */
export interface Registration {
  readonly secret: string;
  readonly uid: string;
  /** Name by which Argo CD knows the cluster. */
  readonly name: string;
  /** URL of the API server without a slash at its end, or the ARN of the cluster. */
  readonly server: string;
  /** Of `awsAuthConfig`. @default - another way to log in */
  readonly clusterName?: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Whether Argo CD leaves the cluster alone. */
  readonly skipsReconcile: boolean;
  /** Which traffic labels it had before a drain paused it. @default - no drain has */
  readonly labelsBeforeDrain?: string;
}

/**
 * The clusters that a hub knows. Nothing of a Secret but these fields is kept.
 *
 * @throws KubernetesError
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/declarative-setup/#clusters
 */
export async function registrations(
  { api, namespace }: Hub,
  labelSelector = 'argocd.argoproj.io/secret-type=cluster',
  signal?: AbortSignal,
): Promise<readonly Registration[]> {
  const secrets = await api.list({ apiVersion: 'v1', kind: 'Secret' }, { namespace, labelSelector, signal });
  return secrets.map(registrationOf);
}

function registrationOf(secret: KubernetesObject): Registration {
  const data = (secret.data ?? {}) as Readonly<Record<string, string>>;
  const text = (key: string): string => Buffer.from(data[key] ?? '', 'base64').toString();
  const clusterName = awsClusterName(text('config'));
  const { [labelsBeforeDrainAnnotation]: labelsBeforeDrain, [skipReconcileAnnotation]: skips } =
    secret.metadata.annotations ?? {};
  return {
    secret: secret.metadata.name,
    uid: secret.metadata.uid ?? '',
    name: text('name'),
    server: text('server')
      .trim()
      .replace(/(?<!\/)\/+$/, ''),
    ...(clusterName === undefined ? {} : { clusterName }),
    labels: secret.metadata.labels ?? {},
    skipsReconcile: skips === 'true',
    ...(labelsBeforeDrain === undefined ? {} : { labelsBeforeDrain }),
  };
}

function awsClusterName(config: string): string | undefined {
  try {
    const { awsAuthConfig } = JSON.parse(config) as { awsAuthConfig?: { clusterName?: unknown } };
    return typeof awsAuthConfig?.clusterName === 'string' ? awsAuthConfig.clusterName : undefined;
  } catch {
    return undefined;
  }
}

/** A hub by the name that it has in messages. */
export function namedHub(
  {
    name,
    context,
    kubeconfig,
    namespace = 'argocd',
  }: KubernetesSettings & Partial<Pick<Hub, 'name' | 'namespace'>>,
  api: KubernetesApi,
): Hub {
  return { name: name ?? context ?? kubeconfig ?? api.server, api, namespace };
}
