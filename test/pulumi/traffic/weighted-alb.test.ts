import * as pulumi from '@pulumi/pulumi';
import { WeightedAlb } from '../../../lib/pulumi/traffic';
import { register } from '../../pulumi-mocks';
import { types, loadBalancerArn, albArgs, children, record, value } from './samples';

describe('a load balancer', () => {
  test('has one secure listener for rules, a redirect, and a security group that lets clients in', async () => {
    let alb!: WeightedAlb;
    const seen = await register(() => (alb = new WeightedAlb('edge', albArgs)));
    expect(children(seen, seen.one(types.alb))).toEqual([
      'Listener edge-http',
      'Listener edge-https',
      'LoadBalancer edge',
      'SecurityGroup edge',
      'SecurityGroupEgressRule edge-out---/0',
      'SecurityGroupEgressRule edge-out-0.0.0.0/0',
      'SecurityGroupIngressRule edge-443---/0',
      'SecurityGroupIngressRule edge-443-0.0.0.0/0',
      'SecurityGroupIngressRule edge-80---/0',
      'SecurityGroupIngressRule edge-80-0.0.0.0/0',
    ]);
    expect(seen.one(types.loadBalancer).inputs).toEqual({
      loadBalancerType: 'application',
      internal: false,
      ipAddressType: 'ipv4',
      subnets: ['subnet-a', 'subnet-b'],
      securityGroups: ['edge-id'],
      dropInvalidHeaderFields: true,
      enableDeletionProtection: false,
      idleTimeout: 60,
    });
    const arn = await value(alb.loadBalancer!.arn);
    expect(seen.one(types.listener, 'edge-https').inputs).toEqual({
      loadBalancerArn: arn,
      port: 443,
      protocol: 'HTTPS',
      certificateArn: albArgs.certificateArn,
      sslPolicy: 'ELBSecurityPolicy-TLS13-1-2-Res-PQ-2025-09',
      defaultActions: [
        {
          type: 'fixed-response',
          fixedResponse: { statusCode: '404', contentType: 'text/plain', messageBody: 'Not found' },
        },
      ],
    });
    expect(seen.one(types.listener, 'edge-http').inputs).toEqual({
      loadBalancerArn: arn,
      port: 80,
      protocol: 'HTTP',
      defaultActions: [
        { type: 'redirect', redirect: { protocol: 'HTTPS', port: '443', statusCode: 'HTTP_301' } },
      ],
    });
    const ingress = record(seen.ofType(types.ingress));
    expect(ingress['edge-443-0.0.0.0/0']).toEqual({
      securityGroupId: 'edge-id',
      cidrIpv4: '0.0.0.0/0',
      ipProtocol: 'tcp',
      fromPort: 443,
      toPort: 443,
      description: 'Clients, port 443',
    });
    expect(ingress['edge-80---/0']).toMatchObject({ cidrIpv6: '::/0', fromPort: 80, toPort: 80 });
    expect(record(seen.ofType(types.egress))['edge-out-0.0.0.0/0']).toMatchObject({
      securityGroupId: 'edge-id',
      cidrIpv4: '0.0.0.0/0',
      ipProtocol: '-1',
    });
  });

  test('is for other components what its listener and its security group are', async () => {
    let alb!: WeightedAlb;
    const seen = await register(() => (alb = new WeightedAlb('edge', albArgs)), {
      answers: { [types.loadBalancer]: () => ({ dnsName: 'edge.elb.example.com', zoneId: 'ZELB' }) },
    });
    const https = await value(alb.httpsListener.arn);
    expect(https).toContain('edge-https');
    expect(await value(alb.listenerArn)).toBe(https);
    expect(await value(pulumi.output(alb.ref))).toEqual({
      listenerArn: https,
      securityGroupIds: ['edge-id'],
    });
    expect(await value(alb.securityGroupIds)).toEqual(['edge-id']);
    expect(await value(alb.dnsName)).toBe('edge.elb.example.com');
    expect(await value(alb.zoneId)).toBe('ZELB');
    expect(await value(alb.securityGroup!.id)).toBe('edge-id');
    expect(await value(alb.httpListener!.arn)).toContain('edge-http');
    expect(seen.one(types.loadBalancer).urn).toBe(await value(alb.loadBalancer!.urn));
  });

  test('may be internal, dual stack, logged, protected, and without a redirect', async () => {
    let alb!: WeightedAlb;
    const seen = await register(
      () =>
        (alb = new WeightedAlb('edge', {
          ...albArgs,
          internal: true,
          cidrs: ['10.0.0.0/8', 'fd00::/8'],
          ipAddressType: 'dualstack',
          accessLogs: { bucket: 'logs', prefix: 'edge' },
          deletionProtection: true,
          idleTimeoutSeconds: 4000,
          redirectHttp: false,
          tags: { team: 'platform' },
          sslPolicy: 'ELBSecurityPolicy-TLS13-1-3-PQ-2025-09',
          additionalCertificateArns: {
            shop: 'arn:aws:acm:eu-west-1:123456789012:certificate/shop',
            blog: 'arn:aws:acm:eu-west-1:123456789012:certificate/blog',
          },
          webAclArn: 'arn:aws:wafv2:eu-west-1:123456789012:regional/webacl/shop/1',
          dns: { zoneId: 'ZOWN', names: ['www.example.com', '*.example.com'] },
        })),
      { answers: { [types.loadBalancer]: () => ({ dnsName: 'edge.elb.example.com', zoneId: 'ZELB' }) } },
    );
    expect(seen.one(types.loadBalancer).inputs).toMatchObject({
      internal: true,
      ipAddressType: 'dualstack',
      accessLogs: { enabled: true, bucket: 'logs', prefix: 'edge' },
      enableDeletionProtection: true,
      idleTimeout: 4000,
      tags: { team: 'platform' },
    });
    expect(alb.httpListener).toBeUndefined();
    const https = seen.one(types.listener);
    expect(https.inputs).toMatchObject({
      port: 443,
      sslPolicy: 'ELBSecurityPolicy-TLS13-1-3-PQ-2025-09',
      tags: { team: 'platform' },
    });
    expect(Object.keys(record(seen.ofType(types.ingress))).sort()).toEqual([
      'edge-443-10.0.0.0/8',
      'edge-443-fd00--/8',
    ]);
    const https443 = await value(alb.listenerArn);
    expect(record(seen.ofType(types.certificate))).toEqual({
      'edge-certificate-shop': {
        listenerArn: https443,
        certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/shop',
      },
      'edge-certificate-blog': {
        listenerArn: https443,
        certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/blog',
      },
    });
    expect(seen.one(types.webAcl).inputs).toEqual({
      resourceArn: await value(alb.loadBalancerArn),
      webAclArn: 'arn:aws:wafv2:eu-west-1:123456789012:regional/webacl/shop/1',
    });
    // Another web ACL replaces it.
    expect(seen.one(types.webAcl).deleteBeforeReplace).toBe(true);
    const alias = {
      zoneId: 'ZOWN',
      aliases: [{ name: 'edge.elb.example.com', zoneId: 'ZELB', evaluateTargetHealth: false }],
    };
    expect(record(seen.ofType(types.record))).toEqual({
      'edge-www.example.com-a': { ...alias, name: 'www.example.com', type: 'A' },
      'edge-www.example.com-aaaa': { ...alias, name: 'www.example.com', type: 'AAAA' },
      'edge-*.example.com-a': { ...alias, name: '*.example.com', type: 'A' },
      'edge-*.example.com-aaaa': { ...alias, name: '*.example.com', type: 'AAAA' },
    });
    expect(Object.keys(alb.records)).toEqual(['www.example.com', '*.example.com']);
    const root = seen.one(types.alb);
    const inside = seen.all.filter(({ type }) => type.startsWith('aws:'));
    expect(inside.length).toBeGreaterThan(10);
    expect(inside.every(({ parent }) => parent === root.urn)).toBe(true);
  });

  test.each([
    ['ipv4', ['A']],
    ['dualstack-without-public-ipv4', ['AAAA']],
  ] as const)('with %s addresses has records of type %p', async (ipAddressType, recordTypes) => {
    const seen = await register(
      () =>
        new WeightedAlb('edge', {
          ...albArgs,
          ipAddressType,
          dns: { zoneId: 'Z', names: ['a.example.com'] },
        }),
    );
    expect(seen.ofType(types.record).map(({ inputs }) => inputs.type)).toEqual(recordTypes);
  });

  test('with no networks leaves its ports to whoever made it', async () => {
    const seen = await register(() => new WeightedAlb('edge', { ...albArgs, cidrs: [] }));
    expect(seen.ofType(types.ingress)).toEqual([]);
  });

  test('that exists already gets our listener, and no other', async () => {
    let alb!: WeightedAlb;
    const asked: unknown[] = [];
    const seen = await register(
      () =>
        (alb = new WeightedAlb('edge', {
          adopt: { loadBalancerArn, ipAddressType: 'dualstack' },
          certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/main',
          dns: { zoneId: 'ZOWN', names: ['www.example.com'] },
          listenerArgs: { port: 8443 },
        })),
      {
        calls: ({ token, inputs }) => {
          asked.push([token, inputs]);
          return {
            ...inputs,
            dnsName: 'old.elb.example.com',
            zoneId: 'ZELB',
            securityGroups: ['sg-a', 'sg-b'],
          };
        },
      },
    );
    expect(asked).toEqual([['aws:lb/getLoadBalancer:getLoadBalancer', { arn: loadBalancerArn }]]);
    expect(children(seen, seen.one(types.alb))).toEqual([
      'Listener edge-https',
      'Record edge-www.example.com-a',
      'Record edge-www.example.com-aaaa',
    ]);
    expect(seen.one(types.listener).inputs).toMatchObject({ loadBalancerArn, port: 8443, protocol: 'HTTPS' });
    expect(alb.loadBalancer).toBeUndefined();
    expect(alb.securityGroup).toBeUndefined();
    expect(await value(alb.securityGroupIds)).toEqual(['sg-a', 'sg-b']);
    expect(await value(alb.dnsName)).toBe('old.elb.example.com');
  });

  test('that exists already may get the redirect too', async () => {
    const seen = await register(
      () =>
        new WeightedAlb('edge', {
          adopt: { loadBalancerArn },
          certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/main',
          redirectHttp: true,
        }),
    );
    expect(Object.keys(record(seen.ofType(types.listener))).sort()).toEqual(['edge-http', 'edge-https']);
    expect(seen.ofType(types.ingress)).toEqual([]);
  });

  test('takes raw arguments for everything that it wraps', async () => {
    let alb!: WeightedAlb;
    const seen = await register(
      () =>
        (alb = new WeightedAlb('a-name-that-is-too-long-for-aws', {
          ...albArgs,
          subnetIds: [],
          dns: { zoneId: 'Z', names: ['a.example.com'] },
          loadBalancerArgs: {
            name: 'short',
            subnetMappings: [{ subnetId: 'subnet-c' }],
            subnets: undefined,
            idleTimeout: 5,
            securityGroups: ['sg-own'],
          },
          securityGroupArgs: { description: 'Own' },
          listenerArgs: { port: 8443 },
          httpListenerArgs: { port: 8080 },
          recordArgs: { allowOverwrite: true },
        })),
    );
    expect(seen.one(types.loadBalancer).inputs).toMatchObject({ name: 'short', idleTimeout: 5 });
    expect(seen.one(types.group).inputs).toMatchObject({ description: 'Own', vpcId: 'vpc-1' });
    const long = 'a-name-that-is-too-long-for-aws';
    expect(seen.one(types.listener, `${long}-https`).inputs.port).toBe(8443);
    expect(seen.one(types.listener, `${long}-http`).inputs.port).toBe(8080);
    expect(seen.one(types.record).inputs).toMatchObject({ allowOverwrite: true });
    expect(await value(alb.securityGroupIds)).toEqual(['sg-own']);
  });
});
