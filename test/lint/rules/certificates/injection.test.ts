import { brief, lintText, said } from '../../lint-text';
import {
  authority,
  certificate,
  certManager,
  deployment,
  documents,
  good,
  injected,
  issuer,
  keeps,
  named,
  ofOwnKinds,
  selfSigned,
  service,
  webhook,
} from './manifests';

const from = '/metadata/annotations/cert-manager.io~1inject-ca-from';
const fromSecret = '/metadata/annotations/cert-manager.io~1inject-ca-from-secret';
const bundle = '/webhooks/0/clientConfig/caBundle';
const chain = documents(selfSigned, authority('ca', keeps));
const rotating = documents(selfSigned, authority('ca'));
const leaf = certificate('gate', 'ca', named);
const itself = documents(selfSigned, certificate('gate', 'self-signed', named));
const injector = (tag: string): string => `quay.io/jetstack/cert-manager-cainjector:${tag}`;

const found = (rule: string, ...texts: readonly string[]): string[] =>
  brief(lintText(documents(...texts), { rules: [rule] }));

test('what is well made has no finding', () => {
  const rules = Array.from({ length: 12 }, (_, index) => `TLS${String(index + 1).padStart(2, '0')}`);
  expect(lintText(good, { rules })).toEqual([]);
});

describe('TLS01, TLS02: where the CA is injected from', () => {
  test.each<[string, string[], string[]]>([
    ['the authority', [injected('gate-system/ca'), chain, leaf], []],
    [
      'the leaf of an authority that keeps its key',
      [injected('gate-system/gate'), chain, leaf],
      [`warning TLS02 ${from}`],
    ],
    [
      'the leaf of an authority with a new key at each renewal',
      [injected('gate-system/gate'), rotating, leaf],
      [`error TLS02 ${from}`],
    ],
    [
      'the same, of a cert-manager that keeps a key by default',
      [injected('gate-system/gate'), rotating, leaf, certManager(injector('v1.17.2'))],
      [`warning TLS02 ${from}`],
    ],
    [
      'the same, of a cert-manager that merges',
      [injected('gate-system/gate'), rotating, leaf, certManager(injector('v1.19.1'))],
      [`warning TLS02 ${from}`],
    ],
    [
      "the same, for an operator's own kinds",
      [ofOwnKinds(injected('gate-system/gate')), rotating, leaf],
      [`warning TLS02 ${from}`],
    ],
    ['the leaf of an authority elsewhere', [injected('gate-system/gate'), leaf], [`info TLS02 ${from}`]],
    [
      'the leaf of a CA whose Certificate is not here',
      [injected('gate-system/gate'), issuer('ca', '{ ca: { secretName: bought } }'), leaf],
      [`warning TLS02 ${from}`],
    ],
    [
      'the leaf of an issuer outside of the cluster',
      [injected('gate-system/gate'), issuer('ca', '{ vault: {} }'), leaf],
      [`warning TLS02 ${from}`],
    ],
    [
      'the leaf of an authority, of a webhook that ignores failures',
      [injected('gate-system/gate').replace('failurePolicy: Fail', 'failurePolicy: Ignore'), chain, leaf],
      [`warning TLS02 ${from}`],
    ],
    [
      'a leaf that signs itself',
      [injected('gate-system/gate'), selfSigned, certificate('gate', 'self-signed', named)],
      [`error TLS01 ${from}`],
    ],
    [
      'a leaf that signs itself, of a cert-manager that merges',
      [injected('gate-system/gate'), itself, certManager(injector('v1.21.2'))],
      [`warning TLS01 ${from}`],
    ],
    [
      'a leaf that signs itself, of a cert-manager that is told not to merge',
      [
        injected('gate-system/gate'),
        itself,
        certManager(injector('v1.20.0'), '[--feature-gates=CAInjectorMerging=false]'),
      ],
      [`error TLS01 ${from}`],
    ],
    [
      'a leaf that signs itself, of a cert-manager that does not merge yet',
      [injected('gate-system/gate'), itself, certManager(injector('v1.18.2'))],
      [`error TLS01 ${from}`],
    ],
    [
      "a leaf that signs itself, for an operator's own kinds",
      [ofOwnKinds(injected('gate-system/gate')), itself],
      [`warning TLS01 ${from}`],
    ],
    [
      "a leaf that signs itself, for an operator's own kinds, of a cert-manager that does not merge",
      [ofOwnKinds(injected('gate-system/gate')), itself, certManager(injector('v1.18.2'))],
      [`warning TLS01 ${from}`],
    ],
    [
      'a leaf that signs itself, for every group',
      [injected('gate-system/gate').replace("apiGroups: ['']", "apiGroups: ['*']"), itself],
      [`error TLS01 ${from}`],
    ],
    [
      'a leaf that signs itself and keeps its key, which verifies no other one all the same',
      [injected('gate-system/gate'), selfSigned, certificate('gate', 'self-signed', named, keeps)],
      [`error TLS01 ${from}`],
    ],
    [
      'a self-signed authority that serves as well',
      [injected('gate-system/gate'), selfSigned, certificate('gate', 'self-signed', 'isCA: true', named)],
      [],
    ],
    [
      "the leaf's Secret",
      [
        webhook({ annotations: { 'cert-manager.io/inject-ca-from-secret': 'gate-system/gate-tls' } }),
        rotating,
        leaf,
      ],
      [`error TLS02 ${fromSecret}`],
    ],
    ['a Certificate elsewhere', [injected('gate-system/gate')], []],
    [
      "the Secret that wins over the leaf's Certificate",
      [
        webhook({
          annotations: {
            'cert-manager.io/inject-ca-from': 'gate-system/gate',
            'cert-manager.io/inject-ca-from-secret': 'gate-system/anchors',
          },
        }),
        chain,
        leaf,
      ],
      [],
    ],
  ])('%s', (_, texts, expected) => {
    expect(brief(lintText(documents(...texts), { rules: ['TLS01', 'TLS02'] }))).toEqual(expected);
  });

  test('the patch names the authority, unless the injector would forget the old CA', () => {
    const texts = [injected('gate-system/gate'), chain, leaf];
    const patch = (...more: string[]) =>
      lintText(documents(...texts, ...more), { rules: ['TLS02'] })[0]!.fixPatch;
    const expected = [{ op: 'replace', path: from, value: 'gate-system/ca' }];
    expect(patch()).toEqual(expected);
    expect(patch(certManager('quay.io/jetstack/cert-manager-cainjector:v1.20.1'))).toEqual(expected);
    expect(patch(certManager('quay.io/jetstack/cert-manager-cainjector:v1.18.1'))).toBeUndefined();
  });
});

