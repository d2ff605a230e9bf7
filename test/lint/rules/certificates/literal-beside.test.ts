import type { Issued } from '../../../manifests/certificates/issue';
import { base64, issue } from '../../../manifests/certificates/issue';
import type { InvalidInput } from '../../../../lib/core/validation';
import { harden, manifestObjects, parseYaml } from '../../../../lib/lint';
import { brief, lintText, said } from '../../lint-text';
import {
  authority,
  certificate,
  certManager,
  deployment,
  documents,
  keeps,
  named,
  selfSigned,
  service,
  tlsSecret,
  webhook,
} from './manifests';

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

describe('TLS10: a literal certificate beside an injected CA', () => {
  const from = 'cert-manager.io/inject-ca-from';
  const at = `/metadata/annotations/${from.replace('/', '~1')}`;
  const beside = `warning TLS10 ${bundle}`;
  const chain = documents(selfSigned, authority('gate-ca', keeps, 'duration: 87600h'));
  const annotated = (annotations: Readonly<Record<string, string>>, ...trusted: readonly Issued[]): string =>
    webhook({
      annotations,
      ...(trusted.length > 0 ? { caBundle: base64(trusted.map((each) => each.certificate).join('')) } : {}),
    });
  const injectedFrom = { [from]: 'gate-system/gate-ca' };

  test('of an authority of the cluster, which did not issue it', () => {
    const without = annotated(injectedFrom);
    expect(found('TLS10', without, secretOf(leaf), chain)).toEqual([`error TLS10 ${at}`]);
    expect(found('TLS10', without, secretOf(leaf))).toEqual([`error TLS10 ${at}`]);
    expect(found('TLS10', annotated(injectedFrom, ca), secretOf(leaf), chain)).toEqual([
      `error TLS10 ${at}`,
      beside,
    ]);
    expect(said('TLS10', documents(without, secretOf(leaf)))).toEqual([
      `error ${at}: the CA of gate-system/gate-ca is injected, and it did not issue the certificate in the Secret gate-tls that is served`,
    ]);
    const ignoring = without.replace('failurePolicy: Fail', 'failurePolicy: Ignore');
    expect(found('TLS10', ignoring, secretOf(leaf), chain)).toEqual([`warning TLS10 ${at}`]);
  });

  test('beside the certificate that it is for, or that cert-manager wrote, is none', () => {
    const without = annotated(injectedFrom);
    const served = certificate('gate', 'gate-ca', named);
    expect(found('TLS10', without, secretOf(leaf), chain, served)).toEqual([]);
    const dumped = secretOf(leaf).replace('metadata: {', `metadata: { ${live},`);
    expect(found('TLS10', without, dumped, chain)).toEqual([]);
    const filled = secretOf(leaf).replace(
      'metadata: {',
      'metadata: { annotations: { cert-manager.io/certificate-name: gate },',
    );
    expect(found('TLS10', without, filled, chain)).toEqual([]);
  });

  test('of another Service is none', async () => {
    const client = await issue({ subject: 'gate', signer: ca, dnsNames: ['door.gate-system.svc'] });
    const mounted = deployment('{ name: server, volumeMounts: [{ name: tls, mountPath: /tls }] }');
    expect(found('TLS10', annotated(injectedFrom), secretOf(client), chain, service, mounted)).toEqual([]);
  });

  test('is verified by a CA that is among the manifests', () => {
    const fromSecret = { [`${from}-secret`]: 'gate-system/trust' };
    const trust = ({ certificate: text }: Issued): string =>
      tlsSecret({ 'ca.crt': text }, 'trust').replace(
        'metadata: {',
        'metadata: { annotations: { cert-manager.io/allow-direct-injection: "true" },',
      );
    const pointer = `${at}-secret`;
    expect(found('TLS10', annotated(fromSecret), secretOf(leaf), trust(ca))).toEqual([]);
    expect(found('TLS10', annotated(fromSecret), secretOf(leaf), trust(other))).toEqual([
      `error TLS10 ${pointer}`,
    ]);
    expect(found('TLS10', annotated(fromSecret), secretOf(leaf))).toEqual([`info TLS10 ${pointer}`]);
  });

  test('is verified by the bundle of the manifest where CAs are merged', () => {
    const injector = (version: string): string =>
      certManager(`quay.io/jetstack/cert-manager-cainjector:${version}`);
    const texts = [annotated(injectedFrom, ca), secretOf(leaf), chain];
    expect(found('TLS10', ...texts, injector('v1.21.0'))).toEqual([beside]);
    expect(found('TLS10', ...texts, injector('v1.18.0'))).toEqual([`error TLS10 ${at}`, beside]);
  });
});

describe('decisions about a chart with key, certificate and CA bundle in it', () => {
  const server = 'gate-system/gate';
  const chart = (): string =>
    documents(trusting(ca), secretOf(leaf), service.replace('spec: {', 'spec: { ports: [{ port: 443 }],'));
  const beside = manifestObjects(
    documents(selfSigned, authority('gate-ca', keeps, 'duration: 87600h'))
      .split('\n---\n')
      .map((each) => parseYaml(each)),
  );
  const problemsOf = (decision: object, options: object = {}): string[] => {
    try {
      harden(chart(), { decisions: [{ service: server, ...decision }], ...options });
    } catch (error) {
      return (error as InvalidInput).problems.map(({ path, allowed }) => `${path}: ${allowed}`);
    }
    return [];
  };
  const brings = expect.stringMatching(
    /^decisions\[0\]: a decision that brings no error: TLS10 at .* of MutatingWebhookConfiguration gate: the CA of gate-system\/gate-ca is injected, and it did not issue /,
  );
  const injectCaFrom = 'gate-system/gate-ca';

  test.each([
    ['alone', {}],
    ['with the authority beside', { beside }],
  ])('are refused %s', (_, options) => {
    const noCertificate = `issuer of ${server}: left out: no Certificate serves ${server}, but a certificate is in the Secret gate-tls`;
    expect(problemsOf({ injectCaFrom }, options)).toEqual([brings]);
    expect(problemsOf({ issuer: injectCaFrom }, options)).toEqual([noCertificate]);
    expect(problemsOf({ issuer: injectCaFrom, injectCaFrom }, options)).toEqual([noCertificate, brings]);
    expect(problemsOf({ clusterIssuer: 'all' }, options)).toEqual([
      noCertificate.replace('issuer', 'clusterIssuer'),
    ]);
  });

  test('of a Service that is not here wait for the manifests that have it', () => {
    const decisions = [{ service: server, issuer: 'gate-system/gate-ca' }];
    expect(harden(webhook(), { decisions }).unmatched).toEqual([]);
  });
});
