/** Kinds by their path, so that whatever is listed has one object of a hostile name and text. */
export const kinds: Readonly<Record<string, readonly string[]>> = {
  '/api/v1': ['Node', 'Pod', 'Secret', 'ConfigMap', 'Namespace', 'Event', 'Service'],
  '/apis/apps/v1': ['Deployment', 'StatefulSet', 'ReplicaSet'],
  '/apis/batch/v1': ['Job'],
  '/apis/argoproj.io/v1alpha1': ['Application', 'ApplicationSet', 'AppProject', 'Rollout'],
  '/apis/coordination.k8s.io/v1': ['Lease'],
  '/apis/events.k8s.io/v1': ['Event'],
  '/apis/discovery.k8s.io/v1': ['EndpointSlice'],
  '/apis/admissionregistration.k8s.io/v1': ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'],
  '/apis/apiextensions.k8s.io/v1': ['CustomResourceDefinition'],
  '/apis/apiregistration.k8s.io/v1': ['APIService'],
};

/** Kinds without a namespace. */
export const clusterWide = /^(Node|Namespace|.*WebhookConfiguration|CustomResourceDefinition|APIService)$/;
