import { brief, lintText } from '../../lint-text';
import {
  authority,
  certificate,
  deployment,
  documents,
  injected,
  keeps,
  mayUpdate,
  named,
  selfSigned,
  service,
} from './manifests';

const from = '/metadata/annotations/cert-manager.io~1inject-ca-from';
const chain = documents(selfSigned, authority('ca', keeps));
const rotating = documents(selfSigned, authority('ca'));
const leaf = certificate('gate', 'ca', named);
const itself = documents(selfSigned, certificate('gate', 'self-signed', named));

const found = (rule: string, ...texts: readonly string[]): string[] =>
  brief(lintText(documents(...texts), { rules: [rule] }));

/** A server with an account of its own. */
const server = deployment('{ name: server }', '[]').replace(
  'containers:',
  'serviceAccountName: gate\n      containers:',
);

describe('TLS12: conversions and APIServices', () => {
  const apiService = (annotations: string, spec = ''): string => `
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: { name: v1.metrics.example.com, annotations: { ${annotations} } }
spec: { group: metrics.example.com, version: v1, service: { name: gate, namespace: gate-system } ${spec} }
`;
  const crd = (strategy: string): string => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: gates.example.com, annotations: { cert-manager.io/inject-ca-from: gate-system/gate } }
spec:
  conversion:
    strategy: ${strategy}
    webhook: { clientConfig: { service: { name: gate, namespace: gate-system } } }
`;

  const bundleOfCrd = '/spec/conversion/webhook/clientConfig/caBundle';
  const placeholder = crd('Webhook')
    .replace(', annotations: { cert-manager.io/inject-ca-from: gate-system/gate }', '')
    .replace('clientConfig: {', 'clientConfig: { caBundle: bm9uZQ==,');

  test.each<[string, string[], string[]]>([
    // No pod waits for it, and whoever wants an object of the kind asks again.
    ['a conversion from the leaf', [crd('Webhook'), rotating, leaf], [`warning TLS12 ${from}`]],
    ['a conversion from a leaf that signs itself', [crd('Webhook'), itself], [`warning TLS12 ${from}`]],
    [
      'a conversion with a placeholder that is no certificate',
      [placeholder, service, server],
      [`error TLS12 ${bundleOfCrd}`],
    ],
    [
      'a conversion with a placeholder, of a controller that may write the kind',
      [placeholder, service, server, mayUpdate('apiextensions.k8s.io', 'customresourcedefinitions')],
      [`info TLS12 ${bundleOfCrd}`],
    ],
    [
      'a conversion with a placeholder, of a controller that may write webhook configurations',
      [
        placeholder,
        service,
        server,
        mayUpdate('admissionregistration.k8s.io', 'validatingwebhookconfigurations'),
      ],
      [`error TLS12 ${bundleOfCrd}`],
    ],
    ['no conversion', [crd('None'), chain, leaf], []],
    ['an APIService without a CA', [apiService(''), chain, leaf], ['error TLS12 /spec/caBundle']],
    [
      'an APIService that nobody verifies',
      [apiService('', ', insecureSkipTLSVerify: true'), chain, leaf],
      ['warning TLS12 /spec/insecureSkipTLSVerify'],
    ],
    [
      'an APIService that nobody verifies, with a source of a CA',
      [apiService('cert-manager.io/inject-ca-from: gate-system/ca', ', insecureSkipTLSVerify: true')],
      ['warning TLS12 /spec/insecureSkipTLSVerify'],
    ],
    [
      'an APIService that is not verified, with a bundle',
      [apiService('', ', insecureSkipTLSVerify: true, caBundle: Zm9v')],
      ['error TLS12 /spec/insecureSkipTLSVerify'],
    ],
    [
      'an APIService that is not verified, with an empty bundle',
      [apiService('', ', insecureSkipTLSVerify: true, caBundle: ""')],
      ['warning TLS12 /spec/insecureSkipTLSVerify'],
    ],
    [
      'an APIService of the API server itself, with a bundle',
      [
        'apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata: { name: v1.apps }\nspec: { group: apps, version: v1, caBundle: Zm9v }',
      ],
      ['error TLS12 /spec/caBundle'],
    ],
    [
      'an APIService of the API server itself',
      [
        'apiVersion: apiregistration.k8s.io/v1\nkind: APIService\nmetadata: { name: v1.apps }\nspec: { group: apps, version: v1, insecureSkipTLSVerify: false }',
      ],
      [],
    ],
    ['an APIService that nothing is known of', [apiService('')], ['info TLS12 /spec/caBundle']],
    [
      'a certificate for another name',
      [
        apiService('cert-manager.io/inject-ca-from: gate-system/ca'),
        chain,
        certificate('gate', 'ca', 'dnsNames: [gate]'),
      ],
      ['error TLS12 /spec/dnsNames'],
    ],
    [
      'a certificate that the rule for webhooks evaluates already',
      [
        apiService('cert-manager.io/inject-ca-from: gate-system/ca'),
        injected('gate-system/ca'),
        chain,
        certificate('gate', 'ca', 'dnsNames: [gate]'),
      ],
      [],
    ],
  ])('%s', (_, texts, expected) => {
    expect(found('TLS12', ...texts)).toEqual(expected);
  });

  test('one that is new needs its CA too', () => {
    const after = crd('Webhook').replace('gate-system/gate', 'gate-system/ca');
    const options = { rules: ['TLS12'], before: crd('None') };
    const findings = lintText(documents(after, chain, leaf), options);
    expect(brief(findings)).toEqual(['error TLS12 /spec/conversion/webhook/clientConfig/caBundle']);
    expect(findings[0]!.message).toContain('TLS13');
    expect(findings[0]!.fix).not.toContain('as for a webhook');
  });
});