describe('TLS10: a CA, and one alone', () => {
  const secret = (more: string): string => `
apiVersion: v1
kind: Secret
metadata: { name: anchors, namespace: gate-system ${more} }
data: { ca.crt: LS0t }
`;
  const fromAnchors = webhook({
    annotations: { 'cert-manager.io/inject-ca-from-secret': 'gate-system/anchors' },
  });
  const allows = `, annotations: { cert-manager.io/allow-direct-injection: "true" }`;

  test.each<[string, string[], string[]]>([
    ['nothing in sight', [webhook()], [`info TLS10 ${bundle}`]],
    ['a certificate in sight', [webhook(), leaf], [`error TLS10 ${bundle}`]],
    ['a placeholder', [webhook({ caBundle: 'Cg==' }), leaf], [`error TLS10 ${bundle}`]],
    [
      'a certificate for something else, which the pods use too',
      [
        webhook(),
        certificate('client', 'ca', 'dnsNames: [gate.example.com]'),
        service,
        deployment(
          '{ name: server, volumeMounts: [{ name: tls, mountPath: /tls }] }',
          '[{ name: tls, secret: { secretName: client-tls } }]',
        ),
      ],
      [`info TLS10 ${bundle}`],
    ],
    [
      "OpenShift's injector",
      [webhook({ annotations: { 'service.beta.openshift.io/inject-cabundle': 'true' } }), leaf],
      [],
    ],
    ['a bundle that stands there', [webhook({ caBundle: 'LS0t' }), leaf], []],
    ['no namespace', [injected('ca'), chain], [`error TLS10 ${from}`]],
    ['a Certificate elsewhere', [injected('gate-system/ca')], [`info TLS10 ${from}`]],
    [
      'an ACME issuer',
      [injected('gate-system/gate'), issuer('acme', '{ acme: {} }'), certificate('gate', 'acme', named)],
      [`error TLS10 ${from}`],
    ],
    [
      'an ACME issuer of the cluster',
      [
        injected('gate-system/gate'),
        issuer('acme', '{ acme: {} }', 'ClusterIssuer'),
        certificate('gate', 'acme', named).replace('name: acme', 'name: acme, kind: ClusterIssuer'),
      ],
      [`error TLS10 ${from}`],
    ],
    ['a Secret elsewhere', [fromAnchors], [`info TLS10 ${fromSecret}`]],
    ['a Secret that does not allow it', [fromAnchors, secret('')], [`error TLS10 ${fromSecret}`]],
    [
      'a Secret that does not quite allow it',
      [fromAnchors, secret(`, annotations: { cert-manager.io/allow-direct-injection: "yes" }`)],
      [`error TLS10 ${fromSecret}`],
    ],
    ['a Secret without a certificate', [fromAnchors, secret(allows)], [`error TLS10 ${fromSecret}`]],
    [
      "a Certificate's Secret that does not allow it",
      [fromAnchors.replace('anchors', 'ca-tls'), chain],
      [`error TLS10 ${fromSecret}`],
    ],
    [
      "a Certificate's Secret that allows it",
      [
        fromAnchors.replace('anchors', 'ca-tls'),
        selfSigned,
        authority(
          'ca',
          keeps,
          'secretTemplate: { annotations: { cert-manager.io/allow-direct-injection: "true" } }',
        ),
      ],
      [],
    ],
    [
      'two sources',
      [
        webhook({
          annotations: {
            'cert-manager.io/inject-ca-from': 'gate-system/ca',
            'cert-manager.io/inject-apiserver-ca': 'true',
          },
        }),
        chain,
      ],
      ['error TLS10 /metadata/annotations/cert-manager.io~1inject-apiserver-ca'],
    ],
    [
      'a second source that is off',
      [
        webhook({
          annotations: {
            'cert-manager.io/inject-ca-from': 'gate-system/ca',
            'cert-manager.io/inject-apiserver-ca': 'false',
          },
        }),
        chain,
      ],
      [],
    ],
    [
      'the CA of the API server for what another one signs',
      [webhook({ annotations: { 'cert-manager.io/inject-apiserver-ca': 'true' } }), chain, leaf],
      ['error TLS10 /metadata/annotations/cert-manager.io~1inject-apiserver-ca'],
    ],
    [
      'an annotation and a bundle',
      [
        webhook({ annotations: { 'cert-manager.io/inject-ca-from': 'gate-system/ca' }, caBundle: 'LS0t' }),
        chain,
      ],
      [`warning TLS10 ${bundle}`],
    ],
    [
      'an annotation and a bundle, read from a cluster',
      [
        webhook({
          annotations: { 'cert-manager.io/inject-ca-from': 'gate-system/ca' },
          caBundle: 'LS0t',
          metadata: 'uid: 9d6c2c9e-0000-4000-8000-000000000000',
        }),
        chain,
      ],
      [],
    ],
    [
      'a URL, whose CA may be a public one',
      [webhook().replace(/service: .*/, 'url: https://gate.example.com/mutate'), leaf],
      [],
    ],
  ])('%s', (_, texts, expected) => {
    expect(found('TLS10', ...texts)).toEqual(expected);
  });
});

