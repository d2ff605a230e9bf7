import {
  apiLifecycle,
  apiLifecycles,
  isDeprecated,
  isRemoved,
  judgeApi,
  minorVersion,
  newestKnownMinor,
} from '../../../lib/core/readiness';

/**
 * APIs by the minor release that does not serve them any more.
 *
 * @see https://kubernetes.io/docs/reference/using-api/deprecation-guide/
 */
const guide: readonly (readonly [apiVersion: string, removed: number, kinds: string])[] = [
  ['extensions/v1beta1', 16, 'NetworkPolicy DaemonSet Deployment ReplicaSet'],
  ['apps/v1beta2', 16, 'DaemonSet Deployment StatefulSet ReplicaSet'],
  ['apps/v1beta1', 16, 'Deployment StatefulSet ReplicaSet'],
  ['admissionregistration.k8s.io/v1beta1', 22, 'MutatingWebhookConfiguration ValidatingWebhookConfiguration'],
  ['apiextensions.k8s.io/v1beta1', 22, 'CustomResourceDefinition'],
  ['apiregistration.k8s.io/v1beta1', 22, 'APIService'],
  ['authentication.k8s.io/v1beta1', 22, 'TokenReview'],
  [
    'authorization.k8s.io/v1beta1',
    22,
    'LocalSubjectAccessReview SelfSubjectAccessReview SubjectAccessReview SelfSubjectRulesReview',
  ],
  ['certificates.k8s.io/v1beta1', 22, 'CertificateSigningRequest'],
  ['coordination.k8s.io/v1beta1', 22, 'Lease'],
  ['extensions/v1beta1', 22, 'Ingress'],
  ['networking.k8s.io/v1beta1', 22, 'Ingress IngressClass'],
  ['rbac.authorization.k8s.io/v1beta1', 22, 'ClusterRole ClusterRoleBinding Role RoleBinding'],
  ['scheduling.k8s.io/v1beta1', 22, 'PriorityClass'],
  ['storage.k8s.io/v1beta1', 22, 'CSIDriver CSINode StorageClass VolumeAttachment'],
  ['batch/v1beta1', 25, 'CronJob'],
  ['discovery.k8s.io/v1beta1', 25, 'EndpointSlice'],
  ['events.k8s.io/v1beta1', 25, 'Event'],
  ['autoscaling/v2beta1', 25, 'HorizontalPodAutoscaler'],
  ['policy/v1beta1', 25, 'PodDisruptionBudget PodSecurityPolicy'],
  ['node.k8s.io/v1beta1', 25, 'RuntimeClass'],
  ['flowcontrol.apiserver.k8s.io/v1beta1', 26, 'FlowSchema PriorityLevelConfiguration'],
  ['autoscaling/v2beta2', 26, 'HorizontalPodAutoscaler'],
  ['storage.k8s.io/v1beta1', 27, 'CSIStorageCapacity'],
  ['flowcontrol.apiserver.k8s.io/v1beta2', 29, 'FlowSchema PriorityLevelConfiguration'],
  ['flowcontrol.apiserver.k8s.io/v1beta3', 32, 'FlowSchema PriorityLevelConfiguration'],
];

/**
 * What else pluto 5.24 finds. It says 1.33 of policies for admission, which the types say go in 1.32.
 *
 * @see https://github.com/FairwindsOps/pluto/blob/master/versions.yaml
 */
const pluto: typeof guide = [
  ['extensions/v1beta1', 16, 'PodSecurityPolicy'],
  ['rbac.authorization.k8s.io/v1alpha1', 22, 'ClusterRole ClusterRoleBinding Role RoleBinding'],
  ['scheduling.k8s.io/v1alpha1', 17, 'PriorityClass'],
  ['admissionregistration.k8s.io/v1alpha1', 32, 'ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding'],
  ['resource.k8s.io/v1alpha3', 34, 'DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice'],
  ['storage.k8s.io/v1alpha1', 35, 'VolumeAttributesClass'],
  ['storagemigration.k8s.io/v1alpha1', 35, 'StorageVersionMigration'],
];

describe.each([
  ['the guide of Kubernetes', guide],
  ['pluto', pluto],
])('the table knows what %s does', (_name, rows) => {
  test.each(rows)('%s goes in 1.%i: %s', (apiVersion, removed, kinds) => {
    for (const kind of kinds.split(' ')) {
      expect([kind, apiLifecycle(apiVersion, kind)?.removed]).toEqual([kind, removed]);
      expect(isRemoved({ apiVersion, kind }, `1.${removed}`)).toBe(true);
      expect(isRemoved({ apiVersion, kind: `${kind}List` }, `1.${removed}`)).toBe(true);
      expect(isRemoved({ apiVersion, kind }, `1.${removed - 1}`)).toBe(false);
    }
  });
});

