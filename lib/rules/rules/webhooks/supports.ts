import { injectionSources } from '../../../admission';
import type { AdmissionWebhook } from '../../objects/admission-webhooks';
import type { ObjectIndex } from '../../object-index';
import type { Workload } from '../../objects/workloads';
import { workloads } from '../../objects/workloads';

/** What pods of a webhook may need to come up: a network, volumes, certificates. */
export type Support = 'network' | 'storage' | 'certificates';

/** Workloads that give support to others, by what they give: `objects.view(supports)`. */
export function supports(objects: ObjectIndex): ReadonlyMap<Support, readonly Workload[]> {
  const { all } = objects.view(workloads);
  return new Map([
    ['network', all.filter(isNetwork)],
    ['storage', all.filter(isStorage)],
    ['certificates', all.filter(isCertManager)],
  ]);
}

function hostPaths({ volumes }: Workload): string[] {
  return volumes.flatMap((volume) => volume.get('hostPath', 'path').text ?? []);
}

function images({ containers }: Workload): string[] {
  return containers.flatMap(({ field }) => field.get('image').text ?? []);
}

/** A plugin of the pod network puts itself and its settings on the node. @see https://www.cni.dev/docs/spec/ */
function isNetwork(workload: Workload): boolean {
  return hostPaths(workload).some((path) => /^\/(opt|etc)\/cni(\/|$)/.test(path));
}

/**
 * A driver for volumes has its socket on the node; its controller runs beside the sidecars that Kubernetes has for it.
 * @see https://kubernetes-csi.github.io/docs/deploying.html
 */
function isStorage(workload: Workload): boolean {
  return (
    hostPaths(workload).some((path) => path.startsWith('/var/lib/kubelet/plugins')) ||
    images(workload).some((image) =>
      /\/(external-)?csi-(attacher|provisioner|node-driver-registrar)[:@]/.test(image),
    )
  );
}

/** By the images of cert-manager's own chart, or its labels. */
function isCertManager(workload: Workload): boolean {
  const name = workload.labels['app.kubernetes.io/name'];
  return (
    name === 'cert-manager' ||
    name === 'cainjector' ||
    images(workload).some((image) => /\/cert-manager-(controller|cainjector|webhook)([:@]|$)/.test(image))
  );
}

/** What the pods of a workload need that answers for webhooks. */
export function supportsOf(workload: Workload, webhooks: readonly AdmissionWebhook[]): Support[] {
  const volumes = ['persistentVolumeClaim', 'csi', 'ephemeral'];
  const hasVolumes = workload.volumes.some((volume) => volumes.some((kind) => volume.get(kind).exists));
  return [
    ...(workload.pod.get('spec', 'hostNetwork').boolean === true ? [] : (['network'] as const)),
    ...(hasVolumes ? (['storage'] as const) : []),
    ...(webhooks.some(trustsCertManager) ? (['certificates'] as const) : []),
  ];
}

/** Whether cert-manager tells the API server whom to trust as the webhook. */
export function trustsCertManager({ annotations }: AdmissionWebhook): boolean {
  return injectionSources(annotations).length > 0;
}
