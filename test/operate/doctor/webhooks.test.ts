import * as fc from 'fast-check';
import type { AskHandshake } from '../../../lib/core/tls';
import { askHandshake } from '../../../lib/core/tls';
import type { CheckReport, DoctorFinding } from '../../../lib/operate/doctor';
import { webhooksCheck } from '../../../lib/operate/doctor/webhooks/webhooks-check';
import type { Issued } from '../../manifests/certificates/issue';
import { base64, issue } from '../../manifests/certificates/issue';
import type { ClusterOptions } from './cluster-objects';
import { clusterOf, contextOf } from './cluster-objects';
import { closedPort, serveOther, serveTls, stopServers } from './tls-server';

const now = new Date('2026-07-01T00:00:00Z');
const names = ['gate.shop.svc'];
let authority: Issued;
let renewed: Issued;
let leaf: Issued;

beforeAll(async () => {
  const long = { notBefore: new Date('2025-01-01T00:00:00Z'), notAfter: new Date('2035-01-01T00:00:00Z') };
  authority = await issue({ subject: 'authority', isCa: true, ...long });
  renewed = await issue({ subject: 'authority', isCa: true, ...long });
  leaf = await issue({ subject: 'gate', signer: authority, dnsNames: names });
});

afterEach(stopServers);

interface WorldOptions extends ClusterOptions {
  /** Ports of the pods; a number is a ready one. */
  readonly pods?: readonly (number | { readonly port: number; readonly isReady: boolean })[];
  readonly bundle?: string;
  readonly failurePolicy?: string;
  readonly clientConfig?: object;
  readonly service?: object | false;
  /** Certificate of the Secret that the pods mount. */
  readonly mounted?: string;
  readonly host?: string;
  readonly more?: readonly object[];
}

/** A webhook `gate`, its Service, and pods of it on ports of loopback. */
function world(options: WorldOptions): object[] {
  const { pods = [], bundle = base64(authority.certificate), failurePolicy = 'Fail', mounted } = options;
  const metadata = { name: 'gate', namespace: 'shop', uid: '1' };
  return [
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'gate', uid: '2' },
      webhooks: [
        {
          name: 'gate.example.com',
          failurePolicy,
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          timeoutSeconds: 5,
          namespaceSelector: { matchLabels: { gate: 'on' } },
          rules: [
            { operations: ['CREATE'], apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments'] },
          ],
          clientConfig: options.clientConfig ?? {
            service: { name: 'gate', namespace: 'shop', port: 443 },
            caBundle: bundle,
          },
        },
      ],
    },
    ...(options.service === false
      ? []
      : [
          {
            apiVersion: 'v1',
            kind: 'Service',
            metadata,
            spec: {
              selector: { app: 'gate' },
              ports: [{ name: 'https', port: 443, targetPort: 'https' }],
              ...options.service,
            },
          },
        ]),
    ...pods.map((pod, position) => {
      const { port, isReady } = typeof pod === 'number' ? { port: pod, isReady: true } : pod;
      return {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: {
          name: `gate-${position}`,
          namespace: 'shop',
          labels: { 'kubernetes.io/service-name': 'gate' },
        },
        ports: [
          { name: 'https', port },
          { name: 'metrics', port: 1 },
        ],
        endpoints: [
          {
            addresses: [options.host ?? '127.0.0.1'],
            conditions: { ready: isReady },
            targetRef: { name: `gate-${position}` },
          },
        ],
      };
    }),
    ...(mounted === undefined
      ? []
      : [
          {
            apiVersion: 'v1',
            kind: 'Pod',
            metadata: { name: 'gate-0', namespace: 'shop', labels: { app: 'gate' } },
            spec: { volumes: [{ name: 'tls', secret: { secretName: 'gate-tls' } }, { name: 'x' }] },
          },
          {
            apiVersion: 'v1',
            kind: 'Secret',
            metadata: { name: 'gate-tls', namespace: 'shop' },
            data: { 'tls.crt': base64(mounted), 'tls.key': base64(leaf.key) },
          },
        ]),
    ...(options.more ?? []),
  ];
}

