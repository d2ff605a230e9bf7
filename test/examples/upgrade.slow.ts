import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { blocksOf, pages } from '../docs/documents';
import { inputsOf, namesOf, previewPrograms, weightsOf } from './preview-programs';

const root = resolve(__dirname, '../..');

/** What the page declares and leaves to the reader's program. */
const given = `
const network = { vpcId: 'vpc-1', privateSubnetIds: ['subnet-1', 'subnet-2'] };
const nodes = { instanceTypes: ['m7i.large'], min: 2, max: 6 };
const apps = new fleet.ClusterFleet('apps', {
  network,
  endpoint: { public: { cidrs: ['203.0.113.0/24'] } },
  slots: { blue: { version: '1.35', nodes }, green: { version: '1.36', nodes } },
  entries: { web: { namespace: 'shop', service: 'web', port: 8080 } },
  addons: [addons.certManager(), addons.awsLoadBalancerController()],
});
const edge = new traffic.WeightedAlb('edge', {
  vpcId: network.vpcId,
  subnetIds: ['subnet-3', 'subnet-4'],
  certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/00000000-0000-0000-0000-000000000000',
});
`;

const declared = /(?:^declare const .*;\n)+/m;
const block = blocksOf(
  pages.find(({ path }) => path.endsWith('upgrade.md'))!,
  'ts',
).find(({ code }) => declared.test(code));

let folder: string;
beforeAll(() => {
  // Within the project, so that packages are found.
  mkdirSync(join(root, 'out'), { recursive: true });
  folder = mkdtempSync(join(root, 'out', 'upgrade-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('the program of the upgrade is previewed: two clusters, a way to each, and no visitor at the new one', () => {
  const { code } = block!;
  expect(code.match(declared)![0].match(/const \w+/g)).toEqual(['const apps', 'const edge']);
  const turns = [code, code.replace('weights: { blue: 100, green: 0 }', 'weights: { blue: 0, green: 100 }')];
  const programs = turns.map((text, turn) => {
    const program = join(folder, String(turn));
    mkdirSync(program);
    writeFileSync(join(program, 'Pulumi.yaml'), 'name: upgrade\nruntime: nodejs\nmain: index.ts\n');
    writeFileSync(
      join(program, 'index.ts'),
      text.replace(declared, given).replace('import {', 'import { addons,'),
    );
    return { program: relative(join(root, 'examples'), program), stack: 'dev' };
  });
  const [before, after] = previewPrograms(programs);
  const clusters = before!.resources.filter(({ type }) => type === 'eks:index:Cluster');
  expect(clusters.map(({ name, inputs }) => [name, (inputs as { version: string }).version])).toEqual([
    ['apps-blue', '1.35'],
    ['apps-green', '1.36'],
  ]);
  expect([before!, after!].map((plan) => weightsOf(plan, 'apps-web'))).toEqual([
    [100, 0],
    [0, 100],
  ]);
  const previews = namesOf(before!, ':ListenerRule').filter((name) => name !== 'apps-web');
  const values = previews
    .flatMap((name) => inputsOf(before!, ':ListenerRule', name).conditions)
    .flatMap(({ httpHeader }: any) =>
      httpHeader ? [[httpHeader.httpHeaderName, ...httpHeader.values]] : [],
    );
  expect(values).toEqual([
    ['x-slot', 'blue'],
    ['x-slot', 'green'],
  ]);
});
