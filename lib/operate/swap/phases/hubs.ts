import { openKubernetes } from '../../../core/kubernetes/open';
import { InvalidInput, errorLine, formatProblem } from '../../../core/validation/problems';
import type { LabelHubSettings } from '../../../shift/plan-file';
import { namedHub, registrations } from '../../argocd';
import type { Hub } from '../../argocd';

/** What of Kubernetes {@link openHubs} opens API servers with. */
export type OpenKubernetes = typeof openKubernetes;

/**
 * Opens the hubs that deploy to a fleet.
 *
 * @throws InvalidInput where a kubeconfig or a context in it is missing
 */
export async function openHubs(
  hubs: readonly LabelHubSettings[],
  open: OpenKubernetes = openKubernetes,
): Promise<readonly Hub[]> {
  const opened: Hub[] = [];
  try {
    for (const hub of hubs) {
      const { kubeconfig, context } = hub;
      opened.push(namedHub(hub, await open({ kubeconfig, context })));
    }
    return opened;
  } catch (error) {
    opened.forEach(({ api }) => api.close());
    throw error;
  }
}

/** Why a hub can't be asked. */
export interface HubProblem {
  /** One line, with the place in the file. */
  readonly reason: string;
  /** Whether no later try can help: a file or a context is missing. */
  readonly final: boolean;
}

/**
 * Which hubs can't be asked for their clusters. A swap needs them when the new cluster is there and paid for; whether they
 * answer can be asked before.
 */
export async function hubProblems(
  hubs: readonly LabelHubSettings[],
  signal: AbortSignal,
  open: OpenKubernetes = openKubernetes,
): Promise<readonly HubProblem[]> {
  const problems = await Promise.all(
    hubs.map(async (settings, index): Promise<readonly HubProblem[]> => {
      let hub: Hub | undefined;
      try {
        [hub] = await openHubs([settings], open);
        await registrations(hub!, undefined, signal);
        return [];
      } catch (error) {
        signal.throwIfAborted();
        const place = `phases.drain.hubs[${index}]`;
        return error instanceof InvalidInput
          ? error.problems.map((problem) => ({
              reason: formatProblem({ ...problem, path: `${place}.${problem.path}` }),
              final: true,
            }))
          : [{ reason: `${place}: ${errorLine(error)}`, final: false }];
      } finally {
        hub?.api.close();
      }
    }),
  );
  return problems.flat();
}
