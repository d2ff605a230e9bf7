import type { ApplicationSetProps, Generator } from '../../../lib/manifests/argocd';
import { generators } from '../../../lib/manifests/argocd';
import { readGoTemplate } from '../../../lib/core/application-sets/go-template';
import {
  applicationSet,
  git,
  list,
  podinfo,
  production,
  template,
  unread,
  wrong as problemsOf,
} from './podinfo-set';

/** What is wrong, if anything is. */
function wrong(props: Partial<ApplicationSetProps>): readonly string[] {
  try {
    return problemsOf(props);
  } catch (error) {
    expect((error as Error).message).toBe('nothing was refused');
    return [];
  }
}

const files = (pathParamPrefix?: string): Generator =>
  generators.git({ repoURL: 'https://git.example.com/a', files: [{ path: '*.json' }], pathParamPrefix });
const pulls = generators.pullRequest({ github: { owner: 'a', repo: 'b' }, values: { a: 'b' } });
const repositories = generators.scmProvider({ github: { organization: 'a' } });
const plugin = generators.plugin({ configMapRef: { name: 'a' } });
const decided = generators.clusterDecisionResource({ configMapRef: 'a', name: 'b' });
const nested = generators.list({
  elements: [
    { name: 'x', a: { b: { c: 'd' } }, l: [1], e: 'f', values: { x: 'y' } },
    { name: 'y', a: { b: { c: 'e', d: 'f' } }, l: [], e: 'g', values: { x: 'z' } },
  ],
});
const of = (one: Generator, other: Generator): Generator => generators.matrix([one, other] as never);

const noting = (text: string): ApplicationSetProps['template'] => ({
  ...unread,
  metadata: { ...unread.metadata, annotations: { note: text } },
});

