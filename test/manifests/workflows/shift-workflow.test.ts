import { parse } from 'yaml';
import { InvalidInput } from '../../../lib/core/validation';
import type { ShiftWorkflowProps, WorkflowPlan } from '../../../lib/manifests/workflows';
import { isMounted, secretSources } from '../../../lib/manifests/workflows/shift-workflow/secret-sources';
import { chainOf, image, objectsOf, onePlan, templatesOf, wavesPlan } from './plans';

const one = (kind: string, props = {}): any => {
  const found = objectsOf(props).filter((object) => object.kind === kind);
  expect(found).toHaveLength(1);
  return found[0];
};
/** Who resumed the workflow is in its labels, where Argo Server knows it. */
const beyond = (place: string) => ['--resumed', place, '--approved-by', '{{workflow.labels.json}}'];
const problemsOf = (props: Partial<ShiftWorkflowProps>): readonly string[] => {
  try {
    objectsOf(props);
    return [];
  } catch (error) {
    return (error as InvalidInput).message.split('\n').slice(1);
  }
};
const argsOf = (template: any): string[] => template.container.args.slice(4);

test('a plan for one router: pods up to each pause, and a person in between, who may also decline', () => {
  const declined = ['wave-1', 'wave-1-at-10', 'wave-1-beyond-10', 'wave-1-at-50', 'wave-1-beyond-50']
    .flatMap((name) => [`${name}.Failed`, `${name}.Errored`])
    .join(' || ');
  expect(chainOf()).toEqual([
    'wave-1: ',
    'wave-1-at-10: wave-1.Succeeded',
    'wave-1-beyond-10: wave-1-at-10.Succeeded',
    'wave-1-at-50: wave-1-beyond-10.Succeeded',
    'wave-1-beyond-50: wave-1-at-50.Succeeded',
    `roll-back-wave-1: ${declined}`,
  ]);
  const templates = templatesOf();
  expect(templates['wait-for-a-person'].suspend).toEqual({});
  expect(templates['shift'].container.args).toEqual([
    'shift',
    '/etc/cluster-canary/plan.yaml',
    '--route',
    '{{inputs.parameters.route}}',
    '--to-pause',
  ]);
  expect(argsOf(templates['shift-beyond-10'])).toEqual([...beyond('10'), '--to-pause']);
  expect(argsOf(templates['shift-beyond-50'])).toEqual(beyond('50'));
  expect(argsOf(templates['roll-back'])).toEqual(['--roll-back', 'Its wave has failed.', '--if-recorded']);
  expect(templates['wave-1'].dag.tasks).toEqual([
    {
      name: 'traffic',
      template: 'shift',
      arguments: { parameters: [{ name: 'route', value: 'traffic' }] },
    },
  ]);
});

test('the plan says where shifts are kept', () => {
  const plan = { ...onePlan, history: { s3: { bucket: 'records' } } };
  expect(parse(one('ConfigMap', { plan }).data['plan.yaml'])).toMatchObject({
    history: { s3: { bucket: 'records' } },
  });
});

test('waves one after the other; a failure takes back its own wave, which keeps its records until then', () => {
  const plan = wavesPlan([['eu'], ['us', 'ap'], ['me']]);
  expect(chainOf({ plan })).toEqual([
    'wave-1: ',
    'wave-2: wave-1.Succeeded',
    'wave-3: wave-2.Succeeded',
    'roll-back-wave-2: wave-2.Failed || wave-2.Errored',
    'forget-wave-1: wave-1.Succeeded',
    'forget-wave-2: wave-2.Succeeded',
    'forget-wave-3: wave-3.Succeeded',
  ]);
  const templates = templatesOf({ plan });
  expect(argsOf(templates['shift'])).toEqual(['--keep-record']);
  expect(argsOf(templates['forget'])).toEqual(['--forget']);
  expect(templates['roll-back-wave-2'].dag.tasks.map(({ name }: any) => name)).toEqual(['us', 'ap']);
});

test('or every wave, from the last to the first; records go when all is complete', () => {
  const plan = wavesPlan([['eu'], ['us']], { rollBack: 'all' });
  expect(chainOf({ plan })).toEqual([
    'wave-1: ',
    'wave-2: wave-1.Succeeded',
    'roll-back-wave-1: wave-1.Failed || wave-1.Errored || ' +
      'roll-back-wave-2.Succeeded || roll-back-wave-2.Failed || roll-back-wave-2.Errored',
    'roll-back-wave-2: wave-2.Failed || wave-2.Errored',
    'forget-wave-1: wave-2.Succeeded',
    'forget-wave-2: wave-2.Succeeded',
  ]);
});

