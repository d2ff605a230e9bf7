import { kubernetesMinor } from './kubernetes-support';

/** Kinds that a Kubernetes version no longer serves under an `apiVersion`. */
export interface RemovedApi {
  /** The version that goes: `policy/v1beta1`. */
  readonly apiVersion: string;
  /** Kinds that it had. */
  readonly kinds: readonly string[];
  /** First Kubernetes version that does not serve them: `1.25`. */
  readonly removedIn: string;
  /** What serves them in its place. @default - nothing does */
  readonly instead?: string;
}

/** Where removed APIs are told, with what to change. */
export const deprecationGuide = 'https://kubernetes.io/docs/reference/using-api/deprecation-guide/';

const webhooks = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'];

const rbac = ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'];

const storage = ['CSIDriver', 'CSINode', 'StorageClass', 'VolumeAttachment'];

const flowControl = ['FlowSchema', 'PriorityLevelConfiguration'];

/**
 * APIs that were removed since Kubernetes 1.22.
 * @see https://kubernetes.io/docs/reference/using-api/deprecation-guide/
 */
export const removedApis: readonly RemovedApi[] = [
  row('1.22', 'admissionregistration.k8s.io/v1beta1', webhooks, 'admissionregistration.k8s.io/v1'),
  row('1.22', 'apiextensions.k8s.io/v1beta1', ['CustomResourceDefinition'], 'apiextensions.k8s.io/v1'),
  row('1.22', 'apiregistration.k8s.io/v1beta1', ['APIService'], 'apiregistration.k8s.io/v1'),
  row('1.22', 'certificates.k8s.io/v1beta1', ['CertificateSigningRequest'], 'certificates.k8s.io/v1'),
  row('1.22', 'coordination.k8s.io/v1beta1', ['Lease'], 'coordination.k8s.io/v1'),
  row('1.22', 'extensions/v1beta1', ['Ingress'], 'networking.k8s.io/v1'),
  row('1.22', 'networking.k8s.io/v1beta1', ['Ingress', 'IngressClass'], 'networking.k8s.io/v1'),
  row('1.22', 'rbac.authorization.k8s.io/v1beta1', rbac, 'rbac.authorization.k8s.io/v1'),
  row('1.22', 'scheduling.k8s.io/v1beta1', ['PriorityClass'], 'scheduling.k8s.io/v1'),
  row('1.22', 'storage.k8s.io/v1beta1', storage, 'storage.k8s.io/v1'),
  row('1.25', 'autoscaling/v2beta1', ['HorizontalPodAutoscaler'], 'autoscaling/v2'),
  row('1.25', 'batch/v1beta1', ['CronJob'], 'batch/v1'),
  row('1.25', 'discovery.k8s.io/v1beta1', ['EndpointSlice'], 'discovery.k8s.io/v1'),
  row('1.25', 'events.k8s.io/v1beta1', ['Event'], 'events.k8s.io/v1'),
  row('1.25', 'node.k8s.io/v1beta1', ['RuntimeClass'], 'node.k8s.io/v1'),
  row('1.25', 'policy/v1beta1', ['PodDisruptionBudget'], 'policy/v1'),
  row('1.25', 'policy/v1beta1', ['PodSecurityPolicy']),
  row('1.26', 'autoscaling/v2beta2', ['HorizontalPodAutoscaler'], 'autoscaling/v2'),
  row('1.26', 'flowcontrol.apiserver.k8s.io/v1beta1', flowControl, 'flowcontrol.apiserver.k8s.io/v1'),
  row('1.27', 'storage.k8s.io/v1beta1', ['CSIStorageCapacity'], 'storage.k8s.io/v1'),
  row('1.29', 'flowcontrol.apiserver.k8s.io/v1beta2', flowControl, 'flowcontrol.apiserver.k8s.io/v1'),
  row('1.32', 'flowcontrol.apiserver.k8s.io/v1beta3', flowControl, 'flowcontrol.apiserver.k8s.io/v1'),
];

/**
 * The removal that keeps an object from being made with a Kubernetes version, if there is one.
 *
 * @param kubernetes `1.35`
 */
export function removedApi(apiVersion: string, kind: string, kubernetes: string): RemovedApi | undefined {
  const minor = kubernetesMinor(kubernetes);
  return minor === undefined
    ? undefined
    : removedApis.find(
        (api) =>
          api.apiVersion === apiVersion &&
          api.kinds.includes(kind) &&
          kubernetesMinor(api.removedIn)! <= minor,
      );
}

function row(removedIn: string, apiVersion: string, kinds: readonly string[], instead?: string): RemovedApi {
  return { apiVersion, kinds, removedIn, instead };
}
