import { Chart, Testing } from 'cdk8s';
import { parse } from 'yaml';
import { InvalidInput } from '../../../lib/core/validation';
import { SwapWorkflow } from '../../../lib/manifests/workflows';
import type { SwapWorkflowProps } from '../../../lib/manifests/workflows';
import { readSwap, readSwapWaves } from '../../../lib/operate/swap/file';
import { leastSwap, leastWaves } from '../../operate/swap/file/swap-files';
import { atHand, specErrors } from './argo-definitions';
import { image } from './plans';

/** The same with the program's folder in the pod. */
const inPod = (text: string): SwapWorkflowProps['swap'] =>
  parse(text.replaceAll('pulumi: {', 'pulumi: { folder: /program,')) as SwapWorkflowProps['swap'];

const swap = inPod(leastSwap);

const usual: SwapWorkflowProps = { name: 'swap-apps', namespace: 'shifts', image, swap };

function objectsOf(props: Partial<SwapWorkflowProps> = {}): any[] {
  const chart = new Chart(Testing.app(), 'test');
  new SwapWorkflow(chart, 'swap', { ...usual, ...props });
  return Testing.synth(chart) as any[];
}

const one = (kind: string, props: Partial<SwapWorkflowProps> = {}): any => {
  const found = objectsOf(props).filter((object) => object.kind === kind);
  expect(found).toHaveLength(1);
  return found[0];
};

