import { gzipSync } from 'node:zlib';
import type { ReadinessSubject } from '../../../lib/core/readiness/report';
import type { KubernetesObject } from './kubernetes-api';

export const namespace = (name: string, labels: object = {}): KubernetesObject => ({
  ...{ apiVersion: 'v1', kind: 'Namespace' },
  metadata: { name, labels },
});

/** Labels of a namespace that takes only pods of the strictest standard. */
export const restricted = {
  'pod-security.kubernetes.io/enforce': 'restricted',
  'pod-security.kubernetes.io/enforce-version': 'latest',
};

/** An object of an API that Kubernetes 1.34 deprecates and 1.37 removes. */
export const classOf = (name: string, version: 'v1' | 'v1beta1'): KubernetesObject => ({
  ...{ apiVersion: `storage.k8s.io/${version}`, kind: 'VolumeAttributesClass' },
  metadata: { name },
  driverName: 'ebs.csi.aws.com',
  parameters: { iops: '3000' },
});

/** A budget that `kubectl apply` once wrote from a manifest of an API that is gone. */
export function oldBudget(name: string, inNamespace: string): KubernetesObject {
  const manifest = {
    ...{ apiVersion: 'policy/v1beta1', kind: 'PodDisruptionBudget' },
    metadata: { name, namespace: inNamespace },
  };
  return {
    ...{ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' },
    metadata: {
      ...manifest.metadata,
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(manifest) },
    },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
  };
}

/** One pod, with a value that nobody should repeat. */
export const deployment = (name: string, inNamespace: string, pod: object = {}): KubernetesObject => ({
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace: inNamespace } },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        containers: [
          {
            ...{ name: 'main', image: 'registry.example.com/web:1' },
            env: [{ name: 'DB_PASSWORD', value: 'hunter2' }],
          },
        ],
        ...pod,
      },
    },
  },
});

/** Two pods with a volume each, which only the controller adds to them. */
export const statefulSet = (name: string, inNamespace: string): KubernetesObject => ({
  ...{ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name, namespace: inNamespace } },
  spec: {
    replicas: 2,
    serviceName: name,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        containers: [
          {
            ...{ name: 'main', image: 'registry.example.com/data:1' },
            volumeMounts: [{ name: 'data', mountPath: '/data' }],
          },
        ],
      },
    },
    volumeClaimTemplates: [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      },
    ],
  },
});

interface Definition {
  readonly versions: readonly {
    readonly name: string;
    readonly served?: boolean;
    readonly deprecated?: boolean;
  }[];
  readonly conversion?: object;
}

/** A definition of `example.com`; its first version is that of storage. */
export function definition(plural: string, { versions, conversion }: Definition): KubernetesObject {
  const singular = plural.replace(/s$/, '');
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural, singular, kind: `${singular[0]!.toUpperCase()}${singular.slice(1)}` },
      versions: versions.map((version, index) => ({
        ...{ served: true, ...version, storage: index === 0 },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      })),
      ...(conversion === undefined ? {} : { conversion }),
    },
  };
}

/** Definitions of the old cluster, each with a fault of its own. */
export const widgetsHere: readonly KubernetesObject[] = [
  definition('widgets', { versions: [{ name: 'v1' }, { name: 'v1alpha1', deprecated: true }] }),
  definition('relics', { versions: [{ name: 'v1alpha1' }, { name: 'v1' }] }),
  definition('turned', {
    versions: [{ name: 'v1' }, { name: 'v2' }],
    conversion: {
      strategy: 'Webhook',
      webhook: {
        conversionReviewVersions: ['v1'],
        clientConfig: { service: { name: 'converter', namespace: 'shop' } },
      },
    },
  }),
];

/** The same in the new cluster, where widgets have one version less. */
export const widgetsThere: readonly KubernetesObject[] = [
  definition('widgets', { versions: [{ name: 'v1' }] }),
  definition('relics', { versions: [{ name: 'v1' }] }),
  definition('turned', { versions: [{ name: 'v1' }, { name: 'v2' }] }),
];

/** A record as Helm 3 and 4 store it. */
export function helmSecret(
  release: string,
  inNamespace: string,
  revision: number,
  status: string,
): KubernetesObject {
  const record = {
    name: release,
    namespace: inNamespace,
    version: revision,
    config: { password: 'hunter2-of-a-release' },
    manifest: `---\n# Source: x\napiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata:\n  name: ${release}-${revision}\n---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: x\nstringData:\n  password: hunter2-of-a-release\n`,
  };
  const encoded = gzipSync(JSON.stringify(record)).toString('base64');
  return {
    ...{ apiVersion: 'v1', kind: 'Secret', type: 'helm.sh/release.v1' },
    metadata: {
      name: `sh.helm.release.v1.${release}.v${revision}`,
      namespace: inNamespace,
      labels: { owner: 'helm', name: release, version: String(revision), status },
    },
    data: { release: Buffer.from(encoded).toString('base64') },
  };
}

/** What subjects say that they need, for a user. */
export function accessRole(
  user: string,
  at: 'kubernetes' | 'newKubernetes',
  subjects: readonly ReadinessSubject[],
): KubernetesObject[] {
  const group = 'rbac.authorization.k8s.io';
  const rules = subjects
    .flatMap(({ access = [] }) => access)
    .filter((rule) => (rule.at ?? 'kubernetes') === at)
    .map(({ at: _, ...rule }) =>
      rule.nonResourceURLs ? { nonResourceURLs: rule.nonResourceURLs, verbs: rule.verbs } : rule,
    );
  return [
    { apiVersion: `${group}/v1`, kind: 'ClusterRole', metadata: { name: user }, rules },
    {
      ...{ apiVersion: `${group}/v1`, kind: 'ClusterRoleBinding', metadata: { name: user } },
      roleRef: { apiGroup: group, kind: 'ClusterRole', name: user },
      subjects: [{ apiGroup: group, kind: 'User', name: user }],
    },
  ];
}