describe('fields that Go templates read', () => {
  const cases: [string, Generator, string, boolean][] = [
    ['clusters', production, '{{ .name }} {{.server}} {{.project}} {{.nameNormalized}}', true],
    ['clusters', production, '{{ .naem }}', false],
    ['clusters', production, '{{ .metadata.labels.env }} {{ .metadata.annotations.x }}', true],
    ['clusters', production, '{{ .metadata.lables.env }}', false],
    ['clusters', production, '{{ .name.first }}', false],
    ['clusters', production, '{{ .values.region }}', false],
    ['clusters with values', generators.clusters({ values: { region: 'a' } }), '{{ .values.region }}', true],
    ['clusters with values', generators.clusters({ values: { region: 'a' } }), '{{ .values.regoin }}', false],
    ['clusters as a list', generators.clusters({ flatList: true }), '{{ .name }}', false],
    [
      'clusters as a list',
      generators.clusters({ flatList: true }),
      '{{ range .clusters }}{{ .name }}{{ end }}',
      true,
    ],
    ['directories', git(), '{{ .path.path }} {{ index .path.segments 0 }} {{ .path.basename }}', true],
    ['directories', git(), '{{ .path.filename }}', false],
    ['directories with a prefix', git('a'), '{{ .a.path.basenameNormalized }}', true],
    ['directories with a prefix', git('a'), '{{ .path.basename }}', false],
    ['files', files(), '{{ .anything.at.all }} {{ .path.filenameNormalized }}', true],
    ['files', files(), '{{ .path.file }}', false],
    ['pull requests', pulls, '{{ .branch_slug }} {{ .labels }} {{ .values.a }}', true],
    ['pull requests', pulls, '{{ .branchSlug }}', false],
    ['repositories', repositories, '{{ .short_sha_7 }} {{ .branchNormalized }}', true],
    ['repositories', repositories, '{{ .head_sha }}', false],
    ['a plugin', plugin, '{{ .anything }} {{ .generator.input.parameters.x }}', true],
    ['decisions', decided, '{{ .anything }} {{ .name }}', true],
    ['a list', nested, '{{ .a.b.c }} {{ .e }} {{ .values.x }} {{ .l }}', true],
    ['a list', nested, '{{ .a.b.x }}', false],
    ['a list', nested, '{{ .a.x }}', false],
    ['a list by a template', generators.list({ elementsYaml: '[{a: b}]' }), '{{ .a }}', true],
    ['a list of nothing', list(), '{{ .a }}', true],
    ['a matrix', of(production, nested), '{{ .name }} {{ .a.b.c }}', true],
    ['a matrix', of(production, nested), '{{ .naem }}', false],
    ['a matrix with files', of(production, files()), '{{ .naem }}', true],
    ['a matrix in a matrix', of(git(), of(production, nested)), '{{ .path.path }} {{ .name }} {{.e}}', true],
    ['a matrix in a matrix', of(git(), of(production, nested)), '{{ .paht.path }}', false],
    [
      'a merge',
      generators.merge({ mergeKeys: ['name'], generators: [production, nested] }),
      '{{ .name }} {{ .e }}',
      true,
    ],
    [
      'a merge',
      generators.merge({ mergeKeys: ['name'], generators: [production, nested] }),
      '{{ .f }}',
      false,
    ],
    // What the text does is evaluated, not how it looks.
    ['a branch', production, '{{ if .naem }}a{{ end }}', false],
    ['a branch', production, '{{ if eq .name "a" }}{{ .naem }}{{ end }}', false],
    ['a field that is looked for', production, '{{ if hasKey . "tier" }}{{ .tier }}{{ end }}', true],
    ['another dot', production, '{{ with .metadata }}{{ .labels.a }}{{ .x }}{{ end }}', true],
    ['the dot after it', production, '{{ with .metadata }}{{ else }}{{ .naem }}{{ end }}', false],
    ['the root', production, '{{ range .metadata.labels }}{{ $.naem }}{{ end }}', false],
    ['a variable', production, '{{ $x := .metadata }}{{ $x.y.z }}', true],
    ['a call', production, '{{ (index .metadata.labels "a").b }}', true],
    ['quotes', production, '{{ "{{ .naem }}" }}{{ `{{ .naem }}` }}', true],
    ['a comment', production, '{{/* .naem */}}{{- /* .naem */ -}}', true],
    ['a pipe', production, '{{- .naem | normalize -}}', false],
    ['an argument', production, '{{ printf "%s-%s" .name (lower .naem) }}', false],
    ['no field', production, '{{ now }} 1.5 a.b {{ 1.5 }}', true],
  ];

  test.each(cases)('%s, %#: %s', (_what, generator, text, accepted) => {
    const problems = wrong({ generators: [generator], template: noting(text) });
    const patched = wrong({ generators: [generator], templatePatch: text });
    expect(problems.map((each) => each.split(':')[0])).toEqual(
      accepted ? [] : ['template.metadata.annotations.note'],
    );
    expect(patched.map((each) => each.split(':')[0])).toEqual(accepted ? [] : ['templatePatch']);
  });

  test('are told with the nearest that is given, and with all', () => {
    expect(wrong({ template: noting('{{ .naem }} {{ .naem }} {{ .metadata.lables.a }}') })).toEqual([
      'template.metadata.annotations.note: a template of what the generators give: ".naem" is not given, which may be meant for ".name"; given are .name, .nameNormalized, .server, .project, .metadata',
      'template.metadata.annotations.note: a template of what the generators give: ".metadata.lables" is not given, which may be meant for ".metadata.labels"; given are .metadata.labels, .metadata.annotations',
    ]);
  });

  test('are those of keys, too', () => {
    const labelled = { ...unread, metadata: { ...unread.metadata, labels: { '{{ .naem }}': 'x' } } };
    expect(wrong({ template: labelled })).toEqual([expect.stringContaining('".naem" is not given')]);
  });

  test('must be given by every generator, unless a branch reads them', () => {
    const two = [production, generators.list({ elements: [{ name: 'a' }] })];
    expect(wrong({ generators: two, template: noting('{{ .server }} {{ .name }}') })).toEqual([
      'template.metadata.annotations.note: a template of what every generator gives: of generators[1].list ".server" is not given; given are .name',
    ]);
    expect(
      wrong({ generators: two, template: noting('{{ if eq .name "b" }}{{ .server }}{{ end }}') }),
    ).toEqual([]);
  });

  test.each([
    [['missingkey=zero'], '{{ .naem }}', 1],
    [[], '{{ .naem | upper }}', 1],
    [['missingkey=default'], '{{ if .tier }}{{ .tier }}{{ end }}', 0],
    [['missingkey=invalid'], '{{ .tier | default "a" }} {{ default "a" .tier }}', 0],
  ])('with %j: %s', (goTemplateOptions, text, count) => {
    expect(wrong({ goTemplateOptions, template: noting(text) })).toHaveLength(count);
  });
});

