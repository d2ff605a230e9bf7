import * as pulumi from '@pulumi/pulumi';
import { fleet, hubs } from 'cluster-canary';
import { appsProject, podinfo, podinfoRepository } from '../../manifests/podinfo';
import { fleetFromStacks } from '../apps-fleet';

const config = new pulumi.Config();

const clusters = new fleet.ClusterFleet('hub', {
  network: {
    vpcId: config.require('vpcId'),
    privateSubnetIds: config.requireObject<string[]>('privateSubnetIds'),
  },
  endpoint: { private: { reachedFrom: 'vpc' } },
  slots: { blue: { version: '1.35', nodes: { instanceTypes: ['m7i.large'], min: 2, max: 3 } } },
});

new hubs.ArgoCdHub('argocd', {
  fleet: clusters,
  manages: [fleetFromStacks(config)],
  repositories: [{ name: 'podinfo', url: podinfoRepository.repoURL }],
  projects: [appsProject(podinfoRepository)],
  applicationSets: [podinfo(podinfoRepository)],
});
