import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Ajv from 'ajv';
import * as fc from 'fast-check';
import type { RolloutRestarterProps } from '../../../lib/manifests/restarter';
import { image, jobOf, objectsOf, usual } from './restarter';
import { scaled } from '../../runs';

const file = join(resolve(__dirname, '../../../../shared/crds/argo-events'), 'schema.json');
const atHand = existsSync(file);

const space: fc.Arbitrary<Partial<RolloutRestarterProps>> = fc.record(
  {
    name: fc.constantFrom('restarter', 'r', 'a'.repeat(40)),
    namespace: fc.constantFrom('rollout-restarter', 'r'),
    command: fc.constantFrom(['cluster-canary'], ['node', '/app/"main".js']),
    allowedNamespaces: fc.uniqueArray(fc.constantFrom('podinfo', 'shop', 'a-b', '1'), { minLength: 1 }),
    tlsSecret: fc.constant('restarter-tls'),
    port: fc.integer({ min: 1024, max: 65_535 }),
    coolDown: fc.constantFrom('1m', '2h'),
    perDay: fc.integer({ min: 1, max: 100 }),
    minReplicas: fc.integer({ min: 1, max: 9 }),
    wait: fc.constantFrom('0s', '1h'),
    keepJobs: fc.constantFrom('1m', '48h'),
    jobsPerMinute: fc.integer({ min: 1, max: 1_000 }),
    eventBus: fc.constantFrom<NonNullable<RolloutRestarterProps['eventBus']>>(
      { existing: 'default' },
      {},
      { version: '2.9.16', replicas: 1 },
      { volumeSize: '1Gi' },
      { volumeSize: '1Gi', storageClassName: 'gp3' },
    ),
    networkPolicy: fc.boolean(),
    sender: fc.constantFrom<NonNullable<RolloutRestarterProps['sender']>>(
      {},
      { namespace: 'argo' },
      { cidrs: ['10.0.0.0/8'] },
      { podLabels: { app: 'n' } },
    ),
    apiServerPorts: fc.constantFrom([443], [6443, 443]),
    monitoringNamespace: fc.constant('monitoring'),
    user: fc.constantFrom(1000, 65_532),
    labels: fc.constantFrom<Record<string, string>>({}, { team: 'apps' }),
  },
  { requiredKeys: [] },
);

/** Unknown fields are errors, as under strict field validation. */
function closed(schema: any): any {
  return schema.properties && !schema.additionalProperties
    ? { ...schema, additionalProperties: false }
    : schema;
}

function errorsBy(kind: string): (spec: unknown) => string[] {
  const { definitions } = JSON.parse(readFileSync(file, 'utf8'));
  const all = Object.fromEntries(Object.entries(definitions).map(([name, each]) => [name, closed(each)]));
  const validate = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile({
    $ref: `#/definitions/io.argoproj.events.v1alpha1.${kind}Spec`,
    definitions: all,
  });
  return (spec) =>
    validate(spec) ? [] : validate.errors!.map((each) => `${each.instancePath} ${each.message}`);
}

(atHand ? test : test.skip)('whatever the options: the objects fit the schema of Argo Events', () => {
  const evaluates = Object.fromEntries(
    ['EventBus', 'EventSource', 'Sensor'].map((kind) => [kind, errorsBy(kind)]),
  );
  expect(evaluates['Sensor']!({ dependencies: [], triggers: [], nonsense: 1 })).not.toEqual([]);
  expect(evaluates['EventSource']!({ webhook: { a: { endpoint: 1 } } })).not.toEqual([]);
  fc.assert(
    fc.property(space, (props) => {
      for (const { kind, spec } of objectsOf(props)) {
        expect(evaluates[kind]?.(spec) ?? []).toEqual([]);
      }
    }),
    { numRuns: scaled(60) },
  );
});

test('the pods of Argo Events keep to the Pod Security Standard restricted, and have limits', () => {
  for (const kind of ['EventSource', 'Sensor']) {
    const { template } = objectsOf({}).find((each) => each.kind === kind)!.spec;
    expect(template).toMatchObject({
      securityContext: { runAsNonRoot: true, runAsUser: 9731, seccompProfile: { type: 'RuntimeDefault' } },
      container: {
        resources: { limits: { memory: '256Mi' } },
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
      },
    });
  }
});

