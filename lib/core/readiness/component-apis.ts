/** An API of another project that its newer releases do not serve. */
export interface ComponentApi {
  /** `cert-manager` */
  readonly component: string;
  /** The first release without it: `1.6`. */
  readonly removed: string;
  /** What takes its place. */
  readonly replacement: string;
}

const certManager = ['Certificate', 'Issuer', 'ClusterIssuer', 'CertificateRequest'];

/**
 * APIs by group and version, with their kinds; without kinds, every one of the group and version.
 *
 * @see https://cert-manager.io/docs/releases/upgrading/remove-deprecated-apis/
 * @see https://istio.io/latest/blog/2021/migrate-alpha-policy/
 * @see https://github.com/kubernetes-csi/external-snapshotter/releases/tag/v6.0.0
 * @see https://github.com/FairwindsOps/pluto/blob/master/versions.yaml
 */
const apis: readonly (ComponentApi & {
  readonly group: string;
  readonly versions: readonly string[];
  readonly kinds?: readonly string[];
})[] = [
  {
    ...{ component: 'cert-manager', removed: '0.11', replacement: 'cert-manager.io/v1' },
    ...{ group: 'certmanager.k8s.io', versions: ['v1alpha1'], kinds: [...certManager, 'Order', 'Challenge'] },
  },
  {
    ...{ component: 'cert-manager', removed: '1.6', replacement: 'cert-manager.io/v1' },
    ...{ group: 'cert-manager.io', versions: ['v1alpha2', 'v1alpha3', 'v1beta1'], kinds: certManager },
  },
  {
    ...{ component: 'cert-manager', removed: '1.6', replacement: 'acme.cert-manager.io/v1' },
    ...{
      group: 'acme.cert-manager.io',
      versions: ['v1alpha2', 'v1alpha3', 'v1beta1'],
      kinds: ['Order', 'Challenge'],
    },
  },
  {
    ...{ component: 'Istio', removed: '1.6', replacement: 'security.istio.io/v1' },
    ...{ group: 'authentication.istio.io', versions: ['v1alpha1'] },
  },
  {
    ...{ component: 'Istio', removed: '1.6', replacement: 'AuthorizationPolicy of security.istio.io/v1' },
    ...{ group: 'rbac.istio.io', versions: ['v1alpha1'] },
  },
  {
    ...{ component: 'external-snapshotter', removed: '6.0', replacement: 'snapshot.storage.k8s.io/v1' },
    ...{ group: 'snapshot.storage.k8s.io', versions: ['v1alpha1', 'v1beta1'] },
    ...{ kinds: ['VolumeSnapshot', 'VolumeSnapshotClass', 'VolumeSnapshotContent'] },
  },
  {
    // Files that an API server is started with, and what it logs.
    ...{ component: 'kube-apiserver', removed: '1.24', replacement: 'audit.k8s.io/v1' },
    ...{ group: 'audit.k8s.io', versions: ['v1alpha1', 'v1beta1'], kinds: ['Policy', 'Event'] },
  },
];

/** What is known of an API of another project that went; undefined for every other one. */
export function componentApi(apiVersion: string, kind: string): ComponentApi | undefined {
  const [group = '', version = ''] = apiVersion.split('/');
  const single = kind.replace(/List$/, '');
  return apis.find(
    (each) =>
      each.group === group && each.versions.includes(version) && (each.kinds?.includes(single) ?? true),
  );
}
