import type { Issued } from '../../../manifests/certificates/issue';
import { base64, issue } from '../../../manifests/certificates/issue';
import { brief, lintText, said } from '../../lint-text';

/** An Application of the chart; `helm` in YAML. */
function application(
  helm: string,
  source = 'chart: aws-load-balancer-controller',
  revision = '3.5.0',
): string {
  return `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: { name: lbc, namespace: argocd }
spec:
  source:
    repoURL: https://aws.github.io/eks-charts
    targetRevision: "${revision}"
    ${source}
    helm:
${helm.replace(/^/gm, '      ')}
`;
}

const values = (...lines: readonly string[]): string => `valuesObject:\n  ${lines.join('\n  ')}`;
const object = '/spec/source/helm/valuesObject';
const found = (rule: string, text: string): string[] => brief(lintText(text, { rules: [rule] }));

describe('ALBC01: a CA at every render', () => {
  const enable = `${object}/enableCertManager`;
  const own = 'webhookTLS: { caCert: a, cert: b, key: c }';

  test.each<[string, string, string[]]>([
    ['defaults', application('releaseName: lbc'), [`error ALBC01 ${enable}`]],
    ['no helm', application('{}'), [`error ALBC01 ${enable}`]],
    ['cert-manager', application(values('enableCertManager: true')), []],
    ['off', application(values('enableCertManager: false')), [`error ALBC01 ${enable}`]],
    [
      'a kept Secret, which no render sees',
      application(values('keepTLSSecret: true')),
      [`error ALBC01 ${enable}`],
    ],
    ['certificates of its own', application(values(own)), []],
    ['half of them', application(values('webhookTLS: { caCert: a }')), [`error ALBC01 ${enable}`]],
    [
      'an empty one among them',
      application(values('webhookTLS: { caCert: a, cert: b, key: "" }')),
      [`error ALBC01 ${enable}`],
    ],
    [
      'an empty one among them, which no file replaces',
      application(
        `valueFiles: [values.yaml]\n${values('enableCertManager: false', 'webhookTLS: { caCert: "" }')}`,
      ),
      [`error ALBC01 ${enable}`],
    ],
    ['in text', application('values: |\n  enableCertManager: true'), []],
    [
      'off in text',
      application('values: |\n  enableCertManager: false'),
      ['error ALBC01 /spec/source/helm/values'],
    ],
    ['a parameter', application('parameters: [{ name: enableCertManager, value: "true" }]'), []],
    [
      'a parameter that turns it off again',
      application(
        `parameters: [{ name: enableCertManager, value: "false" }]\n${values('enableCertManager: true')}`,
      ),
      ['error ALBC01 /spec/source/helm/parameters'],
    ],
    ['a file', application('valueFiles: [values.yaml]'), [`info ALBC01 ${enable}`]],
    [
      'a file, and values that win',
      application(`valueFiles: [values.yaml]\n${values('enableCertManager: true')}`),
      [],
    ],
    [
      'off, and certificates that may be in a file',
      application(`valueFiles: [values.yaml]\n${values('enableCertManager: false')}`),
      [`info ALBC01 ${enable}`],
    ],
    [
      'text with a template in it',
      application('values: |\n  {{ if .x }}\n  a: b'),
      ['info ALBC01 /spec/source/helm/values'],
    ],
    [
      'a value of a generator',
      application(values("enableCertManager: '{{ .values.certManager }}'")),
      [`info ALBC01 ${enable}`],
    ],
    ['another chart', application('{}', 'chart: aws-node-termination-handler'), []],
    ['a chart around it', application('{}', 'path: charts/aws-load-balancer-controller'), []],
    [
      'its own repository',
      application('{}', 'path: helm/aws-load-balancer-controller').replace(
        'https://aws.github.io/eks-charts',
        'https://github.com/kubernetes-sigs/aws-load-balancer-controller.git',
      ),
      [`error ALBC01 ${enable}`],
    ],
  ])('%s', (_, text, expected) => {
    expect(found('ALBC01', text)).toEqual(expected);
  });

  test('of an ApplicationSet, and of several sources', () => {
    const text = application('{}')
      .replace('kind: Application', 'kind: ApplicationSet')
      .replace('source:', 'template: { spec: { sources: [{')
      .replace(/targetRevision[\s\S]*/, 'chart: aws-load-balancer-controller }] } }')
      .replace(/repoURL: \S+\n\s+/, 'repoURL: a, ');
    expect(found('ALBC01', text)).toEqual([
      'error ALBC01 /spec/template/spec/sources/0/helm/valuesObject/enableCertManager',
    ]);
  });
});

