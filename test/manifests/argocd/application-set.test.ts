import { marker } from '../../../lib/core/tokens';
import type { ApplicationSetStrategy, ApplicationTemplate, Generator } from '../../../lib/manifests/argocd';
import { ApplicationSet, generators } from '../../../lib/manifests/argocd';
import { mayGiveSeveral } from '../../../lib/manifests/argocd/generators/generators';
import {
  applicationSet,
  git,
  list,
  named,
  production,
  template,
  unread,
  wrong,
  wrongPaths,
} from './podinfo-set';
import { errorOf } from './synth';

describe('ApplicationSet', () => {
  test('puts an Application on every labelled cluster, with Go templates that know no missing key', () => {
    const object = applicationSet({});
    expect(object.metadata).toEqual({ name: 'podinfo', namespace: 'argocd' });
    expect(object.spec).toEqual({
      goTemplate: true,
      goTemplateOptions: ['missingkey=error'],
      generators: [
        {
          clusters: {
            selector: { matchLabels: { env: 'production', 'argocd.argoproj.io/secret-type': 'cluster' } },
          },
        },
      ],
      template,
    });
  });

  test('passes policy, patch and template options on', () => {
    const { spec } = applicationSet({
      syncPolicy: { preserveResourcesOnDeletion: true, applicationsSync: 'create-update' },
      templatePatch: '{"metadata":{"labels":{"name":"{{.name}}"}}}',
      goTemplateOptions: ['missingkey=zero'],
    });
    expect(spec.syncPolicy).toEqual({
      preserveResourcesOnDeletion: true,
      applicationsSync: 'create-update',
    });
    expect(spec.templatePatch).toBe('{"metadata":{"labels":{"name":"{{.name}}"}}}');
    expect(spec.goTemplateOptions).toEqual(['missingkey=zero']);
  });

  test('leaves fields of Applications alone where it is told to', () => {
    const fields = {
      preservedFields: { labels: ['team'], annotations: ['example.com/note'] },
      ignoreApplicationDifferences: [
        { name: 'blue-podinfo', jsonPointers: ['/spec/syncPolicy'] },
        { jqPathExpressions: ['.spec.source.targetRevision'] },
      ],
    };
    expect(applicationSet(fields).spec).toMatchObject(fields);
    expect(
      wrongPaths({
        preservedFields: { labels: ['a b'], annotations: [''] },
        ignoreApplicationDifferences: [{ name: 'A', jsonPointers: ['spec'] }, { jqPathExpressions: [] }],
      }),
    ).toEqual([
      'preservedFields.labels[0]',
      'preservedFields.annotations[0]',
      'ignoreApplicationDifferences[0].name',
      'ignoreApplicationDifferences[0].jsonPointers[0]',
      'ignoreApplicationDifferences[1]',
    ]);
  });

  test('gives the spec of the template what it gives an Application', () => {
    const { spec } = applicationSet({
      template: {
        ...template,
        spec: {
          ...template.spec,
          ignoreDifferences: [{ group: 'apps', kind: 'Deployment', jsonPointers: ['/spec/replicas'] }],
        },
      },
    });
    expect(spec.template.spec.syncPolicy).toEqual({ syncOptions: ['RespectIgnoreDifferences=true'] });
  });

  test('a text that the controller completes has no format to check, any other has', () => {
    const templated: ApplicationTemplate = {
      metadata: { name: '{{.name}}', labels: { '{{.name}}': '{{.metadata.labels.env}} x' } },
      spec: {
        project: '{{.project}}',
        source: { repoURL: '{{.repoURL}}', chart: '{{.chart}}', targetRevision: '{{.version}}' },
        destination: { server: '{{.server}}', namespace: '{{.namespace}}' },
      },
    };
    const given = { repoURL: 'r', chart: 'c', version: '1', namespace: 'n' };
    const several = generators.matrix([production, generators.list({ elements: [given] })]);
    expect(applicationSet({ generators: [several], template: templated }).spec.template).toEqual(templated);
    expect(
      wrongPaths({
        template: {
          metadata: { name: '{{.name}}', labels: { '{{.name': 'a b' } },
          spec: { ...template.spec, project: 'A', destination: { server: 'blue' } },
        },
      }),
    ).toEqual([
      'template.metadata.labels.{{.name',
      'template.spec.project',
      'template.spec.destination.server',
      'template.metadata.labels',
    ]);
  });

  test('every problem comes in one error', () => {
    const error = errorOf(
      (chart) =>
        new ApplicationSet(chart, 'set', {
          name: 'Pod Info',
          generators: [],
          template: {
            metadata: { name: 'Podinfo', finalizers: ['a b'] },
            spec: { ...template.spec, sources: [], project: '' },
          },
          goTemplateOptions: ['missingkey=panic'],
          syncPolicy: { applicationsSync: 'never' as never },
        }),
    );
    expect(error.problems.map(({ path }) => path)).toEqual([
      'name',
      'generators',
      'template.metadata.finalizers[0]',
      'template.spec.project',
      'template.spec.sources',
      'template.spec.source',
      'goTemplateOptions[0]',
      'syncPolicy.applicationsSync',
      'template.metadata.name',
    ]);
    expect(error.message).toContain('ApplicationSet "Pod Info": 9 problems');
  });

  test('keeping what was deployed and a finalizer that deletes it contradict each other', () => {
    const finalizers = ['resources-finalizer.argocd.argoproj.io/background', 'example.com/other'];
    const withFinalizers = { ...template, metadata: { ...template.metadata, finalizers } };
    expect(
      wrongPaths({ template: withFinalizers, syncPolicy: { preserveResourcesOnDeletion: true } }),
    ).toEqual(['template.metadata.finalizers[0]']);
    expect(applicationSet({ template: withFinalizers }).spec.template.metadata.finalizers).toEqual(
      finalizers,
    );
  });
});

