import * as aws from '@pulumi/aws';
import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import type { AddonTarget } from '../../../lib/pulumi/addons';

export const clusterArn = 'arn:aws:eks:eu-west-1:123456789012:cluster/blue';

class Slot extends pulumi.ComponentResource {
  public constructor(opts?: pulumi.ComponentResourceOptions) {
    super('test:Slot', 'apps-blue', {}, opts);
  }
}

/** A slot as a fleet would hand it over. */
export function slot(over: Partial<AddonTarget> = {}): AddonTarget {
  const parent = new Slot();
  const cluster = new aws.eks.Cluster(
    'blue',
    { roleArn: 'arn:aws:iam::123456789012:role/cluster', vpcConfig: { subnetIds: ['subnet-1'] } },
    { parent },
  );
  return {
    name: 'apps-blue',
    clusterName: 'blue',
    clusterArn,
    region: 'eu-west-1',
    vpcId: 'vpc-1',
    autoMode: false,
    kubernetes: new k8s.Provider('blue', { kubeconfig: '{}' }, { parent }),
    cluster,
    parent,
    dependsOn: [new aws.eks.Addon('agent', { clusterName: 'blue', addonName: 'agent' }, { parent })],
    ...over,
  };
}
