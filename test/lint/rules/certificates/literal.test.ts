import type { Issued } from '../../../manifests/certificates/issue';
import { base64, issue, newKey } from '../../../manifests/certificates/issue';
import { X509Certificate } from 'crypto';
import { signerOf } from '../../../../lib/lint';
import { brief, lintText } from '../../lint-text';
import { deployment, documents, mayUpdate, service, tlsSecret, webhook } from './manifests';

const bundle = '/webhooks/0/clientConfig/caBundle';
const names = ['gate.gate-system.svc'];
let ca: Issued;
let other: Issued;
let leaf: Issued;

beforeAll(async () => {
  ca = await issue({ subject: 'gate-ca', isCa: true });
  other = await issue({ subject: 'gate-ca', isCa: true });
  leaf = await issue({ subject: 'gate', signer: ca, dnsNames: names });
});

const found = (rule: string, ...texts: readonly string[]): string[] =>
  brief(lintText(documents(...texts), { rules: [rule] }));
const trusting = (...trusted: readonly Issued[]): string =>
  webhook({ caBundle: base64(trusted.map(({ certificate }) => certificate).join('')) });
const secretOf = ({ certificate, key }: Issued, name?: string): string =>
  tlsSecret({ 'tls.crt': certificate, 'tls.key': key }, name);
function permutations<Of>(all: readonly Of[]): Of[][] {
  return all.length < 2
    ? [[...all]]
    : all.flatMap((each) => permutations(all.filter((one) => one !== each)).map((rest) => [each, ...rest]));
}
const live = 'uid: 9d6c2c9e-0000-4000-8000-000000000000';

test.each([
  ['an authority', true],
  ['a self-signed certificate that is none', false],
])('what %s signed is verified by it: %s', async (_, isCa) => {
  const anchor = await issue({ subject: 'gate-own', isCa });
  const signed = await issue({ subject: 'gate', signer: anchor, dnsNames: names });
  const [trusted, certificate] = [anchor, signed].map((each) => new X509Certificate(each.certificate));
  expect(signerOf(certificate!, [trusted!])).toBe(isCa ? trusted : undefined);
  // A certificate that is trusted itself is verified whoever signed it.
  expect(signerOf(trusted!, [trusted!])).toBe(trusted);
});

