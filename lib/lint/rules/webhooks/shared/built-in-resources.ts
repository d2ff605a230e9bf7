/**
 * API groups that Kubernetes itself serves; every other one is of somebody's own resources.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/group-versions/
 */
export const builtInGroups: ReadonlySet<string> = new Set([
  '',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'apps',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'extensions',
  'flowcontrol.apiserver.k8s.io',
  'internal.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
  'storagemigration.k8s.io',
]);

/** A resource in namespaces. */
export interface NamespacedResource {
  /** API group, `''` for the core group. */
  readonly group: string;
  /** `pods`, or with a subresource `pods/status`. */
  readonly resource: string;
}

const of = (group: string, ...resources: readonly string[]): NamespacedResource[] =>
  resources.map((resource) => ({ group, resource }));

/**
 * Resources in namespaces that pods of the system need to be created, to run and to be found: what a cluster without
 * them does not come back from. An operator's own resources, Ingresses, roles and the like are not among them; what
 * belongs to the cluster is a matter of WH02.
 */
export const systemResources: readonly NamespacedResource[] = [
  ...of('', 'pods', 'pods/binding', 'pods/status', 'pods/eviction'),
  ...of('', 'services', 'services/status', 'endpoints', 'configmaps', 'secrets'),
  ...of('', 'serviceaccounts', 'serviceaccounts/token', 'persistentvolumeclaims', 'replicationcontrollers'),
  ...of('apps', 'deployments', 'daemonsets', 'replicasets', 'statefulsets', 'controllerrevisions'),
  ...of('apps', 'deployments/status', 'deployments/scale', 'daemonsets/status', 'replicasets/status'),
  ...of('apps', 'statefulsets/status'),
  ...of('batch', 'jobs', 'jobs/status', 'cronjobs', 'cronjobs/status'),
  ...of('coordination.k8s.io', 'leases'),
  ...of('discovery.k8s.io', 'endpointslices'),
];
