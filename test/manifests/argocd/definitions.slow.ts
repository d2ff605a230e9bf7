import * as fc from 'fast-check';
import type {
  ApplicationProps,
  ApplicationSetProps,
  AppProjectProps,
  Generator,
} from '../../../lib/manifests/argocd';
import {
  Application,
  ApplicationSet,
  AppProject,
  capacityDifferences,
  generators,
  rollingSyncForFleet,
  slotLabels,
} from '../../../lib/manifests/argocd';
import { crdErrors, definitionsAtHand } from '../../examples/shared-crds';
import { objectOf } from './synth';
import { scaled } from '../../runs';

const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const texts = (...words: string[]) => fc.subarray(words, { minLength: 1 });
const seconds = fc.integer({ min: 1, max: 86_400 });
const values = fc.dictionary(fc.constantFrom('a', 'b'), fc.string());
const secret = fc.record({ secretName: fc.constant('git-host'), key: fc.constantFrom('token', 'pass.word') });
const certificates = fc.record({ configMapName: fc.constant('certificates'), key: fc.constant('ca.crt') });
const basicAuth = fc.record({ username: fc.constant('argo'), passwordRef: secret });
const bearerToken = fc.record({ tokenRef: secret });
const url = fc.constantFrom('https://git.example.com', 'https://git.example.com/api/');
const repository = { owner: fc.constant('a'), repo: fc.constant('b') };
const flag = some(fc.boolean());
const search = { requeueAfterSeconds: some(seconds), values: some(values) };
const selector = fc.record({
  matchLabels: some(fc.constant({ env: 'production' })),
  matchExpressions: some(
    fc.constant([
      { key: 'a', operator: 'In' as const, values: ['b'] },
      { key: 'c', operator: 'Exists' as const },
    ]),
  ),
});

const scmHost = fc.oneof(
  fc.record({
    github: fc.record({
      organization: fc.constant('a'),
      api: some(url),
      tokenRef: some(secret),
      allBranches: flag,
      excludeArchivedRepos: flag,
    }),
  }),
  fc.record({
    gitlab: fc.record({
      group: fc.constant('a'),
      api: some(url),
      tokenRef: some(secret),
      caRef: some(certificates),
      allBranches: flag,
      includeSubgroups: flag,
      includeSharedProjects: flag,
      includeArchivedRepos: flag,
      topic: some(fc.constant('x')),
    }),
  }),
  fc.record({
    gitea: fc.record({
      owner: fc.constant('a'),
      api: url,
      tokenRef: some(secret),
      excludeArchivedRepos: flag,
    }),
  }),
  fc.record({
    bitbucket: fc.record({
      owner: fc.constant('a'),
      user: fc.constant('b'),
      appPasswordRef: secret,
      allBranches: flag,
    }),
  }),
  fc.record({
    bitbucketServer: fc.record({
      project: fc.constant('a'),
      api: url,
      basicAuth: some(basicAuth),
      caRef: some(certificates),
    }),
  }),
  fc.record({ bitbucketServer: fc.record({ project: fc.constant('a'), api: url, bearerToken }) }),
  fc.record({
    azureDevOps: fc.record({
      organization: fc.constant('a'),
      teamProject: fc.constant('b'),
      accessTokenRef: secret,
      api: some(url),
    }),
  }),
  fc.record({
    awsCodeCommit: fc.record({
      region: some(fc.constant('eu-west-1')),
      role: some(fc.constant('arn:aws:iam::123456789012:role/argo')),
      tagFilters: some(fc.constant([{ key: 'a', value: 'b' }, { key: 'c' }])),
      allBranches: flag,
    }),
  }),
);
const pullHost = fc.oneof(
  fc.record({
    github: fc.record({
      ...repository,
      api: some(url),
      appSecretName: some(fc.constant('app')),
      labels: some(texts('x', 'y')),
    }),
  }),
  fc.record({
    gitlab: fc.record({
      project: fc.constant('1'),
      api: some(url),
      tokenRef: some(secret),
      caRef: some(certificates),
      pullRequestState: some(fc.constantFrom('opened' as const, 'merged' as const)),
    }),
  }),
  fc.record({
    gitea: fc.record({ ...repository, api: url, tokenRef: some(secret), labels: some(texts('x')) }),
  }),
  fc.record({ bitbucket: fc.record({ ...repository, api: some(url), basicAuth: some(basicAuth) }) }),
  fc.record({
    bitbucketServer: fc.record({
      project: fc.constant('a'),
      repo: fc.constant('b'),
      api: url,
      bearerToken: some(bearerToken),
      caRef: some(certificates),
    }),
  }),
  fc.record({
    azuredevops: fc.record({
      organization: fc.constant('a'),
      project: fc.constant('b'),
      repo: fc.constant('c'),
      api: some(url),
      tokenRef: some(secret),
      labels: some(texts('x')),
    }),
  }),
);
const leaf: fc.Arbitrary<any> = fc.oneof(
  fc.constant(generators.list({ elements: [{ cluster: 'a', n: 1 }] })),
  fc
    .record({ selector: some(selector), values: some(values), flatList: flag, postSelector: some(selector) })
    .map(generators.clusters),
  fc
    .record({
      repoURL: url,
      revision: some(fc.constant('main')),
      files: fc.constant([{ path: 'a/*.json' }, { path: 'b', exclude: true }]),
      requeueAfterSeconds: some(seconds),
      values: some(values),
    })
    .map(generators.git),
  fc
    .tuple(
      fc.record({
        ...search,
        cloneProtocol: some(fc.constantFrom('ssh' as const, 'https' as const)),
        filters: some(
          fc.constant([
            { repositoryMatch: 'a', pathsExist: ['b'], pathsDoNotExist: ['c'], branchMatch: 'd' },
          ]),
        ),
      }),
      scmHost,
    )
    .map(([options, host]) => generators.scmProvider({ ...options, ...(host as any) })),
  fc
    .tuple(
      fc.record({
        ...search,
        continueOnRepoNotFoundError: flag,
        filters: some(fc.constant([{ branchMatch: 'a', titleMatch: 'b', targetBranchMatch: 'c' }])),
      }),
      pullHost,
    )
    .map(([options, host]) => generators.pullRequest({ ...options, ...(host as any) })),
  fc
    .record({
      ...search,
      configMapRef: fc.constant({ name: 'plans' }),
      input: some(fc.record({ parameters: some(fc.constant({ a: [1, 'b'], c: { d: true } })) })),
    })
    .map(generators.plugin),
  fc
    .record({ ...search, configMapRef: fc.constant('placements'), labelSelector: selector })
    .map(generators.clusterDecisionResource),
);
const nested: fc.Arbitrary<any> = fc.oneof(
  leaf,
  fc.tuple(leaf, leaf).map((pair) => generators.matrix(pair as never)),
  fc
    .array(leaf, { minLength: 2, maxLength: 3 })
    .map((all) => generators.merge({ mergeKeys: ['name'], generators: all })),
);
const generator: fc.Arbitrary<Generator> = fc.oneof(
  nested,
  fc.tuple(nested, leaf).map((pair) => generators.matrix(pair as never)),
);

