import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import { parse } from 'yaml';
import { parsePlan, shiftPermissions } from '../../lib/shift/plan-file';
import { plainPlan } from '../shift/plan-file/plans';
import { root, scratch } from './run-cli';
import { clusterCanary } from './run-here';

const schema = JSON.parse(readFileSync(join(root, 'schemas/shift-rights.json'), 'utf8'));
const plan = join(scratch, 'rights.yaml');
const text = `${plainPlan.replace(
  '  checks:\n',
  `  checks:
    - argoApplications: { context: hub }
    - kubernetesPods: { namespace: web, labels: { app: web }, contexts: { blue: b, green: g } }
`,
)}lease: { kubernetes: { namespace: shifts } }\n`;
writeFileSync(plan, text);

/** Nothing that could be asked is there. */
const env = { AWS_PROFILE: 'nosuch', KUBECONFIG: join(scratch, 'absent') };
const rights = (...flags: readonly string[]) => clusterCanary(['shift', plan, '--rights', ...flags], { env });

const own = 'the cluster that the command runs in, or else that of the default kubeconfig';

test('the rights at AWS, and a Role in each namespace of each cluster, without asking', async () => {
  const { status, stdout, stderr } = await rights('--json');
  const document = JSON.parse(stdout);
  const fits = new Ajv2020({ strict: false }).compile(schema);
  expect([status, stderr, fits(document), fits.errors]).toEqual([0, '', true, null]);
  expect(document.aws).toEqual([
    { roleArn: null, policy: { Version: '2012-10-17', Statement: shiftPermissions(parsePlan(text, plan)) } },
  ]);
  const summary = document.kubernetes.map(({ of, cluster = of, roles }: any) => [
    cluster,
    roles.map(({ kind, metadata, rules }: any) => [
      `${kind} ${metadata.namespace}`,
      ...rules.map(({ verbs, resources }: any) => `${verbs.join()} ${resources.join()}`),
    ]),
  ]);
  expect(summary).toEqual([
    [{ context: 'hub' }, [['Role argocd', 'list applications', 'list secrets', 'list appprojects']]],
    [{ context: 'b' }, [['Role web', 'list pods']]],
    [{ context: 'g' }, [['Role web', 'list pods']]],
    [own, [['Role shifts', 'get,update leases', 'create leases']]],
  ]);
  expect(document.kubernetes.map(({ of }: any) => of)).toEqual([
    'context hub',
    'context b',
    'context g',
    own,
  ]);
  expect(document.kubernetes[0].roles[0].rules[0]).toEqual({
    apiGroups: ['argoproj.io'],
    resources: ['applications'],
    verbs: ['list'],
  });
});

test('the same as YAML', async () => {
  const [yaml, json] = await Promise.all([rights(), rights('--json')]);
  expect([yaml.status, yaml.stderr]).toEqual([0, '']);
  expect(parse(yaml.stdout)).toEqual(JSON.parse(json.stdout));
});

test('a role that the plan names has a policy of its own', async () => {
  const roleArn = 'arn:aws:iam::123456789012:role/shifter';
  writeFileSync(plan, text.replace('    ruleArn:', `    roleArn: ${roleArn}\n    ruleArn:`));
  const { aws } = JSON.parse((await rights('--json')).stdout);
  writeFileSync(plan, text);
  expect(aws.map((each: any) => [each.roleArn, each.policy.Statement.map(({ Sid }: any) => Sid)])).toEqual([
    [null, ['TakeOnRoles']],
    [roleArn, ['ReadWeights', 'WriteWeights', 'RunChecks']],
  ]);
});

test('stands alone', async () => {
  const { status, stdout, stderr } = await rights('--dry-run', '--report', 'out');
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toContain('--rights: must be without --dry-run, --report: it does not shift');
});
