import { App, Chart } from 'cdk8s';
import * as apps from 'kubernetes-models/apps/v1';
import * as batch from 'kubernetes-models/batch/v1';
import { parse } from 'yaml';
import type { ClusterSetSyncProps } from '../../../lib/manifests/cluster-sync';
import { clusterSetRights, ClusterSetSync } from '../../../lib/manifests/cluster-sync';
import { account, set } from '../../operate/cluster-sync/samples';

const image = `registry.example.com/cluster-canary@sha256:${'a'.repeat(64)}`;
const readers = ['111111111111', '222222222222'].map((of) => `arn:aws:iam::${of}:role/reader`);
const labels = { 'app.kubernetes.io/name': 'cluster-set-sync', 'app.kubernetes.io/instance': 'clusters' };

function objectsOf(props: Partial<ClusterSetSyncProps> = {}): Record<string, any> {
  const chart = new Chart(new App(), 'test');
  new ClusterSetSync(chart, 'sync', { name: 'clusters', image, set: set(), ...props });
  return Object.fromEntries(chart.toJson().map((object: any) => [object.kind, object]));
}

test('a Deployment of one pod that never overlaps with the next one', () => {
  const { Deployment: deployment, ConfigMap: config, ...others } = objectsOf();
  expect(Object.keys(others).sort()).toEqual([
    'Role',
    'RoleBinding',
    'ServiceAccount',
    'ValidatingAdmissionPolicy',
    'ValidatingAdmissionPolicyBinding',
  ]);
  expect(() => new apps.Deployment(deployment).validate()).not.toThrow();
  expect(deployment.spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
  const pod = deployment.spec.template.spec;
  expect(pod).toMatchObject({
    serviceAccountName: 'clusters',
    securityContext: { runAsNonRoot: true, runAsUser: 65_532, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [
      {
        image,
        args: ['clusters', 'sync', '--config', '/etc/cluster-canary/clusterset.yaml', '--watch'],
        securityContext: {
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
          readOnlyRootFilesystem: true,
        },
      },
    ],
  });
  expect(parse(config.data['clusterset.yaml'])).toEqual(set());
  expect(pod.volumes[0].configMap.name).toBe(config.metadata.name);
  expect(deployment.spec.template.metadata.labels).toEqual(labels);
});

test('further labels are on the pods, and a change of them leaves the selector alone, which Kubernetes never changes', () => {
  const { spec } = objectsOf({ labels: { team: 'platform' } }).Deployment;
  expect(spec.template.metadata.labels).toEqual({ ...labels, team: 'platform' });
  expect(spec.selector.matchLabels).toEqual(labels);
});

test('another set is another ConfigMap, so that the pod starts anew', () => {
  const [one, other] = [objectsOf(), objectsOf({ set: set({ adopt: true }) })];
  expect(one.ConfigMap.metadata.name).not.toBe(other.ConfigMap.metadata.name);
  expect(one.ConfigMap.immutable).toBe(true);
});

test('a CronJob that looks once, and never twice at a time', () => {
  const { CronJob: job } = objectsOf({ schedule: '*/5 * * * *' });
  expect(() => new batch.CronJob(job).validate()).not.toThrow();
  expect(job.spec).toMatchObject({ schedule: '*/5 * * * *', concurrencyPolicy: 'Forbid' });
  const { spec } = job.spec.jobTemplate.spec.template;
  expect(spec.restartPolicy).toBe('Never');
  expect(spec.containers[0].args).not.toContain('--watch');
});

test.each([
  [undefined, 'clusters'],
  ['tools', 'tools-clusters'],
])("pods in %s may write Secrets of Argo CD's namespace, and nothing else", (namespace, name) => {
  const {
    Role: role,
    RoleBinding: binding,
    ...others
  } = objectsOf(namespace === undefined ? {} : { namespace });
  expect(role).toEqual({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name, namespace: 'argocd', labels },
    rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'create', 'patch', 'delete'] }],
  });
  expect(binding).toMatchObject({
    metadata: { name, namespace: 'argocd' },
    roleRef: { kind: 'Role', name },
    subjects: [{ kind: 'ServiceAccount', name: 'clusters', namespace: namespace ?? 'argocd' }],
  });
  for (const kind of ['Deployment', 'ServiceAccount', 'ConfigMap']) {
    expect(others[kind].metadata.namespace).toBe(namespace ?? 'argocd');
  }
});