const syncPolicy = fc.record({
  automated: some(fc.record({ enabled: flag, prune: flag, selfHeal: flag, allowEmpty: flag })),
  syncOptions: some(
    texts('CreateNamespace=true', 'ServerSideApply=true', 'PruneLast=true', 'ApplyOutOfSyncOnly=true'),
  ),
  retry: some(
    fc.record({
      limit: fc.integer({ min: -1, max: 50 }),
      refresh: flag,
      backoff: some(
        fc.record({
          duration: some(fc.constant('5s')),
          factor: some(fc.integer({ min: 1, max: 5 })),
          maxDuration: some(fc.constant('3m')),
        }),
      ),
    }),
  ),
  managedNamespaceMetadata: some(
    fc.record({ labels: some(fc.constant({ team: 'a' })), annotations: some(fc.constant({ note: 'b' })) }),
  ),
});
const source = fc.oneof(
  fc.record({
    repoURL: url,
    path: fc.constant('deploy'),
    targetRevision: some(fc.constant('v1')),
    kustomize: some(fc.constant({ namePrefix: 'a-', images: ['b=c:1'] })),
  }),
  fc.record({
    repoURL: url,
    path: fc.constant('deploy'),
    directory: some(fc.constant({ recurse: true, exclude: 'x' })),
  }),
  fc.record({
    repoURL: url,
    chart: fc.constant('podinfo'),
    targetRevision: fc.constant('6.x'),
    helm: some(fc.constant({ valuesObject: { a: [1] }, releaseName: 'podinfo' })),
  }),
);
const spec = fc.record({
  project: fc.constant('apps'),
  source,
  destination: fc.oneof(
    fc.record({ name: fc.constant('apps-blue'), namespace: fc.constant('podinfo') }),
    fc.record({
      server: fc.constantFrom('https://blue.example.com', 'arn:aws:eks:eu-west-1:123456789012:cluster/blue'),
      namespace: fc.constant('podinfo'),
    }),
  ),
  syncPolicy: some(syncPolicy),
  ignoreDifferences: some(
    fc.constantFrom(
      [
        { group: 'apps', kind: 'Deployment', jsonPointers: ['/spec/replicas'] },
        { kind: 'Secret', jqPathExpressions: ['.data'] },
      ],
      capacityDifferences(),
    ),
  ),
  revisionHistoryLimit: some(fc.integer({ min: 0, max: 20 })),
});
const project: fc.Arbitrary<AppProjectProps> = fc.record({
  name: fc.constant('apps'),
  description: some(fc.constant('x')),
  sourceRepos: texts('https://git.example.com/*', 'https://charts.example.com'),
  sourceNamespaces: some(texts('argocd', 'team-*')),
  destinations: fc.constant([
    { name: 'apps-blue', namespace: 'podinfo' },
    { server: '*', namespace: '!kube-system' },
  ]),
  clusterResourceWhitelist: some(fc.constant([{ group: '', kind: 'Namespace', name: 'a*' }])),
  namespaceResourceBlacklist: some(fc.constant([{ group: '', kind: 'ResourceQuota' }])),
  roles: some(fc.constant([{ name: 'deployer', groups: ['a'], policies: [{ action: 'sync' as const }] }])),
  syncWindows: some(
    fc.constant([
      {
        kind: 'deny' as const,
        schedule: '0 1 * * *',
        duration: '1h',
        timeZone: 'UTC',
        clusters: ['apps-*'],
        manualSync: true,
        andOperator: true,
        description: 'x',
      },
    ]),
  ),
  finalizers: some(fc.constant(['resources-finalizer.argocd.argoproj.io'])),
});
const set: fc.Arbitrary<ApplicationSetProps> = fc
  .record({
    generators: fc.array(generator, { minLength: 1, maxLength: 2 }),
    spec,
    goTemplateOptions: some(fc.constant(['missingkey=error'])),
    applicationsSync: some(fc.constantFrom('create-only' as const, 'sync' as const)),
    preserve: flag,
    preservedFields: some(fc.constant({ labels: ['a'], annotations: ['b'] })),
    ignoreApplicationDifferences: some(
      fc.constant([{ name: 'a', jsonPointers: ['/spec/source'] }, { jqPathExpressions: ['.spec'] }]),
    ),
    templatePatch: some(fc.constant('{}')),
    rolling: fc.boolean(),
    maxUpdate: some(fc.constantFrom(1, '25%')),
  })
  .map(({ spec: wanted, rolling, maxUpdate, preserve, applicationsSync, ...rest }) => ({
    ...rest,
    name: 'podinfo',
    template: {
      metadata: { name: '{{.name}}-podinfo', labels: slotLabels() },
      spec: rolling ? { ...wanted, syncPolicy: { ...wanted.syncPolicy, automated: undefined } } : wanted,
    },
    syncPolicy: { preserveResourcesOnDeletion: preserve, applicationsSync },
    strategy: rolling ? rollingSyncForFleet(['blue', 'green'], 'green', { maxUpdate }) : undefined,
  }));

