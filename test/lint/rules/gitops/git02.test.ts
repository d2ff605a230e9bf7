import { brief, lintText, said } from '../../lint-text';

function application(chart: string, more: string): string {
  return `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: { name: gate, namespace: argocd }
${more.startsWith('operation') ? more : ''}
spec:
  source: { repoURL: https://charts.example.com, chart: ${chart}, targetRevision: 1.0.0 }
  ${more.startsWith('operation') ? '' : more}
`;
}

function configuration(metadata: string): string {
  return `---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: { name: gate, ${metadata} }
webhooks:
  - { name: gate.example.com, clientConfig: { service: { name: gate, namespace: gate-system } } }
`;
}

const replaces = 'syncPolicy: { syncOptions: [CreateNamespace=true, Replace=true] }';
const option = '/spec/syncPolicy/syncOptions/1';
const annotation = '/metadata/annotations/argocd.argoproj.io~1sync-options';

test.each<[string, string, string[]]>([
  ['a chart with webhooks', application('cert-manager', replaces), [`error GIT02 ${option}`]],
  ['a chart that nothing is known of', application('gate', replaces), [`info GIT02 ${option}`]],
  [
    'a configuration beside it',
    application('gate', replaces) + configuration(''),
    [`warning GIT02 ${option}`],
  ],
  [
    'its own configuration, by annotation',
    application('gate', replaces) +
      configuration(
        'annotations: { argocd.argoproj.io/tracking-id: "gate:admissionregistration.k8s.io/X:/gate" }',
      ),
    [`error GIT02 ${option}`],
  ],
  [
    'its own configuration, by label',
    application('gate', replaces) + configuration('labels: { app.kubernetes.io/instance: gate }'),
    [`error GIT02 ${option}`],
  ],
  [
    "its own configuration, by Argo CD's label",
    application('gate', replaces) + configuration('labels: { argocd.argoproj.io/instance: gate }'),
    [`error GIT02 ${option}`],
  ],
  [
    "another one's configuration, by annotation",
    application('gate', replaces) +
      configuration('annotations: { argocd.argoproj.io/tracking-id: "gates:admissionregistration/X:/gate" }'),
    [`warning GIT02 ${option}`],
  ],
  [
    "another one's configuration",
    application('gate', replaces) + configuration('labels: { app.kubernetes.io/instance: gates }'),
    [`warning GIT02 ${option}`],
  ],
  ['an option that is off', application('cert-manager', 'syncPolicy: { syncOptions: [Replace=false] }'), []],
  [
    'Force where it is not read',
    application('gate', 'syncPolicy: { syncOptions: [Force=true] }'),
    ['warning GIT02 /spec/syncPolicy/syncOptions/0'],
  ],
  [
    'a sync that is asked for by force',
    application('cert-manager', 'operation: { sync: { syncStrategy: { apply: { force: true } } } }'),
    ['error GIT02 /operation/sync/syncStrategy/apply/force'],
  ],
  [
    'hooks that are made by force',
    application('cert-manager', 'operation: { sync: { syncStrategy: { hook: { force: true } } } }'),
    ['error GIT02 /operation/sync/syncStrategy/hook/force'],
  ],
  [
    'a sync that is asked for without force',
    application('cert-manager', 'operation: { sync: { syncStrategy: { apply: { force: false } } } }'),
    [],
  ],
  [
    'a configuration that is replaced',
    configuration('annotations: { argocd.argoproj.io/sync-options: "Prune=false, Replace=true" }'),
    [`error GIT02 ${annotation}`],
  ],
  [
    'by force',
    configuration('annotations: { argocd.argoproj.io/sync-options: "Force=true,Replace=true" }'),
    [`error GIT02 ${annotation}`],
  ],
  [
    'one that is not',
    configuration('annotations: { argocd.argoproj.io/sync-options: "Prune=false,Replace=false" }'),
    [],
  ],
  [
    'something without a CA',
    `
apiVersion: batch/v1
kind: Job
metadata: { name: a, annotations: { argocd.argoproj.io/sync-options: "Force=true,Replace=true" } }
`,
    [],
  ],
])('GIT02: %s', (_, text, expected) => {
  expect(brief(lintText(text, { rules: ['GIT02'] }))).toEqual(expected);
});