test('whatever the options: what the issue asks for is there', () => {
  fc.assert(
    fc.property(space, (props) => {
      const objects = objectsOf(props);
      const { namespace, allowedNamespaces } = { ...usual, ...props };
      const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace} ${metadata.name}`);
      expect(new Set(names).size).toBe(names.length);
      const job = jobOf(objects);
      const [container] = job.spec.template.spec.containers;
      expect(container.image).toBe(image);
      expect(job.spec.ttlSecondsAfterFinished).toBeGreaterThan(0);
      expect(job.spec.activeDeadlineSeconds).toBeGreaterThan(0);
      expect(container.args.slice(0, 3)).toEqual(['restart-rollout', '--application=', '--namespace=']);
      // The Job's account has no rights beside the allowed namespaces, the Sensor's none beside its own.
      const bindings = objects.filter(({ kind }) => kind === 'RoleBinding');
      const of = (account: string): string[] =>
        bindings
          .filter(({ subjects }) => subjects[0].name === account)
          .map(({ metadata }) => metadata.namespace as string);
      const { serviceAccountName: sensor } = objects.find(({ kind }) => kind === 'Sensor').spec.template;
      expect(of(job.spec.template.spec.serviceAccountName)).toEqual(allowedNamespaces);
      expect(of(sensor)).toEqual([namespace]);
      expect(objects.some(({ kind }) => kind.startsWith('ClusterRole'))).toBe(false);
      // A policy that could be named like another one of the cluster would take its place.
      const policies = objects.filter(({ kind }) => kind.startsWith('ValidatingAdmissionPolicy'));
      expect(policies.map(({ metadata }) => metadata.namespace)).toEqual(Array.from({ length: 4 }));
      expect(objects.filter(({ kind }) => kind === 'NetworkPolicy').length > 0).toBe(
        props.networkPolicy ?? true,
      );
      expect(objects.some(({ kind }) => kind === 'EventBus')).toBe(!('existing' in (props.eventBus ?? {})));
      expect(JSON.stringify(objects)).not.toMatch(/latest|apt|curl/);
    }),
    { numRuns: scaled(60) },
  );
});

test('the EventSource asks for the token, and for TLS where it is given', () => {
  const webhook = (props = {}): any =>
    objectsOf(props).find(({ kind }) => kind === 'EventSource').spec.webhook.restart;
  expect(webhook().authSecret).toEqual({ name: 'restarter-token', key: 'token' });
  expect(webhook().serverCertSecret).toBeUndefined();
  expect(webhook({ tlsSecret: 'tls' })).toMatchObject({
    serverCertSecret: { name: 'tls', key: 'tls.crt' },
    serverKeySecret: { name: 'tls', key: 'tls.key' },
  });
});

const [namespaceFilter, nameFilter]: RegExp[] = objectsOf()
  .find(({ kind }) => kind === 'Sensor')
  .spec.dependencies[0].filters.data.map(({ value }: any) => new RegExp(value[0]));

test.each(['podinfo', 'a', 'a.b-c', 'x'.repeat(253)])('an application may be called %s', (name) => {
  expect(nameFilter!.test(name)).toBe(true);
});

test.each([
  ...['', 'a"b', "a'b", 'a\nb', 'a\n', '$(id)', '`id`', 'a;b', '--kubeconfig=x', '../x', 'ä', 'a b', 'A'],
  'x'.repeat(254),
])('none is called %j', (name) => {
  expect(nameFilter!.test(name)).toBe(false);
});

test('only allowed namespaces pass', () => {
  const passing = ['podinfo', 'shop', 'podinfo2', 'xshop', 'kube-system', 'podinfo|shop', ''];
  expect(passing.filter((each) => namespaceFilter!.test(each))).toEqual(['podinfo', 'shop']);
});

test('everything that is wrong is told at once, and no secret with it', () => {
  const wrong = {
    name: 'Restarter',
    namespace: 'a.b',
    image: 'registry.example.com/cluster-canary:1',
    command: [],
    allowedNamespaces: ['podinfo', 'podinfo', 'Shop'],
    token: { secret: '', key: 'a/b' },
    port: 80,
    coolDown: '1s',
    perDay: 0,
    wait: 'soon',
    eventBus: { version: 'latest', storageClassName: 'gp3' },
    sender: { cidrs: ['10.0.0.5/24'] },
    labels: { '-': 'x' },
    user: 0,
  };
  const paths = (): string[] => {
    try {
      objectsOf(wrong);
      return [];
    } catch (error) {
      return (error as any).problems.map(({ path }: { path: string }) => path);
    }
  };
  expect(paths()).toEqual([
    ...['name', 'namespace', 'image', 'command', 'user', 'allowedNamespaces[2]', 'token.secret'],
    ...['token.key', 'port', 'coolDown', 'perDay', 'wait', 'eventBus.version', 'eventBus.volumeSize'],
    ...['sender.cidrs[0]', 'labels.-', 'allowedNamespaces[1]'],
  ]);
  expect(() => objectsOf({ allowedNamespaces: ['rollout-restarter'] })).toThrow(/no application runs in it/);
  expect(() => objectsOf({ allowedNamespaces: [] })).toThrow(/at least one/);
  // Its policies leave those of the system out.
  expect(() => objectsOf({ namespace: 'kube-system', allowedNamespaces: ['kube-public'] })).toThrow(
    /namespace: "kube-system"[^]*allowedNamespaces\[0\]: "kube-public"/,
  );
});