test('routes that fail alone, and plans that hold, need nobody to take them back', () => {
  const alone = wavesPlan([['eu'], ['us']]);
  const holds = wavesPlan([['eu', 'us']], { rollBack: 'all', shift: { onFailure: 'hold' } });
  expect(chainOf({ plan: alone })).toEqual(['wave-1: ', 'wave-2: wave-1.Succeeded']);
  expect(chainOf({ plan: holds })).toEqual(['wave-1: ']);
  expect(Object.keys(templatesOf({ plan: holds }))).toEqual(['main', 'wave-1', 'shift']);
});

test('every task counts for the result, so that a workflow that was taken back has failed', () => {
  const { dag } = templatesOf({ plan: wavesPlan([['eu', 'us']]) })['main'];
  expect(dag.target).toBe('wave-1 roll-back-wave-1 forget-wave-1');
  expect(dag.failFast).toBe(false);
});

test('pods are tried again unless the shift has come to a verdict', () => {
  const strategy = (onInterrupt?: 'rollback') =>
    templatesOf({ plan: { ...onePlan, shift: { onInterrupt } } })['shift'].retryStrategy;
  expect(strategy()).toEqual({
    limit: 8,
    retryPolicy: 'Always',
    expression: 'lastRetry.exitCode != "1"',
    backoff: { duration: '30', factor: 2, cap: '120' },
  });
  expect(strategy('rollback').expression).toBe('lastRetry.exitCode != "1" && lastRetry.exitCode != "130"');
});

test('the plan is a file of its own name, which no later plan changes', () => {
  const { metadata, data, immutable } = one('ConfigMap');
  const other = one('ConfigMap', { plan: { ...onePlan, weights: { green: 90, blue: 10 } } });
  expect(parse(data['plan.yaml'])).toEqual(onePlan);
  expect(immutable).toBe(true);
  expect(metadata.name).toMatch(/^apps-web-plan-[0-9a-f]{8}$/);
  expect(other.metadata.name).not.toBe(metadata.name);
  expect(one('WorkflowTemplate').spec.volumes[0]).toEqual({
    name: 'plan',
    configMap: { name: metadata.name },
  });
});

test('pods fit the Pod Security Standard "restricted", with the containers that Argo adds', () => {
  const { spec } = one('WorkflowTemplate');
  expect(spec.securityContext).toEqual({
    runAsNonRoot: true,
    runAsUser: 65_532,
    runAsGroup: 65_532,
    fsGroup: 65_532,
    seccompProfile: { type: 'RuntimeDefault' },
  });
  const restricted = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
  expect(JSON.parse(spec.podSpecPatch)).toEqual({
    initContainers: [{ name: 'init', securityContext: restricted }],
    containers: [{ name: 'wait', securityContext: restricted }],
  });
  const { securityContext } = templatesOf()['shift'].container;
  expect(securityContext).toEqual({ ...restricted, readOnlyRootFilesystem: true });
});

test('secrets come from Secrets, and never stand in an object', () => {
  const { container } = templatesOf({
    env: { DD_SITE: 'datadoghq.eu' },
    secrets: { DD_API_KEY: { secret: 'datadog', key: 'api-key' } },
    secretFolders: { '/etc/kubeconfigs': 'kubeconfigs' },
  })['shift'];
  expect(container.env).toEqual([
    { name: 'HOME', value: '/tmp' },
    { name: 'DD_SITE', value: 'datadoghq.eu' },
    { name: 'DD_API_KEY', valueFrom: { secretKeyRef: { name: 'datadog', key: 'api-key' } } },
  ]);
  expect(container.volumeMounts.at(-1)).toEqual({
    name: 'secret-1',
    mountPath: '/etc/kubeconfigs',
    readOnly: true,
  });
});