describe('TLS07: what stands in manifests', () => {
  test('bundle and key', () => {
    expect(found('TLS07', trusting(ca), secretOf(leaf))).toEqual([`error TLS07 ${bundle}`]);
    // Named otherwise, but signed by what is trusted.
    expect(found('TLS07', trusting(ca), secretOf(leaf, 'own-name'))).toEqual([`error TLS07 ${bundle}`]);
    const mounted = deployment(
      '{ name: server, volumeMounts: [{ name: tls, mountPath: /tls }] }',
      '[{ name: tls, secret: { secretName: gate-tls } }]',
    );
    expect(found('TLS07', trusting(ca), secretOf(leaf), service, mounted)).toEqual([`error TLS07 ${bundle}`]);
  });

  test('two servers in one pod, each with its port and Secret', async () => {
    const [door, doorCa] = await (async () => {
      const authority = await issue({ subject: 'door-ca', isCa: true });
      return [
        await issue({ subject: 'door', signer: authority, dnsNames: ['*.gate-system.svc'] }),
        authority,
      ];
    })();
    const at = (name: string, port: string): string =>
      service
        .replace('name: gate', `name: ${name}`)
        .replace(
          'selector: { app: gate }',
          `selector: { app: gate }, ports: [{ port: 443, targetPort: ${port} }]`,
        );
    const both = (gatePort: string): string =>
      documents(
        trusting(ca),
        trusting(doorCa)
          .replace('name: gate\n', 'name: door\n')
          .replace(
            'service: { namespace: gate-system, name: gate,',
            'service: { namespace: gate-system, name: door,',
          ),
        secretOf(leaf, 'gate-tls'),
        secretOf(door, 'door-tls'),
        at('gate', gatePort),
        at('door', '9443'),
        deployment(
          '{ name: gate, ports: [{ containerPort: 8443 }], volumeMounts: [{ name: gate, mountPath: /tls }] }, { name: door, ports: [{ containerPort: 9443 }], volumeMounts: [{ name: door, mountPath: /tls }] }',
          '[{ name: gate, secret: { secretName: gate-tls } }, { name: door, secret: { secretName: door-tls } }]',
        ),
      );
    const unverified = (text: string): unknown[] =>
      lintText(text, { rules: ['TLS07'] }).filter(({ message }) => message.includes('does not verify'));
    expect(unverified(both('8443'))).toEqual([]);
    // The control: with a port that no container names, either may be served.
    expect(unverified(both('7443'))).toHaveLength(1);
  });

  const using = (...secrets: readonly string[]): string =>
    documents(
      service,
      deployment(
        `{ name: server, volumeMounts: [${secrets.map((each) => `{ name: ${each}, mountPath: /${each} }`).join(', ')}] }`,
        `[${secrets.map((each) => `{ name: ${each}, secret: { secretName: ${each} } }`).join(', ')}]`,
      ),
    );
  const stands = 'caBundle is written here, and the key that belongs to it in the Secret gate-tls';
  const messages = (...texts: readonly string[]): string[] =>
    lintText(documents(...texts), { rules: ['TLS07'] }).map(({ message }) => message);

  test('in which order a Secret has its values never matters', async () => {
    const values = {
      'ca.crt': ca.certificate,
      'ca.key': ca.key,
      'tls.crt': leaf.certificate,
      'tls.key': leaf.key,
    };
    const orders = permutations(Object.entries(values));
    expect(orders).toHaveLength(24);
    for (const order of orders) {
      expect(messages(trusting(ca), tlsSecret(Object.fromEntries(order)))).toEqual([stands]);
    }
    // With names of somebody's own, each certificate has its key by the name, or by what belongs to it.
    const client = await issue({ subject: 'client', signer: other, dnsNames: ['client.example.com'] });
    for (const key of ['server.key', 'other.key']) {
      const own = {
        'client.crt': client.certificate,
        'client.key': client.key,
        'server.crt': leaf.certificate,
        [key]: leaf.key,
      };
      for (const order of permutations(Object.entries(own))) {
        expect(messages(trusting(ca), tlsSecret(Object.fromEntries(order)), using('gate-tls'))).toEqual([
          stands,
        ]);
      }
    }
  });

  test('the key that is read counts, and not one that would fit', () => {
    const wrong = { 'tls.crt': leaf.certificate, 'tls.key': ca.key, 'server.key': leaf.key };
    for (const order of permutations(Object.entries(wrong))) {
      expect(found('TLS07', trusting(ca), tlsSecret(Object.fromEntries(order)))).toContain(
        'error TLS07 /data/tls.crt',
      );
    }
    // stringData wins over data.
    const plain = secretOf({ ...leaf, key: ca.key }).replace(
      '\ndata:',
      `\nstringData: ${JSON.stringify({ 'tls.key': leaf.key })}\ndata:`,
    );
    expect(messages(trusting(ca), plain)).toEqual([stands]);
  });

  test("a bundle that is the server's certificate itself", async () => {
    expect(messages(trusting(leaf), secretOf(leaf))).toEqual([stands]);
    // Known by the bundle alone.
    const unnamed = await issue({ subject: 'gate', signer: ca, dnsNames: ['gate.example.com'] });
    expect(messages(trusting(unnamed), secretOf(unnamed))).toEqual([stands]);
    // The control: another one of the same authority and name.
    const another = await issue({ subject: 'gate', signer: ca, dnsNames: names });
    expect(messages(trusting(another), secretOf(leaf))).toContain(
      'caBundle does not verify the certificate in the Secret gate-tls',
    );
  });

  test('a client certificate that the same pods use', async () => {
    const clientOf = (usages?: readonly string[]): Promise<Issued> =>
      issue({
        subject: 'client',
        signer: other,
        dnsNames: ['client.example.com'],
        ...(usages ? { usages } : {}),
        notAfter: new Date('2026-05-20T00:00:00Z'),
      });
    const client = await clientOf();
    for (const secrets of [
      ['gate-tls', 'client-tls'],
      ['client-tls', 'gate-tls'],
    ]) {
      const parts = [secretOf(leaf), secretOf(client, 'client-tls')];
      expect(messages(trusting(ca), ...parts, using(...secrets))).toEqual([stands]);
      expect(messages(trusting(ca), ...[...parts].reverse(), using(...secrets))).toEqual([stands]);
    }
    // Of a server that makes its own certificate.
    const only = await clientOf(['1.3.6.1.5.5.7.3.2']);
    expect(messages(trusting(ca), secretOf(only, 'client-tls'), using('client-tls'))).toEqual([]);
    // None names the Service: the one that the bundle verifies is served.
    const unnamed = await issue({ subject: 'gate', signer: ca, dnsNames: ['gate'] });
    const both = [secretOf(unnamed), secretOf(client, 'client-tls'), using('gate-tls', 'client-tls')];
    expect(messages(trusting(ca), ...both)).toEqual([stands]);
    // The control: the one that names the Service is evaluated beside a client's that the bundle verifies.
    const [server, fitting] = [
      await issue({ subject: 'gate', signer: other, dnsNames: names }),
      await issue({ subject: 'client', signer: ca, dnsNames: ['client.example.com'] }),
    ];
    const wrong = [secretOf(server), secretOf(fitting, 'client-tls'), using('gate-tls', 'client-tls')];
    expect(messages(trusting(ca), ...wrong)).toContain(
      'caBundle does not verify the certificate in the Secret gate-tls',
    );
  });

  test('what a controller may write anew', async () => {
    const old = await issue({ subject: 'old', isCa: true, notAfter: new Date('2026-05-31T00:00:00Z') });
    const server = using('gate-tls').replace('containers:', 'serviceAccountName: gate\n      containers:');
    const hooks = mayUpdate('admissionregistration.k8s.io', 'mutatingwebhookconfigurations');
    const secrets = mayUpdate('', 'secrets');
    expect(found('TLS07', trusting(old), server)).toEqual([`error TLS07 ${bundle}`]);
    expect(found('TLS07', trusting(old), server, secrets)).toEqual([`error TLS07 ${bundle}`]);
    const [finding, ...more] = lintText(documents(trusting(old), server, hooks), { rules: ['TLS07'] });
    expect([finding!.severity, finding!.message, more]).toEqual([
      'info',
      'caBundle holds no valid certificate: expired on 2026-05-31, unless its controller writes it: a role allows that',
      [],
    ]);
    const late = await issue({
      subject: 'gate',
      signer: ca,
      dnsNames: names,
      notAfter: new Date('2026-05-31T00:00:00Z'),
    });
    const expired = [trusting(ca), secretOf(late), server];
    expect(found('TLS07', ...expired)).toContain('error TLS07 /data/tls.crt');
    expect(found('TLS07', ...expired, hooks)).toContain('error TLS07 /data/tls.crt');
    expect(found('TLS07', ...expired, secrets)).toContain('warning TLS07 /data/tls.crt');
    const inNamespace = secrets.replace(
      'kind: ClusterRoleBinding\nmetadata: { name: gate }',
      'kind: RoleBinding\nmetadata: { name: gate, namespace: gate-system }',
    );
    expect(found('TLS07', ...expired, inNamespace)).toContain('warning TLS07 /data/tls.crt');
    expect(
      found(
        'TLS07',
        ...expired,
        inNamespace.replace('gate, namespace: gate-system }\nroleRef', 'gate, namespace: other }\nroleRef'),
      ),
    ).toContain('error TLS07 /data/tls.crt');
    // Both stand here and fit: it is what the manifests say that is evaluated.
    expect(found('TLS07', trusting(ca), secretOf(leaf), server, hooks)).toEqual([`error TLS07 ${bundle}`]);
    expect(found('TLS07', trusting(other), secretOf(leaf), server, hooks)).toEqual([
      `info TLS07 ${bundle}`,
      `error TLS07 ${bundle}`,
    ]);
  });

  test('a key in clear text', () => {
    const text = tlsSecret({}).replace(
      '\ndata:',
      `\nstringData: ${JSON.stringify({ 'server.crt': leaf.certificate, 'server.key': leaf.key })}`,
    );
    expect(found('TLS07', trusting(ca), text)).toEqual([`error TLS07 ${bundle}`]);
  });

  test('a bundle alone is not evaluated, nor is what a cluster says', () => {
    expect(found('TLS07', trusting(ca))).toEqual([]);
    expect(found('TLS07', trusting(ca), secretOf(leaf).replace('gate-system', 'elsewhere'))).toEqual([]);
    const fromCluster = webhook({ caBundle: base64(ca.certificate), metadata: live });
    expect(found('TLS07', fromCluster, secretOf(leaf))).toEqual([]);
    const annotations = { 'cert-manager.io/inject-ca-from': 'gate-system/ca' };
    const both = webhook({ caBundle: base64(ca.certificate), annotations });
    expect(found('TLS07', both, secretOf(leaf))).toEqual([]);
    // As charts say that nothing is injected.
    const none = webhook({
      caBundle: base64(ca.certificate),
      annotations: { 'cert-manager.io/inject-ca-from': 'none' },
    });
    expect(found('TLS07', none, secretOf(leaf))).toEqual([`error TLS07 ${bundle}`]);
  });

  test('a bundle that verifies nothing of the server', () => {
    const findings = lintText(documents(trusting(other), secretOf(leaf)), { rules: ['TLS07'] });
    expect(findings.map(({ message }) => message)).toEqual([
      'caBundle does not verify the certificate in the Secret gate-tls',
      'caBundle is written here, and the key that belongs to it in the Secret gate-tls',
    ]);
    expect(found('TLS07', trusting(other, ca), secretOf(leaf))).toHaveLength(1);
  });

  test('a mismatch counts in a cluster too', () => {
    const fromCluster = webhook({ caBundle: base64(other.certificate), metadata: live });
    expect(found('TLS07', fromCluster, secretOf(leaf))).toEqual([`error TLS07 ${bundle}`]);
  });

  test('a key that belongs to another certificate, and never a word of it', () => {
    const key = newKey();
    const findings = lintText(documents(trusting(ca), secretOf({ ...leaf, key })), { rules: ['TLS07'] });
    expect(brief(findings)).toContain('error TLS07 /data/tls.crt');
    const said = JSON.stringify(findings);
    for (const line of [...key.split('\n'), ...leaf.certificate.split('\n')].filter(
      (each) => each.length > 20,
    )) {
      expect(said).not.toContain(line);
      expect(said).not.toContain(base64(line).slice(0, 24));
    }
  });

  test.each([
    ['no base64 of PEM', 'bm9uZQ==', true],
    [
      'PEM that is no certificate',
      base64('-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'),
      true,
    ],
    ['white space', base64('\n'), false],
  ])('%s', (_, caBundle, fires) => {
    expect(found('TLS07', webhook({ caBundle }))).toEqual(fires ? [`error TLS07 ${bundle}`] : []);
  });

  test('certificates out of their time', async () => {
    const old = await issue({ subject: 'old', isCa: true, notAfter: new Date('2026-05-31T00:00:00Z') });
    const young = await issue({ subject: 'young', isCa: true, notBefore: new Date('2026-06-02T00:00:00Z') });
    const [finding] = lintText(trusting(old, young), { rules: ['TLS07'] });
    expect(finding!.message).toBe(
      'caBundle holds no valid certificate: expired on 2026-05-31, not valid before 2026-06-02',
    );
    // One that is valid is enough.
    expect(found('TLS07', trusting(old, ca))).toEqual([]);
    const late = await issue({
      subject: 'gate',
      signer: ca,
      dnsNames: names,
      notAfter: new Date('2026-06-01T00:00:00Z'),
    });
    expect(found('TLS07', trusting(ca), secretOf(late))).toContain('error TLS07 /data/tls.crt');
  });

  test('a Secret with a certificate that nobody can read', () => {
    const broken = { certificate: leaf.certificate.replace(/MII/, '!!!'), key: leaf.key };
    const mounted = deployment('{ name: server, volumeMounts: [{ name: tls, mountPath: /tls }] }');
    expect(found('TLS07', trusting(ca), secretOf(broken), service, mounted)).toContain('error TLS07 /data');
  });
});