async function examine(options: WorldOptions): Promise<CheckReport> {
  const handshake = askHandshake(2_000);
  // Nothing leaves this machine.
  const ask: AskHandshake = (target, signal) =>
    target.host.startsWith('192.0.2.')
      ? Promise.resolve({ outcome: 'silent', detail: 'no connection', addresses: [] })
      : handshake(target, signal);
  return webhooksCheck({ ask }).examine(contextOf(clusterOf(world(options), options), now));
}

const own = ({ findings }: CheckReport): readonly DoctorFinding[] =>
  findings.filter(({ cause }) => !cause.startsWith('lint-'));
const causes = (report: CheckReport): string[] => own(report).map(({ cause }) => cause);

test('a server that serves what is trusted: nothing is found', async () => {
  const report = await examine({ pods: [await serveTls(leaf), await serveTls(leaf)] });
  expect(own(report)).toEqual([]);
  expect(report.notChecked).toEqual([]);
  expect(report.looked).toBe(
    '1 webhooks, conversions and aggregated APIs on 1 servers, 2 addresses, 2 TLS handshakes from this machine',
  );
});

test('a leaf behind an intermediate certificate is trusted, without it it is not', async () => {
  const between = await issue({ subject: 'between', isCa: true, signer: authority });
  const deep = await issue({ subject: 'deep', signer: between, dnsNames: names });
  expect(causes(await examine({ pods: [await serveTls(deep, [between])] }))).toEqual([]);
  expect(causes(await examine({ pods: [await serveTls(deep)] }))).toEqual(['unknown-authority']);
});

test('a self-signed certificate that is the bundle is trusted', async () => {
  const selfSigned = await issue({ subject: 'gate', dnsNames: names });
  const report = await examine({
    pods: [await serveTls(selfSigned)],
    bundle: base64(selfSigned.certificate),
  });
  expect(causes(report)).toEqual([]);
});

const certificates: readonly [string, () => Promise<Issued>, RegExp][] = [
  [
    'certificate-expired',
    () =>
      issue({
        subject: 'gate',
        signer: authority,
        dnsNames: names,
        notAfter: new Date('2026-06-28T00:00:00Z'),
      }),
    /expired on 2026-06-28, 3 days ago/,
  ],
  [
    'certificate-not-yet-valid',
    () =>
      issue({
        subject: 'gate',
        signer: authority,
        dnsNames: names,
        notBefore: new Date('2026-07-01T00:05:00Z'),
      }),
    /valid from 2026-07-01T00:05:00Z on, in 5 minutes/,
  ],
  [
    'wrong-names',
    () => issue({ subject: 'gate', signer: authority, dnsNames: ['gate.shop', 'gate'] }),
    /is for gate.shop, gate, and not for gate.shop.svc/,
  ],
  ['wrong-names', () => issue({ subject: 'gate.shop.svc', signer: authority }), /has no names/],
  [
    'no-server-usage',
    () => issue({ subject: 'gate', signer: authority, dnsNames: names, usages: ['1.3.6.1.5.5.7.3.2'] }),
    /not for servers/,
  ],
  [
    'certificate-not-renewed',
    () =>
      issue({
        ...{ subject: 'gate', signer: authority, dnsNames: names },
        notBefore: new Date('2026-04-10T00:00:00Z'),
        notAfter: new Date('2026-07-09T00:00:00Z'),
      }),
    /ends on 2026-07-09, in 8 days, of a life of 90 days/,
  ],
];

test.each(certificates)('%s is told of the wire and of a mounted Secret', async (cause, make, message) => {
  const made = await make();
  const wire = await examine({ pods: [await serveTls(made)] });
  expect(causes(wire)).toEqual([cause]);
  expect(own(wire)[0]).toMatchObject({ subject: 'Service shop/gate', likelihood: 'certain' });
  expect(own(wire)[0]!.message).toMatch(message);
  expect(own(wire)[0]!.evidence.join()).toMatch(
    /served by gate-0 \(127.0.0.1:\d+\), requested from this machine/,
  );
  expect(own(wire)[0]!.evidence.join()).toContain('failurePolicy Fail: CREATE of deployments');

  const mounted = await examine({
    pods: [await serveOther('nothing')],
    host: '192.0.2.1',
    mounted: made.certificate,
  });
  expect(causes(mounted)).toEqual([cause]);
  expect(own(mounted)[0]!.evidence[0]).toMatch(
    /^in Secret gate-tls, which the pods mount; they can't be reached/,
  );
  expect(mounted.notChecked).toEqual([]);
  expect(mounted.looked).toContain('1 servers by the Secrets');
});

