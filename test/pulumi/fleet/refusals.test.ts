import * as pulumi from '@pulumi/pulumi';
import { InvalidInput, formatProblem as sentence } from '../../../lib/core/validation';
import { ClusterFleet, ClusterSlot } from '../../../lib/pulumi/fleet';

const nodes = { instanceTypes: ['m7i.large'], min: 2, max: 6 };
const entry = { namespace: 'podinfo', service: 'frontend', port: 9898 };
const base = {
  network: { vpcId: 'vpc-1', privateSubnetIds: ['subnet-a', 'subnet-b'] },
  endpoint: { private: { reachedFrom: 'vpc' } },
  slots: { blue: { version: '1.35', nodes } },
};
const later = 'known only during a deployment; here a plain value is needed';

/** What a fleet is refused with; nothing for one that is taken, whose resources nobody makes here. */
function said(
  args: unknown,
  make: (given: any) => unknown = (given) => new ClusterFleet('apps', given),
): string[] {
  try {
    make(args);
  } catch (error) {
    if (!(error instanceof InvalidInput)) {
      throw error;
    }
    return error.problems.map((each) => sentence(each));
  }
  throw new Error('nothing was refused');
}

test('slips of the fingers are told, all at once, with what is meant and without their values', () => {
  const lines = said({
    ...base,
    endpiont: 'hunter2',
    slots: {
      'Green!': { version: '1.36', node: 'hunter2', nodes: { ...nodes, disk: 80 } },
      blue: { version: '1.36', nodes, drain: { leftover: 'warn' }, adpot: {} },
    },
    entries: { web: { ...entry, healthcheck: { path: '/' } } },
    network: { vpcId: 'vpc-1', subnets: ['subnet-a'] },
    credentials: { profil: 'hunter2' },
  });
  expect(lines).toEqual([
    expect.stringMatching(
      /^endpiont: unknown key, did you mean "endpoint"\?; known keys: network, endpoint, /,
    ),
    'network.subnets: unknown key; known keys: vpcId, privateSubnetIds',
    expect.stringMatching(
      /^network\.privateSubnetIds: is required: several values, each of them the ID of a subnet/,
    ),
    expect.stringMatching(/^entries\.web\.healthcheck: unknown key, did you mean "healthCheck"\?/),
    expect.stringMatching(/^credentials\.profil: unknown key, did you mean "profile"\?/),
    expect.stringMatching(/^slots\.Green!: "Green!": must be lower-case letters/),
    expect.stringMatching(/^slots\.Green!\.node: unknown key, did you mean "nodes"\?/),
    expect.stringMatching(/^slots\.Green!\.nodes\.disk: unknown key, did you mean "diskGiB"\?/),
    expect.stringMatching(/^slots\.blue\.adpot: unknown key, did you mean "adopt"\?/),
    expect.stringMatching(/^slots\.blue\.drain\.leftover: unknown key, did you mean "leftovers"\?/),
    expect.stringMatching(/^slots\.blue\.addons: \[\]: must be a list with/),
  ]);
  expect(lines.join()).not.toContain('hunter2');
});

test('each field is evaluated, also those whose types nothing but a compiler looked at', () => {
  const wrong = {
    ...base,
    podReadinessGates: 'yes',
    deletionProtection: 1,
    credentials: { profile: 7 },
    access: { ci: null, team: { principalArn: 'team' } },
    clusterArgs: 'a',
    targetGroupArgs: [],
    addons: 'cert-manager',
    slots: {
      blue: {
        version: '1.35',
        autoMode: 'false',
        nodes: { ...nodes, clockGate: 1, amiType: 5, instanceTypes: [5], launchTemplateArgs: 'x' },
      },
    },
    entries: { web: { ...entry, healthCheck: { matcher: 200 } } },
  };
  expect(said(wrong).map((line) => line.split(':')[0])).toEqual([
    'entries.web.healthCheck.matcher',
    'addons',
    'access.ci',
    'access.team.principalArn',
    'podReadinessGates',
    'deletionProtection',
    'credentials.profile',
    'clusterArgs',
    'targetGroupArgs',
    'slots.blue.nodes.instanceTypes[0]',
    'slots.blue.nodes.amiType',
    'slots.blue.nodes.clockGate',
    'slots.blue.nodes.launchTemplateArgs',
    'slots.blue.autoMode',
    // What goes wrong with the fleet is told beside it.
    'slots.blue.addons',
  ]);
});

test('Outputs are let through where a deployment may know the value, and nowhere else', () => {
  const output = pulumi.output('shop');
  const open = {
    ...base,
    network: { vpcId: output, privateSubnetIds: Promise.resolve(['shop']) },
    encryptionKeyArn: output,
    permissionsBoundaryArn: output,
    credentials: { roleArn: output },
    access: { ci: { principalArn: output } },
    slots: {
      blue: {
        version: output,
        nodes: {
          ...nodes,
          min: output,
          labels: { team: output },
          roleArn: output,
          subnetIds: [output],
          securityGroupIds: [output],
          taints: [{ key: output, effect: output }],
        },
      },
      green: output,
    },
    drain: { within: output },
  };
  expect(said(open)).toEqual(
    [
      'drain.within',
      'slots.blue.version',
      'slots.blue.nodes.min',
      'slots.blue.nodes.labels.team',
      'slots.green',
    ].map((path) => `${path}: an Output, ${later}`),
  );
  expect(said(output)).toEqual([`args: an Output, ${later}`]);
});

test('what goes together is evaluated beside what is wrong by itself', () => {
  const slots = {
    blue: { version: 'latest', autoMode: true, nodes },
    green: { adopt: { clusterName: 'x' }, version: '1.36', clusterName: '?' },
    red: { nodes: null },
  };
  expect(said({ ...base, slots, entries: { web: { ...entry, port: 0 } }, podReadinessGates: true })).toEqual([
    'entries.web.port: 0: must be a whole number from 1 to 65535',
    expect.stringMatching(/^slots\.blue\.version: "latest": must be a Kubernetes minor version/),
    expect.stringMatching(/^slots\.green\.clusterName: "\?": must be letters/),
    expect.stringMatching(/^slots\.red\.nodes: null: must be an object with instanceTypes, min, max/),
    'slots.blue.nodes: conflicts with autoMode, which brings nodes of its own',
    expect.stringMatching(/^slots\.blue\.podReadinessGates: conflicts with autoMode: EKS itself/),
    'slots.green.version: conflicts with adopt: the cluster is made elsewhere',
    expect.stringMatching(
      /^slots\.green\.addons: \[\]: must be a list with addons\.awsLoadBalancerController/,
    ),
    expect.stringMatching(/^slots\.red\.version: is required: a Kubernetes minor version/),
    expect.stringMatching(/^slots\.red\.addons: /),
  ]);
});

test('a slot alone is evaluated as one of a fleet is, by the paths of its own arguments', () => {
  const slot = (given: any) => new ClusterSlot('ops', given);
  const { slots: _, ...fleetWide } = base;
  expect(
    said({ ...fleetWide, fleet: 'Ops', version: '1.36', nodes: { ...nodes, min: 9 }, slto: 'blue' }, slot),
  ).toEqual([
    expect.stringMatching(/^slto: unknown key, did you mean "slot"\?/),
    'nodes.min: 9: must be at most max, 6',
    expect.stringMatching(/^fleet: "Ops": must be lower-case letters/),
    expect.stringMatching(/^slot: is required: lower-case letters/),
  ]);
});