describe('a plan that reads secrets from the environment', () => {
  const preview = (env: string) => ({
    preview: { url: 'https://www.example.com', headers: { 'x-slot': { env } } },
  });
  const slots = { blue: preview('PREVIEW_VALUE_BLUE'), green: preview('PREVIEW_VALUE_GREEN') };
  const bearer = { address: 'https://prometheus', auth: { bearer: { env: 'TOKEN' } } };
  const checks = [{ 'prometheus.query': bearer }, { program: { command: ['x'], env: { A: 'b' } } }];
  const plan = { ...onePlan, slots, shift: { checks } } as WorkflowPlan;
  const blue = { PREVIEW_VALUE_BLUE: { secret: 'previews', key: 'blue' } };
  const secrets = {
    ...blue,
    PREVIEW_VALUE_GREEN: { secret: 'previews', key: 'green' },
    TOKEN: { secret: 'prometheus', key: 'token' },
  };

  test('gets them from Secrets, by reference', () => {
    const { container } = templatesOf({ plan, secrets })['shift'];
    expect(container.env.slice(1)).toEqual(
      Object.entries(secrets).map(([name, { secret, key }]) => ({
        name,
        valueFrom: { secretKeyRef: { name: secret, key } },
      })),
    );
    expect(parse(one('ConfigMap', { plan, secrets }).data['plan.yaml'])).toEqual(plan);
  });

  test('is refused where the pods would not have them, or anyone who reads the workflow would', () => {
    const wrong = problemsOf({ plan, secrets: blue, env: { PREVIEW_VALUE_GREEN: 'hunter2' } });
    expect(wrong).toEqual([
      '  secrets.PREVIEW_VALUE_GREEN: is required: { secret, key } in place of a text in "env", since plan.slots.green.preview.headers.x-slot reads it',
      '  secrets.TOKEN: is required: the Secret and the key with its value, { secret, key }, since plan.shift.checks[0].prometheus.query.auth.bearer reads it',
    ]);
    // What is laid over the container is not known.
    expect(problemsOf({ plan, containerArgs: { envFrom: [{ secretRef: { name: 'all' } }] } })).toEqual([]);
    expect(problemsOf({ plan, secrets })).toEqual([]);
  });

  test('may be any data of a program', () => {
    const loop: Record<string, unknown> = { env: 'X', more: 1 };
    loop.loop = [loop, { env: 'Y' }];
    const deep = JSON.parse(`${'['.repeat(5_000)}{"env":"Z"}${']'.repeat(5_000)}`);
    const none = [null, 1, { env: 2 }, { file: null }, { env: 'A', file: '/b' }];
    const { variables, files } = secretSources({ loop, deep, none });
    expect([...variables]).toEqual([
      ['Y', 'loop.loop[1]'],
      ['Z', `deep${'[0]'.repeat(5_000)}`],
    ]);
    expect([...files]).toEqual([]);
  });
});

