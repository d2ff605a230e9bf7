import { crdFolder } from '../tools/crds';
import { programPath } from '../tools/go-tools';
import type { ControlPlane } from './control-plane';
import type { Controller } from './controller';
import { answersAt, startController } from './controller';
import { freePort } from './temporary';

const namespace = 'argo-rollouts';

/**
 * Starts Argo Rollouts on a control plane, as the user `argo-rollouts`, with its definitions and its namespace.
 *
 * @param env further variables, such as where AWS is
 */
export async function argoRollouts(
  plane: ControlPlane,
  env: Readonly<Record<string, string>> = {},
): Promise<Controller> {
  await plane.installCrds(crdFolder('argo-rollouts'));
  await plane.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const [health, metrics] = [await freePort(), await freePort()];
  return startController(plane, {
    name: 'argo-rollouts',
    command: programPath('argo-rollouts'),
    args: [
      ...['--kubeconfig', await plane.kubeconfigFor('argo-rollouts'), '--namespace', namespace],
      ...['--leader-elect=false', '--healthzPort', String(health), '--metricsPort', String(metrics)],
      ...['--loglevel', 'warn', '--logformat', 'text'],
    ],
    env,
    ready: () => answersAt(health, '/healthz'),
  });
}
