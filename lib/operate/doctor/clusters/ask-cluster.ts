import type { KubernetesApi, KubernetesObject, ServerVersion } from '../../../core/kubernetes/api';
import { isKubernetesError } from '../../../core/kubernetes/errors';
import type { KubernetesFailure } from '../../../core/kubernetes/errors';
import { openKubernetes } from '../../../core/kubernetes/open';
import { redacted } from '../../../core/redaction';
import { InvalidInput } from '../../../core/validation/problems';
import type { ApiAnswer, ArgoCdPermissions } from './observed-cluster';

/** A cluster that is called. */
export type AskedCluster = Pick<KubernetesApi, 'create' | 'close'> & ServerVersion;

/** Opens a cluster by a kubeconfig. */
export type OpenCluster = (kubeconfigText: string) => Promise<AskedCluster>;

/** Fewer and shorter tries than usual: that a cluster does not answer is what is looked for. */
export const openCluster: OpenCluster = (kubeconfigText) =>
  openKubernetes({ kubeconfigText }, { timeout: 5_000, attempts: 2 });

/** Asks a cluster who one is, which rights one has, and its version. */
export async function askCluster(
  open: OpenCluster,
  kubeconfigText: string,
  namespaces: readonly string[],
  signal?: AbortSignal,
): Promise<ApiAnswer> {
  let api: AskedCluster | undefined;
  try {
    api = await open(kubeconfigText);
    const username = await whoAmI(api, signal);
    const [namespace] = namespaces;
    const may = (verb: string, group: string, resource: string): Promise<boolean | undefined> =>
      mayI(api!, { verb, group, resource, ...(namespace === undefined ? {} : { namespace }) }, signal);
    const everything = await may('list', '*', '*');
    const deployments = everything === true ? true : await may('list', 'apps', 'deployments');
    const write = await may('patch', 'apps', 'deployments');
    const rights: ArgoCdPermissions = {
      ...(everything === undefined ? {} : { everything }),
      ...(deployments === undefined ? {} : { deployments }),
      ...(write === undefined ? {} : { write }),
    };
    const version = await tolerant(() => api!.version(signal), 'faulty');
    return {
      is: 'accepted',
      ...(username === undefined ? {} : { username }),
      ...(version === undefined ? {} : { version }),
      rights,
    };
  } catch (error) {
    signal?.throwIfAborted();
    const message = redacted(error instanceof Error ? error.message : '');
    if (isKubernetesError(error, 'unauthenticated')) {
      return { is: 'refused', message };
    }
    // The kubeconfig is made here: what is wrong with it is wrong in the Secret.
    if (isKubernetesError(error) || error instanceof InvalidInput) {
      return { is: 'failed', message };
    }
    throw error;
  } finally {
    api?.close();
  }
}

/** Every answer but 401 shows that the credentials are known; an older server does not say whose they are. */
async function whoAmI(api: AskedCluster, signal?: AbortSignal): Promise<string | undefined> {
  const review = await tolerant(() =>
    post(api, { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }, signal),
  );
  const status = review?.status as { readonly userInfo?: { readonly username?: unknown } } | undefined;
  const username = status?.userInfo?.username;
  return typeof username === 'string' ? redacted(username) : undefined;
}

async function mayI(
  api: AskedCluster,
  resourceAttributes: object,
  signal?: AbortSignal,
): Promise<boolean | undefined> {
  const review = await tolerant(() =>
    post(
      api,
      {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: { resourceAttributes },
      },
      signal,
    ),
  );
  const { allowed } = (review?.status ?? {}) as { readonly allowed?: unknown };
  return typeof allowed === 'boolean' ? allowed : undefined;
}

/** Reviews have no name: they are questions, and nothing is stored. */
function post(
  api: AskedCluster,
  review: { readonly apiVersion: string; readonly kind: string; readonly spec?: object },
  signal?: AbortSignal,
): Promise<KubernetesObject> {
  return api.create({ ...review, metadata: {} } as unknown as KubernetesObject, signal ? { signal } : {});
}

/** An answer that is none says nothing; it is no failure of the login. */
async function tolerant<Answer>(
  ask: () => Promise<Answer>,
  ...more: readonly KubernetesFailure[]
): Promise<Answer | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (isKubernetesError(error, 'denied', 'unsupported', 'notFound', 'invalid', ...more)) {
      return undefined;
    }
    throw error;
  }
}
