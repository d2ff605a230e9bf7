import * as pulumi from '@pulumi/pulumi';
import { InvalidInput } from '../../../lib/core/validation';
import type { FleetRef, SlotRef } from '../../../lib/pulumi/fleet';
import type { CreatedAlbArgs, EdgeRef, RouteArgs } from '../../../lib/pulumi/traffic';
import type { Registered, Registrations } from '../../pulumi-mocks';
import { register } from '../../pulumi-mocks';

export const types = {
  alb: 'cluster-canary:traffic:WeightedAlb',
  loadBalancer: 'aws:lb/loadBalancer:LoadBalancer',
  listener: 'aws:lb/listener:Listener',
  certificate: 'aws:lb/listenerCertificate:ListenerCertificate',
  group: 'aws:ec2/securityGroup:SecurityGroup',
  ingress: 'aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule',
  egress: 'aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule',
  webAcl: 'aws:wafv2/webAclAssociation:WebAclAssociation',
  record: 'aws:route53/record:Record',
  rule: 'aws:lb/listenerRule:ListenerRule',
  weightedRule: 'cluster-canary:traffic:WeightedRule',
  traffic: 'cluster-canary:traffic:FleetTraffic',
};

export const listenerArn =
  'arn:aws:elasticloadbalancing:eu-west-1:123456789012:listener/app/edge/50dc6c495c0c9188/f2f7dc8efc522ab2';
export const loadBalancerArn =
  'arn:aws:elasticloadbalancing:eu-west-1:123456789012:loadbalancer/app/edge/50dc6c495c0c9188';
export const edge: EdgeRef = { listenerArn, securityGroupIds: ['sg-edge'] };

export const albArgs: CreatedAlbArgs = {
  vpcId: 'vpc-1',
  subnetIds: ['subnet-a', 'subnet-b'],
  certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/main',
};

export const slotRef = (slot: string, entries = ['web']): SlotRef => ({
  clusterName: `apps-${slot}`,
  clusterArn: `arn:aws:eks:eu-west-1:123456789012:cluster/apps-${slot}`,
  region: 'eu-west-1',
  endpoint: `https://${slot}.example.com`,
  certificateAuthority: 'Y2E=',
  vpcId: 'vpc-1',
  clusterSecurityGroupId: `sg-cluster-${slot}`,
  nodeSecurityGroupId: `sg-node-${slot}`,
  targetGroupArns: Object.fromEntries(entries.map((entry) => [entry, `arn:tg/${slot}-${entry}`])),
});

export const fleetOf = (...slots: string[]): FleetRef => ({
  name: 'apps',
  slots: Object.fromEntries(slots.map((slot) => [slot, pulumi.output(slotRef(slot))])),
  entries: { web: { namespace: 'podinfo', service: 'frontend', port: 80, targetPort: 9898 } },
});
export const web: RouteArgs<'web'> = { entry: 'web', hosts: ['www.example.com'], priority: 10 };

/** What was refused, and that nothing was registered because of it. */
export async function refused(
  make: () => unknown,
  before: () => unknown = () => undefined,
): Promise<string[]> {
  let error: unknown;
  const seen = await register(() => {
    before();
    try {
      make();
    } catch (thrown) {
      error = thrown;
    }
  });
  const without = await register(before);
  expect(seen.all.map(({ urn }) => urn)).toEqual(without.all.map(({ urn }) => urn));
  expect(error).toBeInstanceOf(InvalidInput);
  return (error as InvalidInput).problems.map(({ path }) => path);
}

export const children = (seen: Registrations, parent: Registered) =>
  seen.all
    .filter((each) => each.parent === parent.urn)
    .map(({ type, name }) => `${type.split(':').at(-1)} ${name}`)
    .sort();
export const record = (registered: Registered[]) =>
  Object.fromEntries(registered.map(({ name, inputs }) => [name, inputs]));
export const forward = (rule: Registered) => rule.inputs.actions[0].forward;

/** The value of an output. */
export function value<T>(output: pulumi.Output<T>): Promise<T> {
  return new Promise((resolve) => output.apply(resolve));
}