describe('template languages', () => {
  test.each([
    ['{{name}}-podinfo', true],
    ['{{ nameNormalized }}', true],
    ['{{cluster}}', true],
    ['{{metadata.labels.env}}', true],
    ['{{ path[0] }}', true],
    ['{{- path.basename -}}', true],
    ['{{.name}}-podinfo', false],
    ['{{ index .metadata.labels "env" }}', false],
    ['{{ .name | normalize }}', false],
    ['{{ range .clusters }}{{ .name }}{{ end }}', false],
    ['{{ now }}', false],
  ])('with Go templates %s is refused: %s', (text, refused) => {
    const everything = { cluster: 'a', name: 'a', metadata: { labels: { env: 'a' } }, clusters: [] };
    const props = {
      generators: [production, list('a', 'b')],
      template: { ...unread, metadata: { ...unread.metadata, annotations: { note: text } } },
    };
    if (refused) {
      expect(wrongPaths(props)).toEqual(['template.metadata.annotations.note']);
      expect(wrongPaths({ generators: [list('a')], templatePatch: `{"a":"${text}"}` })).toEqual([
        'templatePatch',
      ]);
    } else {
      props.generators = [generators.list({ elements: [everything] })];
      expect(applicationSet(props).spec.template.metadata.annotations).toEqual({ note: text });
    }
  });

  test('says how the expression should read', () => {
    expect(wrong({ template: named('{{name}}-podinfo') })).toEqual([
      'template.metadata.name: a Go template: "{{.name}}" with a leading dot instead of "{{name}}"',
    ]);
  });

  test('plain substitution is the other way round, and has neither patch nor options', () => {
    const plain = {
      ...template,
      metadata: { name: '{{name}}-podinfo' },
      spec: { ...template.spec, destination: { name: '{{name}}', namespace: 'podinfo' } },
    };
    const { spec } = applicationSet({ goTemplate: false, template: plain });
    expect(spec.goTemplate).toBe(false);
    expect(spec).not.toHaveProperty('goTemplateOptions');
    expect(
      wrongPaths({
        goTemplate: false,
        template,
        templatePatch: '{}',
        goTemplateOptions: ['missingkey=error'],
      }),
    ).toEqual([
      'templatePatch',
      'goTemplateOptions',
      'template.metadata.name',
      'template.spec.destination.name',
    ]);
  });
});

describe('names of generated Applications', () => {
  const cases: [string, Generator[], boolean][] = [
    ['clusters', [production], true],
    ['clusters as one list', [generators.clusters({ flatList: true })], false],
    ['git', [git()], true],
    ['nothing', [list()], false],
    ['one element', [list('a')], false],
    ['two elements', [list('a', 'b')], true],
    ['elements from a template', [generators.list({ elementsYaml: '{{ .a | toJson }}' })], true],
    ['two generators of one element', [list('a'), list('b')], true],
    ['a matrix of single elements', [generators.matrix([list('a'), list('b')])], false],
    ['a matrix with one that gives several', [generators.matrix([list('a'), production])], true],
    [
      'a merge into one element',
      [generators.merge({ mergeKeys: ['cluster'], generators: [list('a'), list('a', 'b')] })],
      false,
    ],
    [
      'a merge into several',
      [generators.merge({ mergeKeys: ['cluster'], generators: [list('a', 'b'), list('a')] })],
      true,
    ],
  ];

  test.each(cases)('%s', (_what, given, several) => {
    expect(mayGiveSeveral(given)).toBe(several);
    const props = { generators: given, template: { ...unread, metadata: { name: 'podinfo' } } };
    if (several) {
      expect(wrong(props)).toEqual([
        'template.metadata.name: a text with a template expression such as "{{.name}}": the generators may give several Applications',
      ]);
    } else {
      expect(applicationSet(props).spec.template.metadata.name).toBe('podinfo');
    }
  });

  test.each(['Pod-{{.name}}', '{{.name}}_podinfo', `{{.name}}${'a'.repeat(254)}`, `{{.name}}-${marker(0)}`])(
    'refuses %s',
    (name) => {
      expect(wrongPaths({ template: named(name) })).toEqual(['template.metadata.name']);
    },
  );
});

