import type { Issued } from '../../../certificates/issue';
import { base64, issue, newKey } from '../../../certificates/issue';
import { brief, lintText } from '../../lint-text';
import { deployment, documents, service, tlsSecret, webhook } from './manifests';

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
const live = 'uid: 9d6c2c9e-0000-4000-8000-000000000000';

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
        await issue({ subject: 'door', signer: authority, dnsNames: ['door.gate-system.svc'] }),
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

  test('a key in clear text', () => {
    const text = tlsSecret({}).replace(
      '\ndata:',
      `\nstringData: ${JSON.stringify({ 'server.crt': leaf.certificate, 'server.key': leaf.key })}`,
    );
    expect(found('TLS07', trusting(ca), text)).toEqual([`error TLS07 ${bundle}`]);
  });

  test('a bundle alone is not judged, nor is what a cluster says', () => {
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
      'caBundle stands here, and the key that belongs to it in the Secret gate-tls',
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

describe('TLS08 of two renders', () => {
  test('another key under the same names', async () => {
    const again = await issue({ subject: 'gate', signer: other, dnsNames: names });
    const judge = (before: Issued, after: Issued) =>
      brief(lintText(secretOf(after), { rules: ['TLS08'], before: secretOf(before) }));
    expect(judge(leaf, again)).toEqual(['error TLS08 /data/tls.crt']);
    expect(judge(leaf, leaf)).toEqual([]);
    const renewed = await issue({ subject: 'gate', signer: ca, dnsNames: names, key: leaf.key });
    expect(judge(leaf, renewed)).toEqual([]);
    const wanted = await issue({ subject: 'gate', signer: ca, dnsNames: [...names, 'gate.example.com'] });
    expect(judge(leaf, wanted)).toEqual([]);
  });
});

describe('TLS14 of bundles', () => {
  const judge = (before: readonly string[], after: readonly string[]) =>
    lintText(documents(...after), { rules: ['TLS14'], before: documents(...before) });

  test('both at once, and one after the other', async () => {
    const switched = await issue({ subject: 'gate', signer: other, dnsNames: names });
    const [steady, publish, change, retire] = [
      [trusting(ca), secretOf(leaf)],
      [trusting(ca, other), secretOf(leaf)],
      [trusting(ca, other), secretOf(switched)],
      [trusting(other), secretOf(switched)],
    ] as const;
    const both = judge(steady, retire);
    expect(brief(both)).toEqual([`error TLS14 ${bundle}`]);
    expect(both[0]!.message).toMatch(/did not trust it before; API servers stop to trust CN=gate-ca/);
    expect(brief(judge(steady, change))).toEqual([`error TLS14 ${bundle}`]);
    expect(brief(judge(publish, retire))).toEqual([`error TLS14 ${bundle}`]);
    for (const [from, to] of [
      [steady, publish],
      [publish, change],
      [change, retire],
      [change, publish],
      [publish, steady],
    ] as const) {
      expect(judge(from, to)).toEqual([]);
    }
  });
});