test('a policy limits the writes of the account, and of nobody else, to Secrets of the set', () => {
  const made = objectsOf({ namespace: 'tools' });
  const { ValidatingAdmissionPolicy: policy, ValidatingAdmissionPolicyBinding: binding } = made;
  expect(policy.metadata).toMatchObject({ name: 'secrets.clusters.tools.cluster-canary', labels });
  expect(policy.metadata.namespace).toBeUndefined();
  expect(policy.spec).toMatchObject({
    failurePolicy: 'Fail',
    matchConditions: [
      {
        name: 'account',
        expression: 'request.userInfo.username == "system:serviceaccount:tools:clusters"',
      },
    ],
    matchConstraints: {
      resourceRules: [
        { operations: ['CREATE', 'UPDATE', 'DELETE'], apiGroups: [''], resources: ['secrets'] },
      ],
    },
  });
  expect(binding.spec).toEqual({ policyName: policy.metadata.name, validationActions: ['Deny'] });
  const expressions = policy.spec.validations.map(({ expression }: any) => expression).join('\n');
  expect(expressions).toContain(`optional.of(${JSON.stringify(set().metadata.name)})`);
  // Secrets without an owner are none of its business, unless the set adopts them.
  expect(expressions).not.toContain('request.operation == "UPDATE"');
  const adopting = objectsOf({ set: set({ adopt: true }) }).ValidatingAdmissionPolicy.spec.validations;
  expect(adopting[0].expression).toContain('request.operation == "UPDATE"');
});

test('no set is kept in a namespace that its policy leaves out', () => {
  expect(() => objectsOf({ namespace: 'kube-system' })).toThrow(
    /namespace: "kube-system": must be .*none of kube-node-lease, kube-public, kube-system/,
  );
});

test('everything that is wrong is told at once', () => {
  const props = {
    ...{ image: 'cluster-canary:latest', name: 'Clusters', schedule: 'often', user: 0, env: { 'a-b': 'x' } },
    set: set({ concurrency: 0 }),
  };
  expect(() => objectsOf(props)).toThrow(
    /6 problems\n {2}name: [^]* {2}image: "cluster-canary:latest": must be an image by its digest[^]* {2}user: [^]* {2}set\.spec\.concurrency: 0[^]* {2}schedule: [^]* {2}env\.a-b: /,
  );
});

describe('rights at AWS', () => {
  const spec = {
    accounts: [...readers.map((roleArn) => ({ roleArn, regions: ['eu-west-1', 'cn-north-1'] }))],
  };

  test('an identity that reads by roles may take them on, and nothing else', () => {
    expect(clusterSetRights(set(spec))).toEqual([
      {
        Sid: 'TakeOnRoles',
        Effect: 'Allow',
        Action: ['sts:AssumeRole', 'sts:TagSession'],
        Resource: readers,
      },
    ]);
  });

  test('such a role may list, and describe clusters of its account', () => {
    expect(clusterSetRights(set(spec), readers[0])).toEqual([
      {
        ...{ Sid: 'ListClusters', Effect: 'Allow', Action: ['eks:ListClusters'], Resource: '*' },
        Condition: { StringEquals: { 'aws:RequestedRegion': ['eu-west-1', 'cn-north-1'] } },
      },
      {
        ...{ Sid: 'DescribeClusters', Effect: 'Allow', Action: ['eks:DescribeCluster'] },
        Resource: [
          'arn:aws:eks:eu-west-1:111111111111:cluster/*',
          'arn:aws-cn:eks:cn-north-1:111111111111:cluster/*',
        ],
      },
    ]);
    expect(clusterSetRights(set(spec), 'arn:aws:iam::333333333333:role/other')).toEqual([]);
  });

  test('without accounts, region and account are open', () => {
    expect(clusterSetRights(set())).toEqual([
      { Sid: 'ListClusters', Effect: 'Allow', Action: ['eks:ListClusters'], Resource: '*' },
      {
        Sid: 'DescribeClusters',
        Effect: 'Allow',
        Action: ['eks:DescribeCluster'],
        Resource: ['arn:*:eks:*:*:cluster/*'],
      },
    ]);
    const [, { Resource: resource }] = clusterSetRights(
      set({ accounts: [{ account, regions: ['eu-west-1'] }] }),
    ) as any;
    expect(resource).toEqual([`arn:aws:eks:eu-west-1:${account}:cluster/*`]);
  });

  test('a set that is wrong has none', () => {
    expect(() => clusterSetRights(set({ concurrency: 0 }))).toThrow(/spec\.concurrency/);
  });
});
