import type { Chart } from 'cdk8s';
import { Application, ApplicationSet, ClusterSecret, generators } from 'cluster-canary/argocd';
import { ValidatingWebhook } from 'cluster-canary/webhooks';

/** Adds five objects of one team through the library's constructs. */
export function addTeam(chart: Chart, team: string): void {
  const source = {
    repoURL: `https://github.com/example/${team}`,
    path: 'deploy',
    targetRevision: 'main',
  };
  const syncPolicy = {
    automated: { prune: true, selfHeal: true },
    syncOptions: ['CreateNamespace=true'],
  } as const;
  new ApplicationSet(chart, `${team}-everywhere`, {
    name: team,
    labels: { team },
    generators: [generators.clusters({ selector: { matchLabels: { env: 'production' } } })],
    template: {
      metadata: { name: `{{.nameNormalized}}-${team}`, labels: { team } },
      spec: { project: team, source, destination: { name: '{{.name}}', namespace: team }, syncPolicy },
    },
    syncPolicy: { preserveResourcesOnDeletion: true },
  });
  new Application(chart, `${team}-tools`, {
    name: `${team}-tools`,
    labels: { team },
    project: team,
    source: { ...source, path: 'tools' },
    destination: { server: 'https://kubernetes.default.svc', namespace: team },
    syncPolicy,
  });
  new ClusterSecret(chart, `${team}-cluster`, {
    name: `${team}-blue`,
    labels: { env: 'production', team },
    server: `https://${team}.gr7.eu-west-1.eks.amazonaws.com`,
    config: {
      awsAuthConfig: { clusterName: `${team}-blue` },
      tlsClientConfig: { caData: Buffer.from(`certificate authority of ${team}`).toString('base64') },
    },
  });
  new ValidatingWebhook(chart, `${team}-policy`, {
    name: `policy.${team}.example.com`,
    intent: 'security',
    rules: [
      {
        operations: ['CREATE', 'UPDATE'],
        apiGroups: ['apps'],
        apiVersions: ['v1'],
        resources: ['deployments'],
      },
    ],
    service: { name: `${team}-policy`, namespace: `${team}-system`, path: '/validate' },
    server: { podLabels: { app: `${team}-policy` }, replicas: 2 },
    caInjection: { annotations: { 'cert-manager.io/inject-ca-from': `${team}-system/${team}-policy` } },
  });
}
