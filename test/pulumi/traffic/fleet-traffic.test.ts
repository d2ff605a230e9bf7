import * as pulumi from '@pulumi/pulumi';
import { existingAddon } from '../../../lib/pulumi/addons';
import type { SlotRef } from '../../../lib/pulumi/fleet';
import { ClusterFleet } from '../../../lib/pulumi/fleet';
import type { FleetTrafficArgs, WeightedRuleArgs } from '../../../lib/pulumi/traffic';
import { FleetTraffic, WeightedAlb, WeightedRule } from '../../../lib/pulumi/traffic';
import { register } from '../../pulumi-mocks';
import {
  types,
  listenerArn,
  edge,
  albArgs,
  slotRef,
  fleetOf,
  web,
  children,
  record,
  forward,
  value,
} from './samples';

describe('a weighted rule', () => {
  const args: WeightedRuleArgs = {
    edge,
    hosts: ['www.example.com'],
    priority: 10,
    targetGroupArns: {
      blue: 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/blue/0123456789abcdef',
      green: pulumi.output(
        'arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/green/0123456789abcdef',
      ),
    },
    weights: { blue: 90, green: 10 },
  };

  test('forwards to every slot with its weight', async () => {
    let rule!: WeightedRule;
    const seen = await register(() => (rule = new WeightedRule('web', args)));
    expect(children(seen, seen.one(types.weightedRule))).toEqual(['ListenerRule web']);
    expect(seen.one(types.rule).inputs).toEqual({
      listenerArn,
      priority: 10,
      conditions: [{ hostHeader: { values: ['www.example.com'] } }],
      actions: [
        {
          type: 'forward',
          forward: {
            targetGroups: [
              {
                arn: 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/blue/0123456789abcdef',
                weight: 90,
              },
              {
                arn: 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/green/0123456789abcdef',
                weight: 10,
              },
            ],
            stickiness: { enabled: false, duration: 1 },
          },
        },
      ],
      tags: { 'cluster-canary/rule': 'project/stack/web' },
    });
    expect(rule.weights).toEqual({ blue: 90, green: 10 });
    expect(await value(rule.rule.priority)).toBe(10);
  });

  test('keeps idle slots, sticks for as long as it is told, and takes raw arguments', async () => {
    const seen = await register(
      () =>
        new WeightedRule('web', {
          ...args,
          hosts: undefined,
          weights: { green: 100 },
          stickinessSeconds: 604800,
          tags: { team: 'web' },
          ruleArgs: { conditions: [{ pathPattern: { regexValues: ['^/a'] } }] },
        }),
    );
    expect(forward(seen.one(types.rule))).toEqual({
      targetGroups: [
        {
          arn: 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/blue/0123456789abcdef',
          weight: 0,
        },
        {
          arn: 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/green/0123456789abcdef',
          weight: 100,
        },
      ],
      stickiness: { enabled: true, duration: 604800 },
    });
    expect(seen.one(types.rule).inputs).toMatchObject({
      conditions: [{ pathPattern: { regexValues: ['^/a'] } }],
      tags: { team: 'web' },
    });
  });
});

