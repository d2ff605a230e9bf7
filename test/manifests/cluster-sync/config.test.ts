import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import { parse } from 'yaml';
import { InvalidInput } from '../../../lib/core/validation';
import { checkClusterSet, parseClusterSet, withDefaults } from '../../../lib/manifests/cluster-sync';
import { desiredState } from '../../../lib/operate/cluster-sync';
import { account, cluster, set, settings } from '../../operate/cluster-sync/samples';

const root = join(__dirname, '..', '..', '..');
const schema = JSON.parse(readFileSync(join(root, 'schemas', 'clusterset.json'), 'utf8'));
const validate = new Ajv2020({ strict: true, strictTypes: false }).compile(schema);
const role = `arn:aws:iam::${account}:role/reader`;

/** A ClusterSet as the users of argocd-clusterset have it. */
const copied = `
apiVersion: clusterset.mumo.co/v1alpha1
kind: ClusterSet
metadata:
  name: myclusterset1
spec:
  selector:
    roleARN: ${role}
    eksTags:
      foo: "bar"
  template:
    metadata:
      labels:
        env: "prod"
    config:
      awsAuthConfig:
        roleARN: ${role}
`;

function problemsOf(text: string): string[] {
  try {
    parseClusterSet(text, 'set.yaml');
  } catch (error) {
    if (error instanceof InvalidInput) {
      return error.message
        .split('\n')
        .slice(1)
        .map((line) => line.trim());
    }
    throw error;
  }
  return [];
}

test('a ClusterSet of argocd-clusterset is a set', () => {
  const parsed = parseClusterSet(copied, 'set.yaml');
  expect(withDefaults(parsed)).toEqual({
    ...{ name: 'myclusterset1', namespace: 'argocd', adopt: false, concurrency: 10, maxShare: 30 },
    ...{ gracePeriod: 900_000, interval: 60_000, places: [{ roleArn: role, account }] },
    selector: parsed.spec.selector,
    template: parsed.spec.template,
  });
  const { secrets } = desiredState(
    { clusters: [cluster('blue', { tags: { foo: 'bar' } })], failures: [] },
    withDefaults(parsed),
  );
  expect(secrets[0]).toMatchObject({
    name: 'blue',
    labels: { env: 'prod' },
    data: { name: 'blue', server: cluster('blue').endpoint },
  });
  expect(JSON.parse(secrets[0]!.data.config!)).toEqual({
    awsAuthConfig: { clusterName: 'blue', roleARN: role },
    tlsClientConfig: { insecure: false, caData: cluster('blue').certificateAuthority },
  });
  // The resource definition of it has the login in another place than its documentation.
  const older = copied.replace(/^ {4}config:[^]*$/m, (login) => login.replace(/^ {4}/gm, '      '));
  expect(withDefaults(parseClusterSet(older, 'set.yaml')).template.config).toEqual({
    awsAuthConfig: { roleARN: role },
  });
});

test('a key without a value was left out', () => {
  const text =
    'metadata: { name: a, namespace: }\nspec: { selector: { eksTags: }, template: { metadata: }, accounts: , deletion: , adopt: }';
  expect(withDefaults(parseClusterSet(text, 'set.yaml'))).toEqual(
    settings({ selector: {}, template: {} }, 'a'),
  );
});

test('a set that was copied out of a cluster has more metadata, which is passed over', () => {
  const kept = 'uid: a-b, resourceVersion: "7", generation: 1, labels: { a: b }, managedFields: []';
  const text = copied
    .replace('name: myclusterset1', `{ name: copied, ${kept} }`)
    .replace('metadata:\n  {', 'metadata: {');
  expect(parseClusterSet(`${text}status: { phase: Synced }\n`, 'set.yaml').metadata.name).toBe('copied');
});

test('accounts, with and without regions, are places', () => {
  const { places } = settings({
    accounts: [{ roleArn: role, regions: ['eu-west-1', 'us-east-1'] }, { account: '210987654321' }],
  });
  expect(places).toEqual([
    { roleArn: role, account, region: 'eu-west-1' },
    { roleArn: role, account, region: 'us-east-1' },
    { account: '210987654321' },
  ]);
});

