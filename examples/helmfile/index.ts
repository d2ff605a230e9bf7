import * as pulumi from '@pulumi/pulumi';
import { argocd, fleet, helmfile, hubs } from 'cluster-canary';

const config = new pulumi.Config();
const region = new pulumi.Config('aws').require('region');
const network = {
  vpcId: config.require('vpcId'),
  privateSubnetIds: config.requireObject<string[]>('privateSubnetIds'),
};
const endpoint = { public: { cidrs: config.requireObject<string[]>('adminCidrs') } };
const nodes = { instanceTypes: ['m7i.large'], min: 2, max: 6 };

// What lives and dies with a cluster. The rest of the helmfile is Argo CD's: said once, for both.
const bootstrapped = ['cert-manager'];

const apps = new fleet.ClusterFleet('apps', {
  network,
  endpoint,
  labels: { env: 'production' },
  slots: {
    blue: { version: '1.35', nodes },
    green: { version: '1.36', nodes },
  },
});

for (const [name, slot] of Object.entries(apps.slots)) {
  new helmfile.HelmfileRelease(
    `apps-${name}`,
    {
      file: 'helmfile.yaml.gotmpl',
      cluster: slot.ref,
      environment: 'production',
      selectors: bootstrapped.map((release) => `name=${release}`),
      environmentVariables: { REGION: region },
      // Goes with the cluster.
      uninstallOnDelete: false,
    },
    { dependsOn: [...slot.ready], deletedWith: slot.cluster },
  );
}

const hubFleet = new fleet.ClusterFleet('hub', {
  network,
  endpoint,
  slots: { blue: { version: '1.36', nodes: { ...nodes, max: 3 } } },
});

const repository = 'https://github.com/example/platform';
new hubs.ArgoCdHub('argocd', {
  fleet: hubFleet,
  manages: [apps],
  // Argo CD renders the same file, without what is there already.
  values: argocd.helmfilePluginValues({
    image: config.require('helmfileImage'),
    bootstrapped,
    variables: ['REGION'],
  }),
  repositories: [{ name: 'platform', url: repository }],
  projects: [
    {
      name: 'platform',
      sourceRepos: [repository],
      destinations: [{ server: '*', namespace: 'team' }],
      clusterResourceWhitelist: [{ group: '', kind: 'Namespace' }],
    },
  ],
  applicationSets: [
    {
      name: 'platform',
      generators: [argocd.generators.clusters({ selector: { matchLabels: { env: 'production' } } })],
      template: {
        metadata: { name: '{{.nameNormalized}}-platform' },
        spec: {
          project: 'platform',
          source: {
            repoURL: repository,
            targetRevision: 'main',
            path: '.',
            plugin: {
              name: 'helmfile',
              env: [
                { name: 'HELMFILE_ENVIRONMENT', value: 'production' },
                { name: 'HELMFILE_STATE_VALUES', value: 'contact: team@example.com' },
                { name: 'REGION', value: region },
              ],
            },
          },
          destination: { name: '{{.name}}', namespace: 'team' },
          syncPolicy: {
            automated: { prune: true, selfHeal: true },
            syncOptions: ['CreateNamespace=true'],
          },
        },
      },
    },
  ],
});