test('an authority that was made anew under its name is told apart from a stranger', async () => {
  const pods = [await serveTls(leaf)];
  const again = own(await examine({ pods, bundle: base64(renewed.certificate) }));
  expect(again).toMatchObject([
    {
      cause: 'unknown-authority',
      severity: 'error',
      likelihood: 'certain',
      subject: 'ValidatingWebhookConfiguration gate',
    },
  ]);
  expect(again[0]!.message).toContain('with another key than the one in the bundle');
  const other = await issue({ subject: 'stranger', isCa: true });
  const strange = own(await examine({ pods, bundle: base64(other.certificate) }));
  expect(strange[0]!.message).toContain('signed by "authority", and the bundle holds "stranger"');
});

test('a bundle of several authorities, one of which signs, is enough', async () => {
  const bundle = base64(renewed.certificate + '\n' + authority.certificate);
  expect(causes(await examine({ pods: [await serveTls(leaf)], bundle }))).toEqual([]);
});

test('an authority that has expired, is not valid yet, or ends soon', async () => {
  const cases: readonly [object, string][] = [
    [{ notAfter: new Date('2026-06-01T00:00:00Z') }, 'authority-expired'],
    [{ notBefore: new Date('2026-07-02T00:00:00Z') }, 'authority-not-yet-valid'],
    [{ notAfter: new Date('2026-07-10T00:00:00Z') }, 'authority-not-renewed'],
  ];
  for (const [life, cause] of cases) {
    const signer = await issue({ subject: 'short', isCa: true, ...life });
    const served = await issue({ subject: 'gate', signer, dnsNames: names });
    const report = await examine({ pods: [await serveTls(served)], bundle: base64(signer.certificate) });
    expect(causes(report)).toEqual([cause]);
  }
});

test('bundles that are missing or no PEM', async () => {
  const pods = [await serveTls(leaf)];
  expect(causes(await examine({ pods, bundle: '' }))).toEqual(['bundle-missing']);
  expect(causes(await examine({ pods, bundle: base64('\n') }))).toEqual(['bundle-missing']);
  expect(causes(await examine({ pods, bundle: base64('nonsense') }))).toEqual(['bundle-unreadable']);
  const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';
  expect(causes(await examine({ pods, bundle: base64(broken) }))).toEqual(['bundle-unreadable']);
});

test('Ignore lets through, and is a warning', async () => {
  const [finding] = own(
    await examine({
      pods: [await serveTls(leaf)],
      bundle: base64(renewed.certificate),
      failurePolicy: 'Ignore',
    }),
  );
  expect(finding).toMatchObject({ severity: 'warning' });
  expect(finding!.evidence.at(-1)).toBe(
    'ValidatingWebhookConfiguration gate, webhook gate.example.com: failurePolicy Ignore: CREATE of deployments that its selectors select passes without it',
  );
});

test('servers that are not there, or speak no TLS', async () => {
  expect(causes(await examine({ service: false }))).toEqual(['no-service']);
  expect(causes(await examine({ service: { ports: [{ port: 8443 }] } }))).toEqual(['wrong-port']);
  expect(causes(await examine({}))).toEqual(['no-endpoints']);
  const idle = await examine({ pods: [{ port: await serveTls(leaf), isReady: false }] });
  expect(causes(idle)).toEqual(['no-endpoints']);
  expect(own(idle)[0]!.message).toContain('(1 is not)');
  expect(causes(await examine({ pods: [await closedPort()] }))).toEqual(['port-closed']);
  expect(causes(await examine({ pods: [await serveOther('http')] }))).toEqual(['no-tls']);
  expect(causes(await examine({ pods: [await serveOther('nothing')] }))).toEqual(['no-tls']);
  expect(causes(await examine({ pods: [await serveOther('cut')] }))).toEqual(['no-tls']);
});

