import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import type { PulumiFn } from '@pulumi/pulumi/automation';
import type { SlotRef } from '../../../lib/pulumi/fleet';
import type {
  RouteArgs,
  SlotPreviewsArgs,
  TrafficLabelsArgs,
  TrafficShiftArgs,
} from '../../../lib/pulumi/traffic';
import { FleetTraffic, WeightedAlb } from '../../../lib/pulumi/traffic';

/** What a program of the shift's tests differs in. Plain data, so that a program in a file can have it as well. */
export interface ShiftProgramOptions {
  readonly vpcId: string;
  readonly subnetIds: readonly string[];
  readonly certificateArn: string;
  /** Slots with a target group. */
  readonly slots: readonly string[];
  readonly weights: Readonly<Record<string, number>>;
  readonly shift?: TrafficShiftArgs | false;
  /** Routes by name; each is an entry of its own. @default - one, `web` */
  readonly routes?: Readonly<Record<string, Partial<RouteArgs>>>;
  /** Which listener has the rules. @default 'https' */
  readonly listener?: 'https' | 'http';
  readonly tags?: Readonly<Record<string, string>>;
  /** Hubs whose cluster Secrets are labelled. @default - none */
  readonly labels?: TrafficLabelsArgs;
  /** What leads to slots past the weights; its values are secrets. @default - nothing */
  readonly previews?: SlotPreviewsArgs;
}

/** A load balancer, target groups and the rules over them; no clusters. */
export function shiftProgram(options: ShiftProgramOptions): PulumiFn {
  return () => {
    const { vpcId, slots, weights, shift, tags, labels, listener = 'https', routes = { web: {} } } = options;
    const edge = new WeightedAlb('edge', {
      vpcId,
      subnetIds: [...options.subnetIds],
      certificateArn: options.certificateArn,
    });
    const refs = slots.map((slot) => [slot, slotRef(slot, vpcId, Object.keys(routes))] as const);
    const traffic = new FleetTraffic('apps', {
      fleet: {
        name: 'apps',
        slots: Object.fromEntries(refs),
        entries: Object.fromEntries(
          Object.keys(routes).map((name) => [name, { namespace: 'podinfo', service: name, port: 80 }]),
        ),
      },
      edge: {
        listenerArn: listener === 'http' ? edge.httpListener!.arn : edge.listenerArn,
        securityGroupIds: edge.securityGroupIds,
      },
      openTargetPorts: false,
      routes: Object.fromEntries(
        Object.entries(routes).map(([name, route], index) => [
          name,
          { entry: name, paths: [`/${name}/*`], priority: 10 + index, ...route },
        ]),
      ),
      weights,
      shift,
      tags,
      labels,
      ...(options.previews && { previews: withSecrets(options.previews) }),
    });
    return Promise.resolve({ plan: traffic.plan, previews: traffic.previews });
  };
}

function withSecrets({ values, ...previews }: SlotPreviewsArgs): SlotPreviewsArgs {
  const secrets = Object.entries(values ?? {}).map(
    ([slot, value = '']) => [slot, pulumi.secret(value)] as const,
  );
  return { ...previews, ...(values && { values: Object.fromEntries(secrets) }) };
}

/** A slot as plain values, with a target group for each entry. */
export function slotRef(
  slot: string,
  vpcId: string,
  entries: readonly string[],
  protocol: 'HTTP' | 'TCP' = 'HTTP',
) {
  const groups = entries.map((entry) => {
    const group = new aws.lb.TargetGroup(`apps-${slot}-${entry}`, {
      vpcId,
      port: 80,
      protocol,
      targetType: 'ip',
      deregistrationDelay: 0,
      tags: { 'cluster-canary/fleet': 'apps', 'cluster-canary/slot': slot },
    });
    return [entry, group.arn] as const;
  });
  const plain: Omit<SlotRef, 'targetGroupArns'> = {
    clusterName: `apps-${slot}`,
    clusterArn: `arn:aws:eks:eu-west-1:123456789012:cluster/apps-${slot}`,
    region: 'eu-west-1',
    endpoint: `https://${slot}.example.com`,
    certificateAuthority: 'Y2E=',
    vpcId,
    clusterSecurityGroupId: 'sg-1',
    nodeSecurityGroupId: 'sg-2',
  };
  return pulumi
    .all(Object.fromEntries(groups))
    .apply((targetGroupArns): SlotRef => ({ ...plain, targetGroupArns }));
}