describe('TLS06 of certificates that stand there', () => {
  test("another name, where the bundle is the server's certificate itself", async () => {
    const wrong = await issue({ subject: 'gate', signer: ca, dnsNames: ['gate'] });
    const mounted = deployment('{ name: server, volumeMounts: [{ name: tls, mountPath: /tls }] }');
    expect(found('TLS06', trusting(wrong), secretOf(wrong), service, mounted)).toEqual([
      'error TLS06 /data/tls.crt',
    ]);
    expect(found('TLS06', trusting(leaf), secretOf(leaf), service, mounted)).toEqual([]);
  });

  test('another name, and no server', async () => {
    const wrong = await issue({ subject: 'gate', signer: ca, dnsNames: ['gate'] });
    const mounted = deployment('{ name: server, volumeMounts: [{ name: tls, mountPath: /tls }] }');
    expect(found('TLS06', trusting(ca), secretOf(leaf), service, mounted)).toEqual([]);
    expect(found('TLS06', trusting(ca), secretOf(wrong), service, mounted)).toEqual([
      'error TLS06 /data/tls.crt',
    ]);
    // Of somebody else, so not the one that is served.
    expect(found('TLS06', trusting(other), secretOf(wrong), service, mounted)).toEqual([]);
    const client = await issue({
      subject: 'gate',
      signer: ca,
      dnsNames: names,
      usages: ['1.3.6.1.5.5.7.3.2'],
    });
    expect(found('TLS06', trusting(ca), secretOf(client))).toEqual(['error TLS06 /data/tls.crt']);
  });
});