describe('names that plain substitution replaces', () => {
  const plainly = (generator: Generator, text: string, at: object = {}): readonly string[] =>
    wrong({
      goTemplate: false,
      generators: [generator],
      template: {
        metadata: { name: 'a-{{ x }}'.replace('{{ x }}', text) },
        spec: { ...unread.spec, ...at },
      },
    });

  test.each<[string, Generator, boolean]>([
    ['{{name}}', production, true],
    ['{{ naem }}', production, false],
    ['{{metadata.labels.topology.kubernetes.io/zone}}', production, true],
    ['{{metadata.label.a}}', production, false],
    ['{{values.a}}', production, false],
    ['{{values.a.b}}', generators.clusters({ values: { 'a.b': 'c' } }), true],
    ['{{path}}-{{path[2]}}-{{path.basename}}', git(), true],
    ['{{path.segments}}', git(), false],
    ['{{path.basename[0]}}', git(), false],
    ['{{a.path}}-{{a.path[0]}}', git('a'), true],
    ['{{path}}', git('a'), false],
    ['{{anything.at.all}}', files(), true],
    ['{{labels}}', pulls, false],
    ['{{branch}}-{{values.a}}', pulls, true],
    ['{{cluster}}', list('a', 'b'), true],
  ])('%s', (text, generator, accepted) => {
    expect(plainly(generator, text).map((each) => each.split(':')[0])).toEqual(
      accepted ? [] : ['template.metadata.name'],
    );
  });

  test('may be those of somebody else in what is rendered later, unless they look like a slip', () => {
    const helm = (values: string): object => ({
      source: {
        repoURL: 'https://charts.example.com',
        chart: 'a',
        targetRevision: '1.0.0',
        helm: { valuesObject: { a: values } },
      },
    });
    expect(plainly(production, '{{name}}', helm('host: {{workflow.id}}'))).toEqual([]);
    expect(plainly(production, '{{name}}', helm('host: {{naem}}'))).toEqual([
      expect.stringContaining('"naem" is not given, which may be meant for "name"'),
    ]);
  });
});

describe('fields that generators read', () => {
  test('further parameters read those of their generator', () => {
    const reading = (text: string): readonly string[] =>
      wrong({ generators: [generators.clusters({ values: { a: text } })] });
    expect(reading('{{ .metadata.labels.env }}-{{ .name }}')).toEqual([]);
    expect(reading('{{ .naem }}')).toEqual([
      'generators[0].clusters.values.a: a template of what the generators give: ".naem" is not given, which may be meant for ".name"; given are .name, .nameNormalized, .server, .project, .metadata',
    ]);
    // They are made from what there is before them.
    expect(reading('{{ .values.a }}')).toHaveLength(1);
    expect(
      wrong({
        generators: [
          generators.clusterDecisionResource({ configMapRef: 'a', name: 'b', values: { a: '{{.x}}' } }),
        ],
      }),
    ).toEqual([]);
  });

  test('the second of a matrix reads what the first one gives', () => {
    const pair = (second: Generator): readonly string[] => wrong({ generators: [of(git(), second)] });
    const selecting = (text: string, values: Record<string, string> = {}): Generator =>
      generators.clusters({ selector: { matchLabels: { env: text } }, values });
    expect(pair(selecting('{{ .path.basename }}', { a: '{{ .name }}-{{ .path.path }}' }))).toEqual([]);
    expect(pair(selecting('{{ .path.basname }}'))).toEqual([
      'generators[0].matrix[1].clusters.selector.matchLabels.env: a template of what the generators give: ".path.basname" is not given, which may be meant for ".path.basename"; given are .path.basename, .path.basenameNormalized, .path.path, .path.segments',
    ]);
    expect(pair(selecting('a', { a: '{{ .naem }}' }))).toHaveLength(1);
    expect(pair(generators.list({ elementsYaml: '{{ .key.components | toJson }}' }))).toHaveLength(1);
    expect(
      wrong({ generators: [of(files(), generators.list({ elementsYaml: '{{ .key | toJson }}' }))] }),
    ).toEqual([]);
  });
});

