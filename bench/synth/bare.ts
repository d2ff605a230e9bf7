import type { Chart } from 'cdk8s';
import { ApiObject } from 'cdk8s';

/** Adds the same five objects as the constructs, written out by hand. */
export function addTeam(chart: Chart, team: string): void {
  const source = {
    repoURL: `https://github.com/example/${team}`,
    path: 'deploy',
    targetRevision: 'main',
  };
  const syncPolicy = {
    automated: { prune: true, selfHeal: true },
    syncOptions: ['CreateNamespace=true'],
  };
  new ApiObject(chart, `${team}-everywhere`, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name: team, namespace: 'argocd', labels: { team } },
    spec: {
      goTemplate: true,
      goTemplateOptions: ['missingkey=error'],
      generators: [
        {
          clusters: {
            selector: { matchLabels: { 'argocd.argoproj.io/secret-type': 'cluster', env: 'production' } },
          },
        },
      ],
      template: {
        metadata: { name: `{{.nameNormalized}}-${team}`, labels: { team } },
        spec: { project: team, source, destination: { name: '{{.name}}', namespace: team }, syncPolicy },
      },
      syncPolicy: { preserveResourcesOnDeletion: true },
    },
  });
  new ApiObject(chart, `${team}-tools`, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: `${team}-tools`, namespace: 'argocd', labels: { team } },
    spec: {
      project: team,
      source: { ...source, path: 'tools' },
      destination: { server: 'https://kubernetes.default.svc', namespace: team },
      syncPolicy,
    },
  });
  new ApiObject(chart, `${team}-cluster`, {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    metadata: {
      name: `${team}-blue`,
      namespace: 'argocd',
      labels: { env: 'production', team, 'argocd.argoproj.io/secret-type': 'cluster' },
    },
    stringData: {
      name: `${team}-blue`,
      server: `https://${team}.gr7.eu-west-1.eks.amazonaws.com`,
      config: JSON.stringify({
        awsAuthConfig: { clusterName: `${team}-blue` },
        tlsClientConfig: {
          insecure: false,
          caData: Buffer.from(`certificate authority of ${team}`).toString('base64'),
        },
      }),
    },
  });
  addPolicy(chart, team);
}

function addPolicy(chart: Chart, team: string): void {
  new ApiObject(chart, `${team}-policy`, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: {
      name: `policy.${team}.example.com`,
      annotations: {
        'cert-manager.io/inject-ca-from': `${team}-system/${team}-policy`,
        'cluster-canary/intent': 'security',
      },
    },
    webhooks: [
      {
        name: `policy.${team}.example.com`,
        admissionReviewVersions: ['v1'],
        clientConfig: {
          service: { name: `${team}-policy`, namespace: `${team}-system`, port: 443, path: '/validate' },
        },
        rules: [
          {
            operations: ['CREATE', 'UPDATE'],
            apiGroups: ['apps'],
            apiVersions: ['v1'],
            resources: ['deployments'],
            scope: '*',
          },
        ],
        failurePolicy: 'Fail',
        matchPolicy: 'Equivalent',
        namespaceSelector: {
          matchExpressions: [
            {
              key: 'kubernetes.io/metadata.name',
              operator: 'NotIn',
              values: ['kube-node-lease', 'kube-public', 'kube-system', `${team}-system`].sort(),
            },
          ],
        },
        sideEffects: 'None',
        timeoutSeconds: 3,
      },
    ],
  });
  new ApiObject(chart, `${team}-budget`, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: `${team}-policy-webhook`, namespace: `${team}-system` },
    spec: { maxUnavailable: 1, selector: { matchLabels: { app: `${team}-policy` } } },
  });
}
