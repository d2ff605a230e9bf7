import * as pulumi from '@pulumi/pulumi';
import { addons, checks, fleet, traffic } from 'cluster-canary';

const config = new pulumi.Config();

// Clusters and nodes stay with what made them. They get a target group each, and a binding that fills it.
const shop = new fleet.ClusterFleet('shop', {
  endpoint: { private: { reachedFrom: 'vpc' } },
  slots: {
    // EKS gives its own security group to eksctl's managed nodes: nothing to say.
    blue: { adopt: { clusterName: config.require('eksctlCluster') } },
    // Terraform's module `eks` gives nodes a group of their own.
    green: {
      adopt: {
        clusterName: config.require('terraformCluster'),
        nodeSecurityGroupId: config.require('terraformNodeSecurityGroup'),
      },
    },
  },
  entries: { web: { namespace: 'shop', service: 'web', port: 80, targetPort: 8080 } },
  // Both run it already. It registers the pods.
  addons: [addons.existingAddon('aws-load-balancer-controller')],
});

new traffic.FleetTraffic('shop', {
  fleet: shop,
  edge: {
    listenerArn: config.require('listenerArn'),
    securityGroupIds: [config.require('loadBalancerSecurityGroup')],
  },
  routes: {
    web: {
      entry: 'web',
      hosts: ['shop.example.com'],
      priority: 10,
      // The rule that carries the traffic now. It is imported with its weights, and what it forwards to is a slot that
      // leaves: the first shift goes from there to `weights`.
      adopt: config.require('ruleArn'),
    },
  },
  weights: { blue: 100, green: 0 },
  shift: {
    step: 'geometric',
    every: '2m',
    checks: [checks.targetHealth(), checks.capacity(), checks.cloudWatch.comparison({ slowAbove: '500ms' })],
  },
});
