import { setTimeout as sleep } from 'node:timers/promises';
import { onCleanUp } from './clean-up';
import type { KubernetesApi, KubernetesObject } from './kubernetes-api';
import type { RekeyWorld } from './ca-rotation-world';

/** Stands for the kubelet on a control plane without nodes: runs the pods of a CA rotation's Jobs and reports how they ended. */
export function jobKubelet(api: KubernetesApi, world: RekeyWorld, namespace: string): void {
  let stopped = false;
  const look = async () => {
    const pods = await api.list('v1', 'Pod', { namespace, labelSelector: 'batch.kubernetes.io/job-name' });
    for (const pod of pods.filter(({ status }) => status.phase === 'Pending')) {
      await api.patch(pod, { status: await statusOf(world, pod) }, { subresource: 'status' });
    }
  };
  const run = async () => {
    while (!stopped) {
      await look().catch((error: Error) => process.stderr.write(`kubelet: ${error.message}\n`));
      await sleep(200);
    }
  };
  void run();
  onCleanUp(() => {
    stopped = true;
  });
}

async function statusOf(world: RekeyWorld, pod: KubernetesObject): Promise<object> {
  const startedAt = new Date().toISOString();
  const [container] = pod.spec.containers;
  const { status: exitCode, message } = await world.run({ ...pod, spec: { template: { spec: pod.spec } } });
  const reason = exitCode === 0 ? 'Completed' : 'Error';
  const terminated = { exitCode, reason, message, startedAt, finishedAt: new Date().toISOString() };
  const ended = { ready: false, restartCount: 0, imageID: '', state: { terminated } };
  return {
    phase: exitCode === 0 ? 'Succeeded' : 'Failed',
    containerStatuses: [{ name: container.name, image: container.image, ...ended }],
  };
}