describe('strategy', () => {
  const labelled: ApplicationTemplate = {
    ...template,
    metadata: { name: '{{.name}}', labels: { slot: '{{ index .metadata.labels "slot" }}' } },
  };
  const rolling: ApplicationSetStrategy = {
    type: 'RollingSync',
    rollingSync: {
      steps: [
        { matchExpressions: [{ key: 'slot', operator: 'In', values: ['green'] }] },
        { matchExpressions: [{ key: 'slot', operator: 'NotIn', values: ['green'] }], maxUpdate: '50%' },
      ],
    },
    deletionOrder: 'Reverse',
  };
  const withPolicy = (syncPolicy: ApplicationTemplate['spec']['syncPolicy']) => ({
    strategy: rolling,
    template: { ...labelled, spec: { ...labelled.spec, syncPolicy } },
  });

  test('is written as it was given', () => {
    expect(applicationSet({ strategy: { type: 'AllAtOnce' } }).spec.strategy).toEqual({ type: 'AllAtOnce' });
    expect(applicationSet({ strategy: rolling, template: labelled }).spec.strategy).toEqual(rolling);
  });

  test('automated sync contradicts a rolling sync, which turns it off', () => {
    expect(wrongPaths(withPolicy({ automated: {} }))).toEqual(['template.spec.syncPolicy.automated']);
    expect(wrongPaths(withPolicy({ automated: { enabled: true, prune: true } }))).toEqual([
      'template.spec.syncPolicy.automated',
    ]);
    expect(
      applicationSet(withPolicy({ automated: { enabled: false } })).spec.template.spec.syncPolicy,
    ).toEqual({ automated: { enabled: false } });
    expect(
      applicationSet({ ...withPolicy({ automated: {} }), strategy: { type: 'AllAtOnce' } }).spec.strategy,
    ).toEqual({ type: 'AllAtOnce' });
  });

  test('pruning is written where the controller reads it', () => {
    const pruning: ApplicationSetStrategy = {
      ...rolling,
      rollingSync: { ...rolling.rollingSync, prune: true },
    };
    const { spec } = applicationSet({
      ...withPolicy({ syncOptions: ['CreateNamespace=true'] }),
      strategy: pruning,
    });
    expect(spec.template.spec.syncPolicy).toEqual({
      automated: { prune: true },
      syncOptions: ['CreateNamespace=true'],
    });
    expect(spec.strategy).toEqual(rolling);
  });

  test('refuses steps that select nothing', () => {
    const steps = [
      { matchExpressions: [] },
      { matchExpressions: [{ key: 'tier', operator: 'In', values: [] }], maxUpdate: '101%' },
      { matchExpressions: [{ key: 'slot', operator: 'Exists', values: ['a'] }], maxUpdate: -1 },
    ];
    const path = 'strategy.rollingSync.steps';
    expect(
      wrongPaths({
        template: labelled,
        strategy: { type: 'RollingSync', rollingSync: { steps }, deletionOrder: 'Backwards' },
      }),
    ).toEqual([
      `${path}[0].matchExpressions`,
      `${path}[1].matchExpressions[0].values`,
      `${path}[1].maxUpdate`,
      `${path}[2].matchExpressions[0].operator`,
      `${path}[2].maxUpdate`,
      'strategy.deletionOrder',
      `${path}[1].matchExpressions[0].key`,
    ]);
    expect(
      wrongPaths({ template: labelled, strategy: { type: 'RollingSync', rollingSync: { steps: [] } } }),
    ).toEqual([path]);
    expect(wrongPaths({ strategy: { type: 'Canary' } })).toEqual(['strategy.type']);
  });

  test('a patch may bring the labels of the steps', () => {
    expect(
      applicationSet({ strategy: rolling, templatePatch: '{"metadata":{"labels":{"slot":"a"}}}' }).spec
        .strategy,
    ).toEqual(rolling);
  });
});
