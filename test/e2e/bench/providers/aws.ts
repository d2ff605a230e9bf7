import { Clients, account } from './aws/clients';
import { clusters } from './aws/clusters';
import { identity } from './aws/identity';
import { loadBalancing } from './aws/load-balancing';
import { networking } from './aws/networking';
import { recorded } from './aws/recorded';
import { weightedRecords } from './aws/weighted-records';
import { serveCustomProvider } from './custom-provider';
import type { ResourceKind } from './resource-kind';

/**
 * Stands for Pulumi's AWS provider, for the types that the library registers. Most of them are made in moto by the
 * AWS SDK; `aws/recorded.ts` says which are not.
 */
let kinds: Record<string, ResourceKind> = {};
let clients: Clients;

serveCustomProvider('@pulumi/aws', {
  configure: ({ region = 'eu-west-1' }) => {
    clients = new Clients(region as string);
    kinds = {
      ...recorded(clients.region),
      ...weightedRecords(clients, recorded(clients.region)),
      ...clusters(clients),
      ...identity(clients),
      ...loadBalancing(clients),
      ...networking(clients),
    };
  },
  kind: (type) => {
    const found = kinds[type];
    if (!found) {
      throw new Error(`the test provider for AWS does not know ${type}`);
    }
    return found;
  },
  invoke: (token, args) => {
    switch (token) {
      case 'aws:index/getRegion:getRegion':
        return Promise.resolve({ id: clients.region, name: clients.region, region: clients.region });
      case 'aws:index/getPartition:getPartition':
        return Promise.resolve({ id: 'aws', partition: 'aws', dnsSuffix: 'amazonaws.com' });
      case 'aws:index/getCallerIdentity:getCallerIdentity':
        return Promise.resolve({ id: account, accountId: account, arn: `arn:aws:iam::${account}:root` });
      case 'aws:eks/getAddonVersion:getAddonVersion':
        // EKS has a newer one each time.
        return Promise.resolve({ ...args, id: args.addonName, version: `v1.0.0-eksbuild.${Date.now()}` });
      default:
        throw new Error(`the test provider for AWS has no function ${token}`);
    }
  },
});
