import * as pulumi from '@pulumi/pulumi';
import { traffic } from 'cluster-canary';

const config = new pulumi.Config();

const alb = new traffic.WeightedAlb('edge', {
  vpcId: config.require('vpcId'),
  subnetIds: config.requireObject<string[]>('publicSubnetIds'),
  certificateArn: config.require('certificateArn'),
});

export const edge = alb.ref;
export const loadBalancer = alb.dnsName;