test('the account beside a role is that of the role', () => {
  const other = set({ accounts: [{ roleArn: role, account: '210987654321' }] });
  expect(() => checkClusterSet(other)).toThrow(
    `spec.accounts[0].account: "210987654321": must be that of roleArn, ${account}, or left out`,
  );
  checkClusterSet(set({ accounts: [{ roleArn: role, account }] }));
});

test('everything that is wrong is told at once, each with line and column', () => {
  const text = [
    'kind: Cluster',
    'metadata: { name: "" }',
    'spec:',
    '  selector: { eksTags: { count: 3 }, matchExpressions: [{ key: a, operator: In }, { key: b, operator: Is }] }',
    '  template:',
    '    metadata:',
    '      labels:',
    '        env: "a b"',
    '        team: "{{tag.team}}"',
    '        cluster-canary/traffic: live',
    '    config: { bearerToken: hidden, proxyUrl: "http://a:hidden@b", execProviderConfig: { command: x, env: { AWS_SECRET_ACCESS_KEY: hidden, API_KEY: hidden } } }',
    '    shard: -1',
    '  accounts: [{ regions: [Frankfurt] }]',
    '  deletion: { gracePeriod: soon, maxShare: 130 }',
    '  interval: 1s',
    '  wait: hidden',
  ].join('\n');
  const found = problemsOf(text);
  expect(found.join('\n')).not.toContain('hidden');
  expect(found.map((line) => line.split(':').slice(0, 3).join(':')).sort()).toEqual([
    'set.yaml:10:9 spec.template.metadata.labels.cluster-canary/traffic',
    'set.yaml:11:108 spec.template.config.execProviderConfig.env.AWS_SECRET_ACCESS_KEY',
    'set.yaml:11:139 spec.template.config.execProviderConfig.env.API_KEY',
    'set.yaml:11:15 spec.template.config.bearerToken',
    'set.yaml:11:36 spec.template.config.proxyUrl',
    'set.yaml:12:5 spec.template.shard',
    'set.yaml:13:26 spec.accounts[0].regions[0]',
    'set.yaml:14:15 spec.deletion.gracePeriod',
    'set.yaml:14:34 spec.deletion.maxShare',
    'set.yaml:15:3 spec.interval',
    'set.yaml:16:3 spec.wait',
    'set.yaml:1:1 kind',
    'set.yaml:2:13 metadata.name',
    'set.yaml:4:26 spec.selector.eksTags.count',
    'set.yaml:4:57 spec.selector.matchExpressions[0].values',
    'set.yaml:4:93 spec.selector.matchExpressions[1].operator',
    'set.yaml:8:9 spec.template.metadata.labels.env',
    'set.yaml:9:9 spec.template.metadata.labels.team',
  ]);
});

test('a login holds no secret among its arguments', () => {
  const exec =
    '{ command: x, args: [--token=hidden, --password, hidden, --name, "{{name}}"], env: { URL: "http://a:hidden@b" } }';
  const found = problemsOf(
    `metadata: { name: a }\nspec: { selector: {}, template: { config: { execProviderConfig: ${exec} } } }`,
  );
  const at = 'spec.template.config.execProviderConfig';
  expect(found.map((line) => /spec\.\S+(?=:)/.exec(line)?.[0])).toEqual([
    `${at}.args[0]`,
    `${at}.args[2]`,
    `${at}.env.URL`,
  ]);
  expect(found.join()).not.toContain('hidden');
});

const base = 'metadata: { name: a }\nspec: { selector: {}, template: {} }';

