import { certificateRules } from '../../../../lib/lint/rules/certificates';
import { base64, issue } from '../../../manifests/certificates/issue';
import { brief, lintText } from '../../lint-text';
import {
  authority,
  certificate,
  certManager,
  documents,
  issuer,
  named,
  selfSigned,
  tlsSecret,
  webhook,
} from './manifests';

const rules = certificateRules.map(({ id }) => id);
const from = '/metadata/annotations/cert-manager.io~1inject-ca-from';

/** As the AWS Load Balancer Controller's chart does it with cert-manager: injected from what is served, the CA's key unsaid. */
const withCertManager = documents(
  webhook({ annotations: { 'cert-manager.io/inject-ca-from': 'gate-system/gate' } }),
  selfSigned,
  authority('root', 'duration: 43800h0m0s'),
  certificate(
    'gate',
    'root',
    'dnsNames: [gate.gate-system.svc, gate.gate-system.svc.cluster.local]',
    'duration: 8760h0m0s',
    'renewBefore: 720h0m0s',
  ),
);

test('a chart with cert-manager: from the leaf, with a CA whose key changes', () => {
  expect(brief(lintText(withCertManager, { rules })).sort()).toEqual([
    `error TLS02 ${from}`,
    'error TLS03 /spec/privateKey/rotationPolicy',
  ]);
});

test('the same with an authority of somebody else, which is not among the manifests', () => {
  const text = documents(
    webhook({ annotations: { 'cert-manager.io/inject-ca-from': 'gate-system/gate' } }),
    certificate('gate', 'elsewhere', named, 'duration: 2160h', 'renewBefore: 720h'),
  );
  expect(brief(lintText(text, { rules }))).toEqual([`info TLS02 ${from}`, 'info TLS04 /spec/duration']);
});

test('a chart that makes its certificates while it is rendered, twice', async () => {
  const render = async (): Promise<string> => {
    const ca = await issue({ subject: 'gate-ca', isCa: true });
    const leaf = await issue({ subject: 'gate', signer: ca, dnsNames: ['gate.gate-system.svc'] });
    const values = { 'ca.crt': ca.certificate, 'tls.crt': leaf.certificate, 'tls.key': leaf.key };
    return documents(webhook({ caBundle: base64(ca.certificate) }), tlsSecret(values));
  };
  const [first, second] = [await render(), await render()];
  const bundle = '/webhooks/0/clientConfig/caBundle';
  expect(brief(lintText(first, { rules }))).toEqual([`error TLS07 ${bundle}`]);
  expect(brief(lintText(second, { rules, before: first })).sort()).toEqual([
    `error TLS07 ${bundle}`,
    'error TLS08 /data/tls.crt',
    `error TLS14 ${bundle}`,
  ]);
  expect(brief(lintText(first, { rules, before: first }))).toEqual([`error TLS07 ${bundle}`]);
});

test('a project scaffold: one certificate that signs itself', () => {
  const text = documents(
    webhook({ annotations: { 'cert-manager.io/inject-ca-from': 'gate-system/gate' } }),
    selfSigned,
    certificate('gate', 'self-signed', named),
  );
  expect(brief(lintText(text, { rules }))).toEqual([`error TLS01 ${from}`]);
});

test('a server that writes its CA itself is an info', () => {
  const text = documents(
    webhook(),
    issuer('unrelated', '{ vault: {} }'),
    certManager('quay.io/jetstack/cert-manager-cainjector:v1.21.2'),
  );
  expect(brief(lintText(text, { rules }))).toEqual(['info TLS10 /webhooks/0/clientConfig/caBundle']);
});
