import { isDeepStrictEqual } from 'node:util';
import * as elb from '@aws-sdk/client-elastic-load-balancing-v2';
import type { Properties, ResourceKind } from '../resource-kind';
import type { Clients } from './clients';
import { tagList } from './clients';
import { foundActions, foundConditions, listenerActions, ruleConditions } from './listener-actions';

/** What an Application Load Balancer is made of. Attributes are set at creation alone; tags are never changed. */
export function loadBalancing({ elb: client }: Clients): Record<string, ResourceKind> {
  return {
    'aws:lb/loadBalancer:LoadBalancer': {
      autoName: 'name',
      fixed: ['internal', 'ipAddressType', 'loadBalancerType', 'name'],
      create: async (inputs) => {
        const { LoadBalancers } = await client.send(
          new elb.CreateLoadBalancerCommand({
            Name: inputs.name,
            Subnets: inputs.subnets,
            SecurityGroups: inputs.securityGroups,
            Scheme: inputs.internal ? 'internal' : 'internet-facing',
            Type: inputs.loadBalancerType,
            IpAddressType: inputs.ipAddressType,
            Tags: tagList(inputs.tags),
          }),
        );
        const made = LoadBalancers![0]!;
        await client.send(
          new elb.ModifyLoadBalancerAttributesCommand({
            LoadBalancerArn: made.LoadBalancerArn,
            Attributes: [{ Key: 'idle_timeout.timeout_seconds', Value: String(inputs.idleTimeout ?? 60) }],
          }),
        );
        const { LoadBalancerArn: arn, DNSName: dnsName, CanonicalHostedZoneId: zoneId, VpcId: vpcId } = made;
        return { id: arn!, outputs: { arn, dnsName, zoneId, vpcId, arnSuffix: arn!.split(':').at(-1) } };
      },
      update: async (id, { securityGroups }) => {
        await client.send(
          new elb.SetSecurityGroupsCommand({ LoadBalancerArn: id, SecurityGroups: securityGroups }),
        );
        return {};
      },
      delete: async (id) => {
        await client.send(new elb.DeleteLoadBalancerCommand({ LoadBalancerArn: id }));
      },
    },
    'aws:lb/targetGroup:TargetGroup': {
      autoName: 'name',
      fixed: ['name', 'port', 'protocol', 'targetType', 'vpcId'],
      create: async (inputs) => {
        const { TargetGroups } = await client.send(
          new elb.CreateTargetGroupCommand({
            Name: inputs.name,
            Port: inputs.port,
            Protocol: inputs.protocol,
            TargetType: inputs.targetType,
            VpcId: inputs.vpcId,
            ...healthCheck(inputs.healthCheck),
            Tags: tagList(inputs.tags),
          }),
        );
        const arn = TargetGroups![0]!.TargetGroupArn!;
        await deregistrationDelay(arn, inputs);
        return { id: arn, outputs: { arn, arnSuffix: arn.split(':').at(-1) } };
      },
      update: async (id, inputs) => {
        await client.send(
          new elb.ModifyTargetGroupCommand({ TargetGroupArn: id, ...healthCheck(inputs.healthCheck) }),
        );
        await deregistrationDelay(id, inputs);
        return {};
      },
      delete: async (id) => {
        await client.send(new elb.DeleteTargetGroupCommand({ TargetGroupArn: id }));
      },
    },
    'aws:lb/listener:Listener': {
      fixed: ['loadBalancerArn'],
      create: async (inputs) => {
        const { Listeners } = await client.send(
          new elb.CreateListenerCommand({
            LoadBalancerArn: inputs.loadBalancerArn,
            ...listener(inputs),
            Tags: tagList(inputs.tags),
          }),
        );
        const arn = Listeners![0]!.ListenerArn!;
        return { id: arn, outputs: { arn } };
      },
      update: async (id, inputs, before) => {
        // As the provider does, actions that have not changed are not written.
        const { DefaultActions, ...rest } = listener(inputs);
        const changed = !isDeepStrictEqual(inputs.defaultActions, before.defaultActions);
        await client.send(
          new elb.ModifyListenerCommand({ ListenerArn: id, ...rest, ...(changed && { DefaultActions }) }),
        );
        if (!isDeepStrictEqual(inputs.tags, before.tags)) {
          await client.send(new elb.AddTagsCommand({ ResourceArns: [id], Tags: tagList(inputs.tags) }));
        }
        return {};
      },
      inputs: ['defaultActions'],
      read: async (id, before) => {
        const { Listeners } = await client.send(new elb.DescribeListenersCommand({ ListenerArns: [id] }));
        const { DefaultActions = [] } = Listeners![0]!;
        return DefaultActions.every(({ Type }) => Type === 'forward')
          ? { ...before, defaultActions: foundActions(DefaultActions) }
          : before;
      },
      delete: async (id) => {
        await client.send(new elb.DeleteListenerCommand({ ListenerArn: id }));
      },
    },
    'aws:lb/listenerRule:ListenerRule': {
      fixed: ['listenerArn'],
      create: async (inputs) => {
        const { Rules } = await client.send(
          new elb.CreateRuleCommand({
            ListenerArn: inputs.listenerArn,
            Priority: inputs.priority,
            Conditions: ruleConditions(inputs.conditions),
            Actions: listenerActions(inputs.actions),
            Tags: tagList(inputs.tags),
          }),
        );
        const arn = Rules![0]!.RuleArn!;
        return { id: arn, outputs: { arn } };
      },
      update: async (id, inputs, before) => {
        if (inputs.priority !== before.priority) {
          await client.send(
            new elb.SetRulePrioritiesCommand({
              RulePriorities: [{ RuleArn: id, Priority: inputs.priority }],
            }),
          );
        }
        // As the provider does, what has not changed is not written: actions may have other weights by now.
        const changed = (key: string) => !isDeepStrictEqual(inputs[key], before[key]);
        if (changed('actions') || changed('conditions')) {
          await client.send(
            new elb.ModifyRuleCommand({
              RuleArn: id,
              Conditions: changed('conditions') ? ruleConditions(inputs.conditions) : undefined,
              Actions: changed('actions') ? listenerActions(inputs.actions) : undefined,
            }),
          );
        }
        if (changed('tags')) {
          await client.send(new elb.AddTagsCommand({ ResourceArns: [id], Tags: tagList(inputs.tags) }));
        }
        return {};
      },
      inputs: ['actions', 'conditions', 'listenerArn', 'priority', 'tags'],
      read: async (id) => {
        const { Rules } = await client.send(new elb.DescribeRulesCommand({ RuleArns: [id] }));
        const rule = Rules?.[0];
        if (rule === undefined) {
          return undefined;
        }
        const { TagDescriptions } = await client.send(new elb.DescribeTagsCommand({ ResourceArns: [id] }));
        return {
          arn: id,
          listenerArn: listenerOf(id),
          priority: Number(rule.Priority),
          actions: foundActions(rule.Actions!),
          conditions: foundConditions(rule.Conditions!),
          tags: foundTags(TagDescriptions?.[0]?.Tags),
        };
      },
      delete: async (id) => {
        await client.send(new elb.DeleteRuleCommand({ RuleArn: id }));
      },
    },
  };

  async function deregistrationDelay(arn: string, inputs: Properties): Promise<void> {
    await client.send(
      new elb.ModifyTargetGroupAttributesCommand({
        TargetGroupArn: arn,
        Attributes: [
          {
            Key: 'deregistration_delay.timeout_seconds',
            Value: String(inputs.deregistrationDelay ?? 300),
          },
        ],
      }),
    );
  }
}

