import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import schema from '../../schemas/ready.json';
import { EksUpgrade, eksSubjects } from './bench/eks-upgrade';
import { moto } from './bench/moto';
import { temporaryFolder } from './bench/temporary';

let eks: EksUpgrade;
const validate = new Ajv2020({ strict: true, strictTypes: false })
  .addFormat('date-time', true)
  .compile(schema);

beforeAll(async () => {
  eks = new EksUpgrade(await moto());
  await eks.cluster('blue', '1.35');
});

beforeEach(() => {
  eks.aws.proxy.heal();
  eks.insights = [{ id: 'i-1', name: 'Deprecated APIs', status: 'PASSING' }];
  eks.installed = { 'vpc-cni': 'v1.20.4-eksbuild.2' };
  eks.addons = { 'vpc-cni': { '1.36': ['v1.21.0-eksbuild.1', 'v1.20.4-eksbuild.2'] } };
  eks.quotas = {};
});

const blue = ['--to', '1.36', '--cluster', 'blue'];

const documentOf = (stdout: string): any => {
  const document = JSON.parse(stdout);
  expect([validate(document), validate.errors]).toEqual([true, null]);
  return document;
};

test('a cluster that is ready: every subject was asked, and nothing was changed', async () => {
  const since = Date.now();
  const { status, stdout, stderr } = await eks.ready(...blue, '--format', 'json');
  const { summary, subjects, clusters } = documentOf(stdout);
  // A busy machine sees progress, and a warning of Node's about its version.
  const said = stderr.replace(/\(node:[^]*$/, '').replace(/^asking .* \(\d+ s\)\n/gm, '');
  expect([status, said, summary]).toEqual([0, '', { error: 0, warning: 0, info: 0, untried: 0 }]);
  expect(subjects.map(({ name, status: how }: any) => `${name} ${how}`)).toEqual(
    eksSubjects.map((name) => `${name} passed`),
  );
  expect(clusters.eks).toBe('blue');
  expect(eks.aws.proxy.changes(since)).toEqual([]);
});

test('what EKS knows is found: an API that is called, an add-on, a quota', async () => {
  eks.insights = [
    {
      ...{ id: 'i-1', name: 'Deprecated APIs removed in Kubernetes v1.36', status: 'ERROR' },
      reason: 'Deprecated API usage detected within last 30 days',
      details: {
        recommendation: 'Update manifests and API clients',
        categorySpecificSummary: {
          deprecationDetails: [
            {
              usage: '/apis/old.k8s.io/v1beta1/things',
              ...{ replacedWith: '/apis/old.k8s.io/v1/things', stopServingVersion: '1.36' },
              clientStats: [{ userAgent: 'kubelet-1', numberOfRequestsLast30Days: 7 }],
            },
          ],
        },
      },
    },
  ];
  eks.addons = {};
  eks.quotas = { 'L-1194D53C': 1 };
  const { status, stdout } = await eks.ready(...blue);
  expect(status).toBe(1);
  expect(stdout).toMatch(/^Kubernetes 1\.36: 3 errors/);
  expect(stdout).toMatch(/error {2}EKS01 .*old\.k8s\.io\/v1beta1\/things.*kubelet-1 \(7 in 30 days\)/);
  expect(stdout).toContain('fix: Update manifests and API clients');
  expect(stdout).toMatch(/error {2}EKS10 .*vpc-cni/);
  expect(stdout).toMatch(/error {2}EKS22 /);
});

test('a right that is missing is named, and has passed nothing', async () => {
  eks.aws.proxy.fail({ action: /insights$|^GetServiceQuota$/, fault: 'accessDenied', times: 100 });
  const { status, stdout } = await eks.ready(...blue, '--format', 'json');
  const { summary, subjects } = documentOf(stdout);
  expect([status, summary.error, summary.untried]).toEqual([2, 0, 2]);
  const unknown = subjects.filter((each: any) => each.status === 'unknown');
  expect(unknown.map(({ name, untried }: any) => [name, untried])).toEqual([
    ['eks-insights', [expect.stringContaining('not allowed to call eks:ListInsights')]],
    ['eks-quotas', [expect.stringContaining('not allowed to call servicequotas:GetServiceQuota')]],
  ]);
  const sarif = JSON.parse((await eks.ready(...blue, '--format', 'sarif')).stdout);
  expect(sarif.runs[0].invocations[0].executionSuccessful).toBe(false);
});

test('warnings fail where that is wanted, and manifests are judged in the same report', async () => {
  eks.installed = { 'vpc-cni': 'v1.18.0-eksbuild.1' };
  const folder = temporaryFolder('manifests');
  writeFileSync(join(folder, 'good.yaml'), 'apiVersion: v1\nkind: Pod\nmetadata: { name: web }\n');
  const run = async (...args: string[]) => (await eks.ready(...blue, ...args)).status;
  expect(await Promise.all([run(folder), run('--fail-on', 'warning')])).toEqual([0, 1]);
  const old = 'apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: { name: web }\n';
  writeFileSync(join(folder, 'old.yaml'), old);
  const { status, stdout } = await eks.ready(...blue, folder, '--format', 'json');
  expect(status).toBe(1);
  expect(documentOf(stdout).findings).toMatchObject([
    { subject: 'eks-addons', id: 'EKS09', severity: 'warning' },
    { subject: 'manifests', id: 'API01', line: 1 },
  ]);
});

test('what does not answer in time has passed nothing, and the others have', async () => {
  eks.aws.proxy.fail({ action: /insights$/, fault: 'timeout', times: 100 });
  const { status, stdout } = await eks.ready(...blue, '--timeout', '1s', '--format', 'json');
  const { subjects } = documentOf(stdout);
  expect(status).toBe(2);
  expect(subjects.find(({ name }: any) => name === 'eks-insights').untried).toEqual(['not done within 1 s']);
});