describe('TLS09 of certificates that stand there', () => {
  const mount = '/spec/template/spec/containers/0/volumeMounts/0';
  const once = deployment(
    '{ name: server, volumeMounts: [{ name: tls, mountPath: /tls.crt, subPath: tls.crt }] }',
  );
  const evaluate = (text: string, secret = 'gate-tls') =>
    found(
      'TLS09',
      trusting(ca),
      secretOf(leaf, secret),
      service,
      text.replace('secretName: gate-tls', `secretName: ${secret}`),
    );

  test.each<[string, string, string, string[]]>([
    ['a file', once, 'gate-tls', [`error TLS09 ${mount}`]],
    [
      'of pods with a checksum',
      once.replace('labels:', 'annotations: { checksum/tls: d667 }, labels:'),
      'gate-tls',
      [`info TLS09 ${mount}`],
    ],
    [
      'of pods with another annotation',
      once.replace('labels:', 'annotations: { example.com/team: gate }, labels:'),
      'gate-tls',
      [`error TLS09 ${mount}`],
    ],
    [
      'of a Deployment with a checksum, which rolls nothing',
      once.replace(
        'namespace: gate-system }',
        'namespace: gate-system, annotations: { checksum/tls: d667 } }',
      ),
      'gate-tls',
      [`error TLS09 ${mount}`],
    ],
    ['with a name by its content', once, 'gate-tls-7kg6d9fbhm', [`info TLS09 ${mount}`]],
    ['with a name that is none', once, 'gate-tls-webhook', [`error TLS09 ${mount}`]],
  ])('%s', (_, text, secret, expected) => {
    expect(evaluate(text, secret)).toEqual(expected);
  });
});