describe('TLS11: two CAs and an injector that keeps one', () => {
  const two = documents(
    injected('gate-system/g2'),
    selfSigned,
    authority('g1', keeps),
    authority('g2', keeps),
    certificate('gate', 'g1', named),
  );
  const always = documents(injected('gate-system/ca'), selfSigned, authority('ca'), leaf);

  test.each<[string, string[], string[]]>([
    ['1.18', [two, certManager(injector('v1.18.6'))], [`error TLS11 ${from}`]],
    [
      '1.18, merging',
      [two, certManager(injector('v1.18.6'), '[--feature-gates=CAInjectorMerging=true]')],
      [],
    ],
    ['1.19', [two, certManager(injector('v1.19.0'))], []],
    [
      '1.20, not merging',
      [two, certManager(injector('v1.20.0'), '["--feature-gates=A=true,CAInjectorMerging=false"]')],
      [`error TLS11 ${from}`],
    ],
    [
      '1.21, which always merges',
      [two, certManager(injector('1.21.2'), '[--feature-gates=CAInjectorMerging=false]')],
      [],
    ],
    ['a version that is not known', [two], [`info TLS11 ${from}`]],
    [
      'a digest',
      [two, certManager(injector('v1.18.0').replace(/:v.*/, '@sha256:12'))],
      [`info TLS11 ${from}`],
    ],
    [
      'the controller alone',
      [two, certManager('mirror.example.com:5000/cert-manager-controller:v1.17.1@sha256:12')],
      [`error TLS11 ${from}`],
    ],
    [
      'a CA with a new key each time, 1.18',
      [always, certManager(injector('v1.18.6'))],
      [`error TLS11 ${from}`],
    ],
    ['a CA whose key stays by default, 1.17', [always, certManager(injector('v1.17.6'))], []],
    ['one CA', [good, certManager(injector('v1.17.6'))], []],
    [
      'another CA that signs what pods use as clients',
      [
        injected('gate-system/g2'),
        selfSigned,
        authority('g1', keeps),
        authority('g2', keeps),
        certificate('client', 'g1', 'dnsNames: [client.example.com]'),
        certificate('gate', 'g2', named),
        service,
        deployment(
          '{ name: server, volumeMounts: [{ name: tls, mountPath: /tls }, { name: client, mountPath: /client }] }',
          '[{ name: client, secret: { secretName: client-tls } }, { name: tls, secret: { secretName: gate-tls } }]',
        ),
        certManager(injector('v1.18.6')),
      ],
      [],
    ],
  ])('%s', (_, texts, expected) => {
    expect(found('TLS11', ...texts)).toEqual(expected);
  });
});

