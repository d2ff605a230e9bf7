import type { ApplicationTemplate } from '../../../lib/manifests/argocd';
import { ApplicationSet, generators } from '../../../lib/manifests/argocd';
import {
  applicationSet,
  generated,
  git,
  list,
  podinfo,
  production,
  template,
  wrongPaths,
} from './podinfo-set';
import { errorOf } from './synth';

/** The template without Go templates. */
const plain: ApplicationTemplate = {
  metadata: { name: '{{cluster}}' },
  spec: { ...template.spec, destination: { name: '{{cluster}}', namespace: 'podinfo' } },
};

describe('generators', () => {
  test('clusters always ask for the label of cluster Secrets, so that the hub itself is never among them', () => {
    const registered = { matchLabels: { 'argocd.argoproj.io/secret-type': 'cluster' } };
    expect(generated(generators.clusters())).toEqual({ clusters: { selector: registered } });
    expect(
      generated(
        generators.clusters({
          selector: { matchExpressions: [{ key: 'env', operator: 'DoesNotExist' }] },
          values: { revision: '{{ index .metadata.labels "revision" }}' },
          flatList: false,
        }),
      ),
    ).toEqual({
      clusters: {
        selector: { ...registered, matchExpressions: [{ key: 'env', operator: 'DoesNotExist' }] },
        values: { revision: '{{ index .metadata.labels "revision" }}' },
        flatList: false,
      },
    });
  });

  test('refuses selectors that Kubernetes would refuse', () => {
    expect(
      wrongPaths({
        generators: [
          generators.clusters({
            selector: {
              matchLabels: { 'a b': 'c', env: 'pro duction', 'argocd.argoproj.io/secret-type': 'repository' },
              matchExpressions: [
                { key: 'env', operator: 'In' },
                { key: 'env', operator: 'Exists', values: ['a'] },
                { key: 'env', operator: 'Is' as never, values: [] },
              ],
            },
          }),
        ],
      }),
    ).toEqual([
      'generators[0].clusters.selector.matchLabels.a b',
      'generators[0].clusters.selector.matchLabels.env',
      'generators[0].clusters.selector.matchExpressions[0].values',
      'generators[0].clusters.selector.matchExpressions[1].values',
      'generators[0].clusters.selector.matchExpressions[2].operator',
      'generators[0].clusters.selector.matchLabels.argocd.argoproj.io/secret-type',
    ]);
  });

  test('lists keep any data, which plain substitution can not use', () => {
    const elements = [{ cluster: 'a', ports: [1, 2], values: { x: { y: true } } }];
    expect(generated(generators.list({ elements }))).toEqual({ list: { elements } });
    expect(
      wrongPaths({
        goTemplate: false,
        generators: [generators.list({ elements: [{ cluster: 'b', ports: [1], values: { x: 'y' } }] })],
        template: plain,
      }),
    ).toEqual(['generators[0].list.elements[0].ports']);
    expect(wrongPaths({ generators: [generators.list({ elements: [{ a: null }] })] })).toEqual([
      'generators[0].list.elements[0].a',
    ]);
    expect(wrongPaths({ generators: [generators.list({})] })).toEqual(['generators[0].list']);
  });

  test('git looks for directories or files, at HEAD unless told otherwise', () => {
    expect(generated(git())).toEqual({
      git: {
        repoURL: 'https://git.example.com/a',
        revision: 'HEAD',
        directories: [{ path: 'apps/*' }],
      },
    });
    const options = {
      repoURL: 'https://git.example.com/a',
      revision: 'main',
      files: [{ path: 'clusters/**/config.json' }, { path: 'clusters/old/config.json', exclude: true }],
      requeueAfterSeconds: 60,
      pathParamPrefix: 'config',
      values: { team: 'a' },
    };
    expect(generated(generators.git(options))).toEqual({ git: options });
  });

  test('refuses a git generator that finds nothing, or shows a credential', () => {
    const error = errorOf(
      (chart) =>
        new ApplicationSet(chart, 'set', {
          ...podinfo,
          generators: [
            generators.git({
              repoURL: 'https://hunter2@git.example.com/a',
              revision: '',
              directories: [{ path: 'a', exclude: true }],
              files: [{ path: '' }],
              requeueAfterSeconds: 0,
              pathParamPrefix: 'a-b',
            }),
            generators.git({ repoURL: 'https://git.example.com/a', files: [] }),
          ],
        }),
    );
    expect(error.problems.map(({ path }) => path)).toEqual([
      'generators[0].git.repoURL',
      'generators[0].git.revision',
      'generators[0].git.files[0].path',
      'generators[0].git.requeueAfterSeconds',
      'generators[0].git.pathParamPrefix',
      'generators[0].git',
      'generators[0].git.directories',
      'generators[1].git.files',
    ]);
    expect(error.message).not.toContain('hunter2');
  });

  test('a post selector stands beside the generator, and takes any values', () => {
    const postSelector = { matchLabels: { 'path.basename': 'https://a b' } };
    expect(generated({ ...git(), postSelector })).toMatchObject({ git: {}, selector: postSelector });
    expect(generated(generators.matrix([list('a', 'b'), production], { postSelector }))).toMatchObject({
      matrix: {},
      selector: postSelector,
    });
  });

  test('matrix and merge hold their generators in the order given', () => {
    const merge = generators.merge({ mergeKeys: ['cluster'], generators: [list('a', 'b'), list('a')] });
    expect(generated(generators.matrix([git(), merge]))).toEqual({
      matrix: {
        generators: [
          expect.objectContaining({ git: expect.anything() as object }),
          {
            merge: {
              mergeKeys: ['cluster'],
              generators: [
                { list: { elements: [{ cluster: 'a' }, { cluster: 'b' }] } },
                { list: { elements: [{ cluster: 'a' }] } },
              ],
            },
          },
        ],
      },
    });
  });

  test('a matrix has exactly two, a merge at least two and a key that can be merged by', () => {
    expect(
      wrongPaths({
        generators: [
          generators.matrix([production] as never),
          generators.matrix([list('a'), list('b'), production] as never),
          generators.merge({ mergeKeys: [], generators: [production] }),
          generators.merge({
            mergeKeys: ['name', 'values.a', 'name', ''],
            generators: [production, list('a')],
          }),
        ],
      }),
    ).toEqual([
      'generators[0].matrix',
      'generators[1].matrix',
      'generators[2].merge.mergeKeys',
      'generators[2].merge.generators',
      'generators[3].merge.mergeKeys[3]',
      'generators[3].merge.mergeKeys[2]',
      'generators[3].merge.mergeKeys[1]',
    ]);
    const nested = generators.merge({
      mergeKeys: ['values.a'],
      generators: ['b', 'c'].map((cluster) =>
        generators.list({ elements: [{ cluster, values: { a: 'x' } }] }),
      ),
    });
    expect(
      applicationSet({ goTemplate: false, generators: [nested], template: plain }).spec.generators[0].merge
        .mergeKeys,
    ).toEqual(['values.a']);
  });

  test('two git generators in a matrix need prefixes, or they overwrite each other', () => {
    expect(wrongPaths({ generators: [generators.matrix([git(), git()])] })).toEqual(['generators[0].matrix']);
    expect(wrongPaths({ generators: [generators.matrix([git('a'), git('a')])] })).toEqual([
      'generators[0].matrix',
    ]);
    expect(
      wrongPaths({ generators: [generators.matrix([git(), generators.matrix([list('a'), git()])])] }),
    ).toEqual(['generators[0].matrix']);
    expect(generated(generators.matrix([git('a'), git()])).matrix.generators).toHaveLength(2);
  });

  test('what is no generator is refused', () => {
    expect(wrongPaths({ generators: [{ kind: 'clusterDecision' }] })).toEqual(['generators[0]']);
  });
});
