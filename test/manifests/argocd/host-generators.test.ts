import type { LeafGenerator } from '../../../lib/manifests/argocd';
import { ApplicationSet, generators } from '../../../lib/manifests/argocd';
import { generated, list, podinfo, production, unread, wrong, wrongPaths } from './podinfo-set';
import { errorOf } from './synth';

const tokenRef = { secretName: 'git-host', key: 'token' };
const basicAuth = { username: 'argo', passwordRef: { secretName: 'git-host', key: 'password' } };

describe('generators that ask a Git host', () => {
  const hosts: [string, LeafGenerator, object][] = [
    [
      'repositories at GitHub',
      generators.scmProvider({
        github: { organization: 'example', tokenRef, allBranches: true },
        filters: [
          { repositoryMatch: '^app-', pathsExist: ['deploy/kustomization.yaml'], labelMatch: 'deploy' },
        ],
        cloneProtocol: 'https',
        requeueAfterSeconds: 300,
        values: { team: '{{.organization}}' },
      }),
      {
        scmProvider: {
          github: { organization: 'example', tokenRef, allBranches: true },
          filters: [
            { repositoryMatch: '^app-', pathsExist: ['deploy/kustomization.yaml'], labelMatch: 'deploy' },
          ],
          cloneProtocol: 'https',
          requeueAfterSeconds: 300,
          values: { team: '{{.organization}}' },
        },
      },
    ],
    [
      'repositories of CodeCommit',
      generators.scmProvider({
        awsCodeCommit: { role: 'arn:aws:iam::123456789012:role/argo', tagFilters: [{ key: 'argo-ready' }] },
        cloneProtocol: 'https-fips',
      }),
      {
        scmProvider: {
          awsCodeCommit: { role: 'arn:aws:iam::123456789012:role/argo', tagFilters: [{ key: 'argo-ready' }] },
          cloneProtocol: 'https-fips',
        },
      },
    ],
    [
      'pull requests at GitLab',
      generators.pullRequest({
        gitlab: { project: '42', pullRequestState: 'opened', labels: ['preview'] },
        filters: [{ targetBranchMatch: '^main$' }],
      }),
      {
        pullRequest: {
          gitlab: { project: '42', pullRequestState: 'opened', labels: ['preview'] },
          filters: [{ targetBranchMatch: '^main$' }],
        },
      },
    ],
    [
      'pull requests on a Bitbucket server',
      generators.pullRequest({
        bitbucketServer: { project: 'p', repo: 'r', api: 'https://git.example.com', basicAuth },
        continueOnRepoNotFoundError: true,
      }),
      {
        pullRequest: {
          bitbucketServer: { project: 'p', repo: 'r', api: 'https://git.example.com', basicAuth },
          continueOnRepoNotFoundError: true,
        },
      },
    ],
    [
      'a program',
      generators.plugin({ configMapRef: { name: 'plans' }, input: { parameters: { a: [1, { b: true }] } } }),
      { plugin: { configMapRef: { name: 'plans' }, input: { parameters: { a: [1, { b: true }] } } } },
    ],
    [
      'decisions',
      generators.clusterDecisionResource({
        configMapRef: 'placements',
        labelSelector: { matchLabels: { team: 'a' } },
        requeueAfterSeconds: 60,
      }),
      {
        clusterDecisionResource: {
          configMapRef: 'placements',
          labelSelector: { matchLabels: { team: 'a' } },
          requeueAfterSeconds: 60,
        },
      },
    ],
  ];

  test.each(hosts)(
    '%s are written as they were given, alone and in a matrix',
    (_what, generator, written) => {
      expect(generated(generator)).toEqual(written);
      expect(generated(generators.matrix([generator, production])).matrix.generators[0]).toEqual(written);
      expect(
        wrong({ generators: [generator], template: { ...unread, metadata: { name: 'podinfo' } } }),
      ).toEqual([
        'template.metadata.name: a text with a template expression such as "{{.name}}": the generators may give several Applications',
      ]);
    },
  );

  test('types allow one host, whose credential is a reference', () => {
    // @ts-expect-error two hosts
    generators.scmProvider({ github: { organization: 'a' }, gitlab: { group: 'b' } });
    // @ts-expect-error no host
    generators.pullRequest({ requeueAfterSeconds: 1 });
    expect(() =>
      // @ts-expect-error the token itself
      generators.pullRequest({ github: { owner: 'a', repo: 'b', tokenRef: 'ghp_x' } }),
    ).toThrow(
      'github.tokenRef: must be an object with "secretName" and "key", which name the place of the value',
    );
    // @ts-expect-error one of the two
    expect(generators.clusterDecisionResource({ name: 'a' }).kind).toBe('clusterDecisionResource');
  });

  test('refuses no host and several, what is missing, and what skips a verification', () => {
    expect(
      wrongPaths({
        generators: [
          { kind: 'scmProvider' },
          { kind: 'scmProvider', github: {}, gitlab: { group: 'a' } },
          {
            kind: 'scmProvider',
            bitbucketServer: {
              project: 'a',
              api: 'http://a',
              basicAuth,
              bearerToken: { tokenRef },
            },
          },
          {
            kind: 'scmProvider',
            awsCodeCommit: { role: 'argo', tagFilters: [{}] },
            filters: [{}, { labelMatch: 'a' }],
            requeueAfterSeconds: 0,
          },
          { kind: 'scmProvider', github: { organization: 'a' }, cloneProtocol: 'https-fips' },
          {
            kind: 'pullRequest',
            github: { owner: 'a', repo: 'b', tokenRef, appSecretName: 'c' },
          },
          { kind: 'pullRequest', gitlab: { project: 'a', pullRequestState: 'open' }, filters: [{}] },
          { kind: 'plugin', input: { parameters: { a: null } } },
          { kind: 'clusterDecisionResource', configMapRef: 'A', name: 'a', labelSelector: {} },
        ],
      }),
    ).toEqual([
      'generators[0].scmProvider',
      'generators[1].scmProvider.github.organization',
      'generators[1].scmProvider',
      'generators[2].scmProvider.bitbucketServer.api',
      'generators[2].scmProvider.bitbucketServer',
      'generators[3].scmProvider.filters[0]',
      'generators[3].scmProvider.requeueAfterSeconds',
      'generators[3].scmProvider.awsCodeCommit.role',
      'generators[3].scmProvider.awsCodeCommit.tagFilters[0].key',
      'generators[3].scmProvider.filters[1].labelMatch',
      'generators[4].scmProvider.cloneProtocol',
      'generators[5].pullRequest.github',
      'generators[6].pullRequest.filters[0]',
      'generators[6].pullRequest.gitlab.pullRequestState',
      'generators[7].plugin.configMapRef',
      'generators[7].plugin.input.parameters.a',
      'generators[8].clusterDecisionResource.configMapRef',
      'generators[8].clusterDecisionResource',
    ]);
  });

  test('refuses what skips a verification, and a credential in a field that there is not', () => {
    const error = errorOf(
      (chart) =>
        new ApplicationSet(chart, 'set', {
          ...podinfo,
          generators: [
            { kind: 'scmProvider', bitbucketServer: { project: 'a', insecure: true } },
            { kind: 'scmProvider', github: { organization: 'a', token: 'hunter2' } },
          ] as never,
        }),
    );
    expect(error.problems.map(({ path }) => path)).toEqual([
      'generators[0].scmProvider.bitbucketServer.insecure',
      'generators[0].scmProvider.bitbucketServer.api',
      'generators[1].scmProvider.github.token',
      'template.metadata.name',
      'template.spec.destination.name',
    ]);
    expect(error.message).not.toContain('hunter2');
  });

  test('never shows a credential that stands where a reference should', () => {
    const error = errorOf(
      (chart) =>
        new ApplicationSet(chart, 'set', {
          ...podinfo,
          template: unread,
          generators: [
            { kind: 'scmProvider', github: { organization: 'a', tokenRef: 'hunter2' } },
            { kind: 'pullRequest', github: { owner: 'a', repo: 'b', labels: 'hunter2' } },
            {
              kind: 'pullRequest',
              bitbucket: { owner: 'a', repo: 'b', basicAuth: { passwordRef: 'hunter2' } },
            },
          ] as never,
        }),
    );
    expect(error.problems.map(({ path }) => path).filter((path) => path.startsWith('generators'))).toEqual([
      'generators[0].scmProvider.github.tokenRef',
      'generators[1].pullRequest.github.labels',
      'generators[2].pullRequest.bitbucket.basicAuth.username',
      'generators[2].pullRequest.bitbucket.basicAuth.passwordRef',
    ]);
    expect(error.message).not.toContain('hunter2');
    const login = errorOf(
      (chart) =>
        new ApplicationSet(chart, 'set', {
          ...podinfo,
          template: unread,
          generators: [
            generators.pullRequest({
              gitea: { owner: 'a', repo: 'b', api: 'https://hunter2@git.example.com' },
            }),
          ],
        }),
    );
    expect(login.problems.map(({ path }) => path)).toEqual(['generators[0].pullRequest.gitea.api']);
    expect(login.message).not.toContain('hunter2');
  });

  test('their parameters are known, so an expression without a dot is found', () => {
    const pulls = generators.pullRequest({ github: { owner: 'a', repo: 'b' } });
    const repositories = generators.scmProvider({ github: { organization: 'a' } });
    for (const [generator, text, refused] of [
      [pulls, '{{head_sha}}', true],
      [pulls, '{{ .head_sha }}', false],
      [repositories, '{{short_sha_7}}', true],
      [list('a', 'b'), '{{head_sha}}', true],
      [list('a', 'b'), '{{ now }}', false],
    ] as const) {
      const template = { ...unread, metadata: { ...unread.metadata, annotations: { note: text } } };
      const props = { ...podinfo, generators: [generator], template };
      if (refused) {
        expect(wrongPaths(props)).toEqual(['template.metadata.annotations.note']);
      } else {
        expect(generated(generator)).toBeDefined();
        expect(() => errorOf((chart) => new ApplicationSet(chart, 'set', props))).toThrow(
          'nothing was refused',
        );
      }
    }
  });
});