describe('templates of generators', () => {
  const own = { spec: { source: { path: 'overlays/{{ .name }}' }, destination: { namespace: 'other' } } };

  test('are written as the resource definition wants them', () => {
    const { spec } = applicationSet({ ...podinfo, generators: [generators.clusters({ template: own })] });
    expect(spec.generators[0].clusters.template).toEqual({
      metadata: {},
      spec: {
        project: '',
        source: { repoURL: '', path: 'overlays/{{ .name }}' },
        destination: { namespace: 'other' },
      },
    });
    expect(spec.template.spec.source.path).toBe('kustomize');
    const both = generators.matrix([list('a'), list('b')], { template: { metadata: { name: 'a' } } });
    expect(applicationSet({ generators: [both] }).spec.generators[0].matrix.template).toEqual({
      metadata: { name: 'a' },
      spec: { project: '', destination: {} },
    });
  });

  test('bring the sync options that their settings need, beside the set’s', () => {
    const { spec } = applicationSet({
      generators: [
        generators.list({
          elements: [{ a: 'b' }],
          template: { spec: { ignoreDifferences: [{ kind: 'Secret', jsonPointers: ['/data'] }] } },
        }),
      ],
      template: {
        ...unread,
        spec: { ...unread.spec, syncPolicy: { syncOptions: ['CreateNamespace=true'] } },
      },
    });
    expect(spec.generators[0].list.template.spec.syncPolicy).toEqual({
      syncOptions: ['CreateNamespace=true', 'RespectIgnoreDifferences=true'],
    });
  });

  test('are evaluated as the template that comes of them, by the fields of their generator', () => {
    const elements = [{ dir: 'a' }];
    expect(
      wrong({
        generators: [
          production,
          generators.list({
            elements,
            template: {
              metadata: { name: 'Pod-{{ .dir }}' },
              spec: { source: { path: '{{ .dri }}' }, destination: { server: 'https://a.example.com' } },
            },
          }),
        ],
        template,
      }),
    ).toEqual([
      'generators[1].list.template.spec.destination: an object with exactly one of "name", "server"',
      'generators[1].list.template.metadata.name: lower-case letters, digits, "-" and "." around the template expressions, at most 253 characters',
      'template.spec.destination.name: a template of what every generator gives: of generators[1].list ".name" is not given; given are .dir',
      'generators[1].list.template.spec.source.path: a template of what the generators give: ".dri" is not given, which may be meant for ".dir"; given are .dir',
    ]);
    // What its own template replaces, a generator need not give.
    const named = { metadata: { name: '{{ .dir }}' }, spec: { destination: { name: '{{ .dir }}' } } };
    expect(
      wrong({ generators: [production, generators.list({ elements, template: named })], template }),
    ).toEqual([]);
  });

  test('take the place of a source by several, and not the other way round', () => {
    const source = { repoURL: 'https://git.example.com/a', path: 'a' };
    const of = (spec: object, under: object): readonly string[] =>
      wrong({
        generators: [generators.list({ elements: [{ a: 'b' }], template: { spec } })],
        template: { ...unread, spec: { ...unread.spec, ...under } },
      });
    expect(of({ sources: [source] }, {})).toEqual([]);
    expect(of({ source }, { source: undefined, sources: [source] })).toEqual([
      'generators[0].list.template.spec.source: exactly one of "source", "sources"',
    ]);
  });

  test('can switch nothing off, and stand in no other generator', () => {
    const off = { spec: { syncPolicy: { automated: { prune: false, selfHeal: true } } } };
    const under = { ...unread, spec: { ...unread.spec, syncPolicy: { automated: { prune: true } } } };
    const single = generators.list({ elements: [{ a: 'b' }], template: off });
    expect(wrong({ generators: [single], template: under })).toEqual([
      "generators[0].list.template.spec.syncPolicy.automated.prune: something that is not empty, or the set's template be without it: Argo CD takes what the set's template has instead",
    ]);
    expect(wrong({ generators: [single] })).toEqual([]);
    expect(wrong({ generators: [generators.matrix([production, single])] })).toEqual([
      'generators[0].matrix[1].list.template: left out: Argo CD takes no template of a generator in a matrix or merge',
    ]);
  });

  test('refuse keys that there are not', () => {
    expect(() => generators.list({ elements: [], template: { spec: { sorce: {} } } as never })).toThrow(
      'template.spec.sorce: unknown key, did you mean "source"?',
    );
  });

  test('do not go with a rolling sync if they synchronise themselves', () => {
    const template_ = { ...unread, metadata: { ...unread.metadata, labels: { slot: 'a' } } };
    expect(
      wrong({
        generators: [
          generators.list({ elements: [{ a: 'b' }], template: { spec: { syncPolicy: { automated: {} } } } }),
        ],
        template: template_,
        strategy: {
          type: 'RollingSync',
          rollingSync: { steps: [{ matchExpressions: [{ key: 'slot', operator: 'In', values: ['a'] }] }] },
        },
      }),
    ).toEqual([expect.stringMatching(/^generators\[0\].list.template.spec.syncPolicy.automated: left out/)]);
  });
});

test('hostile templates are read in no time', () => {
  const from = Date.now();
  for (const text of [
    '{{'.repeat(50_000),
    '{{ "'.repeat(50_000),
    `{{ .${'a.'.repeat(50_000)} }}`,
    '{{ .a '.repeat(50_000),
  ]) {
    readGoTemplate(text);
  }
  expect(Date.now() - from).toBeLessThan(10_000);
});
