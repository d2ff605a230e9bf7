import { lintText, said } from '../../lint-text';
import { documents, injected, webhook } from '../certificates/manifests';

function application(ignored: string, more = ''): string {
  return `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: { name: gate, namespace: argocd }
spec:
  source: { repoURL: https://charts.example.com, chart: gate, targetRevision: 1.0.0 }
  ignoreDifferences: [${ignored}]
  ${more}
`;
}

const secret = '{ kind: Secret, name: gate-tls }';
const deployment = '{ group: apps, kind: Deployment }';
const options = (...each: readonly string[]): string => `syncPolicy: { syncOptions: [${each.join(', ')}] }`;

const first = '/spec/ignoreDifferences/0';
const unset = 'are ignored, and syncOptions do not have RespectIgnoreDifferences=true';

const hooks = 'MutatingWebhookConfiguration';
const bundle = `{ group: admissionregistration.k8s.io, kind: ${hooks}, jqPathExpressions: ['.webhooks[].clientConfig.caBundle'] }`;

/** Entries about a configuration whose bundle is rendered, and whether they are about that. */
function rendered(entries: readonly [string, string, boolean][]): [string, string, string[]][] {
  return entries.map(([name, path, isBundle]) => [
    `a bundle that is rendered: ${name}`,
    documents(
      application(`{ group: admissionregistration.k8s.io, kind: ${hooks}, ${path} }`),
      webhook({ caBundle: 'LS0t' }),
    ),
    [`${isBundle ? 'error' : 'warning'} ${first}: differences of ${hooks} ${unset}`],
  ]);
}

test.each<[string, string, string[]]>([
  ['nothing ignored', application(''), []],
  ['a Secret', application(secret), [`error ${first}: differences of Secret gate-tls ${unset}`]],
  ['a Secret, respected', application(secret, options('A=b', 'RespectIgnoreDifferences=true')), []],
  [
    'a Secret, ignored on purpose',
    application(secret, options('A=b', 'RespectIgnoreDifferences=false')),
    [
      `error ${first}: differences of Secret gate-tls are ignored, and syncOptions have RespectIgnoreDifferences=false`,
    ],
  ],
  [
    'something without a certificate',
    application(deployment),
    [`warning ${first}: differences of Deployment ${unset}`],
  ],
  [
    'both: what has certificates is named',
    application(`${deployment}, ${secret}, { kind: Secret }`),
    [`error /spec/ignoreDifferences/1: differences of Secret gate-tls, Secret ${unset}`],
  ],
  [
    'a Secret of another group',
    application('{ group: example.com, kind: Secret }'),
    [`warning ${first}: differences of Secret ${unset}`],
  ],
  [
    'every kind of a group',
    application("{ group: apps, kind: '*' }"),
    [`warning ${first}: differences of * ${unset}`],
  ],
  ['every kind', application("{ kind: '*' }"), [`error ${first}: differences of * ${unset}`]],
  [
    'every group of Kubernetes',
    application("{ group: '*.k8s.io', kind: '*' }"),
    [`warning ${first}: differences of * ${unset}`],
  ],
  [
    'a kind of every group',
    application("{ group: '*', kind: Gate }"),
    [`warning ${first}: differences of Gate ${unset}`],
  ],
  [
    'a kind with certificates of every group',
    application("{ group: '*', kind: APIService }"),
    [`warning ${first}: differences of APIService ${unset}`],
  ],
  ['no kind', application("{ group: '*' }"), [`warning ${first}: differences of any kind ${unset}`]],
  ...['Mutating', 'Validating'].map((sort): [string, string, string[]] => [
    `a ${sort}WebhookConfiguration`,
    application(`{ group: admissionregistration.k8s.io, kind: ${sort}WebhookConfiguration }`),
    // It differs as soon as a CA is injected: nothing says that the chart renders one.
    [`warning ${first}: differences of ${sort}WebhookConfiguration ${unset}`],
  ]),
  [
    'a CA bundle, and a Secret',
    application(`${bundle}, ${secret}`),
    [`error ${first}: differences of ${hooks}, Secret gate-tls ${unset}`],
  ],
  ['a CA bundle', application(bundle), [`warning ${first}: differences of ${hooks} ${unset}`]],
  [
    'a CA bundle that is rendered',
    documents(application(bundle), webhook({ caBundle: 'LS0t' })),
    [`error ${first}: differences of ${hooks} ${unset}`],
  ],
  [
    'a CA bundle, and another one that is rendered',
    documents(application(bundle.replace('jq', 'name: other, jq')), webhook({ caBundle: 'LS0t' })),
    [`warning ${first}: differences of ${hooks} other ${unset}`],
  ],
  [
    'a CA bundle, of which a placeholder is rendered',
    documents(application(bundle), webhook({ caBundle: 'Cg==' })),
    [`warning ${first}: differences of ${hooks} ${unset}`],
  ],
  [
    'a CA bundle that is injected',
    documents(
      application(bundle),
      injected('gate-system/ca').replace('clientConfig:', 'clientConfig:\n      caBundle: LS0t'),
    ),
    [`warning ${first}: differences of ${hooks} ${unset}`],
  ],
  ...rendered([
    ['by a pointer', 'jsonPointers: [/webhooks/0/clientConfig/caBundle]', true],
    ['within a pointer', 'jsonPointers: [/webhooks]', true],
    ['everything', "jsonPointers: ['']", true],
    [
      'by a condition',
      `jqPathExpressions: ['.webhooks[] | select(.name == "failurePolicy") | .clientConfig']`,
      true,
    ],
    ['what a manager has', 'managedFieldsManagers: [injector]', true],
    ['another field', 'jsonPointers: [/webhooks/0/failurePolicy]', false],
    [
      'another field by a condition',
      `jqPathExpressions: ['.webhooks[] | select((.clientConfig.caBundle | length) > 0) | .failurePolicy']`,
      false,
    ],
    ['labels', 'jsonPointers: [/metadata/labels]', false],
  ]),
  [
    'labels of a Secret',
    application(secret.replace(' }', ', jsonPointers: [/metadata/labels] }')),
    [`warning ${first}: differences of Secret gate-tls ${unset}`],
  ],
  [
    'a key of a Secret',
    application(secret.replace(' }', ', jsonPointers: [/data/tls.crt] }')),
    [`error ${first}: differences of Secret gate-tls ${unset}`],
  ],
])('GIT01: %s', (_, text, expected) => {
  expect(said('GIT01', text)).toEqual(expected);
});

