import { crdFolder } from '../tools/crds';
import { programPath } from '../tools/go-tools';
import type { ControlPlane } from './control-plane';
import { objectsBelow } from './crds';
import { BenchProcess } from './process';

/** How cert-manager runs. */
export interface CertManagerOptions {
  /** Such as `{ CAInjectorMerging: false }`. @default {} */
  readonly featureGates?: Readonly<Record<string, boolean>>;
}

/** cert-manager's controllers and cainjector beside a control plane, as the user `cert-manager`. */
export interface CertManager {
  readonly process: BenchProcess;
  /** Kills it and starts it again. */
  restart(): Promise<void>;
}

/** Starts cert-manager on a control plane, with its definitions and its namespace. */
export async function startCertManager(
  plane: ControlPlane,
  { featureGates = {} }: CertManagerOptions,
): Promise<CertManager> {
  await plane.apply([
    ...objectsBelow(crdFolder('cert-manager')),
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'cert-manager' } },
  ]);
  const gates = Object.entries(featureGates).map(([name, on]) => `${name}=${on}`);
  const process = new BenchProcess({
    name: 'cert-manager',
    command: programPath('cert-manager'),
    args: [
      '-kubeconfig',
      await plane.kubeconfigFor('cert-manager'),
      ...(gates.length > 0 ? [`-feature-gates=${gates.join(',')}`] : []),
    ],
    folder: plane.folder,
  });
  // It says nowhere that it is ready; what it is asked to do before that, it does then.
  const start = async () => void (await process.start(() => Promise.resolve(true)));
  await start();
  return {
    process,
    restart: async () => {
      await process.kill();
      await start();
    },
  };
}
