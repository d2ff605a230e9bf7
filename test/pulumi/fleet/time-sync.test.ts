import { clockTaint } from '../../../lib/core/names';
import { bottlerocketTimeSettings, chronyScript, scriptsAsUserData } from '../../../lib/manifests/time-sync';
import { ClusterSlot, NodeGroup } from '../../../lib/pulumi/fleet';
import type { NodesArgs } from '../../../lib/pulumi/fleet';
import { register } from '../../pulumi-mocks';

const nodes: NodesArgs = { instanceTypes: ['m7i.large'], min: 1, max: 2 };

async function group(more: Partial<NodesArgs> = {}) {
  const seen = await register(
    () =>
      new NodeGroup('apps-blue', {
        ...{ ...nodes, ...more },
        clusterName: 'apps-blue',
        clusterArn: 'arn:aws:eks:eu-west-1:123456789012:cluster/apps-blue',
        subnetIds: ['subnet-a'],
        securityGroupIds: ['sg-1'],
        tags: {},
      }),
  );
  const { userData } = seen.one('aws:ec2/launchTemplate:LaunchTemplate').inputs;
  return {
    userData: userData === undefined ? undefined : Buffer.from(userData, 'base64').toString(),
    taints: seen.one('aws:eks/nodeGroup:NodeGroup').inputs['taints'],
  };
}

const servers = ['ntp.example.com'];

test.each<[string, Partial<NodesArgs>, string | undefined]>([
  ['Amazon Linux asks Amazon Time Sync without being told', {}, undefined],
  ['Bottlerocket is told so', { amiType: 'BOTTLEROCKET_x86_64' }, bottlerocketTimeSettings()],
  [
    'Bottlerocket with other servers',
    { amiType: 'BOTTLEROCKET_ARM_64', timeServers: servers },
    bottlerocketTimeSettings(servers),
  ],
  ['Amazon Linux with other servers', { timeServers: servers }, scriptsAsUserData(chronyScript(servers))],
  ['an image of a user is left alone', { amiType: 'CUSTOM' }, undefined],
  [
    'user data of a user comes first',
    { amiType: 'BOTTLEROCKET_x86_64', launchTemplateArgs: { userData: 'bWluZQ==' } },
    'mine',
  ],
])('%s', async (_, more, userData) => {
  expect((await group(more)).userData).toBe(userData);
});

test('gated nodes start with the taint that the guard takes away, beside those of a user', async () => {
  const own = { key: 'example.com/own', effect: 'NO_SCHEDULE' };
  const gate = { key: clockTaint.key, value: clockTaint.value, effect: 'NO_SCHEDULE' };
  expect((await group()).taints).toBeUndefined();
  expect((await group({ taints: [own] })).taints).toEqual([own]);
  expect((await group({ taints: [own], clockGate: true })).taints).toEqual([own, gate]);
  expect((await group({ clockGate: true })).taints).toEqual([gate]);
});

test.each<[string, Partial<NodesArgs>, RegExp]>([
  ['no list of servers', { timeServers: ['a b'] }, /nodes\.timeServers: \["a b"\]: must be a list/],
  [
    'an image that takes no user data of ours',
    { timeServers: servers, amiType: 'CUSTOM' },
    /nodes\.timeServers: .*: must be left out with the AMI type CUSTOM/,
  ],
  [
    'user data of a user',
    { timeServers: servers, launchTemplateArgs: { userData: 'bWluZQ==' } },
    /nodes\.timeServers: .*: must be left out where launchTemplateArgs has userData/,
  ],
])('refused: %s', (_, more, message) => {
  const slot = () =>
    new ClusterSlot('apps-blue', {
      fleet: 'apps',
      slot: 'blue',
      version: '1.35',
      network: { vpcId: 'vpc-1', privateSubnetIds: ['subnet-a'] },
      endpoint: { public: { cidrs: ['203.0.113.0/24'] } },
      nodes: { ...nodes, ...more },
    });
  expect(slot).toThrow(message);
});
