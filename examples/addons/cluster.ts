import * as pulumi from '@pulumi/pulumi';

const config = new pulumi.Config();

/** Where the clusters are, and who reaches their API servers. */
export const place = {
  network: {
    vpcId: config.require('vpcId'),
    privateSubnetIds: config.requireObject<string[]>('privateSubnetIds'),
  },
  endpoint: { public: { cidrs: config.requireObject<string[]>('adminCidrs') } },
};

/** Two clusters that do the same job. */
const nodes = { instanceTypes: ['m7i.large'], min: 2, max: 6 };
export const slots = { blue: { version: '1.35', nodes }, green: { version: '1.36', nodes } };
