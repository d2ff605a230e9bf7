import type { KubernetesSettings } from '../core/kubernetes/access';
import { openKubernetes } from '../core/kubernetes/open';
import { interruptible } from './interruptible';

/**
 * Runs the work of a command with the API server that its flags name. An interrupt ends the work, and is the exit
 * status; connections and interrupts are given back in any case.
 *
 * @param work sets the exit status
 */
export async function inCluster(
  { kubeconfig, context }: Pick<KubernetesSettings, 'kubeconfig' | 'context'>,
  work: (api: Awaited<ReturnType<typeof openKubernetes>>, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const api = await openKubernetes({ kubeconfig, context });
  try {
    await interruptible((signal) => work(api, signal));
  } finally {
    api.close();
  }
}