test('one pod of two that answers shows that the other one should', async () => {
  const report = await examine({ pods: [await serveTls(leaf), await closedPort()] });
  expect(own(report)[0]!.message).toContain('(1 of 2 places)');
});

test('a pod that serves an old certificate after a rotation', async () => {
  const fresh = await issue({
    ...{ subject: 'gate', signer: authority, dnsNames: names },
    notBefore: new Date('2026-06-20T00:00:00Z'),
  });
  const pods = [await serveTls(leaf), await serveTls(fresh)];
  const [old] = own(await examine({ pods, mounted: fresh.certificate }));
  expect(old).toMatchObject({ cause: 'old-certificate', severity: 'warning' });
  expect(old!.message).toBe('1 pod serves an older certificate than Secret gate-tls has had for 11 days');
  // Without the Secret, only the difference is known; and right after a rotation it is nothing strange.
  expect(causes(await examine({ pods }))).toEqual(['pods-differ']);
  expect(causes(await examine({ pods, mounted: fresh.certificate, denied: ['get Secret'] }))).toEqual([
    'pods-differ',
  ]);
  const young = await issue({
    ...{ subject: 'gate', signer: authority, dnsNames: names },
    notBefore: new Date(now.getTime() - 60_000),
  });
  expect(causes(await examine({ pods: [await serveTls(leaf)], mounted: young.certificate }))).toEqual([]);
});

test('what may not be read is told, and the rest is looked at', async () => {
  const report = await examine({
    pods: [await serveTls(leaf)],
    bundle: base64(renewed.certificate),
    mounted: leaf.certificate,
    denied: ['get Secret', 'list CustomResourceDefinition', 'list Deployment'],
  });
  expect(causes(report)).toEqual(['unknown-authority']);
  expect([...report.notChecked].sort()).toEqual([
    'may not get Secret',
    'may not list CustomResourceDefinition',
    'may not list Deployment',
  ]);
  expect((await examine({ denied: ['list EndpointSlice'] })).notChecked).toEqual([
    'may not list EndpointSlice',
  ]);
});

test('pods out of reach without a Secret in sight are told as unseen, and are no finding', async () => {
  const report = await examine({ pods: [443], host: '192.0.2.1' });
  expect(own(report)).toEqual([]);
  expect(report.notChecked).toEqual([
    expect.stringMatching(/^Service shop\/gate, port 443: its addresses can't be reached from this machine/),
  ]);
});

test('an address that is silent is enough for a network that is out of reach; one that answers is not', async () => {
  const examined = async (silentOnes: number): Promise<number> => {
    let asked = 0;
    const pods = Array.from({ length: 9 }, (_each, index) => index + 1);
    await webhooksCheck({
      ask: ({ port }) => {
        asked += 1;
        const outcome = port <= silentOnes ? 'silent' : 'refused';
        return Promise.resolve({ outcome, detail: '', addresses: [] });
      },
    }).examine(contextOf(clusterOf(world({ pods })), now));
    return asked;
  };
  expect(await examined(9)).toBe(3);
  expect(await examined(2)).toBe(9);
});

test('what nobody verifies is not judged', async () => {
  const expired = await issue({ subject: 'metrics', notAfter: new Date('2026-06-01T00:00:00Z') });
  const [, ...rest] = world({ pods: [await serveTls(expired)] });
  const aggregated = {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1beta1.metrics.k8s.io', uid: '9' },
    spec: { service: { name: 'gate', namespace: 'shop' }, insecureSkipTLSVerify: true },
  };
  const report = await webhooksCheck().examine(contextOf(clusterOf([aggregated, ...rest]), now));
  expect(causes(report)).toEqual([]);
  expect(report.looked).toContain('1 TLS handshakes');
});

test('URLs: evaluated by their host; on the machine of the API server they are its own business', async () => {
  const port = await serveTls(leaf);
  const url = `https://localhost:${port}/review?token=secret`;
  const report = await examine({ clientConfig: { url, caBundle: base64(authority.certificate) } });
  expect(own(report)).toMatchObject([{ cause: 'wrong-names', subject: `https://localhost:${port}` }]);
  expect(JSON.stringify(report)).not.toContain('token=secret');
  const closed = await examine({
    clientConfig: {
      url: `https://127.0.0.1:${await closedPort()}/`,
      caBundle: base64(authority.certificate),
    },
  });
  expect(own(closed)).toEqual([]);
  expect(closed.notChecked).toEqual([expect.stringContaining('on the machines of the API servers')]);
});

test('conversions and aggregated APIs, with what API servers say of them', async () => {
  const port = await serveTls(leaf);
  const service = { name: 'gate', namespace: 'shop', port: 443 };
  const caBundle = base64(renewed.certificate);
  const aggregated = (name: string, spec: object): object => ({
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name, uid: name },
    spec: { service, ...spec },
    status: {
      conditions: [{ type: 'Available', status: 'False', reason: 'FailedDiscoveryCheck', message: 'x509' }],
    },
  });
  const report = await examine({
    pods: [port],
    more: [
      {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'gates.example.com', uid: '7' },
        spec: {
          names: { kind: 'Gate' },
          conversion: { strategy: 'Webhook', webhook: { clientConfig: { service, caBundle } } },
        },
      },
      aggregated('v1.verified', { caBundle }),
      aggregated('v1.unverified', { insecureSkipTLSVerify: true }),
    ],
  });
  expect(own(report).map(({ cause, subject }) => [cause, subject])).toEqual([
    ['unknown-authority', 'CustomResourceDefinition gates.example.com'],
    ['unknown-authority', 'APIService v1.verified'],
    ['api-unavailable', 'APIService v1.verified'],
    ['api-unavailable', 'APIService v1.unverified'],
  ]);
  expect(own(report)[0]!.evidence.join()).toContain("Gate objects can't be read or written");
});

