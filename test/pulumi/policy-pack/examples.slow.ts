import * as fc from 'fast-check';
import { unknownValue } from '@pulumi/pulumi/runtime';
import { allRules, findingText, manifestObjects, lint, readManifests } from '../../../lib/lint';
import { packRules } from '../../../lib/pulumi/policy-pack/policy-pack';
import { exampleTexts } from '../../lint/examples';
import { now } from '../../lint/lint-text';
import { violations } from './engine';
import { scaled } from '../../runs';

beforeEach(() => void jest.spyOn(Date, 'now').mockReturnValue(now));
afterEach(() => jest.restoreAllMocks());

const rules = packRules({});
const everything = { enforcement: { info: 'advisory', 'not-evaluated': 'disabled' } } as const;

function objectsOf(id: string, kind: 'fires' | 'silent'): any[] {
  const { manifests = '' } = exampleTexts(id, kind);
  return readManifests(manifests, { file: id, read: () => manifests }).objects.map(({ value }) => value);
}

/** What lint says, in its own words. */
function expected(objects: any[]): string[] {
  return lint(manifestObjects(objects), { rules })
    .findings.map((finding) => findingText(finding).replace(/^ {2}- {2}/, ''))
    .sort();
}

/** What the policies say, without the policy's title above it. */
async function said(objects: any[], provider = 'default'): Promise<string[]> {
  const resources = objects.map((props, position) => ({ props, provider, name: `resource-${position}` }));
  const found = await violations(resources, everything);
  return found.map(({ message }) => message.slice(message.indexOf('\n') + 1)).sort();
}

const cases = rules.flatMap(({ id }) => [[id, 'fires'] as const, [id, 'silent'] as const]);

test('every rule that can evaluate resources is in the pack', () => {
  const left = allRules.filter(({ needs, scope }) => needs !== undefined || scope === 'files');
  expect(left.length).toBeGreaterThan(2);
  expect(allRules.filter((rule) => !rules.includes(rule))).toEqual(left);
});

test.each(cases)('the pack says of the example %s.%s what lint says', async (id, kind) => {
  const objects = objectsOf(id, kind);
  expect(objects.length).toBeGreaterThan(0);
  expect(await said(objects)).toEqual(expected(objects));
});

/** Every place of a value that holds no other, as a way of setting it. */
function* leaves(value: any): Generator<(to: unknown) => void> {
  for (const key of Object.keys(value)) {
    if (['apiVersion', 'kind'].includes(key)) {
      continue;
    }
    if (typeof value[key] === 'object' && value[key] !== null) {
      yield* leaves(value[key]);
    }
    yield (to) => void (value[key] = to);
  }
}

test('whatever is unknown, nothing is said that would not be said in the end', async () => {
  const choices = cases.map(([id, kind]) => objectsOf(id, kind));
  const places = fc.array(fc.nat(), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...choices), places, async (objects, chosen) => {
      const preview = structuredClone(objects);
      for (const number of chosen) {
        const all = preview.flatMap((object) => [...leaves(object)]);
        all[number % all.length]!(unknownValue);
      }
      const inTheEnd = expected(objects).map(withoutObject);
      for (const text of await said(preview)) {
        expect(inTheEnd).toContain(withoutObject(text));
      }
    }),
    { numRuns: scaled(60) },
  );
});

/** A name that is not known yet is that of the resource, or none where it would be generated. */
function withoutObject(text: string): string {
  return text.replace(/\n +\S+ (?:[^/\s]\S*)? ?/, '\n');
}

test('objects of two clusters are evaluated apart', async () => {
  const both = (['fires', 'silent'] as const).map((kind) => objectsOf('WH12', kind));
  const resources = both.flatMap((objects, cluster) =>
    objects.map((props, position) => ({
      props,
      provider: `cluster-${cluster}`,
      name: `${cluster}-${position}`,
    })),
  );
  const found = await violations(resources, everything);
  const apart = both.flatMap((objects) => expected(objects)).sort();
  expect(found.map(({ message }) => message.slice(message.indexOf('\n') + 1)).sort()).toEqual(apart);
});