describe('ALBC02: the selectors', () => {
  const label = '[{ key: elbv2.k8s.aws/pod-readiness-gate-inject, operator: In, values: [enabled] }]';

  test.each<[string, string, string[]]>([
    ['unset', application('{}'), []],
    ['empty', application(values('webhookNamespaceSelectors: []')), []],
    [
      'set',
      application(values(`webhookNamespaceSelectors: ${label}`)),
      [`error ALBC02 ${object}/webhookNamespaceSelectors`],
    ],
    [
      'set by a parameter',
      application('parameters: [{ name: "webhookNamespaceSelectors[0].key", value: a }]'),
      ['error ALBC02 /spec/source/helm/parameters'],
    ],
    ['may be set in a file', application('valueFiles: [a.yaml]'), []],
  ])('%s', (_, text, expected) => {
    expect(found('ALBC02', text)).toEqual(expected);
  });
});

describe('ALBC03: the webhooks for everything', () => {
  const off = [
    'enableServiceMutatorWebhook: false',
    'webhookConfig: { disableIngressValidation: true }',
  ] as const;
  const service = `${object}/enableServiceMutatorWebhook`;
  const ingress = `${object}/webhookConfig/disableIngressValidation`;

  test.each<[string, string, string[]]>([
    ['defaults', application('{}'), [`error ALBC03 ${service}`, `warning ALBC03 ${ingress}`]],
    ['off', application(values(...off)), []],
    ['one of them', application(values(off[0])), [`warning ALBC03 ${ingress}`]],
    [
      'scoped',
      application(
        values(
          'serviceMutatorWebhookConfig: { objectSelector: { matchLabels: { a: b } } }',
          'webhookConfig: { ingressValidationObjectSelector: { matchExpressions: [{ key: a, operator: Exists }] } }',
        ),
      ),
      [],
    ],
    [
      'scoped by nothing',
      application(
        values(
          'serviceMutatorWebhookConfig: { namespaceSelectors: [], objectSelector: { matchLabels: {} } }',
          off[1],
        ),
      ),
      [`error ALBC03 ${service}`],
    ],
    [
      'Ignore',
      application(
        values(
          'serviceMutatorWebhookConfig: { failurePolicy: Ignore }',
          'webhookConfig: { ingressValdationFailurePolicy: Ignore }',
        ),
      ),
      [],
    ],
    [
      'Fail, said',
      application(values('serviceMutatorWebhookConfig: { failurePolicy: Fail }', off[1])),
      [`error ALBC03 ${service}`],
    ],
    [
      'a selector that is filled in later',
      application(values("serviceMutatorWebhookConfig: { objectSelector: '{{ .selector }}' }", off[1])),
      [`info ALBC03 ${service}`],
    ],
    ['in a file', application('valueFiles: [a.yaml]'), [`info ALBC03 ${service}`, `info ALBC03 ${ingress}`]],
    ['a chart before the first', application(values(off[1]), undefined, '1.4.8'), []],
    ['a chart with the first', application(values(off[1]), undefined, '1.5.0'), [`error ALBC03 ${service}`]],
  ])('%s', (_, text, expected) => {
    expect(found('ALBC03', text).sort()).toEqual([...expected].sort());
  });
});

test('ALBC03 says of the Ingress webhook what is lost without it, and nothing of Services', () => {
  const [found_] = lintText(application(values('enableServiceMutatorWebhook: false')), { rules: ['ALBC03'] });
  expect(found_).toMatchObject({
    severity: 'warning',
    why: expect.stringMatching(/^Ingresses .*created or changed/),
    fix: expect.stringMatching(
      /ingressValdationFailurePolicy .* to Ignore.*disableIngressGroupNameAnnotation/,
    ),
  });
  expect(`${found_!.why} ${found_!.fix}`).not.toContain('Service');
});