test('a CronWorkflow that the definitions of Argo Workflows know, one run at a time', () => {
  const cron = one('CronWorkflow');
  expect(atHand ? specErrors('cronworkflows.yaml')(cron.spec) : []).toEqual([]);
  expect(cron.spec).toMatchObject({
    schedules: ['*/15 * * * *'],
    timezone: 'UTC',
    concurrencyPolicy: 'Forbid',
    suspend: false,
    workflowSpec: { entrypoint: 'swap', serviceAccountName: 'swap-apps', activeDeadlineSeconds: 43_200 },
  });
  const { container } = cron.spec.workflowSpec.templates[0];
  expect(container).toMatchObject({
    image,
    command: ['cluster-canary'],
    args: ['swap', '/etc/cluster-canary/swap.yaml', '--no-wait'],
    securityContext: { readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
  });
});

test.each([
  ['no pull request', swap, 12],
  ['pull requests', { ...swap, program: { git: { github: {} } } }, 84],
  [
    'pull requests of one fleet',
    { fleets: { eu: { program: {} }, us: { program: { git: { github: {} } } } } },
    84,
  ],
])('a run has hours for %s', (_name, given, hours) => {
  expect(one('CronWorkflow', { swap: given }).spec.workflowSpec.activeDeadlineSeconds).toBe(hours * 3_600);
});

test('the file in the ConfigMap is the swap, and another swap is another ConfigMap', () => {
  const { metadata, data, immutable } = one('ConfigMap');
  expect(immutable).toBe(true);
  expect(readSwap(data['swap.yaml'], 'swap.yaml')).toMatchObject({ fleet: 'apps', versions: ['1.36'] });
  expect(one('CronWorkflow').spec.workflowSpec.volumes[0]).toEqual({
    name: 'swap',
    configMap: { name: metadata.name },
  });
  expect(one('ConfigMap', { swap: { ...swap, to: '1.37' } }).metadata.name).not.toBe(metadata.name);
});

test('a file of several fleets is written as it is', () => {
  const { data } = one('ConfigMap', { swap: inPod(leastWaves) });
  const { waves, fleets } = readSwapWaves(data['swap.yaml'], 'swap.yaml');
  expect(waves).toEqual([['eu'], ['us']]);
  expect(fleets['us']).toMatchObject({ fleet: 'apps', region: 'us-east-1' });
});

test('what a slot is made of names no secret, whatever its keys are', () => {
  const to = { version: '1.36', tags: { env: 'production' } };
  expect(one('ConfigMap', { swap: { ...swap, to } }).data['swap.yaml']).toContain('env: production');
});

test('schedule, secrets by reference, folders, labels and what is laid over', () => {
  const props = {
    schedule: '0 8 * * 1-5',
    timeZone: 'Europe/Berlin',
    suspend: true,
    env: { PULUMI_BACKEND_URL: 's3://states' },
    secrets: { GITHUB_TOKEN: { secret: 'github', key: 'token' } },
    secretFolders: { '/etc/kubeconfigs': 'kubeconfigs' },
    claimFolders: { '/program': 'checkout' },
    labels: { team: 'platform' },
    specArgs: { nodeSelector: { disk: 'ssd' } },
    user: 1000,
  };
  const { spec } = one('CronWorkflow', props);
  expect(spec).toMatchObject({
    schedules: ['0 8 * * 1-5'],
    timezone: 'Europe/Berlin',
    suspend: true,
    workflowMetadata: { labels: { team: 'platform' } },
    workflowSpec: { nodeSelector: { disk: 'ssd' }, securityContext: { runAsUser: 1000 } },
  });
  const { container } = spec.workflowSpec.templates[0];
  expect(container.env).toEqual([
    { name: 'HOME', value: '/tmp' },
    { name: 'PULUMI_BACKEND_URL', value: 's3://states' },
    { name: 'GITHUB_TOKEN', valueFrom: { secretKeyRef: { name: 'github', key: 'token' } } },
  ]);
  expect(spec.workflowSpec.volumes.slice(2)).toEqual([
    { name: 'secret-1', secret: { secretName: 'kubeconfigs' } },
    { name: 'claim-1', persistentVolumeClaim: { claimName: 'checkout' } },
  ]);
  expect(container.volumeMounts.slice(2)).toEqual([
    { name: 'secret-1', mountPath: '/etc/kubeconfigs', readOnly: true },
    { name: 'claim-1', mountPath: '/program' },
  ]);
});

test('the account has what Argo needs, and what is given; Secrets are behind a policy', () => {
  const kinds = (props: Partial<SwapWorkflowProps> = {}): string[] =>
    objectsOf(props).map(({ kind }) => kind);
  expect(kinds()).toEqual([
    'ConfigMap',
    'ServiceAccount',
    'Role',
    'RoleBinding',
    'NetworkPolicy',
    'CronWorkflow',
  ]);
  expect(one('Role').rules).toEqual([
    { apiGroups: ['argoproj.io'], resources: ['workflowtaskresults'], verbs: ['create', 'patch'] },
  ]);
  const secrets = { apiGroups: [''], resources: ['secrets'], verbs: ['list', 'patch'], namespace: 'argocd' };
  const policy = one('ValidatingAdmissionPolicy', { access: [secrets] });
  const rules = JSON.stringify(policy.spec);
  expect(rules).toContain('argocd.argoproj.io/skip-reconcile');
  expect(rules).toContain('cluster-canary/labels-before-drain');
  expect(rules).toContain('system:serviceaccount:shifts:swap-apps');
  expect(rules).toContain('cluster-canary/traffic');
});

test.each<[object, string]>([
  [{ image: 'cluster-canary:latest' }, 'image: "cluster-canary:latest": must be an image by its digest'],
  [{ schedule: 'daily' }, 'schedule: "daily": must be five cron fields'],
  [{ swap: { fleet: 'Apps', program: {} } }, 'swap.fleet: "Apps": must be'],
  [{ swap: { fleet: 'apps' } }, 'swap.program: is required'],
  [{ swap: { fleets: { EU: { program: {} } } } }, 'swap.fleets.EU: "EU": must be'],
  [{ swap: { fleets: { eu: { fleet: 'apps' } } } }, 'swap.fleets.eu.program: is required'],
  [{ swap: { fleets: ['eu'] } }, 'swap.fleets: must be a mapping of fleets by name'],
  [{ swap: 'swap.yaml' }, 'swap: must be a swap: a mapping with fleet, program, or with fleets'],
  [{ env: { GITHUB_TOKEN: 'a' } }, 'env.GITHUB_TOKEN: must be left out: it is a secret'],
  [
    { env: { A: 'b' }, secrets: { A: { secret: 'a', key: 'a' } } },
    'secrets.A: must be left out of "env" or of "secrets"',
  ],
  [{ secretFolders: { '/etc/cluster-canary/a': 'a' } }, 'must be an absolute path outside of'],
  [
    { swap: { fleet: 'apps', program: { git: { '<<': { github: {} } } } } },
    'must be without merge keys: parse it with { merge: true }',
  ],
  [
    { swap: { fleet: 'apps', program: { pulumi: { stack: 'a' } } } },
    'swap.program.pulumi.folder: is required: an absolute path of the pod',
  ],
  [
    { swap: { fleet: 'apps', program: { git: { token: { env: 'GIT_TOKEN' } } } } },
    'secrets.GIT_TOKEN: is required: the Secret and the key with its value, { secret, key }, since swap.program.git.token reads it',
  ],
  [
    { swap: { fleets: { eu: { program: { git: { github: { token: { file: '/run/token' } } } } } } } },
    'swap.fleets.eu.program.git.github.token.file: must be the path of a file in a folder of "secretFolders"',
  ],
  [
    {
      swap: { fleet: 'apps', program: {}, phases: { try: { checks: [{ x: { password: { env: 'PW' } } }] } } },
    },
    'secrets.PW: is required',
  ],
  [
    { swap: { fleet: 'apps', program: { git: {} }, phases: { ready: { manifests: ['/a', 'b'] } } } },
    'swap.phases.ready.manifests[1]: "b": must be an absolute path of the pod',
  ],
  [
    { swap: { fleets: { eu: { program: {}, phases: { shift: { plan: 'plan.yaml' } } } } } },
    'swap.fleets.eu.phases.shift.plan: "plan.yaml": must be an absolute path of the pod',
  ],
  [{ claimFolders: { program: 'a' } }, 'must be an absolute path outside of'],
  [
    { claimFolders: { '/a': 'a' }, secretFolders: { '/a': 'a' } },
    'claimFolders./a: "a": must be left out of "claimFolders" or of "secretFolders"',
  ],
  [{ name: 'a'.repeat(41) }, 'name: '],
  [{ swap: { ...swap, long: 'a'.repeat(1_000_001) } }, 'swap: "1000'],
])('%j is refused', (props, expected) => {
  expect(() => objectsOf(props)).toThrow(InvalidInput);
  expect(() => objectsOf(props)).toThrow(expected);
});