describe('a plan with sinks and approvals', () => {
  const github = { repository: 'acme/infra', workflow: 'approve.yaml', environment: 'production' };
  const withSinks = (notify: readonly object[], more = {}) => ({ ...onePlan, notify, ...more });

  test('gets their variables from Secrets, and names none of their values', () => {
    const plan = withSinks([{ slack: { token: { env: 'SLACK_TOKEN' }, channel: 'C1' } }], {
      approvals: { github: { ...github, token: { env: 'GITHUB_TOKEN' } } },
    });
    expect(problemsOf({ plan })).toEqual([
      '  secrets.SLACK_TOKEN: is required: the Secret and the key with its value, { secret, key }, since plan.notify[0].slack.token reads it',
      '  secrets.GITHUB_TOKEN: is required: the Secret and the key with its value, { secret, key }, since plan.approvals.github.token reads it',
    ]);
    const secrets = {
      SLACK_TOKEN: { secret: 'slack', key: 'token' },
      GITHUB_TOKEN: { secret: 'github', key: 'token' },
    };
    const templates = templatesOf({ plan, secrets });
    const pods = Object.values(templates).filter(({ container }) => container);
    expect(pods.length).toBeGreaterThan(2);
    for (const { container } of pods) {
      expect(container.env.slice(1)).toEqual([
        { name: 'SLACK_TOKEN', valueFrom: { secretKeyRef: { name: 'slack', key: 'token' } } },
        { name: 'GITHUB_TOKEN', valueFrom: { secretKeyRef: { name: 'github', key: 'token' } } },
      ]);
    }
  });

  test('reads files that a Secret mounts, and no others', () => {
    const plan = withSinks([
      { webhook: { url: { file: '/secrets/hook/url' }, key: { file: 'whsec_hunter2' } } },
      { teams: { webhookUrl: { file: '/secrets/teams' } } },
    ]);
    const secretFolders = { '/secrets/hook': 'hook' };
    const wrong = problemsOf({ plan, secretFolders });
    expect(wrong).toEqual([
      '  plan.notify[0].webhook.key.file: must be the path of a file in a folder of "secretFolders" (/secrets/hook), or { env } with its Secret in "secrets"',
      '  plan.notify[1].teams.webhookUrl.file: must be the path of a file in a folder of "secretFolders" (/secrets/hook), or { env } with its Secret in "secrets"; no volume of the pods has /secrets/teams',
    ]);
    expect(wrong.join()).not.toContain('hunter2');
    expect(problemsOf({ plan })[0]).toContain('"secretFolders", which has none, or { env }');
    // What is laid over the container is not known.
    expect(problemsOf({ plan, containerArgs: { volumeMounts: [] } })).toEqual([]);
    const mounted = withSinks([{ webhook: { url: { file: '/secrets/hook/url' } } }]);
    const { container } = templatesOf({ plan: mounted, secretFolders })['shift'];
    expect(container.volumeMounts.at(-1)).toEqual({
      ...{ name: 'secret-1', mountPath: '/secrets/hook', readOnly: true },
    });
  });

  test.each([
    ['/secrets/hook/url', true],
    ['/secrets/hook', false],
    ['/secrets/hooks/url', false],
    ['/secrets/hook/../other/url', false],
    ['secrets/hook/url', false],
    ['/certificates/ca.crt', true],
    ['/var/run/secrets/kubernetes.io/serviceaccount/token', true],
    ['/tmp/token', false],
  ])('%s is in the pods: %s', (file, expected) => {
    expect(isMounted(file, ['/secrets/hook', '/certificates/'])).toBe(expected);
  });

  test('connects out to them', () => {
    expect(
      one('NetworkPolicy', { plan: withSinks([{ pushgateway: { url: 'http://push:9091' } }]) }).spec,
    ).toEqual(expect.objectContaining({ policyTypes: ['Ingress'] }));
  });

  test('has metrics for Prometheus where that reaches the pods; else it is to push them', () => {
    const wrong =
      '  plan.notify[0].prometheus: must be replaced by "pushgateway": Prometheus reaches no pod of the workflow. To let it, ' +
      'set listen: "0.0.0.0:9464" and "networkPolicy: false", and limit with a policy of your own who connects';
    const open = withSinks([{ prometheus: { listen: '0.0.0.0:9464' } }]);
    expect(problemsOf({ plan: open })).toEqual([wrong]);
    for (const listen of [undefined, '127.0.0.1:9464', 'localhost:9464', '[::1]:9464']) {
      expect(problemsOf({ plan: withSinks([{ prometheus: { listen } }]), networkPolicy: false })).toEqual([
        wrong,
      ]);
    }
    expect(problemsOf({ plan: withSinks([{ prometheus: null as any }]), networkPolicy: false })).toEqual([
      wrong,
    ]);
    const two = withSinks([
      { prometheus: { listen: '0.0.0.0:9464' } },
      { prometheus: { listen: '[::]:9464' } },
      { prometheus: { listen: '[::]:9465', fleet: 'shop' } },
    ]);
    const { container } = templatesOf({ plan: two, networkPolicy: false })['shift'];
    expect(container.ports).toEqual([
      { name: 'metrics', containerPort: 9464 },
      { name: 'metrics-2', containerPort: 9465 },
    ]);
    expect(templatesOf()['shift'].container).not.toHaveProperty('ports');
  });

  test('sends no links, since no pod serves their page', () => {
    const plan = { ...onePlan, approvals: { link: { key: { env: 'LINK_KEY' } } } };
    const secrets = { LINK_KEY: { secret: 'links', key: 'key' } };
    expect(problemsOf({ plan, secrets })).toEqual([
      '  plan.approvals.link: must be left out: the link leads to the page of "--serve", and pods of a workflow serve none; at a pause a person resumes the workflow',
    ]);
  });
});