test.each<[string, string, RegExp]>([
  ['no mapping', '- a', /^set\.yaml:1:1: must be an object with metadata and spec$/],
  ['nothing', '', /a file with settings: this one is empty/],
  [
    'no selector',
    'metadata: { name: a }\nspec: { template: {} }',
    /spec\.selector: is required: .*\{\} selects every cluster/,
  ],
  ['broken YAML', 'a: [', /1:5: must be YAML or JSON/],
  ['two documents', `${base}\n---\n${base}`, /must be the end of the file: it has one document/],
  ['an alias that leads nowhere', 'a: *b', /must be YAML without/],
  [
    'two ways to log in',
    `${base.slice(0, -4)}{ config: { awsAuthConfig: {}, execProviderConfig: { command: a } } } }`,
    /execProviderConfig: conflicts with awsAuthConfig/,
  ],
  [
    'a login for the managed Argo CD',
    `${base.slice(0, -4)}{ server: arn, config: {} } }`,
    /EKS logs in itself/,
  ],
  [
    'one place twice',
    `${base.slice(0, -2)}, accounts: [{ regions: [eu-west-1] }, { regions: [eu-west-1] }] }`,
    /accounts\[1\]\.regions\[0\].*already/,
  ],
  [
    'a login in two places',
    `${base.slice(0, -4)}{ config: {}, metadata: { config: {} } } }`,
    /spec\.template\.metadata\.config: conflicts with spec\.template\.config/,
  ],
  [
    'an account without a value',
    `${base.slice(0, -2)}, accounts: [null] }`,
    /spec\.accounts\[0\]: null: must be an object/,
  ],
  ['a slip in the metadata', base.replace('name: a', 'name: a, namespce: b'), /did you mean "namespace"/],
  [
    'a tag without a value',
    base.replace('selector: {}', 'selector: { eksTags: { team: } }'),
    /spec\.selector\.eksTags\.team: null: must be the value of a tag/,
  ],
  [
    'the key of a label that is none',
    `${base.slice(0, -4)}{ metadata: { labels: { "a b": c } } } }`,
    /2:\d+ spec\.template\.metadata\.labels\.a b: "c": must be under/,
  ],
  [
    'roles in two places',
    `${base.replace('selector: {}', `selector: { roleARN: "${role}" }`).slice(0, -2)}, accounts: [{}] }`,
    /selector\.roleARN: conflicts with spec\.accounts/,
  ],
])('it refuses %s', (_, text, message) => {
  expect(problemsOf(text).join('\n')).toMatch(message);
});

test.each<[string, unknown, boolean]>([
  ['a copied one', parse(copied), true],
  ['a plain one', set(), true],
  [
    'all of it',
    {
      ...{
        apiVersion: 'v1',
        kind: 'ClusterSet',
        status: { phase: 'Synced' },
        metadata: { name: 'a', namespace: 'argocd' },
      },
      spec: {
        selector: {
          matchExpressions: [
            { key: 'a', operator: 'In', values: ['b'] },
            { key: 'c', operator: 'Exists' },
          ],
        },
        accounts: [{ roleArn: role, regions: ['eu-west-1'], account }],
        template: {
          ...{
            clusterName: '{{name}}',
            project: 'apps',
            shard: 1,
            namespaces: ['shop'],
            clusterResources: true,
            server: 'endpoint',
          },
          metadata: {
            name: '{{name}}-{{region}}',
            labels: { a: '{{tags.a | default none | label}}' },
            annotations: { n: 'Any text' },
          },
          config: {
            execProviderConfig: { command: 'argocd-k8s-auth', args: ['aws', '--cluster-name', '{{name}}'] },
            proxyUrl: 'http://proxy:3128',
          },
        },
        ...{ adopt: true, deletion: { gracePeriod: '1h', maxShare: 50 }, concurrency: 5, interval: '5m' },
      },
    },
    true,
  ],
  ['an unknown field', { ...set(), more: 1 }, false],
  ['a number as a tag', set({ selector: { eksTags: { a: 1 as any } } }), false],
  ['a share of more than all', set({ deletion: { maxShare: 101 } }), false],
  ['no template', { metadata: { name: 'a' }, spec: { selector: {} } }, false],
  ['a set without values', set({ selector: { matchExpressions: [{ key: 'a', operator: 'In' }] } }), false],
  [
    'values where none belong',
    set({ selector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] } }),
    false,
  ],
])('the schema and the reader agree on %s', (_, content, fine) => {
  const isSet = (): boolean => {
    try {
      checkClusterSet(content as any);
      return true;
    } catch {
      return false;
    }
  };
  expect([validate(content), isSet()]).toEqual([fine, fine]);
});
