import { lintText, said } from '../../lint-text';

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
    [`error ${first}: differences of * ${unset}`],
  ],
  [
    'a kind of every group',
    application("{ group: '*', kind: Gate }"),
    [`warning ${first}: differences of Gate ${unset}`],
  ],
  [
    'a kind with certificates of every group',
    application("{ group: '*', kind: APIService }"),
    [`error ${first}: differences of APIService ${unset}`],
  ],
  ['no kind', application("{ group: '*' }"), [`warning ${first}: differences of any kind ${unset}`]],
  ...['Mutating', 'Validating'].map((sort): [string, string, string[]] => [
    `a ${sort}WebhookConfiguration`,
    application(`{ group: admissionregistration.k8s.io, kind: ${sort}WebhookConfiguration }`),
    [`error ${first}: differences of ${sort}WebhookConfiguration ${unset}`],
  ]),
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
])('GIT01 is mended beside %s', (_, more, change) => {
  const [finding] = lintText(application(secret, more), { rules: ['GIT01'] });
  expect(finding?.mend).toEqual([{ op: 'add', ...change }]);
});

test("GIT01 is not mended where it is somebody's decision", () => {
  const [finding] = lintText(application(secret, options('RespectIgnoreDifferences=false')), {
    rules: ['GIT01'],
  });
  expect(finding?.mend).toBeUndefined();
});
