import type { ClusterSelector, ClusterTemplate } from '../../../lib/manifests/cluster-sync';
import { desiredState } from '../../../lib/operate/cluster-sync';
import { cluster, settings } from './samples';

const tags = { env: 'production', team: 'Web Shop', tier: 'web', 'cluster-canary/slot': 'blue' };

const stateOf = (template: ClusterTemplate, own: Parameters<typeof cluster>[1] = {}) =>
  desiredState({ clusters: [cluster('blue', { tags, ...own })], failures: [] }, settings({ template }));

test.each<[ClusterSelector, boolean]>([
  [{}, true],
  [{ eksTags: { env: 'production', tier: 'web' } }, true],
  [{ eksTags: { env: 'production', tier: 'data' } }, false],
  [{ eksTags: { toString: 'x' } }, false],
  [{ matchExpressions: [{ key: 'tier', operator: 'In', values: ['data', 'web'] }] }, true],
  [{ matchExpressions: [{ key: 'none', operator: 'In', values: ['web'] }] }, false],
  [{ matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['web'] }] }, false],
  [{ matchExpressions: [{ key: 'none', operator: 'NotIn', values: ['web'] }] }, true],
  [{ matchExpressions: [{ key: 'toString', operator: 'Exists' }] }, false],
  [{ matchExpressions: [{ key: 'tier', operator: 'Exists' }] }, true],
  [{ matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] }, false],
  [{ eksTags: { tier: 'web' }, matchExpressions: [{ key: 'none', operator: 'DoesNotExist' }] }, true],
])('the selector %j', (selector, fits) => {
  const { secrets } = desiredState(
    { clusters: [cluster('blue', { tags })], failures: [] },
    settings({ selector }),
  );
  expect(secrets).toHaveLength(fits ? 1 : 0);
});

test.each<[ClusterSelector, string]>([
  [{ eksTags: { env: 'staging' } }, 'its tag "env" is "production", required: In staging'],
  [{ eksTags: { owner: 'shop' } }, 'it has no tag "owner", required: In shop'],
  [
    { matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] },
    'its tag "tier" is "web", required: DoesNotExist',
  ],
])('the selector %j says why a cluster is left out', (selector, why) => {
  const { unselected } = desiredState(
    { clusters: [cluster('blue', { tags })], failures: [] },
    settings({ selector }),
  );
  expect(unselected).toEqual([
    { cluster: 'blue', arn: expect.any(String), reason: `not selected: ${why}`, refused: false },
  ]);
});

test.each<[string, string]>([
  ['{{name}}', 'blue'],
  ['{{ region }}-{{account}}', 'eu-west-1-123456789012'],
  ['v{{version}}', 'v1.34'],
  ['{{tags.cluster-canary/slot}}', 'blue'],
  ['{{tags.team | label}}', 'Web-Shop'],
  ['{{tags.team|dns}}', 'web-shop'],
  ['{{tags.none | default no one | label}}', 'no-one'],
  ['{{tags.none | default}}', ''],
  ['plain', 'plain'],
])('the label %s is %s', (text, value) => {
  expect(stateOf({ metadata: { labels: { x: text } } }).secrets[0]!.labels.x).toBe(value);
});

test.each<[string, ClusterTemplate, RegExp]>([
  [
    'a tag that is not there',
    { metadata: { labels: { x: '{{tags.none}}' } } },
    /^labels\.x: the cluster has no tag "none"; \{\{tags\.none \| default TEXT\}\}/,
  ],
  [
    'a tag that is no label',
    { metadata: { labels: { x: '{{tags.team}}' } } },
    /^labels\.x: "Web Shop" must be .*"\| label" makes it so/,
  ],
  ['a tag that is no shard', { shard: '{{tags.tier}}' }, /^shard: "web" must be a whole number/],
  ['a tag that is no project', { project: '{{tags.team}}' }, /^project: "Web Shop"/],
  ['a name that Kubernetes refuses', { metadata: { name: '{{tags.team}}' } }, /^name: .*\{\{name \| dns\}\}/],
  [
    'no role',
    { config: { awsAuthConfig: { roleARN: 'arn:aws:iam::{{tags.tier}}:role/x' } } },
    /^roleARN: "arn:aws:iam::web:role\/x"/,
  ],
  ['the name of its own cluster', { clusterName: 'in-cluster' }, /in-cluster/],
])('a cluster with %s is left out, and told', (_, template, reason) => {
  expect(stateOf(template)).toMatchObject({
    secrets: [],
    skipped: [{ cluster: 'blue', refused: true, reason: expect.stringMatching(reason) }],
  });
});

test('an active cluster that EKS gives no endpoint is left out, and told', () => {
  const { endpoint: _endpoint, ...without } = cluster('blue');
  const { secrets, skipped } = desiredState({ clusters: [without], failures: [] }, settings());
  expect([secrets.length, skipped[0]!.reason]).toEqual([
    0,
    'EKS gives no endpoint or no certificate authority',
  ]);
});

test.each<[ClusterTemplate, string]>([
  [{ metadata: { name: '{{region}}' }, clusterName: '{{name}}' }, 'eu-west-1'],
  [{ metadata: { name: '{{name}}' }, clusterName: '{{region}}' }, 'eu-west-1'],
])('clusters that %j gives one name are told by that name', (template, name) => {
  const clusters = [cluster('blue'), cluster('green')];
  const { secrets, skipped } = desiredState({ clusters, failures: [] }, settings({ template }));
  expect(secrets).toEqual([]);
  expect(skipped.map(({ reason }) => reason)).toEqual([
    `the name "${name}" is also that of ${clusters[1]!.arn}; make them differ by the template's name`,
    `the name "${name}" is also that of ${clusters[0]!.arn}; make them differ by the template's name`,
  ]);
});

test('the data of a Secret: all that Argo CD takes, and no credential', () => {
  const { secrets } = stateOf({
    clusterName: 'Blue of {{region}}',
    ...{ project: 'apps', shard: 2, namespaces: ['shop', 'web'], clusterResources: true },
    config: {
      execProviderConfig: {
        command: 'argocd-k8s-auth',
        args: ['aws', '--cluster-name', '{{name}}'],
        env: { AWS_REGION: '{{region}}' },
      },
      proxyUrl: 'http://proxy:3128',
    },
  });
  const { config, ...data } = secrets[0]!.data;
  expect(data).toEqual({
    ...{ name: 'Blue of eu-west-1', server: cluster('blue').endpoint, project: 'apps', shard: '2' },
    ...{ namespaces: 'shop,web', clusterResources: 'true' },
  });
  expect(JSON.parse(config!)).toEqual({
    execProviderConfig: {
      apiVersion: 'client.authentication.k8s.io/v1beta1',
      ...{
        command: 'argocd-k8s-auth',
        args: ['aws', '--cluster-name', 'blue'],
        env: { AWS_REGION: 'eu-west-1' },
      },
    },
    tlsClientConfig: { insecure: false, caData: cluster('blue').certificateAuthority },
    proxyUrl: 'http://proxy:3128',
  });
});

test("for EKS's managed Argo CD the server is the ARN, and there is no login", () => {
  expect(stateOf({ server: 'arn' }).secrets[0]!.data).toEqual({ name: 'blue', server: cluster('blue').arn });
});
