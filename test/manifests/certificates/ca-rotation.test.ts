import { Chart, Testing } from 'cdk8s';
import type { CaRotationPhase } from '../../../lib/core/certificates/ca-rotation';
import { caRotationPhases } from '../../../lib/core/certificates/ca-rotation';
import type { InvalidInput } from '../../../lib/core/validation';
import { manifestObjects, lint } from '../../../lib/lint';
import type { CaRotationProps } from '../../../lib/manifests/certificates';
import { CertificateAuthority, WebhookCertificate } from '../../../lib/manifests/certificates';
import { MutatingWebhook } from '../../../lib/manifests/webhooks';

const service = { name: 'gate', namespace: 'gate-system' };
const other = { name: 'other', namespace: 'elsewhere', port: 8443 };
const image = `registry.example.com/cluster-canary@sha256:${'a'.repeat(64)}`;
const injectedInto = [{ kind: 'MutatingWebhookConfiguration', name: 'gate.pods.example.com' }] as const;
const rotationIn = (phase: CaRotationPhase, more: Partial<CaRotationProps> = {}): CaRotationProps => ({
  ...{ phase, image, services: [service], injectedInto },
  ...more,
});

/** The objects of a webhook, as they are in one commit. */
function manifests(generation: number, rotation?: CaRotationProps): any[] {
  const chart = new Chart(Testing.app(), 'chart');
  const authority = new CertificateAuthority(chart, 'authority', {
    ...{ name: 'gates', namespace: 'gate-system', generation },
    ...(rotation ? { rotation: rotation } : {}),
  });
  const certificate = new WebhookCertificate(chart, 'certificate', { service, authority });
  new MutatingWebhook(chart, 'webhook', {
    ...{ name: 'gate.pods.example.com', intent: 'required', service, certificate },
    optIn: { 'example.com/gate': 'enabled' },
    rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
  });
  return Testing.synth(chart);
}

const find = (objects: any[], kind: string, name: RegExp | string) =>
  objects.find((each) => each.kind === kind && new RegExp(name).test(each.metadata.name));
const injectedFrom = (objects: any[]) =>
  Object.entries(find(objects, 'MutatingWebhookConfiguration', '').metadata.annotations).filter(([key]) =>
    key.startsWith('cert-manager.io/'),
  );
const issuerOf = (objects: any[]) => find(objects, 'Certificate', '^gate-webhook$').spec.issuerRef.name;
const jobs = (objects: any[]) => objects.filter(({ kind }) => kind === 'Job');

const commits: Record<string, any[]> = {
  'generation 1': manifests(1),
  ...Object.fromEntries(caRotationPhases.map((phase) => [phase, manifests(2, rotationIn(phase))])),
  'generation 2': manifests(2),
};

test.each([
  ['generation 1', 'gates-g1', ['cert-manager.io/inject-ca-from', 'gate-system/gates-g1']],
  ['publish', 'gates-g1', ['cert-manager.io/inject-ca-from-secret', 'gate-system/gates-g2-bundle']],
  ['switch', 'gates-g2', ['cert-manager.io/inject-ca-from-secret', 'gate-system/gates-g2-bundle']],
  ['retire', 'gates-g2', ['cert-manager.io/inject-ca-from', 'gate-system/gates-g2']],
  ['generation 2', 'gates-g2', ['cert-manager.io/inject-ca-from', 'gate-system/gates-g2']],
])('%s: %s signs, and API servers get %s', (commit, signer, injection) => {
  expect(issuerOf(commits[commit]!)).toBe(signer);
  expect(injectedFrom(commits[commit]!)).toEqual([injection]);
});

test('each generation is the same objects in every commit that has it', () => {
  const authority = (commit: string, name: string) =>
    commits[commit]!.filter(
      (each) => each.metadata.name.startsWith(name) && each.apiVersion === 'cert-manager.io/v1',
    ).map(({ kind, metadata, spec }) => ({ kind, name: metadata.name, spec }));
  for (const phase of caRotationPhases) {
    expect(authority(phase, 'gates-g1')).toEqual(authority('generation 1', 'gates-g1'));
    expect(authority(phase, 'gates-g2')).toEqual(authority('generation 2', 'gates-g2'));
  }
  expect(authority('generation 1', 'gates-g1')).toHaveLength(3);
});

