import { crdFolder } from '../tools/crds';
import { programPath } from '../tools/go-tools';
import type { ControlPlane } from './control-plane';
import type { Controller } from './controller';
import { answersAt, startController } from './controller';
import type { KubernetesObject } from './kubernetes-api';
import { freePort } from './temporary';

const namespace = 'argo';
const configuration = 'workflow-controller-configmap';

/** How the controller of Argo Workflows runs. */
export interface ArgoWorkflowsOptions {
  /** Environment, such as `TRANSIENT_ERROR_PATTERN`. @default - it looks again after 1 s, not after 10 */
  readonly env?: Readonly<Record<string, string>>;
}

/** A running controller of Argo Workflows. */
export interface ArgoWorkflows extends Controller {
  /** Ends a pod of a Workflow well, and reports so: a kubelet and Argo's executor would, and neither is here. */
  finish(pod: KubernetesObject): Promise<void>;
}

/**
 * Starts the controller of Argo Workflows on a control plane, as the user `argo-workflows`, with its definitions. A
 * container template needs a `command`: there is no registry to ask for an image's own.
 */
export async function argoWorkflows(
  plane: ControlPlane,
  { env = {} }: ArgoWorkflowsOptions = {},
): Promise<ArgoWorkflows> {
  await plane.installCrds(crdFolder('argo-workflows'));
  const metrics = await freePort();
  await plane.apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: configuration, namespace },
      data: { metricsConfig: JSON.stringify({ port: metrics, secure: false }) },
    },
  ]);
  const controller = await startController(plane, {
    name: 'argo-workflows',
    command: programPath('workflow-controller'),
    args: [
      ...['--kubeconfig', await plane.kubeconfigFor('argo-workflows'), '--namespace', namespace],
      ...['--configmap', configuration, '--executor-image', 'registry.example.com/argoexec:test'],
      ...['--loglevel', 'warn'],
    ],
    // Its default, 10 s, is the time until it looks again at a Workflow whose pod has changed.
    env: { LEADER_ELECTION_DISABLE: 'true', DEFAULT_REQUEUE_TIME: '1s', ...env },
    // Its health is at port 6060 for all controllers of a machine: another one's answer would do.
    ready: () => answersAt(metrics, '/metrics'),
  });
  return { ...controller, finish: (pod) => finish(plane, pod) };
}

async function finish({ api }: ControlPlane, pod: KubernetesObject): Promise<void> {
  const { name, namespace: within, labels, annotations, uid } = pod.metadata;
  await api.apply({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'WorkflowTaskResult',
    metadata: {
      name: annotations['workflows.argoproj.io/node-id'],
      namespace: within,
      labels: {
        'workflows.argoproj.io/workflow': labels['workflows.argoproj.io/workflow'],
        'workflows.argoproj.io/report-outputs-completed': 'true',
      },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid }],
    },
  });
  const terminated = { exitCode: 0, reason: 'Completed' };
  const containerStatuses = pod.spec.containers.map((container: { name: string; image: string }) => ({
    ...{ name: container.name, image: container.image, imageID: '' },
    ...{ ready: false, restartCount: 0, state: { terminated } },
  }));
  await api.patch(
    pod,
    { status: { phase: 'Succeeded', containerStatuses } },
    { subresource: 'status', type: 'merge' },
  );
}
