import { generators } from '../../../lib/manifests/argocd';
import type { FleetRef, SlotRef } from '../../../lib/pulumi/fleet';

/** A slot of another stack. */
export function slotRef(clusterName: string): SlotRef {
  return {
    clusterName,
    clusterArn: `arn:aws:eks:eu-west-1:123456789012:cluster/${clusterName}`,
    region: 'eu-west-1',
    endpoint: `https://${clusterName}.example.com`,
    certificateAuthority: 'Y2E=',
    vpcId: 'vpc-1',
    clusterSecurityGroupId: `sg-${clusterName}-cluster`,
    nodeSecurityGroupId: `sg-${clusterName}-nodes`,
    targetGroupArns: {},
  };
}

/** A fleet of another stack, whose clusters are called FLEET-SLOT. */
export function fleetOf(name: string, ...slots: string[]): FleetRef {
  return {
    name,
    slots: Object.fromEntries(slots.map((slot) => [slot, slotRef(`${name}-${slot}`)])),
    entries: {},
  };
}

/** podinfo on every cluster with the label `env: production`, as an ApplicationSet has it. */
export const podinfo = {
  name: 'podinfo',
  generators: [generators.clusters({ selector: { matchLabels: { env: 'production' } } })],
  template: {
    metadata: { name: '{{.nameNormalized}}-podinfo' },
    spec: {
      project: 'apps',
      source: {
        repoURL: 'https://github.com/stefanprodan/podinfo',
        path: 'kustomize',
        targetRevision: '6.14.1',
      },
      destination: { name: '{{.name}}', namespace: 'podinfo' },
      syncPolicy: {
        automated: { prune: true, selfHeal: true },
        syncOptions: ['CreateNamespace=true' as const],
      },
    },
  },
};

/** Names of resources, in their order. */
export function namesOf(urns: readonly string[]): string[] {
  return urns.map((urn) => urn.split('::').at(-1)!);
}