test.each([
  ['publish', [['ca-rotation', 'bundle']]],
  [
    'switch',
    [
      [
        'ca-rotation',
        'check',
        'publish',
        '--service',
        'gate-system/gate',
        '--service',
        'elsewhere/other:8443',
      ],
    ],
  ],
  [
    'retire',
    [
      [
        'ca-rotation',
        'check',
        'switch',
        '--service',
        'gate-system/gate',
        '--service',
        'elsewhere/other:8443',
      ],
      ['ca-rotation', 'retire', '--service', 'gate-system/gate', '--service', 'elsewhere/other:8443'],
    ],
  ],
] as const)('%s has its Jobs', (phase, beginnings) => {
  const found = jobs(
    manifests(2, rotationIn(phase, { services: [service, other], settle: '2h', wait: '90s' })),
  );
  const args = found.map(({ spec }) => spec.template.spec.containers[0].args as string[]);
  expect(args.map((each, index) => each.slice(0, beginnings[index]!.length))).toEqual(beginnings);
  for (const each of args) {
    const tail = [
      '--namespace',
      'gate-system',
      '--name',
      'gates',
      '--generation',
      '2',
      '--authorities',
      '/authorities',
    ];
    const ending = ['--wait', '90', '--message', '/dev/termination-log', '--json'];
    expect(each.slice(-13)).toEqual([...tail, ...ending]);
  }
  expect(
    args
      .flat()
      .join(' ')
      .match(/--settle-time \S+/g),
  ).toEqual(phase === 'switch' ? ['--settle-time 2h'] : null);
  expect(
    args
      .flat()
      .join(' ')
      .match(/--injected \S+/g),
  ).toEqual(phase === 'retire' ? ['--injected MutatingWebhookConfiguration/gate.pods.example.com'] : null);
});

test('a Job sees the certificates, and no key', () => {
  for (const phase of caRotationPhases) {
    for (const { spec } of jobs(commits[phase]!)) {
      expect(spec.template.spec.volumes).toEqual([
        {
          name: 'authorities',
          projected: {
            sources: ['old', 'renewed'].map((which, index) => ({
              secret: { name: `gates-g${index + 1}`, items: [{ key: 'tls.crt', path: `${which}.crt` }] },
            })),
          },
        },
      ]);
      expect(spec.template.spec.containers[0]).toMatchObject({
        image,
        securityContext: { readOnlyRootFilesystem: true },
      });
    }
  }
});

test('a Job of other content has another name, and the same content the same', () => {
  const name = (rotation: CaRotationProps) => jobs(manifests(2, rotation))[0].metadata.name as string;
  const first = name(rotationIn('switch'));
  expect(name(rotationIn('switch'))).toBe(first);
  expect(name(rotationIn('switch', { settle: '2h' }))).not.toBe(first);
  expect(first.length).toBeLessThanOrEqual(63);
});

test.each([
  ['publish', ['patch secrets gates-g2-bundle']],
  [
    'switch',
    [
      'get services gate',
      'list endpointslices *',
      'list mutatingwebhookconfigurations *',
      'list validatingwebhookconfigurations *',
      'list customresourcedefinitions *',
      'list apiservices *',
    ],
  ],
] as const)('what the account may in %s', (phase, rights) => {
  expect(rightsIn(commits[phase]!)).toEqual(rights);
});

test('retire may also write the objects that are named, and nothing else', () => {
  const writes = 'get,patch mutatingwebhookconfigurations gate.pods.example.com';
  expect(rightsIn(commits['retire']!)).toEqual([...rightsIn(commits['switch']!), writes]);
});

function rightsIn(objects: any[]): string[] {
  const roles = objects.filter(({ kind }) => /^(Cluster)?Role$/.test(kind));
  const bindings = objects.filter(({ kind }) => /RoleBinding$/.test(kind));
  expect(bindings.map(({ roleRef }) => roleRef.name)).toEqual(roles.map(({ metadata }) => metadata.name));
  expect(bindings.flatMap(({ subjects }) => subjects)).toEqual(
    roles.map(() => ({ kind: 'ServiceAccount', name: 'gates-g2-rekey', namespace: 'gate-system' })),
  );
  return roles
    .flatMap(({ rules }) => rules)
    .map(({ verbs, resources, resourceNames = ['*'] }) => `${verbs} ${resources} ${resourceNames}`);
}