test('what is served and not deprecated is not in it', () => {
  for (const key of ['apps/v1 Deployment', 'v1 Pod', 'policy/v1 PodDisruptionBudget', 'v1 List']) {
    const [apiVersion = '', kind = ''] = key.split(' ');
    expect(apiLifecycle(apiVersion, kind)).toBeUndefined();
  }
  // Another kind of the same group and version, and one that only looks like a list.
  expect(apiLifecycle('policy/v1beta1', 'AllowList')).toBeUndefined();
  expect(apiLifecycles.length).toBeGreaterThan(100);
  expect(newestKnownMinor).toBeGreaterThanOrEqual(37);
});

test('every line can be read, and nothing goes before it is deprecated', () => {
  for (const { group, version, kind, deprecated, removed } of apiLifecycles) {
    expect(version).toMatch(/^v\d+((alpha|beta)\d+)?$/);
    expect(kind).toMatch(/^[A-Z]\w+$/);
    expect(group).not.toContain('/');
    expect(Number.isInteger(removed ?? deprecated)).toBe(true);
    const isAlpha = version.includes('alpha');
    expect(isAlpha || (deprecated ?? 0) < (removed ?? Infinity)).toBe(true);
  }
});

test.each([
  ['1.36', 36],
  ['v1.36.2', 36],
  ['v1.35.4-eks-1a2b3c4', 35],
  ['1.35+', 35],
  ['1.3600', undefined],
  ['2.1', undefined],
  ['latest', undefined],
  ['1.', undefined],
])('%s is the minor release %s', (text, minor) => {
  expect(minorVersion(text)).toBe(minor);
});

describe('what is said of an object', () => {
  const budget = { apiVersion: 'policy/v1beta1', kind: 'PodDisruptionBudget', namespace: 'web', name: 'web' };

  test('that is refused', () => {
    expect(judgeApi(budget, '1.36', 'live')).toEqual({
      id: 'API01',
      severity: 'error',
      message: 'PodDisruptionBudget of policy/v1beta1 is not served any more since Kubernetes 1.25',
      why: expect.stringContaining('refuses the object'),
      fix: 'use policy/v1, whose fields may differ',
      object: budget,
      seenIn: 'live',
    });
  });

  test('that is refused later', () => {
    expect(judgeApi(budget, '1.24')).toMatchObject({
      ...{ id: 'API02', severity: 'warning' },
      message:
        'PodDisruptionBudget of policy/v1beta1 is deprecated since Kubernetes 1.21, and not served any more from 1.25 on',
    });
    expect(judgeApi(budget, '1.20')).toBeUndefined();
    expect(isDeprecated(budget, '1.20')).toBe(false);
    expect(judgeApi({ apiVersion: 'v1', kind: 'Endpoints', name: 'web' }, '1.36')).toMatchObject({
      ...{
        id: 'API02',
        severity: 'info',
        fix: 'use discovery.k8s.io/v1 EndpointSlice, whose fields may differ',
      },
    });
  });

  test.each([
    ['flowcontrol.apiserver.k8s.io/v1beta1', 'FlowSchema', 'use flowcontrol.apiserver.k8s.io/v1, whose'],
    ['batch/v2alpha1', 'CronJob', 'use batch/v1, whose'],
    ['events.k8s.io/v1beta1', 'Event', 'use events.k8s.io/v1, whose'],
    ['networking.k8s.io/v1beta1', 'IngressClass', 'use networking.k8s.io/v1, whose'],
    ['extensions/v1beta1', 'PodSecurityPolicy', 'nothing takes its place'],
    ['policy/v1beta1', 'PodSecurityPolicy', 'nothing takes its place'],
  ])('%s %s: %s', (apiVersion, kind, fix) => {
    expect(judgeApi({ apiVersion, kind, name: 'x' }, '1.36')?.fix).toContain(fix);
  });

  test('of another project, whose release decides, is never an error', () => {
    const old = { apiVersion: 'cert-manager.io/v1alpha2', kind: 'Certificate', name: 'web' };
    expect(judgeApi(old, '1.36')).toMatchObject({
      ...{ id: 'API04', severity: 'warning' },
      message: 'Certificate of cert-manager.io/v1alpha2 is not served any more since cert-manager 1.6',
    });
    expect(judgeApi({ ...old, apiVersion: 'cert-manager.io/v1' }, '1.36')).toBeUndefined();
    expect(judgeApi({ ...old, kind: 'Other' }, '1.36')).toBeUndefined();
  });

  test.each([
    ['snapshot.storage.k8s.io/v1beta1', 'VolumeSnapshot', 'external-snapshotter 6.0'],
    ['audit.k8s.io/v1beta1', 'PolicyList', 'kube-apiserver 1.24'],
    ['certmanager.k8s.io/v1alpha1', 'Issuer', 'cert-manager 0.11'],
    ['rbac.istio.io/v1alpha1', 'ServiceRole', 'Istio 1.6'],
  ])('%s %s ended with %s', (apiVersion, kind, release) => {
    expect(judgeApi({ apiVersion, kind, name: 'x' }, '1.36')?.message).toContain(`since ${release}`);
  });
});
