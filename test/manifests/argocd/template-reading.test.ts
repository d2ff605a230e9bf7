import { marker } from '../../../lib/core/tokens';
import type { ApplicationSetProps, Generator } from '../../../lib/manifests/argocd';
import { generators } from '../../../lib/manifests/argocd';
import { applicationSet, git, list, production, unread, wrong } from './podinfo-set';

const noting = (text: string): ApplicationSetProps['template'] => ({
  ...unread,
  metadata: { ...unread.metadata, annotations: { note: text } },
});

const note = 'template.metadata.annotations.note';

const partial = generators.list({
  elements: [
    { name: 'a', tier: 'gold', at: { zone: 'x' } },
    { name: 'b', at: {} },
    { name: 'c', tier: 'x' },
  ],
});
const pair = (one: Generator, other: Generator): Generator => generators.matrix([one, other] as never);
const merged = (mergeKeys: readonly string[], ...of: readonly Generator[]): Generator =>
  generators.merge({ mergeKeys, generators: of as never });

describe('a template that Go can not read', () => {
  test('is refused wherever Argo CD reads it, with what is wrong', () => {
    const own = generators.list({
      elements: [{ a: 'b' }],
      template: { metadata: { labels: { x: '{{ foo .a }}' } } },
    });
    const further = generators.clusters({ values: { x: '{{ .name' } });
    const second = pair(git(), generators.list({ elements: [{ x: '{{ if .path }}' }] }));
    expect(
      wrong({
        generators: [own, further, second],
        template: noting('{{.metadata.labels.my-label}}'),
        templatePatch: 'spec: {}\n{{ if .a }}\n',
      }).map((each) => each.replace(/ as .*/, '')),
    ).toEqual([
      'generators[0].list.template.metadata.labels.x: a template that Argo CD can read: function "foo" not defined; a parameter has a dot before it, ".foo" in "{{ foo .a }}"',
      `${note}: a template that Argo CD can read: bad character "-" after ".my": "index" reads a name with "-", such`,
      'templatePatch: a template that Argo CD can read: unexpected EOF: "{{ if .a }}" has no "{{ end }}"',
      'generators[1].clusters.values.x: a template that Argo CD can read: unclosed action in "{{ .name"',
      'generators[2].matrix[1].list.elements[0].x: a template that Argo CD can read: unexpected EOF: "{{ if .path }}" has no "{{ end }}"',
    ]);
  });

  test('may be one whose rest a deployment gives', () => {
    const spec = { template: noting(`{{ if eq .name ${marker(7)} }}a{{ end }}`) };
    expect(applicationSet(spec).spec.template.metadata.annotations).toBeDefined();
  });

  test('is none where it is quoted, or where nothing is filled in', () => {
    expect(applicationSet({ template: noting('{{ `{{name}} {{ values.a }}` }}') })).toBeDefined();
    const empty = generators.list({ elements: [{}] });
    expect(applicationSet({ generators: [empty], template: noting('{{ foo }} {{ .bar }}') })).toBeDefined();
  });

  test('without Go templates is one that is not closed, beside one that is', () => {
    const plainly = (text: string): Partial<ApplicationSetProps> => ({
      goTemplate: false,
      generators: [production],
      template: {
        metadata: { name: '{{name}}', annotations: { note: text } },
        spec: { ...unread.spec, destination: { name: '{{name}}' } },
      },
    });
    expect(wrong(plainly('{{name}} {{'))).toEqual([
      `${note}: a template that Argo CD can read: a "{{" is not closed by "}}"`,
    ]);
    expect(wrong(plainly('{{ .name }}'))).toEqual([expect.stringContaining('without a leading dot')]);
    for (const text of ['{{', '{{ foo .app.metadata.name }}', '{{ .app.metadata.name }}']) {
      expect(applicationSet(plainly(text))).toBeDefined();
    }
  });
});