test('roles: the executor of Argo, and what the plan needs, each in its namespace', () => {
  const list = { apiGroups: ['argoproj.io'], resources: ['applications'], verbs: ['list'] };
  const nodes = { apiGroups: [''], resources: ['nodes'], verbs: ['get'] };
  const objects = objectsOf({ access: [{ ...list, namespace: 'argocd' }, nodes] });
  const roles = objects.filter(({ kind }) => /Role$/.test(kind));
  expect(roles.map(({ kind, metadata, rules }) => [kind, metadata.namespace, metadata.name, rules])).toEqual([
    [
      'Role',
      'shifts',
      'apps-web',
      [{ apiGroups: ['argoproj.io'], resources: ['workflowtaskresults'], verbs: ['create', 'patch'] }],
    ],
    ['Role', 'argocd', 'shifts-apps-web', [list]],
    ['ClusterRole', undefined, 'shifts-apps-web', [nodes]],
  ]);
  const subjects = [{ kind: 'ServiceAccount', name: 'apps-web', namespace: 'shifts' }];
  const bindings = objects.filter(({ kind }) => kind.endsWith('Binding'));
  expect(bindings.map(({ subjects: found }) => found)).toEqual([subjects, subjects, subjects]);
});

test('roles of the cluster have no namespace, whatever namespace the chart has', () => {
  const nodes = { apiGroups: [''], resources: ['nodes'], verbs: ['get'] };
  const objects = objectsOf({ access: [nodes] }, { namespace: 'other' });
  const ofCluster = objects.filter(({ kind }) => kind.startsWith('Cluster'));
  expect(ofCluster.map(({ kind, metadata }) => [kind, metadata.namespace])).toEqual([
    ['ClusterRole', undefined],
    ['ClusterRoleBinding', undefined],
  ]);
});

test('Leases are limited to their names in the Role', () => {
  const leases = { apiGroups: ['coordination.k8s.io'], resources: ['leases'] };
  const rules = [
    { ...leases, resourceNames: ['shift-a', 'shift-b'], verbs: ['get', 'update'] },
    { ...leases, verbs: ['create'] },
  ];
  const objects = objectsOf({ access: rules.map((rule) => ({ ...rule, namespace: 'locks' })) });
  const role = objects.find(({ kind, metadata }) => kind === 'Role' && metadata.namespace === 'locks');
  expect(role.rules).toEqual(rules);
});

test('a shift that keeps labels changes these of cluster Secrets, by a policy for its account alone', () => {
  const secrets = { apiGroups: [''], resources: ['secrets'], namespace: 'argocd' };
  const policies = (verbs: readonly string[]) =>
    objectsOf({ access: [{ ...secrets, verbs }] }).filter(({ kind }) => kind.startsWith('Validating'));
  expect(policies(['list'])).toEqual([]);
  const [policy, binding] = policies(['list', 'patch']);
  expect(policy.metadata.name).toBe('labels.apps-web.shifts.cluster-canary');
  expect(policy.spec).toMatchObject({
    failurePolicy: 'Fail',
    matchConditions: [
      { name: 'account', expression: 'request.userInfo.username == "system:serviceaccount:shifts:apps-web"' },
    ],
    matchConstraints: {
      resourceRules: [{ operations: ['UPDATE'], apiGroups: [''], resources: ['secrets'] }],
    },
  });
  expect(policy.spec.validations).toHaveLength(4);
  expect(binding.spec).toEqual({ policyName: policy.metadata.name, validationActions: ['Deny'] });
});

test('a shift that keeps labels does so where its policy holds', () => {
  const secrets = { apiGroups: [''], resources: ['secrets'], verbs: ['patch'] };
  const wrong = /access\[0\]\.namespace: .*none of kube-node-lease, kube-public, kube-system/;
  expect(() => objectsOf({ access: [{ ...secrets, namespace: 'kube-system' }] })).toThrow(wrong);
  // In all namespaces, those of the system are among them.
  expect(() => objectsOf({ access: [secrets] })).toThrow(wrong);
  expect(() =>
    objectsOf({ access: [{ ...secrets, verbs: ['get'], namespace: 'kube-system' }] }),
  ).not.toThrow();
});

test('nothing connects to the pods', () => {
  const { spec } = one('NetworkPolicy');
  expect(spec).toMatchObject({ policyTypes: ['Ingress'], ingress: [] });
  expect(spec.podSelector.matchLabels).toEqual(one('WorkflowTemplate').spec.podMetadata.labels);
  expect(objectsOf({ networkPolicy: false }).some(({ kind }) => kind === 'NetworkPolicy')).toBe(false);
});

