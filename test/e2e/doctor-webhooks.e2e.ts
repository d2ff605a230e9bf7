import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { KubernetesApi } from '../../lib/core/kubernetes/api';
import { openKubernetes } from '../../lib/core/kubernetes/open';
import type { CheckReport, DoctorCheck } from '../../lib/operate/doctor';
import { clustersCheck } from '../../lib/operate/doctor/clusters/clusters-check';
import { webhooksCheck } from '../../lib/operate/doctor/webhooks/webhooks-check';
import type { Issued } from '../manifests/certificates/issue';
import { base64, issue } from '../manifests/certificates/issue';
import { onCleanUp } from './bench/clean-up';
import type { ControlPlane } from './bench/control-plane';
import { controlPlane } from './bench/control-plane';
import { eventually } from './bench/eventually';
import { freePort } from './bench/temporary';
import type { WebhookServer } from './bench/webhook-server';
import { serviceAddress, webhookServer } from './bench/webhook-server';

let hub: ControlPlane;
let target: ControlPlane;

beforeAll(async () => {
  [hub, target] = await Promise.all([
    controlPlane({ name: 'hub' }),
    controlPlane({ name: 'target', nodes: 1 }),
  ]);
  await hub.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } });
});

async function opened(kubeconfig: string): Promise<KubernetesApi> {
  const api = await openKubernetes({ kubeconfig });
  onCleanUp(() => api.close());
  return api;
}

async function examine(check: DoctorCheck, kubeconfig = hub.kubeconfigFile): Promise<CheckReport> {
  return check.examine({
    api: await opened(kubeconfig),
    namespace: 'argocd',
    concurrency: 4,
    now: () => new Date(),
    progress: () => undefined,
    signal: AbortSignal.timeout(30_000),
  });
}

const day = 86_400_000;
const fromNow = (days: number): Date => new Date(Date.now() + days * day);
const life = { notBefore: fromNow(-10), notAfter: fromNow(80) };

