import { said } from '../../lint-text';

/** An ApplicationSet whose label is the text. */
function set(
  text: string,
  generators: string,
  more = 'goTemplate: true\n  goTemplateOptions: [missingkey=error]',
): string {
  return `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: { name: set, namespace: argocd }
spec:
  ${more}
  generators: [${generators}]
  template:
    metadata: { name: a, labels: { x: ${JSON.stringify(text)} } }
    spec: { project: a, destination: {}, source: { repoURL: a, helm: { values: ${JSON.stringify(text)} } } }
`;
}

const list = (...elements: readonly string[]): string => `{ list: { elements: [${elements.join(', ')}] } }`;
const one = list('{ name: a }');
const clusters = '{ clusters: { values: { a: b } } }';
const label = '/spec/template/metadata/labels/x';
const values = '/spec/template/spec/source/helm/values';
const both = (severity: string, message: string): string[] => [
  `${severity} ${label}: ${message}`,
  `${severity} ${values}: ${message}`,
];
const lenient = 'goTemplate: true';
const plain = 'goTemplate: false';

test.each<[string, string, string[]]>([
  ['what is read', set('{{ .name }} {{ `{{ .x }}` }}', one), []],
  [
    'no end',
    set('{{ if .name }}', one),
    both('error', 'unexpected EOF: "{{ if .name }}" has no "{{ end }}"'),
  ],
  [
    'no dot',
    set('{{ name }}', one),
    both('error', 'it must be a Go template: "{{.name}}" with a leading dot instead of "{{ name }}"'),
  ],
  ['no generator', set('{{ if }}', ''), []],
  [
    'a field of none',
    set('{{ .naem }}', one),
    both('error', '".naem" is not given, which may be meant for ".name"; given are .name'),
  ],
  [
    'a field of one of two',
    set('{{ .server }}', `${clusters}, ${one}`),
    both('error', 'of /spec/generators/1/list ".server" is not given; given are .name'),
  ],
  [
    'a field of one element',
    set('{{ .t }}', list('{ name: a, t: b }', '{ name: b }')),
    both('error', 'of /spec/generators/0/list/elements/1 ".t" is not given; given are .name'),
  ],
  [
    'elements that a selector drops',
    set('{{ .t }}', '{ list: { elements: [{ t: b }, { u: b }] }, selector: { matchLabels: { t: b } } }'),
    [],
  ],
  [
    'no value',
    set('{{ .t }}', list('{ name: a, t: b }', '{ name: b }'), lenient),
    both('warning', 'of /spec/generators/0/list/elements/1 ".t" is not given; given are .name'),
  ],
  ['a value that is filled in', set('{{ .t | default "a" }}', list('{ t: b }', '{ u: b }'), lenient), []],
  ['null in an element', set('{{ .t }}', list('{ t: null }', '{ t: b }')), []],
  ['a generator that is not known', set('{{ .anything }}', '{ oci: { repoURL: a } }'), []],
  [
    'settings of no type',
    set('{{ .x }}', '{ list: 1 }, { clusters: [] }, 2, null, { merge: { mergeKeys: 1 } }'),
    both(
      'error',
      'of /spec/generators/1/clusters ".x" is not given; given are .name, .nameNormalized, .server, .project, .metadata',
    ),
  ],
  ['plain: what is replaced', set('{{name}}', one, plain), []],
  [
    'plain: what stays',
    set('{{ naem }}', one, plain),
    both('warning', '"naem" is not given, which may be meant for "name"; given are name'),
  ],
  [
    'plain: what Helm renders',
    set('{{ workflow.id }}', one, plain),
    both('warning', '"workflow.id" is not given; given are name').slice(0, 1),
  ],
  [
    'plain: what Helm renders, with a dot',
    set('{{ .Release.Name }}', one, plain),
    both(
      'warning',
      'it must be a template such as "{{name}}", without a leading dot: "goTemplate" is off',
    ).slice(0, 1),
  ],
  ['plain: not closed', set('{{name}} {{', one, plain), both('error', 'a "{{" is not closed by "}}"')],
  ['by default', set('{{name}}', one, 'syncPolicy: {}'), []],
  [
    'a patch',
    set('a', one, `${lenient}\n  templatePatch: '{{ range .a }}'`),
    ['error /spec/templatePatch: unexpected EOF: "{{ range .a }}" has no "{{ end }}"'],
  ],
  ['a patch without Go templates', set('a', one, `${plain}\n  templatePatch: '{{ range .a }}'`), []],
  [
    'a template of a generator',
    set(
      'a',
      `{ list: { elements: [{ a: b }], template: { metadata: { labels: { z: '{{ .b }}' } }, spec: {} } } }`,
    ),
    [
      'error /spec/generators/0/list/template/metadata/labels/z: ".b" is not given, which may be meant for ".a"; given are .a',
    ],
  ],
  [
    'the second of a matrix',
    set(
      'a',
      `{ matrix: { generators: [${one}, { clusters: { selector: { matchLabels: { x: '{{ .nmae }}' } } } }] } }`,
    ),
    [
      'error /spec/generators/0/matrix/generators/1/clusters/selector/matchLabels/x: ".nmae" is not given, which may be meant for ".name"; given are .name',
    ],
  ],
  [
    'a merge by nothing',
    set('a', `{ merge: { mergeKeys: [x], generators: [${clusters}, ${one}] } }`),
    [
      'warning /spec/generators/0/merge/mergeKeys/0: "x" is not given; given are name, nameNormalized, server, project, metadata, values',
    ],
  ],
  [
    'a merge of the same',
    set(
      'a',
      `{ merge: { mergeKeys: [name], generators: [${clusters}, ${list('{ name: a }', '{ name: a }')}] } }`,
    ),
    [
      'error /spec/generators/0/merge/generators/1/list/elements/1: /spec/generators/0/merge/generators/1/list/elements/0 has the same "name"',
    ],
  ],
])('GIT03: %s', (_, text, expected) => {
  expect(said('GIT03', text)).toEqual(expected);
});