test.each([
  ['no options', '', { path: '/spec/syncPolicy', value: { syncOptions: ['RespectIgnoreDifferences=true'] } }],
  [
    'other options',
    options('A=b'),
    { path: '/spec/syncPolicy/syncOptions/-', value: 'RespectIgnoreDifferences=true' },
  ],
])('GIT01 is fixed beside %s', (_, more, change) => {
  const [finding] = lintText(application(secret, more), { rules: ['GIT01'] });
  expect(finding?.fixPatch).toEqual([{ op: 'add', ...change }]);
});

test("GIT01 is not fixed where it is somebody's decision", () => {
  const [finding] = lintText(application(secret, options('RespectIgnoreDifferences=false')), {
    rules: ['GIT01'],
  });
  expect(finding?.fixPatch).toBeUndefined();
});

describe('GIT01 of an ApplicationSet', () => {
  const set = (ignored: string, more: string): string => `
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: { name: set, namespace: argocd }
spec:
  goTemplate: true
  template:
    metadata: { name: '{{.n}}' }
    spec:
      source: { repoURL: https://charts.example.com, chart: gate, targetRevision: 1.0.0 }
      ignoreDifferences: [${ignored}]
${more}`;
  const generators = (...templates: readonly string[]): string =>
    `  generators: [${templates.map((each) => `{ list: { elements: [{ n: a }]${each} } }`).join(', ')}]\n`;
  const patch = (...lines: readonly string[]): string =>
    `  templatePatch: |\n${lines.map((line) => `    ${line}\n`).join('')}`;
  const respects =
    ', template: { metadata: {}, spec: { syncPolicy: { syncOptions: [RespectIgnoreDifferences=true] } } }';
  const place = '/spec/template/spec/ignoreDifferences/0';
  const error = `error ${place}: differences of Secret gate-tls ${unset}`;
  const open = `info ${place}: differences of Secret gate-tls ${unset}, unless templates of its templatePatch, which are not evaluated here, set them`;

  test.each<[string, string, string[]]>([
    ['alone', set(secret, generators('')), [error]],
    ['without generators', set(secret, ''), [error]],
    [
      'with a patch that respects them',
      set(secret, patch('spec:', '  syncPolicy:', '    syncOptions: [RespectIgnoreDifferences=true]')),
      [],
    ],
    [
      'with a patch that replaces the options',
      set(secret, generators(respects) + patch('spec: { syncPolicy: { syncOptions: [A=b] } }')),
      [error],
    ],
    [
      'with a patch that takes them away',
      set(secret, generators(respects) + patch('spec: { syncPolicy: null }')),
      [error],
    ],
    ['with a patch of something else', set(secret, patch('spec: { project: b }')), [error]],
    ['with a patch that is no YAML, which makes no Application', set(secret, patch('spec: }')), [error]],
    ['with a patch that is no text', set(secret, '  templatePatch: { spec: {} }\n'), [error]],
    [
      'with a patch that ignores them',
      set('', patch('spec:', `  ignoreDifferences: [${secret}]`)),
      [`error /spec/templatePatch/spec/ignoreDifferences/0: differences of Secret gate-tls ${unset}`],
    ],
    ['with a generator that respects them', set(secret, generators(respects)), []],
    ['with generators of which one does not', set(secret, generators(respects, '')), [error]],
    [
      'with a generator that ignores them',
      set('', generators('', `, template: { spec: { ignoreDifferences: [${secret}] } }`)),
      [
        `error /spec/generators/1/list/template/spec/ignoreDifferences/0: differences of Secret gate-tls ${unset}`,
      ],
    ],
    [
      'with templates around the options',
      set(
        secret,
        patch(
          'spec:',
          '{{- if .safe }}',
          '  syncPolicy:',
          '    syncOptions: [RespectIgnoreDifferences=true]',
          '{{- end }}',
        ),
      ),
      [open],
    ],
    [
      'with templates for the options',
      set(secret, patch('spec:', '  syncPolicy: {{ .policy | toJson }}')),
      [open],
    ],
    [
      'with templates for whatever there may be',
      set(secret, patch('spec:', '  {{ .patch | toYaml | nindent 2 }}')),
      [open],
    ],
    [
      'with templates that go over lines',
      set(secret, patch('{{ $a :=', '  .b }}', 'spec: {{ .patch }}')),
      [open],
    ],
    [
      'with templates elsewhere',
      set(
        secret,
        patch(
          'spec:',
          '{{- if .safe }}',
          '  project: {{ .project }}',
          '{{- else }}',
          '  project: b',
          '{{- end }}',
          '  syncPolicy: { automated: { prune: {{ .prune }} } }',
        ),
      ),
      [error],
    ],
  ])('%s', (_, text, expected) => {
    expect(said('GIT01', text)).toEqual(expected);
  });

  test.each<[string, string, string | undefined]>([
    [
      'in the template',
      generators('') + patch('spec: { project: b, syncPolicy: { automated: {} } }'),
      '/spec/template/spec/syncPolicy',
    ],
    [
      'in the generator that has options',
      generators(', template: { spec: { syncPolicy: { syncOptions: [A=b] } } }'),
      '/spec/generators/0/list/template/spec/syncPolicy/syncOptions/-',
    ],
    ['not in a patch', patch('spec: { syncPolicy: { syncOptions: [A=b] } }'), undefined],
    ['not where templates may set them', patch('spec: {{ .patch }}'), undefined],
  ])('is fixed %s', (_, more, path) => {
    const [finding] = lintText(set(secret, more), { rules: ['GIT01'] });
    expect(finding?.fixPatch?.map((change) => change.path)).toEqual(path === undefined ? undefined : [path]);
  });

  test('is read in time', () => {
    const began = performance.now();
    expect(said('GIT01', set(secret, patch(`x: ${'{{ '.repeat(200_000)}`)))).toEqual([open]);
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});

test('says where the option goes: in an ApplicationSet, into its template', () => {
  const set = `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: { name: gate, namespace: argocd }
spec: { template: { spec: { ignoreDifferences: [${secret}] } } }
`;
  const fixes = [application(secret), set].map((text) => lintText(text, { rules: ['GIT01'] })[0]!.fix);
  expect(fixes).toEqual([
    'add RespectIgnoreDifferences=true to spec.syncPolicy.syncOptions',
    'add RespectIgnoreDifferences=true to spec.template.spec.syncPolicy.syncOptions',
  ]);
});
