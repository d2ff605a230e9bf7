import { problemsOf } from '../../lib/core/validation/schema';
import { commandPodSpec, commandPodEnvironment, roleOf, rulesWithin } from '../../lib/manifests/command-pod';

const container = {
  name: 'main',
  image: 'registry.example.com/cluster-canary',
  command: ['cluster-canary'],
  args: ['clusters', 'sync'],
  resources: { limits: { memory: '512Mi' } },
};

test('a pod is locked down, and other fields stay', () => {
  expect(
    commandPodSpec({ serviceAccountName: 'sync', restartPolicy: 'Never', user: 65_532, container }),
  ).toEqual({
    serviceAccountName: 'sync',
    restartPolicy: 'Never',
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 65_532,
      runAsGroup: 65_532,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [
      {
        ...container,
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
      },
    ],
  });
});

test('files can be its group’s, and last words be left', () => {
  const volume = { name: 'temporary', emptyDir: {} };
  const mount = { name: 'temporary', mountPath: '/tmp' };
  const spec = commandPodSpec({
    ...{ serviceAccountName: 'sync', user: 1000, files: 'ofGroup', volumes: [volume] },
    container: { ...container, leavesWords: true, volumeMounts: [mount] },
  });
  expect(spec).toMatchObject({
    securityContext: { fsGroup: 1000 },
    containers: [
      {
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'FallbackToLogsOnError',
        volumeMounts: [mount],
      },
    ],
    volumes: [volume],
  });
  expect(JSON.stringify(spec)).not.toContain('leavesWords');
});

test('a role is bound to an account, in a namespace or in the cluster', () => {
  const account = { namespace: 'argocd', name: 'sync' };
  const rule = { apiGroups: [''], resources: ['secrets'], verbs: ['get'] };
  const access = [{ ...rule, namespace: 'apps' }, rule, { ...rule, namespace: 'other' }];
  expect(rulesWithin(access, 'apps')).toEqual([rule]);
  expect(rulesWithin(access, undefined)).toEqual([rule]);
  const apiGroup = 'rbac.authorization.k8s.io';
  const subjects = [{ kind: 'ServiceAccount', ...account }];
  const within = { name: 'reader', namespace: 'apps' };
  const everywhere = { name: 'reader' };
  expect([...roleOf(account, within, [rule]), ...roleOf(account, everywhere, [rule])]).toEqual([
    { apiVersion: `${apiGroup}/v1`, kind: 'Role', metadata: within, rules: [rule] },
    {
      apiVersion: `${apiGroup}/v1`,
      kind: 'RoleBinding',
      metadata: within,
      roleRef: { apiGroup, kind: 'Role', name: 'reader' },
      subjects,
    },
    { apiVersion: `${apiGroup}/v1`, kind: 'ClusterRole', metadata: everywhere, rules: [rule] },
    {
      apiVersion: `${apiGroup}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: everywhere,
      roleRef: { apiGroup, kind: 'ClusterRole', name: 'reader' },
      subjects,
    },
  ]);
});

test('values of an environment are not shown, and secrets are refused', () => {
  const sound = { OK: 'secret', TZ: 'UTC' };
  const wrong = { 'A-B': 'value', N: 5, DD_API_KEY: 'secret', HTTPS_PROXY: 'http://me:secret@proxy' };
  expect(problemsOf(commandPodEnvironment, sound)).toEqual([]);
  const found = problemsOf(commandPodEnvironment, wrong);
  expect(found.map(({ path, value }) => [path, value])).toEqual([
    ['A-B', 'A-B'],
    ['N', undefined],
    ['DD_API_KEY', undefined],
    ['HTTPS_PROXY', undefined],
  ]);
});