function foundTags(tags: readonly elb.Tag[] = []): Properties | undefined {
  return tags.length === 0 ? undefined : Object.fromEntries(tags.map(({ Key, Value }) => [Key!, Value!]));
}

/** A rule's ARN is that of its listener with one part more. */
function listenerOf(ruleArn: string): string {
  return ruleArn.replace(':listener-rule/', ':listener/').replace(/\/[^/]+$/, '');
}

function listener(inputs: Properties) {
  return {
    Port: inputs.port as number,
    Protocol: inputs.protocol as elb.ProtocolEnum,
    SslPolicy: inputs.sslPolicy as string | undefined,
    Certificates: inputs.certificateArn ? [{ CertificateArn: inputs.certificateArn as string }] : undefined,
    DefaultActions: listenerActions(inputs.defaultActions as Properties[]),
  };
}

function healthCheck(check: Properties = {}) {
  return {
    HealthCheckPath: check.path as string,
    HealthCheckPort: check.port as string,
    HealthCheckIntervalSeconds: check.interval as number,
    HealthCheckTimeoutSeconds: check.timeout as number,
    HealthyThresholdCount: check.healthyThreshold as number,
    UnhealthyThresholdCount: check.unhealthyThreshold as number,
    Matcher: check.matcher ? { HttpCode: check.matcher as string } : undefined,
  };
}