test.each([
  ['of another controller', 'spec: { ingressClassName: nginx }'],
  ['of the controller', 'spec: { ingressClassName: alb }'],
])('ALBC03 finds nothing in an Ingress %s', (_, spec) => {
  const ingress = `apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: { name: web, namespace: web }\n${spec}\n`;
  expect(found('ALBC03', ingress)).toEqual([]);
  const off = values(
    'enableServiceMutatorWebhook: false',
    'webhookConfig: { disableIngressValidation: true }',
  );
  expect(found('ALBC03', `${application(off)}---\n${ingress}`)).toEqual([]);
});

describe('what the chart renders', () => {
  let ca: Issued;
  let leaf: Issued;
  beforeAll(async () => {
    ca = await issue({ subject: 'aws-load-balancer-controller-ca', isCa: true });
    const dnsNames = ['aws-load-balancer-webhook-service.kube-system.svc'];
    leaf = await issue({ subject: 'aws-load-balancer-controller', signer: ca, dnsNames });
  });

  const excluded =
    'objectSelector: { matchExpressions: [{ key: app.kubernetes.io/name, operator: NotIn, values: [x] }] }';
  const entry = (name: string, bundle: string, ...lines: readonly string[]): string => `
  - name: ${name}
    clientConfig:
      ${bundle === '' ? '' : `caBundle: ${bundle}`}
      service: { name: aws-load-balancer-webhook-service, namespace: kube-system, path: /mutate }
    failurePolicy: Fail
    ${lines.join('\n    ')}`;
  const rendered = (bundle: string, ...entries: readonly string[]): string => `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: { name: aws-load-balancer-webhook }
webhooks:${entries.length > 0 ? entries.join('') : entry('mpod.elbv2.k8s.aws', bundle)}
`;
  const secret = (): string => `---
apiVersion: v1
kind: Secret
metadata: { name: aws-load-balancer-tls, namespace: kube-system }
data: { ca.crt: ${base64(ca.certificate)}, tls.crt: ${base64(leaf.certificate)}, tls.key: ${base64(leaf.key)} }
`;

  test('ALBC01: with its CA and key', async () => {
    const bundle = '/webhooks/0/clientConfig/caBundle';
    expect(found('ALBC01', rendered(base64(ca.certificate)) + secret())).toEqual([`error ALBC01 ${bundle}`]);
    expect(found('ALBC01', rendered(base64(ca.certificate)))).toEqual([]);
    expect(found('ALBC01', rendered('') + secret())).toEqual([]);
    const other = await issue({ subject: 'own-ca', isCa: true });
    expect(found('ALBC01', rendered(base64(other.certificate)) + secret())).toEqual([]);
    const both = base64(`${ca.certificate}${other.certificate}`);
    expect(found('ALBC01', rendered(both) + secret())).toEqual([`error ALBC01 ${bundle}`]);
  });

  test("ALBC01: not with somebody else's webhook, nor with a CA that is injected", () => {
    const own = rendered(base64(ca.certificate)) + secret();
    expect(found('ALBC01', own.replace('mpod.elbv2.k8s.aws', 'gate.example.com'))).toEqual([]);
    const annotations = 'annotations: { cert-manager.io/inject-ca-from: kube-system/a }';
    const injected = own.replace('metadata: { name: aws-load-balancer-webhook', `$&, ${annotations}`);
    expect(found('ALBC01', injected)).toEqual([]);
  });

  test.each<[string, string, string[]]>([
    [
      'its opt-in',
      'namespaceSelector: { matchExpressions: [{ key: elbv2.k8s.aws/quic-server-id-inject, operator: In, values: [enabled] }] }',
      [],
    ],
    [
      'another opt-in',
      'namespaceSelector: { matchExpressions: [{ key: elbv2.k8s.aws/pod-readiness-gate-inject, operator: In, values: [enabled] }] }',
      ['error ALBC02 /webhooks/0/namespaceSelector'],
    ],
    [
      'its label left out',
      'namespaceSelector: { matchExpressions: [{ key: elbv2.k8s.aws/quic-server-id-inject, operator: NotIn, values: [disabled] }] }',
      ['error ALBC02 /webhooks/0/namespaceSelector'],
    ],
    [
      'its opt-in, whatever its value',
      'objectSelector: { matchExpressions: [{ key: elbv2.k8s.aws/quic-server-id-inject, operator: Exists }] }',
      [],
    ],
    ['nothing', '', ['error ALBC02 /webhooks/0/namespaceSelector']],
    ['nothing, while it may fail', 'failurePolicy: Ignore', []],
  ])('ALBC02: quicid with %s', (_, selector, expected) => {
    const text = rendered('', entry('quicid.elbv2.k8s.aws', '', selector));
    const single = selector.startsWith('failurePolicy')
      ? text.replace('    failurePolicy: Fail\n', '')
      : text;
    expect(found('ALBC02', single)).toEqual(expected);
  });

  test.each<[string, readonly string[], string[]]>([
    ['only its own objects left out', [excluded], ['error ALBC03 /webhooks/0']],
    ['a selector of namespaces', [excluded, 'namespaceSelector: { matchLabels: { a: b } }'], []],
    [
      'an expression',
      ['objectSelector: { matchExpressions: [{ key: a, operator: NotIn, values: [b] }] }'],
      [],
    ],
    ['its own objects alone', [excluded.replace('NotIn', 'In')], []],
    ['a selector of objects', [excluded.replace('] }] }', '] }], matchLabels: { a: b } }')], []],
  ])('ALBC03: mservice with %s', (_, lines, expected) => {
    expect(found('ALBC03', rendered('', entry('mservice.elbv2.k8s.aws', '', ...lines)))).toEqual(expected);
    const ignores = rendered('', entry('mservice.elbv2.k8s.aws', '', ...lines)).replace(': Fail', ': Ignore');
    expect(found('ALBC03', ignores)).toEqual([]);
  });

  test('webhooks for its own kinds are not meant', () => {
    const text = rendered('', entry('vtargetgroupbinding.elbv2.k8s.aws', ''));
    expect(brief(lintText(text, { rules: ['ALBC01', 'ALBC02', 'ALBC03'] }))).toEqual([]);
  });

  test('is named with what is wrong', () => {
    const quic = rendered('', entry('quicid.elbv2.k8s.aws', ''));
    expect(said('ALBC01', rendered(base64(ca.certificate)) + secret())).toEqual([
      'error /webhooks/0/clientConfig/caBundle: the chart made this CA while it was rendered, and the key in the Secret aws-load-balancer-tls',
    ]);
    expect(said('ALBC02', quic)).toEqual([
      'error /webhooks/0/namespaceSelector: quicid.elbv2.k8s.aws is called in namespaces that do not have the label elbv2.k8s.aws/quic-server-id-inject',
    ]);
    expect(said('ALBC03', rendered('', entry('vingress.elbv2.k8s.aws', '')))).toEqual([
      'warning /webhooks/0: vingress.elbv2.k8s.aws sees every Ingress, with Fail',
    ]);
  });
});