describe('TLS08 of two renders', () => {
  test('in which order a Secret has its values never matters', () => {
    const values = { 'ca.key': ca.key, 'tls.crt': leaf.certificate, 'tls.key': leaf.key };
    for (const order of permutations(Object.entries(values))) {
      const before = tlsSecret(Object.fromEntries(order));
      expect(lintText(tlsSecret(values), { rules: ['TLS08'], before })).toEqual([]);
    }
  });

  test('another key, whatever stands before it', async () => {
    const again = await issue({ subject: 'gate', signer: ca, dnsNames: names });
    const secret = ({ certificate, key }: Issued): [string, string][] => [
      ['ca.key', ca.key],
      ['tls.crt', certificate],
      ['tls.key', key],
    ];
    for (const order of permutations(secret(again))) {
      const before = tlsSecret(Object.fromEntries(secret(leaf)));
      expect(brief(lintText(tlsSecret(Object.fromEntries(order)), { rules: ['TLS08'], before }))).toEqual([
        'error TLS08 /data/tls.crt',
      ]);
    }
  });

  test('another key under the same names', async () => {
    const again = await issue({ subject: 'gate', signer: other, dnsNames: names });
    const evaluate = (before: Issued, after: Issued) =>
      brief(lintText(secretOf(after), { rules: ['TLS08'], before: secretOf(before) }));
    expect(evaluate(leaf, again)).toEqual(['error TLS08 /data/tls.crt']);
    expect(evaluate(leaf, leaf)).toEqual([]);
    const renewed = await issue({ subject: 'gate', signer: ca, dnsNames: names, key: leaf.key });
    expect(evaluate(leaf, renewed)).toEqual([]);
    const wanted = await issue({ subject: 'gate', signer: ca, dnsNames: [...names, 'gate.example.com'] });
    expect(evaluate(leaf, wanted)).toEqual([]);
  });
});