describe('webhooks', () => {
  const service = { name: 'gate', namespace: 'shop' };
  const dnsNames = [`${service.name}.${service.namespace}.svc`];
  let authority: Issued;
  let server: WebhookServer;
  let presented: Issued;

  const configuration = (caBundle: string, more: object = {}): any => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'gate' },
    webhooks: [
      {
        name: 'gate.example.com',
        clientConfig: { service: { ...service, path: '/', port: 443 }, caBundle },
        rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
        namespaceSelector: { matchLabels: { gate: 'on' } },
        failurePolicy: 'Fail',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        timeoutSeconds: 2,
        ...more,
      },
    ],
  });

  const leafOf = (options: object = {}): Promise<Issued> =>
    issue({ subject: 'gate', signer: authority, dnsNames, ...life, ...options });

  /** What the API server says when it has to call the webhook: empty where the call goes through. */
  async function verdict(): Promise<string> {
    return hub.api
      .call('POST', '/api/v1/namespaces/gated/configmaps?dryRun=All', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'probe', namespace: 'gated' },
      })
      .then(
        () => '',
        (error: Error) => error.message,
      );
  }

  /** Serves a certificate; API servers look at it, and at the endpoints, only when they open a connection. */
  const present = (served: Issued): void => {
    presented = served;
    server.present(served);
  };

  /** Once the API server has taken note of a change. */
  const settled = (expected: RegExp): Promise<boolean> =>
    eventually('the verdict of the API server', async () => {
      server.present(presented);
      const said = await verdict();
      if (!expected.test(said)) {
        throw new Error(`it says "${said}"`);
      }
      return true;
    });

  const found = async (): Promise<readonly string[]> =>
    (await examine(webhooksCheck())).findings
      .filter(({ cause }) => !cause.startsWith('lint-'))
      .map(({ cause }) => cause);

  beforeAll(async () => {
    authority = await issue({ subject: 'gate-ca', isCa: true, ...life, notAfter: fromNow(3000) });
    server = await webhookServer({ keyPair: await leafOf() });
    await hub.apply([
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'gated', labels: { gate: 'on' } } },
    ]);
  });

  beforeEach(async () => {
    present(await leafOf());
    await hub.apply([
      ...server.service(service.name, service.namespace),
      configuration(base64(authority.certificate)),
    ]);
    await settled(/^$/);
  });

  test('nothing is wrong: API server and doctor agree', async () => {
    expect(await found()).toEqual([]);
    const { looked } = await examine(webhooksCheck());
    // The built-in APIServices have no server of their own.
    expect(looked).toMatch(/^1 webhooks, .* on 1 servers, 1 addresses, 1 TLS handshakes/);
  });

  const served: readonly [string, () => Promise<Issued>, RegExp, readonly string[]][] = [
    [
      'expired',
      () => leafOf({ notBefore: fromNow(-90), notAfter: fromNow(-1) }),
      /certificate has expired or is not yet valid/,
      ['certificate-expired'],
    ],
    [
      'not yet valid',
      () => leafOf({ notBefore: fromNow(1) }),
      /certificate has expired or is not yet valid/,
      ['certificate-not-yet-valid'],
    ],
    [
      'another name',
      () => leafOf({ dnsNames: ['other.shop.svc'] }),
      /certificate is valid for/,
      ['wrong-names'],
    ],
    [
      'a common name alone',
      () => leafOf({ subject: 'gate.shop.svc', dnsNames: [] }),
      /relies on legacy Common Name field/,
      ['wrong-names'],
    ],
    [
      'for clients only',
      () => leafOf({ usages: ['1.3.6.1.5.5.7.3.2'] }),
      /incompatible key usage/,
      ['no-server-usage'],
    ],
    [
      'an authority that was made anew',
      async () => leafOf({ signer: await issue({ subject: 'gate-ca', isCa: true, ...life }) }),
      /signed by unknown authority/,
      ['unknown-authority'],
    ],
    [
      'an issuer that is no authority',
      async () => leafOf({ signer: await issue({ subject: 'x', signer: authority, ...life }) }),
      /signed by unknown authority/,
      ['unknown-authority'],
    ],
    // It is refused by nobody, and soon by everybody.
    [
      'ends soon',
      () => leafOf({ notBefore: fromNow(-85), notAfter: fromNow(5) }),
      /^$/,
      ['certificate-not-renewed'],
    ],
  ];

  test.each(served)('what is served: %s', async (_name, make, said, causes) => {
    present(await make());
    await settled(said);
    expect(await found()).toEqual(causes);
  });

  const bundles: readonly [string, () => Promise<string>, RegExp, readonly string[]][] = [
    ['nothing', () => Promise.resolve(''), /unknown authority/, ['bundle-missing']],
    ['no PEM', () => Promise.resolve(base64('nonsense')), /./, ['bundle-unreadable']],
    [
      'another authority',
      async () => base64((await issue({ subject: 'other', isCa: true, ...life })).certificate),
      /signed by unknown authority/,
      ['unknown-authority'],
    ],
    [
      'several, with the right one',
      async () =>
        base64(
          (await issue({ subject: 'other', isCa: true, ...life })).certificate + '\n' + authority.certificate,
        ),
      /^$/,
      [],
    ],
  ];

  test.each(bundles)('what is trusted: %s', async (_name, make, said, causes) => {
    await hub.api.apply(configuration(await make()));
    await settled(said);
    expect(await found()).toEqual(causes);
  });

  test('the way there: no Service, another port, no endpoint, a port that is closed, no TLS', async () => {
    const [made, slice] = server.service(service.name, service.namespace) as [any, any];
    const plain = createServer((_request, response) => response.end('plain'));
    await new Promise<void>((done) => plain.listen(0, serviceAddress, done));
    onCleanUp(() => new Promise<void>((done) => plain.close(() => done())));
    const cases: readonly [() => Promise<unknown>, RegExp, string][] = [
      [
        () =>
          hub.api.apply({
            ...slice,
            ports: [{ ...slice.ports[0], port: (plain.address() as AddressInfo).port }],
          }),
        /server gave HTTP response to HTTPS client/,
        'no-tls',
      ],
      [
        async () => hub.api.apply({ ...slice, ports: [{ ...slice.ports[0], port: await freePort() }] }),
        /connection refused/,
        'port-closed',
      ],
      [
        () =>
          hub.api.apply({ ...slice, endpoints: [{ ...slice.endpoints[0], conditions: { ready: false } }] }),
        /no endpoints available/,
        'no-endpoints',
      ],
      [() => hub.api.delete(slice), /no endpoints available/, 'no-endpoints'],
      [
        () => hub.api.apply({ ...made, spec: { ports: [{ name: 'https', port: 8443, targetPort: 1 }] } }),
        /no service port 443 found/,
        'wrong-port',
      ],
      [() => hub.api.delete(made), /service "gate" not found/, 'no-service'],
    ];
    for (const [change, said, cause] of cases) {
      await change();
      await settled(said);
      expect(await found()).toEqual([cause]);
    }
  });

  test('who may read little is told which rights are missing, and gets the rest', async () => {
    const user = 'limited';
    const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: user } };
    const all = { verbs: ['get', 'list'] };
    await hub.apply([
      {
        ...rbac,
        kind: 'ClusterRole',
        rules: [
          { ...all, apiGroups: [''], resources: ['services', 'namespaces'] },
          { ...all, apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'] },
          {
            ...all,
            apiGroups: ['admissionregistration.k8s.io'],
            resources: ['validatingwebhookconfigurations'],
          },
        ],
      },
      {
        ...rbac,
        kind: 'ClusterRoleBinding',
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
      },
    ]);
    present(await leafOf({ notBefore: fromNow(-90), notAfter: fromNow(-1) }));
    const report = await examine(webhooksCheck(), await hub.kubeconfigFor(user, []));
    expect(report.findings.map(({ cause }) => cause)).toContain('certificate-expired');
    expect(report.notChecked.join('\n')).toMatch(/"list" on resource "mutatingwebhookconfigurations"/);
    expect(report.notChecked.join('\n')).toMatch(/"list" on resource "apiservices"/);
  });
});

