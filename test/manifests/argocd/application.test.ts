import { Application as ApplicationModel } from '@kubernetes-models/argo-cd/argoproj.io/v1alpha1/Application';
import { ApiObject } from 'cdk8s';
import { marker } from '../../../lib/core/tokens';
import type { ApplicationProps, ApplicationSource } from '../../../lib/manifests/argocd';
import { Application, capacityDifferences } from '../../../lib/manifests/argocd';
import { holdsCredential, isSshUrl } from '../../../lib/manifests/argocd/repository-credential';
import { errorOf, objectOf, pathsOf, problemsOf } from './synth';

const podinfo: ApplicationProps = {
  name: 'podinfo',
  project: 'apps',
  source: { repoURL: 'https://github.com/stefanprodan/podinfo', path: 'kustomize' },
  destination: { name: 'apps-blue', namespace: 'podinfo' },
};
const application = (props: Partial<ApplicationProps>) => {
  const object = objectOf((chart) => new Application(chart, 'app', { ...podinfo, ...props }));
  new ApplicationModel(object).validate();
  return object;
};
const wrongApplication = (props: object) =>
  problemsOf((chart) => new Application(chart, 'app', { ...podinfo, ...props }));
const wrongPaths = (props: object) =>
  pathsOf((chart) => new Application(chart, 'app', { ...podinfo, ...props }));