test('what a phase changes comes after its gate: by dependencies, and by the waves of Argo CD', () => {
  const order = (phase: CaRotationPhase, kind: string, name: string) =>
    commits[phase]!.indexOf(find(commits[phase]!, kind, name));
  for (const [phase, gate] of [
    ['publish', 'bundle'],
    ['switch', 'gate'],
    ['retire', 'gate'],
  ] as const) {
    expect(order(phase, 'Job', gate)).toBeGreaterThan(order(phase, 'Certificate', 'gates-g2'));
    expect(order(phase, 'Job', gate)).toBeLessThan(order(phase, 'Certificate', 'gate-webhook'));
    expect(order(phase, 'Job', gate)).toBeLessThan(order(phase, 'MutatingWebhookConfiguration', ''));
    const waves = (kind: RegExp) =>
      commits[phase]!.filter((each) => kind.test(`${each.kind} ${each.metadata.name}`)).map(({ metadata }) =>
        Number(metadata.annotations?.['argocd.argoproj.io/sync-wave'] ?? 0),
      );
    expect(new Set(waves(/gates-g[12]$|Role|ServiceAccount|Secret/))).toEqual(new Set([-2]));
    expect(waves(/^Job .*(bundle|gate)-/)).toEqual([-1]);
    expect(new Set(waves(/gate-webhook|WebhookConfiguration/))).toEqual(new Set([0]));
    expect(waves(/^Job .*retire-/)).toEqual(phase === 'retire' ? [1] : []);
  }
});

test('rules find nothing wrong in any commit, nor between one and the next, and do where one is left out', () => {
  const errors = (objects: any[], before: any[]) =>
    lint(manifestObjects(objects), { before: manifestObjects(before), minSeverity: 'warning' }).findings.map(
      ({ rule }) => rule,
    );
  const steps = Object.keys(commits);
  for (const [index, step] of steps.entries()) {
    const [now, next] = [commits[step]!, commits[steps[index + 1] ?? step]!];
    expect([step, errors(next, now)]).toEqual([step, []]);
  }
  expect(errors(commits['switch']!, commits['generation 1']!)).toEqual(['TLS14']);
  expect(errors(commits['retire']!, commits['publish']!)).toEqual(['TLS14']);
  expect(errors(commits['generation 2']!, commits['generation 1']!)).toEqual(['TLS14']);
});

test("the server's certificate waits for the gate", () => {
  const chart = Testing.chart();
  const authority = new CertificateAuthority(chart, 'authority', {
    ...{ name: 'gates', namespace: 'gate-system', generation: 2, rotation: rotationIn('switch') },
  });
  const { certificate } = new WebhookCertificate(chart, 'certificate', { service, authority });
  expect(authority.gate).toBeDefined();
  expect(certificate.node.dependencies).toContain(authority.gate);
});

describe('what is refused', () => {
  const paths = (create: () => unknown): string[] => {
    try {
      create();
    } catch (error) {
      return (error as InvalidInput).problems.map(({ path }) => path);
    }
    return [];
  };
  test.each<[string, number, Partial<CaRotationProps>, string[]]>([
    ['a first generation', 1, {}, ['generation']],
    ['a tag', 2, { image: 'registry.example.com/cluster-canary:1' }, ['rotation.image']],
    ['another phase', 2, { phase: 'done' as never }, ['rotation.phase']],
    ['nothing to ask', 2, { services: [] }, ['rotation.services']],
    ['nothing to inject into', 2, { injectedInto: [] }, ['rotation.injectedInto']],
    ['durations', 2, { settle: '1 day', wait: '-1s' }, ['rotation.settle', 'rotation.wait']],
    [
      'names',
      2,
      {
        services: [{ name: 'A', namespace: '', port: 0 }],
        injectedInto: [{ kind: 'Pod' as never, name: '' }],
      },
      [
        'rotation.services[0].name',
        'rotation.services[0].namespace',
        'rotation.services[0].port',
        'rotation.injectedInto[0].kind',
        'rotation.injectedInto[0].name',
      ],
    ],
  ])('%s', (_, generation, more, expected) => {
    const props = {
      name: 'gates',
      namespace: 'gate-system',
      generation,
      rotation: rotationIn('publish', more),
    };
    expect(paths(() => new CertificateAuthority(Testing.chart(), 'authority', props))).toEqual(expected);
  });

  test('a name that is too long for a Job, where another one would do', () => {
    const props = { name: 'a'.repeat(45), namespace: 'gate-system', generation: 2 };
    const create = (rotation?: CaRotationProps) =>
      new CertificateAuthority(Testing.chart(), 'authority', {
        ...props,
        ...(rotation ? { rotation: rotation } : {}),
      });
    expect(paths(() => create())).toEqual([]);
    expect(paths(() => create(rotationIn('publish')))).toEqual(['name']);
  });

  test('a server whose pods the gates would not ask', () => {
    expect(paths(() => manifests(2, rotationIn('switch', { services: [other] })))).toEqual(['service']);
  });
});