describe('TLS14 of bundles', () => {
  const evaluate = (before: readonly string[], after: readonly string[]) =>
    lintText(documents(...after), { rules: ['TLS14'], before: documents(...before) });

  test('both at once, and one after the other', async () => {
    const switched = await issue({ subject: 'gate', signer: other, dnsNames: names });
    const [steady, publish, change, retire] = [
      [trusting(ca), secretOf(leaf)],
      [trusting(ca, other), secretOf(leaf)],
      [trusting(ca, other), secretOf(switched)],
      [trusting(other), secretOf(switched)],
    ] as const;
    const both = evaluate(steady, retire);
    expect(brief(both)).toEqual([`error TLS14 ${bundle}`]);
    expect(both[0]!.message).toMatch(
      /^CN=gate-ca \(SHA-256 [0-9a-f]{8}\) signs, .* did not trust it before; API servers stop trusting CN=gate-ca \(SHA-256 [0-9a-f]{8}\), which/,
    );
    expect(brief(evaluate(steady, change))).toEqual([`error TLS14 ${bundle}`]);
    expect(brief(evaluate(publish, retire))).toEqual([`error TLS14 ${bundle}`]);
    for (const [from, to] of [
      [steady, publish],
      [publish, change],
      [change, retire],
      [change, publish],
      [publish, steady],
    ] as const) {
      expect(evaluate(from, to)).toEqual([]);
    }
  });

  test("a bundle that is the server's certificate itself", async () => {
    const renewed = await issue({ subject: 'gate', signer: ca, dnsNames: names });
    const sameKey = await issue({ subject: 'gate', signer: ca, dnsNames: names, key: leaf.key });
    const [one, two] = [
      [trusting(leaf), secretOf(leaf)],
      [trusting(renewed), secretOf(renewed)],
    ] as const;
    expect(brief(evaluate(one, two))).toEqual([`error TLS14 ${bundle}`]);
    // It verifies itself, and none of the same key.
    expect(brief(evaluate(one, [trusting(sameKey), secretOf(sameKey)]))).toEqual([`error TLS14 ${bundle}`]);
    expect(evaluate(one, one)).toEqual([]);
    // The server's certificate stays: either bundle verifies it.
    expect(evaluate(one, [trusting(ca), secretOf(leaf)])).toEqual([]);
    expect(
      evaluate([trusting(leaf, renewed), secretOf(leaf)], [trusting(leaf, renewed), secretOf(renewed)]),
    ).toEqual([]);
  });
});