describe('a parameter that only some have', () => {
  const cases: [string, Generator, string, string?][] = [
    [
      'an element',
      partial,
      '{{ .tier }}',
      'of generators[0].list.elements[1] ".tier" is not given; given are .name, .at',
    ],
    ['a condition of it', partial, '{{ if .tier }}a{{ end }}', 'elements[1] ".tier"'],
    ['what fills in for it', partial, '{{ .tier | default "a" }}', 'elements[1] ".tier"'],
    [
      'below another',
      partial,
      '{{ .at.zone }}',
      'elements[1] ".at.zone" is not given; there is nothing below it',
    ],
    ['each has it', partial, '{{ .name }}'],
    ['a branch', partial, '{{ if hasKey . "tier" }}{{ .tier }}{{ end }}'],
    ['by name', partial, '{{ dig "tier" "a" . }}{{ get . "tier" }}{{ index . "tier" }}'],
    [
      'behind a condition',
      partial,
      '{{ if eq .name "a" }}{{ .tier }}{{ end }}{{ and (eq .name "a") .tier }}',
    ],
    ['a selector', { ...partial, postSelector: { matchLabels: { name: 'a' } } } as Generator, '{{ .tier }}'],
    [
      'a matrix',
      pair(production, partial),
      '{{ .tier }}',
      'of generators[0].matrix[1].list.elements[1] ".tier"',
    ],
    [
      'a matrix in another',
      pair(git(), pair(production, partial)),
      '{{ .tier }}',
      'matrix[1].matrix[1].list.elements[1]',
    ],
    ['the other of a matrix', pair(partial, generators.list({ elements: [{ tier: 'x' }] })), '{{ .tier }}'],
    ['a matrix with files', pair(partial, generators.plugin({ configMapRef: { name: 'a' } })), '{{ .tier }}'],
    ['the first of a merge', merged(['name'], partial, list('a')), '{{ .tier }}', 'elements[1] ".tier"'],
    ['another of a merge', merged(['name'], production, partial), '{{ .tier }}'],
  ];

  test.each(cases)('%s: %#', (...[, generator, text, fault]) => {
    const props = { generators: [generator], template: noting(text) };
    if (fault === undefined) {
      expect(applicationSet(props)).toBeDefined();
    } else {
      expect(wrong(props)).toEqual([
        expect.stringMatching(
          /^template\.metadata\.annotations\.note: a template of what every element gives: /,
        ),
      ]);
      expect(wrong(props)[0]).toContain(fault);
    }
  });

  test('is written as <no value> without missingkey=error, but not where something stands in', () => {
    const leniently = (text: string): Partial<ApplicationSetProps> => ({
      goTemplateOptions: [],
      generators: [partial],
      template: noting(text),
    });
    expect(wrong(leniently('{{ .tier }}'))).toEqual([expect.stringContaining('elements[1] ".tier"')]);
    for (const text of [
      '{{ .tier | default "a" }}',
      '{{ if .tier }}a{{ end }}',
      '{{ with .tier }}{{ . }}{{ end }}',
    ]) {
      expect(applicationSet(leniently(text))).toBeDefined();
    }
  });

  test('stays as it is in plain substitution', () => {
    const elements: Record<string, string>[] = [{ name: 'a', tier: 'b' }, { name: 'c' }];
    expect(
      wrong({
        goTemplate: false,
        generators: [generators.list({ elements })],
        template: { metadata: { name: '{{name}}-{{tier}}' }, spec: unread.spec },
      }),
    ).toEqual([
      'template.metadata.name: a template of what every element gives: of generators[0].list.elements[1] "tier" is not given; given are name',
    ]);
  });

  test('is not there when an outer matrix fills in', () => {
    const inner = pair(production, generators.list({ elementsYaml: '{{ .name }}' }));
    expect(wrong({ generators: [pair(git(), inner)] })).toEqual([
      'generators[0].matrix[1].matrix[1].list.elementsYaml: a template of what the generators give: ".name" is not given; given are .path',
    ]);
    expect(applicationSet({ generators: [inner] })).toBeDefined();
  });
});

describe('keys of a merge', () => {
  const elements = (...each: readonly object[]): Generator => generators.list({ elements: each as never });

  test.each<[string, Generator, string[]]>([
    ['given', merged(['name'], production, elements({ name: 'a' }, { name: 'b' })), []],
    [
      'given by none',
      merged(['nmae'], production, elements({ name: 'a' })),
      [
        'mergeKeys[0]: a parameter that the generators give: "nmae" is not given; given are name, nameNormalized, server, project, metadata',
      ],
    ],
    ['of a plugin', merged(['x'], production, generators.plugin({ configMapRef: { name: 'a' } })), []],
    [
      'the same twice',
      merged(['name'], production, elements({ name: 'a' }, { name: 'b' }, { name: 'a', x: 'y' })),
      [
        'generators[1].list.elements[2]: an element that the merge keys tell from the others: generators[0].merge.generators[1].list.elements[0] has the same "name"',
      ],
    ],
    [
      'missing twice',
      merged(['name'], production, elements({ x: 'a' }, { x: 'b' })),
      [
        'generators[1].list.elements[1]: an element that the merge keys tell from the others: generators[0].merge.generators[1].list.elements[0] has the same "name"',
      ],
    ],
    ['by two', merged(['name', 'x'], production, elements({ name: 'a', x: 'a' }, { name: 'a', x: 'b' })), []],
    [
      'dropped by a selector',
      merged(['name'], production, {
        ...elements({ x: 'a' }, { x: 'b' }),
        postSelector: { matchLabels: { x: 'a' } },
      } as Generator),
      [],
    ],
    [
      'made by a template',
      pair(
        git(),
        merged(['name'], production, elements({ name: '{{ .path.path }}' }, { name: '{{ .path.path }}' })),
      ),
      [],
    ],
  ])('%s', (_what, generator, problems) => {
    if (problems.length === 0) {
      expect(applicationSet({ generators: [generator] })).toBeDefined();
    } else {
      expect(wrong({ generators: [generator] })).toEqual(
        problems.map((each) => `generators[0].merge.${each}`),
      );
    }
  });
});
