import { randomBytes } from 'node:crypto';
import type { Properties, ResourceKind } from '../resource-kind';
import { account } from './clients';

/**
 * Types that moto does not know (or that nothing here depends on): they live in the engine's state alone, with made-up
 * ids and ARNs of the right shape. No call is made for them.
 */
export function recorded(region: string): Record<string, ResourceKind> {
  const eksArn = (kind: string, { clusterName }: Properties, id: string): string =>
    `arn:aws:eks:${region}:${account}:${kind}/${clusterName}/${id}`;
  return {
    'aws:eks/addon:Addon': {
      fixed: ['addonName', 'clusterName'],
      create: (inputs) =>
        made(`${inputs.clusterName}:${inputs.addonName}`, {
          arn: eksArn('addon', inputs, `${inputs.addonName}/${hex(16)}`),
          addonVersion: inputs.addonVersion ?? 'v1.0.0-eksbuild.1',
        }),
      update: () => Promise.resolve({}),
    },
    'aws:eks/podIdentityAssociation:PodIdentityAssociation': {
      fixed: ['clusterName', 'namespace', 'serviceAccount'],
      create: (inputs) => {
        const associationId = `a-${hex(17)}`;
        return made(associationId, {
          associationId,
          associationArn: eksArn('podidentityassociation', inputs, associationId),
        });
      },
      update: () => Promise.resolve({}),
    },
    'aws:eks/accessEntry:AccessEntry': {
      fixed: ['clusterName', 'principalArn', 'type'],
      create: (inputs) =>
        made(`${inputs.clusterName}:${inputs.principalArn}`, {
          accessEntryArn: eksArn('access-entry', inputs, hex(16)),
        }),
      update: () => Promise.resolve({}),
    },
    'aws:eks/accessPolicyAssociation:AccessPolicyAssociation': {
      fixed: ['accessScope', 'clusterName', 'policyArn', 'principalArn'],
      create: (inputs) => made(`${inputs.clusterName}#${inputs.principalArn}#${inputs.policyArn}`, {}),
    },
    'aws:autoscaling/attachment:Attachment': {
      fixed: ['autoscalingGroupName', 'lbTargetGroupArn'],
      create: () => made(hex(16), {}),
    },
    'aws:route53/record:Record': {
      fixed: ['name', 'type', 'zoneId'],
      create: ({ zoneId, name, type }) => made(`${zoneId}_${name}_${type}`, { fqdn: name }),
      update: () => Promise.resolve({}),
    },
    'aws:wafv2/webAclAssociation:WebAclAssociation': {
      fixed: ['resourceArn', 'webAclArn'],
      create: ({ resourceArn, webAclArn }) => made(`${webAclArn},${resourceArn}`, {}),
    },
  };
}

function made(id: string, outputs: Properties) {
  return Promise.resolve({ id, outputs });
}

function hex(digits: number): string {
  return randomBytes(Math.ceil(digits / 2))
    .toString('hex')
    .slice(0, digits);
}