/**
 * Two git generators in one matrix overwrite each other's path, and not all generators give a name and labels of clusters:
 * both is refused, and not the point here.
 */
const sound = (build: () => any) => {
  try {
    return build();
  } catch (error: any) {
    if (
      error.problems?.every(({ allowed }: any) =>
        /pathParamPrefix|^a (template of what|parameter that) (every generator|the generators) gives?|^a template that Argo CD can read/.test(
          allowed,
        ),
      )
    ) {
      return undefined;
    }
    throw error;
  }
};

const evaluated = definitionsAtHand ? describe : describe.skip;

evaluated('whatever is asked, the resource definition takes it', () => {
  test('the definitions refuse a field that is not theirs', () => {
    const object = objectOf((chart) => new Application(chart, 'app', { name: 'a', ...sampleSpec() }));
    expect(crdErrors([object])).toEqual([]);
    expect(crdErrors([{ ...object, spec: { ...object.spec, unknown: true } }])).toHaveLength(1);
  });

  test('ApplicationSets', () => {
    let made = 0;
    fc.assert(
      fc.property(set, (props) => {
        const object = sound(() => objectOf((chart) => new ApplicationSet(chart, 'set', props)));
        made += object ? 1 : 0;
        expect(crdErrors(object ? [object] : [])).toEqual([]);
      }),
      { numRuns: scaled(60) },
    );
    expect(made).toBeGreaterThan(5);
  });

  test('Applications', () => {
    fc.assert(
      fc.property(spec, (wanted) => {
        const props: ApplicationProps = { name: 'podinfo', ...wanted };
        expect(crdErrors([objectOf((chart) => new Application(chart, 'app', props))])).toEqual([]);
      }),
      { numRuns: scaled(25) },
    );
  });

  test('projects', () => {
    fc.assert(
      fc.property(project, (props) => {
        expect(crdErrors([objectOf((chart) => new AppProject(chart, 'project', props))])).toEqual([]);
      }),
      { numRuns: scaled(25) },
    );
  });
});

function sampleSpec(): Omit<ApplicationProps, 'name'> {
  return {
    project: 'apps',
    source: { repoURL: 'https://git.example.com', path: 'deploy' },
    destination: { name: 'apps-blue', namespace: 'podinfo' },
  };
}