describe('traffic of a fleet', () => {
  test('is a rule for each route, all with the same weights, and a way in to each slot', async () => {
    let traffic!: FleetTraffic;
    const seen = await register(() => {
      traffic = new FleetTraffic('apps', {
        fleet: {
          ...fleetOf(),
          slots: {
            blue: pulumi.output(slotRef('blue', ['web', 'api'])),
            green: slotRef('green', ['web', 'api']),
          },
          entries: {
            web: fleetOf().entries.web!,
            api: { namespace: 'api', service: 'api', port: 8080, healthCheck: { port: 9000 } },
          },
        },
        edge,
        routes: {
          web: { ...web, stickinessSeconds: 60 },
          api: { entry: 'api', hosts: ['api.example.com'], methods: ['GET', 'HEAD'], priority: 20 },
          internal: { entry: 'api', paths: ['/api/*'], priority: 30 },
        },
        weights: { blue: 90, green: 10 },
        tags: { team: 'platform' },
      });
    });
    const root = seen.one(types.traffic);
    expect(children(seen, root)).toEqual([
      'SecurityGroupIngressRule apps-blue-8080',
      'SecurityGroupIngressRule apps-blue-9000',
      'SecurityGroupIngressRule apps-blue-9898',
      'SecurityGroupIngressRule apps-green-8080',
      'SecurityGroupIngressRule apps-green-9000',
      'SecurityGroupIngressRule apps-green-9898',
      'WeightedRule apps-api',
      'WeightedRule apps-internal',
      'WeightedRule apps-web',
    ]);
    const tags = { 'cluster-canary/fleet': 'apps', team: 'platform' };
    expect(seen.one(types.ingress, 'apps-green-9898').inputs).toEqual({
      securityGroupId: 'sg-node-green',
      referencedSecurityGroupId: 'sg-edge',
      ipProtocol: 'tcp',
      fromPort: 9898,
      toPort: 9898,
      description: 'Load balancer to apps green, port 9898',
      tags,
    });
    const targets = (entry: string) => [
      { arn: `arn:tg/blue-${entry}`, weight: 90 },
      { arn: `arn:tg/green-${entry}`, weight: 10 },
    ];
    const rules = Object.fromEntries(seen.ofType(types.rule).map((rule) => [rule.name, rule]));
    expect(forward(rules['apps-web']!)).toEqual({
      targetGroups: targets('web'),
      stickiness: { enabled: true, duration: 60 },
    });
    expect(forward(rules['apps-api']!).targetGroups).toEqual(targets('api'));
    expect(forward(rules['apps-internal']!).targetGroups).toEqual(targets('api'));
    expect(rules['apps-api']!.inputs).toMatchObject({
      listenerArn,
      priority: 20,
      conditions: [
        { hostHeader: { values: ['api.example.com'] } },
        { httpRequestMethod: { values: ['GET', 'HEAD'] } },
      ],
      tags,
    });
    expect(rules['apps-web']!.parent).toBe(seen.one(types.weightedRule, 'apps-web').urn);
    expect(traffic.weights).toEqual({ blue: 90, green: 10 });
    expect(Object.keys(traffic.rules)).toEqual(['web', 'api', 'internal']);
    expect(traffic.rules.web!.weights).toEqual(traffic.weights);
    expect(traffic.ingressRules).toHaveLength(6);
  });

  test('starts to flow only when the load balancer is let in', async () => {
    const seen = await register(
      () => new FleetTraffic('apps', { fleet: fleetOf('blue'), edge, routes: { web } }),
    );
    const order = seen.all.map(({ type }) => type);
    expect(order.indexOf(types.ingress)).toBeLessThan(order.indexOf(types.rule));
    expect(seen.one(types.weightedRule).dependencies).toEqual([seen.one(types.ingress).urn]);
  });

  test.each([1, 2, 5])('of %p slots keeps every slot on the rule', async (count) => {
    const slots = ['a', 'b', 'c', 'd', 'e'].slice(0, count);
    const seen = await register(
      () =>
        new FleetTraffic('apps', {
          fleet: fleetOf(...slots),
          edge,
          routes: { web },
          weights: count === 1 ? undefined : { b: 100 },
        }),
    );
    expect(forward(seen.one(types.rule)).targetGroups).toEqual(
      slots.map((slot) => ({
        arn: `arn:tg/${slot}-web`,
        weight: slot === 'b' || count === 1 ? 100 : 0,
      })),
    );
    expect(seen.ofType(types.ingress)).toHaveLength(count);
  });

  test('joins a fleet and a load balancer of the same program', async () => {
    const seen = await register(() => {
      const nodes = { instanceTypes: ['m7i.large'], min: 1, max: 2 };
      const fleet = new ClusterFleet('apps', {
        network: { vpcId: 'vpc-1', privateSubnetIds: ['subnet-a', 'subnet-b'] },
        endpoint: { public: { cidrs: ['203.0.113.0/24'] } },
        slots: { blue: { version: '1.35', nodes }, green: { version: '1.36', nodes } },
        entries: { web: { namespace: 'podinfo', service: 'frontend', port: 9898 } },
        addons: [existingAddon('aws-load-balancer-controller')],
      });
      new FleetTraffic('apps', {
        fleet,
        edge: new WeightedAlb('edge', albArgs),
        routes: { web },
        weights: { blue: 100 },
      });
    });
    const rule = seen.one(types.rule);
    expect(rule.inputs.listenerArn).toContain('edge-https');
    expect(forward(rule).targetGroups).toEqual([
      { arn: expect.stringContaining('apps-blue-web'), weight: 100 },
      { arn: expect.stringContaining('apps-green-web'), weight: 0 },
    ]);
    expect(seen.one(types.ingress, 'apps-blue-9898').inputs).toMatchObject({
      securityGroupId: 'apps-blue-nodes-id',
      referencedSecurityGroupId: 'edge-id',
    });
  });

  test('takes an edge that another stack exports, and one whose security groups only AWS knows', async () => {
    const exported = { listenerArn, securityGroupIds: ['sg-1', 'sg-2'] };
    const sources: (() => FleetTrafficArgs['edge'])[] = [
      () => new pulumi.StackReference('organization/edge/production').requireOutput('edge'),
      () => ({ listenerArn: pulumi.output(listenerArn), securityGroupIds: pulumi.output(['sg-1', 'sg-2']) }),
    ];
    for (const source of sources) {
      const seen = await register(
        () => new FleetTraffic('apps', { fleet: fleetOf('blue'), edge: source(), routes: { web } }),
        { answers: { 'pulumi:pulumi:StackReference': () => ({ outputs: { edge: exported } }) } },
      );
      expect(seen.one(types.rule).inputs.listenerArn).toBe(listenerArn);
      expect(seen.one(types.ingress).inputs.referencedSecurityGroupId).toBe('sg-1');
    }
  });

  test('is planned before the slots are known', async () => {
    const unknown = pulumi.unknown as unknown as SlotRef;
    const seen = await register(
      () =>
        new FleetTraffic('apps', {
          fleet: { ...fleetOf(), slots: { blue: pulumi.output(unknown) } },
          edge,
          routes: { web },
        }),
      { preview: true },
    );
    expect(seen.one(types.rule).inputs.priority).toBe(10);
    expect(seen.ofType(types.ingress)).toHaveLength(1);
  });

  test('lets in each security group that is named', async () => {
    const seen = await register(
      () =>
        new FleetTraffic('apps', {
          fleet: fleetOf('blue'),
          edge: { ...edge, securityGroupIds: ['sg-1', pulumi.output('sg-2')] },
          routes: { web },
          ingressRuleArgs: { description: 'Own' },
        }),
    );
    const rules = record(seen.ofType(types.ingress));
    expect(Object.keys(rules).sort()).toEqual(['apps-blue-9898', 'apps-blue-9898-2']);
    expect(rules['apps-blue-9898-2']).toMatchObject({
      referencedSecurityGroupId: 'sg-2',
      description: 'Own',
    });
  });

  test('opens a port once, however many components and slots ask for it', async () => {
    const fleet = fleetOf('blue', 'green');
    const seen = await register(() => {
      new FleetTraffic('one', { fleet, edge, routes: { web }, weights: { blue: 100 } });
      const two = new FleetTraffic('two', {
        fleet,
        edge: { ...edge },
        routes: { web: { ...web, priority: 11 } },
        weights: { green: 100 },
      });
      expect(two.ingressRules).toEqual([]);
    });
    expect(seen.ofType(types.ingress).map(({ name }) => name)).toEqual(['one-blue-9898', 'one-green-9898']);
    expect(seen.one(types.weightedRule, 'two-web').dependencies).toHaveLength(2);

    const shared = await register(() => {
      const slots = {
        blue: slotRef('blue'),
        green: { ...slotRef('green'), nodeSecurityGroupId: 'sg-node-blue' },
      };
      new FleetTraffic('apps', { fleet: { ...fleet, slots }, edge, routes: { web }, weights: { blue: 100 } });
    });
    expect(shared.ofType(types.ingress)).toHaveLength(1);
  });

  test('leaves the ports alone when it is told to', async () => {
    const seen = await register(
      () =>
        new FleetTraffic('apps', {
          fleet: fleetOf('blue'),
          edge: { ...edge, securityGroupIds: [] },
          routes: { web },
          openTargetPorts: false,
        }),
    );
    expect(seen.ofType(types.ingress)).toEqual([]);
    expect(seen.ofType(types.rule)).toHaveLength(1);
  });
});