describe('TLS10 says what is wrong with a source', () => {
  const apiServer = webhook({ annotations: { 'cert-manager.io/inject-apiserver-ca': 'true' } });
  const foreign = certificate('gate', 'self-signed', named);
  const acme = documents(issuer('acme', '{ acme: {} }'), certificate('gate', 'acme', named));
  const foreignSaid = `error ${from}: the CA of gate-system/ca is injected, and its issuer does not sign the certificate gate-system/gate that is served`;

  test.each<[string, string[], string[]]>([
    [
      'the CA of the API server',
      [apiServer, chain, leaf],
      [
        'error /metadata/annotations/cert-manager.io~1inject-apiserver-ca: the CA of the API server is injected, and another one signs the certificate for gate.gate-system.svc',
      ],
    ],
    ['the CA of the API server, for what nobody knows', [apiServer, chain], []],
    ['a certificate that signs itself', [injected('gate-system/ca'), chain, foreign], [foreignSaid]],
    ['a certificate of a public authority', [injected('gate-system/ca'), chain, acme], [foreignSaid]],
    ['a certificate of its own', [injected('gate-system/ca'), chain, leaf], []],
    [
      'a certificate that signs itself, injected itself',
      [injected('gate-system/gate'), selfSigned, foreign],
      [],
    ],
    [
      'nothing in sight',
      [injected('gate-system/other')],
      [
        `info ${from}: the Certificate gate-system/other is not among the manifests: whether it is an authority is not checked`,
      ],
    ],
    [
      'three sources',
      [
        webhook({
          annotations: {
            'cert-manager.io/inject-ca-from': 'gate-system/ca',
            'cert-manager.io/inject-ca-from-secret': 'gate-system/ca-tls',
            'cert-manager.io/inject-apiserver-ca': 'true',
          },
        }),
        chain,
      ],
      [
        expect.stringMatching(
          /: cert-manager\.io\/\S+ wins, and cert-manager\.io\/\S+ and cert-manager\.io\/\S+ is ignored$/,
        ),
        expect.stringContaining('the Secret gate-system/ca-tls has no annotation'),
      ],
    ],
  ])('%s', (_, texts, expected) => {
    expect(said('TLS10', documents(...texts))).toEqual(expected);
  });
});

