import type { KubernetesSettings } from '../core/kubernetes/access';
import { openKubernetes } from '../core/kubernetes/open';
import { takeInterrupts } from './interrupts';
import { interruptedStatus, writeNotes } from './output';

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
  const interrupts = takeInterrupts(() => writeNotes('Interrupted.'));
  const { signal } = interrupts;
  try {
    await work(api, signal);
  } catch (error) {
    if (!signal.aborted) {
      throw error;
    }
    process.exitCode = interruptedStatus;
  } finally {
    interrupts.release();
    api.close();
  }
}
