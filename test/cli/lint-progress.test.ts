import { countedRules } from '../../lib/cli/actions/lint/printed';
import type { RawFinding, Rule, RuleContext } from '../../lib/lint';
import { manifestObjects, lint } from '../../lib/lint';

const objects = manifestObjects(
  ['a', 'b', 'c'].map((name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })),
);

/** A rule of a class of its own, as somebody may write one. */
class Named implements Rule {
  public readonly severity = 'warning';
  public readonly title = 'a name';
  public readonly why = 'because';
  public readonly fix = 'another name';

  public constructor(
    public readonly id: string,
    private readonly name: string,
  ) {}

  public *check({ objects: { all } }: RuleContext): Iterable<RawFinding> {
    for (const object of all) {
      if (this.name === 'throws') {
        throw new Error('not this one');
      }
      if ((object.value as any).metadata.name === this.name) {
        yield { object, pointer: '/metadata/name', message: `is called ${this.name}` };
      }
    }
  }
}

test('rules tell how many were run, once each, and say what they say without', () => {
  const rules = [new Named('ACME01', 'a'), new Named('ACME02', 'throws'), new Named('ACME03', 'c')];
  const told: number[] = [];
  const counted = countedRules(rules, (count) => told.push(count));
  const { findings, failures } = lint(objects, { rules: counted });
  const plain = lint(objects, { rules });
  expect(findings).toEqual(plain.findings);
  expect(findings.map(({ rule, message, why }) => [rule, message, why])).toEqual([
    ['ACME01', 'is called a', 'because'],
    ['ACME03', 'is called c', 'because'],
  ]);
  expect(failures.map(({ rule, error }) => [rule, (error as Error).message])).toEqual([
    ['ACME02', 'not this one'],
  ]);
  expect(told).toEqual([0, 1, 2]);
  // Mends are evaluated again.
  lint(objects, { rules: counted });
  expect(told).toEqual([0, 1, 2, 3, 4, 5]);
});
