import { existingAddon } from '../../../lib/pulumi/addons';
import type { ClusterFleetArgs } from '../../../lib/pulumi/fleet';
import { ClusterFleet } from '../../../lib/pulumi/fleet';
import { problemsOf } from '../preview/scratch';
import { register } from '../../pulumi-mocks';

const nodes = { instanceTypes: ['m7i.large'], min: 2, max: 6 };
const base: ClusterFleetArgs = {
  network: { vpcId: 'vpc-1', privateSubnetIds: ['subnet-a', 'subnet-b'] },
  endpoint: { public: { cidrs: ['203.0.113.0/24'] } },
  slots: { blue: { version: '1.35', nodes } },
  entries: { web: { namespace: 'podinfo', service: 'frontend', port: 9898 } },
  addons: [existingAddon('aws-load-balancer-controller')],
};

describe('readiness gates of pods', () => {
  const namespaces = async (args: Partial<ClusterFleetArgs>, balanced: string[]) => {
    const seen = await register(() => new ClusterFleet('apps', { ...base, ...args }), {
      calls: ({ token, inputs }) =>
        token === 'aws:lb/getTargetGroup:getTargetGroup'
          ? { loadBalancerArns: balanced.some((name) => inputs.arn.includes(`-${name}`)) ? ['lb'] : [] }
          : {},
    });
    return Object.fromEntries(
      seen
        .ofType('kubernetes:core/v1:Namespace')
        .map(({ inputs: { metadata } }) => [metadata.name, metadata.labels]),
    );
  };
  const entries = {
    web: base.entries!.web!,
    api: { namespace: 'podinfo', service: 'api', port: 80 },
    shop: { namespace: 'shop', service: 'shop', port: 80 },
  };
  const label = { 'elbv2.k8s.aws/pod-readiness-gate-inject': 'enabled' };

  test('are asked for in a namespace whose target groups are all on a load balancer', async () => {
    const args = { entries, podReadinessGates: true };
    expect(await namespaces(args, ['web', 'shop'])).toEqual({ podinfo: {}, shop: label });
    expect(await namespaces(args, ['web', 'api'])).toEqual({ podinfo: label, shop: {} });
  });

  test('are left to others otherwise', async () => {
    expect(await namespaces({ entries }, ['web', 'api', 'shop'])).toStrictEqual({
      podinfo: undefined,
      shop: undefined,
    });
  });

  test('are refused where EKS itself binds the pods', () => {
    const slots = { blue: { version: '1.35', autoMode: true } };
    const make = () => new ClusterFleet('apps', { ...base, addons: [], slots, podReadinessGates: true });
    expect(problemsOf(make)).toEqual([
      expect.stringMatching(/^slots\.blue\.podReadinessGates: conflicts with autoMode: EKS itself/),
    ]);
  });
});

test.each([
  [{ type: 'lb_cookie' }, true],
  [{ type: 'app_cookie', enabled: true }, true],
  [{ type: 'lb_cookie', enabled: false }, undefined],
  [{ type: 'source_ip' }, undefined],
  [undefined, undefined],
])('a fleet with the target group stickiness %j says so: %s', async (stickiness, expected) => {
  let fleet!: ClusterFleet;
  await register(() => (fleet = new ClusterFleet('apps', { ...base, targetGroupArgs: { stickiness } })));
  expect(fleet.ref.cookieStickiness).toBe(expected);
});