test.each([
  [
    application('cert-manager', replaces),
    'it replaces everything, webhook configurations of the chart cert-manager too',
  ],
  [
    application('gate', 'operation: { sync: { syncStrategy: { apply: { force: true } } } }'),
    'it deletes and makes again what cannot be changed: whether webhook configurations are among its objects is not in the manifests',
  ],
  [
    application('gate', replaces) + configuration('labels: { app.kubernetes.io/instance: gate }'),
    'it replaces everything, ValidatingWebhookConfiguration gate too',
  ],
  [
    application('gate', replaces) + configuration(''),
    'it replaces everything: ValidatingWebhookConfiguration gate too, if that is among its objects',
  ],
  [
    application('gate', 'syncPolicy: { syncOptions: [Force=true] }'),
    'Argo CD reads Force=true from the annotation of an object only: here it does nothing, or what was not meant',
  ],
  [
    configuration('annotations: { argocd.argoproj.io/sync-options: "Force=true, Replace=true" }'),
    'it is synchronised with Force=true and Replace=true',
  ],
])('GIT02 says what it takes away: %#', (text, message) => {
  expect(said('GIT02', text)).toEqual([expect.stringMatching(/^\w+ \/\S+: /)]);
  expect(said('GIT02', text)[0]).toContain(`: ${message}`);
});

describe('GIT02 of an ApplicationSet', () => {
  const set = (chart: string, more: string): string => `
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: { name: set, namespace: argocd }
spec:
  template:
    metadata: { name: '{{n}}' }
    spec:
      source: { repoURL: https://charts.example.com, chart: ${chart}, targetRevision: 1.0.0 }
${more}`;
  const generator = (spec: string): string =>
    `  generators: [{ clusters: { selector: {}, template: { metadata: {}, spec: ${spec} } }, selector: {} }]\n`;

  test.each<[string, string, string[]]>([
    [
      'replaced by a patch',
      set('cert-manager', "  templatePatch: 'spec: { syncPolicy: { syncOptions: [Replace=true] } }'\n"),
      ['error GIT02 /spec/templatePatch/spec/syncPolicy/syncOptions/0'],
    ],
    [
      'replaced by a generator',
      set('cert-manager', generator('{ syncPolicy: { syncOptions: [Replace=true] } }')),
      ['error GIT02 /spec/generators/0/clusters/template/spec/syncPolicy/syncOptions/0'],
    ],
    [
      'with the chart of a generator',
      set(
        'gate',
        `      syncPolicy: { syncOptions: [Replace=true] }\n${generator('{ source: { chart: cert-manager } }')}`,
      ),
      ['error GIT02 /spec/template/spec/syncPolicy/syncOptions/0'],
    ],
    [
      'not replaced after all',
      set(
        'cert-manager',
        `      syncPolicy: { syncOptions: [Replace=true] }\n  templatePatch: 'spec: { syncPolicy: { syncOptions: [] } }'\n`,
      ),
      [],
    ],
    [
      'replaced by a patch with templates',
      set(
        'cert-manager',
        '  templatePatch: |\n    spec:\n    {{- if .r }}\n      syncPolicy: { syncOptions: [Replace=true] }\n    {{- end }}\n',
      ),
      ['info GIT02 /spec/templatePatch'],
    ],
    [
      'with a patch whose templates set something else',
      set('cert-manager', '  templatePatch: |\n    spec: { project: {{ .p }} }\n'),
      [],
    ],
  ])('%s', (_, text, expected) => {
    expect(brief(lintText(text, { rules: ['GIT02'] }))).toEqual(expected);
  });
});