test('lint rules evaluate the live objects', async () => {
  const [configuration, ...rest] = world({ pods: [await serveTls(leaf)] }) as any[];
  configuration.webhooks[0].rules[0] = {
    operations: ['*'],
    apiGroups: ['*'],
    apiVersions: ['*'],
    resources: ['*'],
  };
  const report = await webhooksCheck().examine(contextOf(clusterOf([configuration, ...rest]), now));
  const found = report.findings.filter(({ cause }) => cause === 'lint-wh01');
  expect(found).toMatchObject([
    { severity: 'warning', likelihood: 'possible', subject: 'ValidatingWebhookConfiguration gate' },
  ]);
});

test('no text of a finding holds a key', async () => {
  const report = await examine({ pods: [await closedPort()], mounted: leaf.certificate });
  const [, secret] = leaf.key.split('\n');
  expect(JSON.stringify(report)).not.toContain(secret);
  expect(JSON.stringify(report)).not.toContain('PRIVATE KEY');
});

test('whatever the objects look like, the check goes through', async () => {
  const kinds = ['Service', 'EndpointSlice', 'Pod', 'Secret', 'APIService', 'CustomResourceDefinition'];
  const parts = fc.jsonValue({ maxDepth: 3 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          kind: fc.constantFrom(...kinds),
          spec: parts,
          data: parts,
          ports: parts,
          endpoints: parts,
        }),
        {
          maxLength: 6,
        },
      ),
      parts,
      parts,
      async (objects, clientConfig, status) => {
        const metadata = {
          name: 'gate',
          namespace: 'shop',
          labels: { 'kubernetes.io/service-name': 'gate' },
        };
        const wild = objects.map((each) => ({ apiVersion: 'v1', metadata, status, ...each }));
        const [configuration, service] = world({}) as any[];
        configuration.webhooks.push({ name: 'wild', clientConfig, rules: status });
        const report = await webhooksCheck({
          ask: () => Promise.resolve({ outcome: 'silent', detail: 'no', addresses: [] }),
        }).examine(contextOf(clusterOf([configuration, ...wild, service]), now));
        expect(report.findings.every(({ message, next }) => message !== '' && next !== '')).toBe(true);
      },
    ),
    { numRuns: 60 },
  );
});