describe('TLS10: what is written by something else', () => {
  const job = (...args: readonly string[]): string => `
apiVersion: batch/v1
kind: Job
metadata: { name: gate-patch, namespace: gate-system }
spec: { template: { spec: { containers: [{ name: patch, image: certgen, args: ${JSON.stringify(args)} }] } } }
`;
  const patch = ['patch', '--secret-name=gate-tls', '--namespace=gate-system'];
  const literal = { caBundle: 'Zm9v' };

  test.each<[string, string[], string[]]>([
    ['nothing is known', [webhook()], [`info TLS10 ${bundle}`]],
    ['a Job of certgen', [webhook(), job(...patch, '--webhook-name=gate')], []],
    ['the name as a word of its own', [webhook(), job(...patch, '--webhook-name', 'gate')], []],
    ['a certificate in sight', [webhook(), chain, leaf, job(...patch, '--webhook-name=gate')], []],
    [
      'a Job for another configuration',
      [webhook(), job(...patch, '--webhook-name=other')],
      [`info TLS10 ${bundle}`],
    ],
    [
      'a Job that leaves its kind as it is',
      [webhook(), job(...patch, '--webhook-name=gate', '--patch-mutating=false')],
      [`info TLS10 ${bundle}`],
    ],
    [
      'a Job that makes the certificate alone',
      [webhook(), job('create', '--host=gate', '--webhook-name=gate')],
      [`info TLS10 ${bundle}`],
    ],
    [
      'none as a source, beside a bundle',
      [webhook({ annotations: { 'cert-manager.io/inject-ca-from': 'none' }, ...literal })],
      [`info TLS10 ${from}`],
    ],
    [
      'none as a source, and a Job',
      [
        webhook({ annotations: { 'cert-manager.io/inject-ca-from': '' } }),
        job(...patch, '--webhook-name=gate'),
      ],
      [`info TLS10 ${from}`],
    ],
    [
      'none as a source, and nothing else',
      [webhook({ annotations: { 'cert-manager.io/inject-ca-from': 'none' } })],
      [`error TLS10 ${from}`],
    ],
    [
      'a source beside a bundle',
      [
        webhook({ annotations: { 'cert-manager.io/inject-ca-from': 'gate-system/ca' }, ...literal }),
        chain,
        leaf,
      ],
      [`warning TLS10 ${bundle}`],
    ],
    [
      'another authority than the one that a certificate is to itself',
      [injected('gate-system/other'), selfSigned, certificate('gate', 'self-signed', named)],
      [`error TLS10 ${from}`],
    ],
    [
      'a Certificate elsewhere, and a certificate of an authority',
      [injected('gate-system/other'), chain, leaf],
      [`info TLS10 ${from}`],
    ],
  ])('%s', (_, texts, expected) => {
    expect(found('TLS10', ...texts)).toEqual(expected);
  });
});