describe('clusters', () => {
  const secretFor = (name: string, config: object, data: object = {}): any => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'argocd', labels: { 'argocd.argoproj.io/secret-type': 'cluster' } },
    data: Object.fromEntries(
      Object.entries({
        name,
        server: target.server,
        config: JSON.stringify({
          tlsClientConfig: { caData: base64(target.certificateAuthority) },
          ...config,
        }),
        ...data,
      }).map(([key, value]) => [key, base64(value as string)]),
    ),
  });

  /** A token of a service account of the target, and its rights. */
  async function tokenOf(name: string, role?: string): Promise<string> {
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: 'default' } };
    await target.apply([
      account,
      ...(role === undefined
        ? []
        : [
            {
              apiVersion: 'rbac.authorization.k8s.io/v1',
              kind: 'ClusterRoleBinding',
              metadata: { name },
              roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
              subjects: [{ kind: 'ServiceAccount', name, namespace: 'default' }],
            },
          ]),
    ]);
    const { status } = (await target.api.call(
      'POST',
      `/api/v1/namespaces/default/serviceaccounts/${name}/token`,
      {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { expirationSeconds: 30 * 86_400 },
      },
    )) as any;
    return status.token;
  }

  const seen = async (secret: any): Promise<CheckReport> => {
    await hub.apply(secret);
    try {
      const report = await examine(clustersCheck({ env: {} }));
      const { bearerToken } = JSON.parse(Buffer.from(secret.data.config, 'base64').toString());
      expect(JSON.stringify(report)).not.toContain(bearerToken ?? 'PRIVATE KEY');
      return report;
    } finally {
      await hub.api.delete(secret);
    }
  };

  const causesOf = ({ findings }: CheckReport): readonly string[] => findings.map(({ cause }) => cause);

  test('a token with every right, and a client certificate: the cluster lets them in', async () => {
    const report = await seen(secretFor('good', { bearerToken: await tokenOf('admin', 'cluster-admin') }));
    expect(report).toMatchObject({ findings: [], notChecked: [] });
    expect(report.looked).toContain('1 TLS handshakes, 1 logins accepted');
    const tlsClientConfig = {
      caData: base64(target.certificateAuthority),
      certData: base64(target.adminCertificate),
      keyData: base64(target.adminKey),
    };
    expect(causesOf(await seen(secretFor('certificate', { tlsClientConfig })))).toEqual([]);
  });

  test('rights that are missing: some kinds, all of them, or those to write', async () => {
    const findings = async (name: string, role?: string): Promise<readonly any[]> =>
      (await seen(secretFor(name, { bearerToken: await tokenOf(name, role) }))).findings;
    expect(await findings('nobody')).toMatchObject([
      {
        cause: 'missing-rights',
        severity: 'error',
        evidence: expect.arrayContaining([
          'the cluster knows Argo CD as system:serviceaccount:default:nobody',
        ]),
      },
    ]);
    expect(await findings('viewer', 'view')).toMatchObject([
      { cause: 'missing-rights', severity: 'warning' },
    ]);
    await target.apply({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'read-all' },
      rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] }],
    });
    expect(await findings('reader', 'read-all')).toMatchObject([{ cause: 'read-only', severity: 'info' }]);
  });

  test('a token of another cluster, one whose account is gone, and none', async () => {
    const gone = await tokenOf('gone');
    await target.api.delete({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'gone', namespace: 'default' },
    });
    for (const bearerToken of [gone, 'no-token-at-all']) {
      const report = await seen(secretFor('wrong', { bearerToken }));
      expect(report.findings).toMatchObject([{ cause: 'login-refused', likelihood: 'certain' }]);
    }
    expect(causesOf(await seen(secretFor('none', {})))).toEqual(['no-login']);
  });

  test('the certificate authority of another cluster, and an address where nobody listens', async () => {
    const bearerToken = await tokenOf('admin');
    const tlsClientConfig = { caData: base64(hub.certificateAuthority) };
    expect(causesOf(await seen(secretFor('ca', { bearerToken, tlsClientConfig })))).toEqual(['ca-mismatch']);
    const server = `https://127.0.0.1:${await freePort()}`;
    expect(causesOf(await seen(secretFor('closed', { bearerToken }, { server })))).toEqual(['port-closed']);
  });
});