test('by hand there is only the template; once, a Workflow for each plan', () => {
  const kinds = (props = {}) => objectsOf(props).map(({ kind }) => kind);
  expect(kinds().filter((kind) => /Workflow$/.test(kind))).toEqual([]);
  const { metadata, spec } = one('Workflow', { start: 'once' });
  expect(spec).toEqual({ workflowTemplateRef: { name: 'apps-web' } });
  expect(metadata.name).toMatch(/^apps-web-[0-9a-f]{8}$/);
  const again = (props: object) => one('Workflow', { start: 'once', ...props }).metadata.name;
  expect(again({})).toBe(metadata.name);
  expect(again({ image: image.replace(/0a/g, '0b') })).not.toBe(metadata.name);
});

test('bad input: all of it at once', () => {
  const build = () =>
    objectsOf({
      name: 'A'.repeat(41),
      namespace: 'not_one',
      image: 'registry.example.com/cluster-canary:latest',
      command: [],
      start: 'now' as any,
      deadline: '3 days',
      retries: -1,
      user: 0,
      window: { days: ['Someday' as any], from: 17, to: 9, timeZone: 'Atlantis/Center' },
      secrets: { '1X': { secret: 'Bad!', key: '' } },
      secretFolders: { '/tmp/x': 'ok' },
      plan: {
        routes: { eu: {}, us: {} },
        waves: [['eu', 'eu', 'xx']],
        rollBack: 'some' as any,
        weights: undefined as any,
        shift: { pause: [100], onInterrupt: 'wait' as any },
        lease: 'none',
        history: { folder: 'shifts' },
      },
    });
  const paths = (error: InvalidInput) => error.problems.map(({ path }) => path);
  try {
    build();
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidInput);
    expect(paths(error as InvalidInput).sort()).toEqual(
      [
        'name',
        'namespace',
        'image',
        'command',
        'start',
        'deadline',
        'retries',
        'user',
        'secrets.1X',
        'secrets.1X.secret',
        'secrets.1X.key',
        'secretFolders./tmp/x',
        'window.days[0]',
        'window.to',
        'window.timeZone',
        'plan.weights',
        'plan.rollBack',
        'plan.waves[0][1]',
        'plan.waves[0][2]',
        'plan.waves',
        'plan.shift.pause[0]',
        'plan.shift.onInterrupt',
        'plan.lease',
        'plan.history',
      ].sort(),
    );
    return;
  }
  throw new Error('nothing was refused');
});

test.each([
  ['a tag', 'registry.example.com/cluster-canary:1.0.0'],
  ['no digest', 'cluster-canary'],
  ['a short digest', `cluster-canary@sha256:${'0'.repeat(63)}`],
  ['capital digits', `cluster-canary@sha256:${'A'.repeat(64)}`],
])('an image with %s is refused', (_, wrong) => {
  expect(() => objectsOf({ image: wrong })).toThrow(/image.*by its digest/);
});

test('a plan that is too long for a ConfigMap is refused', () => {
  const plan = { ...onePlan, slots: { blue: { clusterName: 'x'.repeat(1_000_000) } } };
  expect(() => objectsOf({ plan })).toThrow(/at most 1000000 bytes/);
});

test('hundreds of routes: the template grows in proportion, and fits an object of Kubernetes', () => {
  const length = (routes: number) => {
    const waves = Array.from({ length: routes }, (_, index) => [`route-${index}`]);
    const props = { plan: wavesPlan(waves, { rollBack: 'all' }) };
    return JSON.stringify(objectsOf(props).find(({ kind }) => kind === 'WorkflowTemplate')).length;
  };
  expect(length(500)).toBeLessThan(2.2 * length(250));
  expect(length(500)).toBeLessThan(1_000_000);
});

test('raw fields are laid over ours', () => {
  const props = { containerArgs: { imagePullPolicy: 'Always' }, specArgs: { nodeSelector: { a: 'b' } } };
  expect(templatesOf(props)['shift'].container.imagePullPolicy).toBe('Always');
  expect(one('WorkflowTemplate', props).spec.nodeSelector).toEqual({ a: 'b' });
});
