import * as fc from 'fast-check';
import type { Generator, LeafGenerator, NestedGenerator } from '../../../lib/manifests/argocd';
import { generators } from '../../../lib/manifests/argocd';
import { applicationSet, git, list, production, unread, wrong, wrongPaths } from './podinfo-set';

describe('depth of combining generators', () => {
  const leaf = list('a', 'b');
  const one = generators.matrix([leaf, leaf]);
  const two = generators.merge({ mergeKeys: ['cluster'], generators: [leaf, one] });

  test('types allow two levels and no third', () => {
    const leafs: LeafGenerator[] = [leaf, production, git()];
    const nested: NestedGenerator[] = [...leafs, one];
    const all: Generator[] = [...nested, two];
    // @ts-expect-error a third level
    const third = generators.matrix([two, leaf]);
    // @ts-expect-error a third level
    const merged = generators.merge({ mergeKeys: ['cluster'], generators: [leaf, two] });
    // @ts-expect-error a matrix of three
    const three = generators.matrix([leaf, leaf, leaf]);
    expect(applicationSet({ generators: all }).spec.generators).toHaveLength(5);
    expect(
      wrong({ generators: [third, merged, three] }).filter((each) => each.includes('two deep')),
    ).toHaveLength(2);
  });

  test('a third level is refused where it stands', () => {
    expect(wrong({ generators: [leaf, generators.matrix([leaf, two] as never)] })).toEqual([
      'generators[1].matrix[1].merge.generators[1]: a generator that combines none, such as "list", "clusters" or "git": matrix and merge nest at most two deep',
    ]);
  });

  interface Tree {
    readonly kind: 'list' | 'matrix' | 'merge';
    readonly children: readonly Tree[];
  }
  const trees = fc.letrec<{ tree: Tree }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5, depthSize: 'large', withCrossShrink: true },
      fc.constant<Tree>({ kind: 'list', children: [] }),
      fc.record<Tree>({
        kind: fc.constantFrom('matrix', 'merge'),
        children: fc.tuple(tie('tree'), tie('tree')),
      }),
    ),
  })).tree;
  const generatorOf = ({ kind, children }: Tree): Generator => {
    // The types allow two levels only; the point is what happens to more.
    const below = children.map(generatorOf) as never;
    switch (kind) {
      case 'list':
        return leaf;
      case 'matrix':
        return generators.matrix(below);
      case 'merge':
        return generators.merge({ mergeKeys: ['cluster'], generators: below });
    }
  };
  /** Written apart from the library: where the first combining generator below two others stands. */
  const tooDeep = ({ kind, children }: Tree, path: string, around: number): string[] => {
    if (kind === 'list') {
      return [];
    }
    if (around === 2) {
      return [path];
    }
    return children.flatMap((child, position) =>
      tooDeep(
        child,
        kind === 'matrix' ? `${path}.matrix[${position}]` : `${path}.merge.generators[${position}]`,
        around + 1,
      ),
    );
  };

  test('any tree is accepted exactly if it is at most two deep, else every place is named', () => {
    fc.assert(
      fc.property(fc.array(trees, { minLength: 1, maxLength: 3 }), (forest) => {
        const expected = forest.flatMap((tree, position) => tooDeep(tree, `generators[${position}]`, 0));
        const props = {
          generators: forest.map(generatorOf),
          template: { ...unread, metadata: { name: '{{.cluster}}' } },
        };
        if (expected.length === 0) {
          return applicationSet(props).spec.generators.length === forest.length;
        }
        expect(wrongPaths(props)).toEqual(expected);
        return true;
      }),
      { numRuns: 200 },
    );
  });

  test('both outcomes occur among such trees', () => {
    const depths = fc.sample(trees, { numRuns: 300, seed: 1 }).map((tree) => tooDeep(tree, '', 0).length > 0);
    expect(new Set(depths)).toEqual(new Set([true, false]));
  });
});
