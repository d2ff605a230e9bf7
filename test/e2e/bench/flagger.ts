import { join } from 'node:path';
import { crdFolder } from '../tools/crds';
import { programPath } from '../tools/go-tools';
import type { ControlPlane } from './control-plane';
import type { Controller } from './controller';
import { answersAt, startController } from './controller';
import { objectsIn } from './crds';
import { freePort } from './temporary';

/** How Flagger runs. */
export interface FlaggerOptions {
  /** Who shifts traffic, for Canaries that don't say. @default 'kubernetes' */
  readonly provider?: string;
  /** Prometheus that built-in metrics are read from. @default - one that can't be reached */
  readonly metricsServer?: string;
}

/** Starts Flagger on a control plane, as the user `flagger`, with its definitions. */
export async function flagger(
  plane: ControlPlane,
  { provider = 'kubernetes', metricsServer = 'http://127.0.0.1:1' }: FlaggerOptions = {},
): Promise<Controller> {
  // The file indents its texts in a way that Go's YAML parser takes and the one here does not.
  const definitions = ['--filename', join(crdFolder('flagger'), 'crd.yaml')];
  const parsed = await plane.kubectl('create', '--dry-run=client', '--output=yaml', ...definitions);
  await plane.installCrds(objectsIn(parsed));
  const port = await freePort();
  return startController(plane, {
    name: 'flagger',
    command: programPath('flagger'),
    args: [
      ...['-kubeconfig', await plane.kubeconfigFor('flagger'), '-port', String(port)],
      ...['-mesh-provider', provider, '-metrics-server', metricsServer],
      // How often it looks for new Canaries; each is then visited by its own interval, at least 10 s.
      ...['-control-loop-interval', '1s', '-log-level', 'info'],
    ],
    ready: () => answersAt(port, '/healthz'),
  });
}
