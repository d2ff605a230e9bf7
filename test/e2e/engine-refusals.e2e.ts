import type { PulumiFn } from '@pulumi/pulumi/automation';
import { refusal, seen, unchanged, withBlue } from './bench/fleet-runs';
import type { FleetBench } from './bench/pulumi-fleet';
import { fleetBench } from './bench/pulumi-fleet';
import { worldOf } from './bench/pulumi-world';

/** The tests are the life of one stack, in this order. */
let bench: FleetBench;

beforeAll(async () => {
  bench = await fleetBench(require);
  expect(seen(await bench.stack.up())).toMatchObject({ succeeded: true, errors: [] });
});

describe.each([
  ['other addresses of pods', "ipFamily: 'ipv6'"],
  [
    'another encryption key',
    "clusterArgs: { encryptionConfigKeyArn: 'arn:aws:kms:eu-west-1:123456789012:key/other' }",
  ],
])('%s is refused, and nothing changes', (_, argument) => {
  test('in a preview', async () => {
    const before = await worldOf(bench);
    const preview = await bench.stack.preview({ program: bench.program(withBlue(argument)) });
    expect(preview.succeeded).toBe(false);
    expect(preview.errors.join('\n')).toMatch(refusal);
    expect(await worldOf(bench)).toEqual(before);
  });

  test('in an update without a preview', async () => {
    const before = await worldOf(bench);
    const up = await bench.stack.up({ program: bench.program(withBlue(argument)) });
    expect(up.succeeded).toBe(false);
    expect(up.errors.join('\n')).toMatch(refusal);
    expect(await worldOf(bench)).toEqual(before);
  });
});

describe('another version of a cluster', () => {
  const version = (slot: string, from: string, to: string) => ({
    from: `${slot}: { version: '${from}', nodes }`,
    to: `${slot}: { version: '${to}', nodes }`,
  });
  const carries =
    /version: "1.36": must be "1.35" as it is, while slot "blue" carries 100 % of the live traffic/;

  test.each([
    ['a preview', (program: PulumiFn) => bench.stack.preview({ program })],
    ['an update', (program: PulumiFn) => bench.stack.up({ program })],
  ])('under live traffic is refused in %s, and nothing changes', async (_what, run) => {
    const before = await worldOf(bench);
    const refused = await run(bench.program(version('blue', '1.35', '1.36')));
    expect(refused.succeeded).toBe(false);
    expect(refused.errors.join('\n')).toMatch(carries);
    expect(await worldOf(bench)).toEqual(before);
  });

  test('of a slot without traffic is planned', async () => {
    const preview = await bench.stack.preview({ program: bench.program(version('green', '1.36', '1.37')) });
    expect(preview).toMatchObject({ succeeded: true, errors: [] });
    expect(seen(preview).operations).toEqual(
      expect.arrayContaining(['update aws:eks/cluster:Cluster apps-green-eksCluster']),
    );
  });
});

describe("a version of one of EKS's own add-ons", () => {
  const asks = (slot: string, version: string, addon: string) => ({
    from: `${slot}: { version: '${version}', nodes }`,
    to: `${slot}: { version: '${version}', nodes, eksAddonVersions: { '${addon}': 'v9.9.9-eksbuild.9' } }`,
  });
  const versionOf = async (name: string) =>
    (await bench.stack.state()).find(({ urn }) => urn.endsWith(`addon:Addon::${name}`))!.inputs.addonVersion;

  test.each(['vpc-cni', 'coredns'])(
    'under live traffic is refused by a hook, and nothing changes: %s',
    async (addon) => {
      const program = bench.program(asks('blue', '1.35', addon));
      for (const run of [await bench.stack.preview({ program }), await bench.stack.up({ program })]) {
        expect(run.succeeded).toBe(false);
        expect(run.errors.join('\n')).toMatch(
          new RegExp(`before hook[^]*apps-blue-${addon}.addonVersion[^]*carries 100 %`),
        );
      }
      expect(seen(await bench.stack.up({ program: bench.program() }))).toEqual(unchanged);
    },
  );

  test.each(['kube-proxy', 'coredns'])(
    'of a slot without traffic is one update, and stays when the slot asks for none any more: %s',
    async (addon) => {
      const up = await bench.stack.up({ program: bench.program(asks('green', '1.36', addon)) });
      expect(seen(up)).toEqual({
        ...unchanged,
        operations: [`update aws:eks/addon:Addon apps-green-${addon}`],
      });
      expect(await versionOf(`apps-green-${addon}`)).toBe('v9.9.9-eksbuild.9');
      expect(seen(await bench.stack.up({ program: bench.program() }))).toEqual(unchanged);
      expect(await versionOf(`apps-green-${addon}`)).toBe('v9.9.9-eksbuild.9');
    },
  );
});

test('other disks of the nodes under live traffic are refused by a hook', async () => {
  const disks = "blue: { version: '1.35', nodes: { ...nodes, diskGiB: 80 } }";
  const program = bench.program({ from: "blue: { version: '1.35', nodes }", to: disks });
  const up = await bench.stack.up({ program });
  expect(up.succeeded).toBe(false);
  expect(up.errors.join('\n')).toMatch(
    /before hook[^]*apps-blue-template.blockDeviceMappings[^]*carries 100 %/,
  );
  expect(seen(await bench.stack.up({ program: bench.program() }))).toEqual(unchanged);
});

test('node groups that are made anew under live traffic are refused by a hook', async () => {
  // Plain values are compared before; these only the engine sees.
  const types = `blue: { version: '1.35', nodes: { ...nodes, nodeGroupArgs: { instanceTypes: pulumi.output(['m7i.xlarge']) } } }`;
  const program = bench.program({ from: "blue: { version: '1.35', nodes }", to: types });
  for (const run of [await bench.stack.preview({ program }), await bench.stack.up({ program })]) {
    expect(run.succeeded).toBe(false);
    expect(run.errors.join('\n')).toMatch(/before hook[^]*apps-blue-nodes: "another one[^]*carries 100 %/);
  }
  expect(seen(await bench.stack.up({ program: bench.program() }))).toEqual(unchanged);
});