describe('Application', () => {
  test('has the name and the namespace that were given, not those of the chart', () => {
    expect(application({}).metadata).toEqual({ name: 'podinfo', namespace: 'argocd' });
    const object = application({
      name: 'team.podinfo',
      namespace: 'gitops',
      labels: { env: 'production' },
      annotations: { 'argocd.argoproj.io/sync-wave': '1' },
      finalizers: ['resources-finalizer.argocd.argoproj.io/foreground'],
    });
    expect(object.metadata).toEqual({
      name: 'team.podinfo',
      namespace: 'gitops',
      labels: { env: 'production' },
      annotations: { 'argocd.argoproj.io/sync-wave': '1' },
      finalizers: ['resources-finalizer.argocd.argoproj.io/foreground'],
    });
  });

  test('says what was asked and nothing else', () => {
    expect(application({}).spec).toEqual({
      project: 'apps',
      source: { repoURL: 'https://github.com/stefanprodan/podinfo', path: 'kustomize' },
      destination: { name: 'apps-blue', namespace: 'podinfo' },
    });
  });

  test('is the default child, so that cdk8s finds the object behind it', () => {
    objectOf((chart) => {
      const construct = new Application(chart, 'app', podinfo);
      expect(ApiObject.of(construct)).toBe(construct.apiObject);
    });
  });

  test('takes values as data, and a token inside them', () => {
    const { spec } = application({
      source: {
        repoURL: 'https://stefanprodan.github.io/podinfo',
        chart: 'podinfo',
        targetRevision: '6.14.1',
        helm: { valuesObject: { ui: { message: `hello ${marker(3)}` }, replicaCount: 2, tags: ['a'] } },
      },
    });
    expect(spec.source.helm.valuesObject).toEqual({
      ui: { message: `hello ${marker(3)}` },
      replicaCount: 2,
      tags: ['a'],
    });
  });

  test('ignoreDifferences bring the option without which a sync overwrites the fields', () => {
    const ignoreDifferences = [{ group: 'apps', kind: 'Deployment', jsonPointers: ['/spec/replicas'] }];
    expect(application({ ignoreDifferences }).spec.syncPolicy).toEqual({
      syncOptions: ['RespectIgnoreDifferences=true'],
    });
    const both = application({
      ignoreDifferences,
      syncPolicy: { automated: {}, syncOptions: ['ServerSideApply=true', 'RespectIgnoreDifferences=true'] },
    });
    expect(both.spec.syncPolicy).toEqual({
      automated: {},
      syncOptions: ['ServerSideApply=true', 'RespectIgnoreDifferences=true'],
    });
    expect(both.spec.ignoreDifferences).toEqual(ignoreDifferences);
    expect(
      wrongApplication({
        ignoreDifferences,
        syncPolicy: { syncOptions: ['RespectIgnoreDifferences=false'] },
      }),
    ).toEqual([
      'syncPolicy.syncOptions[0]: "RespectIgnoreDifferences=true", since "ignoreDifferences" does not work without it',
    ]);
    expect(application({ ignoreDifferences: [] }).spec.syncPolicy).toBeUndefined();
  });

  test('what shifts raise is ignored by its field manager, in syncs as well', () => {
    const manager = { managedFieldsManagers: ['cluster-canary-capacity'] };
    const { spec } = application({ ignoreDifferences: capacityDifferences() });
    expect(spec.ignoreDifferences).toEqual([
      { group: 'autoscaling', kind: 'HorizontalPodAutoscaler', ...manager },
      { group: 'keda.sh', kind: 'ScaledObject', ...manager },
      { group: 'apps', kind: 'Deployment', ...manager },
      { group: 'apps', kind: 'StatefulSet', ...manager },
      { group: 'argoproj.io', kind: 'Rollout', ...manager },
    ]);
    expect(spec.syncPolicy).toEqual({ syncOptions: ['RespectIgnoreDifferences=true'] });
    expect(
      wrongApplication({
        ignoreDifferences: capacityDifferences(),
        syncPolicy: { syncOptions: ['RespectIgnoreDifferences=false'] },
      }),
    ).toHaveLength(1);
  });

  test('metadata of the namespace bring its creation', () => {
    const syncPolicy = { managedNamespaceMetadata: { labels: { team: 'a' } } };
    expect(application({ syncPolicy }).spec.syncPolicy).toEqual({
      managedNamespaceMetadata: { labels: { team: 'a' } },
      syncOptions: ['CreateNamespace=true'],
    });
    expect(wrongPaths({ syncPolicy, destination: { name: 'blue' } })).toEqual(['destination.namespace']);
  });

  test('passes sync policy and history limit on', () => {
    const syncPolicy = {
      automated: { enabled: false, prune: true, selfHeal: true, allowEmpty: false },
      retry: { limit: -1, refresh: true, backoff: { duration: '5s', factor: 2, maxDuration: '180' } },
    };
    const { spec } = application({ syncPolicy, revisionHistoryLimit: 0 });
    expect(spec.syncPolicy).toEqual(syncPolicy);
    expect(spec.revisionHistoryLimit).toBe(0);
  });

  test('takes several sources, one of which only lends its files', () => {
    const sources: ApplicationSource[] = [
      {
        repoURL: 'https://stefanprodan.github.io/podinfo',
        chart: 'podinfo',
        targetRevision: '6.14.1',
        helm: { valueFiles: ['$config/values.yaml'] },
      },
      { repoURL: 'git@github.com:example/config.git', ref: 'config' },
    ];
    const { spec } = application({ source: undefined, sources });
    expect(spec.source).toBeUndefined();
    expect(spec.sources).toEqual(sources);
    expect(wrongPaths({ source: { repoURL: 'git@github.com:example/config.git', ref: 'config' } })).toEqual([
      'source',
    ]);
  });

  test('a value that is a token has no format to check', () => {
    expect(application({ destination: { server: marker(1), namespace: 'a' } }).spec.destination).toEqual({
      server: marker(1),
      namespace: 'a',
    });
    expect(wrongPaths({ name: `x-${marker(1)}`, namespace: marker(2) })).toEqual(['name', 'namespace']);
  });

  test('every problem comes in one error', () => {
    const error = errorOf(
      (chart) =>
        new Application(chart, 'app', {
          name: 'Podinfo',
          project: '',
          source: podinfo.source,
          sources: [],
          destination: { name: 'blue', server: 'https://example.com' } as never,
          finalizers: ['two words'],
          labels: { 'a b': 'c d' },
          revisionHistoryLimit: -1,
          syncPolicy: {
            syncOptions: ['CreateNamespace', 'Replace=true', 'Replace=false'],
            retry: { limit: 1.5, backoff: { duration: 'soon', factor: 0 } },
          },
          ignoreDifferences: [{ kind: 'Deployment' }, { kind: '', jsonPointers: ['spec/replicas'] }],
        }),
    );
    expect(error.problems.map(({ path }) => path)).toEqual([
      'name',
      'labels.a b',
      'labels.a b',
      'project',
      'sources',
      'destination',
      'syncPolicy.syncOptions[0]',
      'syncPolicy.retry.limit',
      'syncPolicy.retry.backoff.duration',
      'syncPolicy.retry.backoff.factor',
      'syncPolicy.syncOptions[2]',
      'ignoreDifferences[0]',
      'ignoreDifferences[1].kind',
      'ignoreDifferences[1].jsonPointers[0]',
      'revisionHistoryLimit',
      'finalizers[0]',
      'source',
    ]);
    expect(error.message).toContain('Application "Podinfo": 17 problems');
    expect(error.message).toContain(
      'destination: ["name","server"]: must be an object with exactly one of "name", "server"',
    );
  });

  test.each<[string, object, string[]]>([
    ['neither path nor chart', { repoURL: 'https://e.com/a' }, ['source']],
    [
      'path and chart',
      { repoURL: 'https://e.com/a', path: 'a', chart: 'b', targetRevision: '1' },
      ['source'],
    ],
    ['a chart without a version', { repoURL: 'https://e.com/a', chart: 'b' }, ['source.targetRevision']],
    [
      'a chart that lends its files',
      { repoURL: 'https://e.com/a', chart: 'b', targetRevision: '1', ref: 'r' },
      ['source.ref'],
    ],
    ['two tools', { repoURL: 'https://e.com/a', path: 'a', helm: {}, kustomize: {} }, ['source']],
    [
      'values as text',
      { repoURL: 'https://e.com/a', path: 'a', helm: { values: 'a: 1' } },
      ['source.helm.values'],
    ],
    [
      'a null that cdk8s would drop',
      { repoURL: 'https://e.com/a', path: 'a', helm: { valuesObject: { a: [{ b: null }] } } },
      ['source.helm.valuesObject.a[0].b'],
    ],
    [
      'a patch that is nowhere',
      { repoURL: 'https://e.com/a', path: 'a', kustomize: { patches: [{}] } },
      ['source.kustomize.patches[0]'],
    ],
    ['no URL', { repoURL: '', path: 'a' }, ['source.repoURL']],
  ])('refuses %s', (_what, source, paths) => {
    expect(wrongPaths({ source })).toEqual(paths);
  });

  test('never shows a URL that holds a credential', () => {
    const error = errorOf(
      (chart) =>
        new Application(chart, 'app', {
          ...podinfo,
          source: { repoURL: 'https://hunter2@github.com/example/config', path: '.' },
        }),
    );
    expect(error.problems).toEqual([{ path: 'source.repoURL', allowed: expect.any(String) as string }]);
    expect(error.message).not.toContain('hunter2');
  });

  test('a long name is fine, but not as the name of a Helm release', () => {
    const name = 'a'.repeat(54);
    const chart = { repoURL: 'https://e.com/a', chart: 'b', targetRevision: '1' };
    expect(application({ name: 'a'.repeat(253) }).metadata.name).toHaveLength(253);
    expect(wrongPaths({ name: 'a'.repeat(254) })).toEqual(['name']);
    expect(application({ name: 'a'.repeat(53), source: chart }).metadata.name).toHaveLength(53);
    expect(wrongPaths({ name, source: chart })).toEqual(['source.helm.releaseName']);
    expect(application({ name, source: { ...chart, helm: { releaseName: 'b' } } }).metadata.name).toBe(name);
    expect(wrongPaths({ source: { ...chart, helm: { releaseName: 'b'.repeat(54) } } })).toEqual([
      'source.helm.releaseName',
    ]);
  });
});

describe('repository URLs', () => {
  test.each([
    ['https://github.com/a/b', false, false],
    ['https://github.com/a/b@v1', false, false],
    ['https://user@dev.azure.com/a/b', true, false],
    ['http://user:pw@git.example.com/a', true, false],
    [`https://x:${marker(1)}@github.com/a/b`, true, false],
    ['!https://token@github.com/**', true, false],
    ['git@github.com:a/b.git', false, true],
    ['ssh://git@github.com/a/b', false, true],
    ['ssh://git:pw@github.com/a/b', true, false],
    ['git:pw@github.com:a/b', true, false],
    ['registry.example.com:5000/charts', false, false],
    ['*', false, false],
  ])('%s: credential %s, SSH %s', (url, credential, ssh) => {
    expect(holdsCredential(url)).toBe(credential);
    expect(isSshUrl(url)).toBe(ssh);
  });
});