test.each([
  [
    'ALBC01',
    values('enableCertManager: false'),
    'enableCertManager is false: the chart makes a CA of its own',
  ],
  ['ALBC01', '{}', 'enableCertManager is unset, which is false: the chart makes a CA of its own'],
  [
    'ALBC01',
    'valueFiles: [a.yaml]',
    'whether enableCertManager is true is set in a file or a parameter that is not among the manifests',
  ],
  [
    'ALBC02',
    values('webhookNamespaceSelectors: [{ key: a, operator: Exists }]'),
    'webhookNamespaceSelectors is set, for quicid.elbv2.k8s.aws too',
  ],
  [
    'ALBC03',
    values('enableServiceMutatorWebhook: false'),
    'vingress.elbv2.k8s.aws sees every Ingress: webhookConfig.disableIngressValidation is not true',
  ],
  [
    'ALBC03',
    `valueFiles: [a.yaml]\n${values('enableServiceMutatorWebhook: false')}`,
    'whether vingress.elbv2.k8s.aws sees every Ingress is set in a file or a parameter that is not among the manifests',
  ],
])('%s says what the values lead to: %#', (rule, helm, message) => {
  expect(said(rule, application(helm)).map((each) => each.replace(/^\w+ \S+: /, ''))).toEqual([message]);
});
