import type { ResourceRecordSet } from '@aws-sdk/client-route-53';
import fc from 'fast-check';
import { normalizedRecordName } from '../../../lib/shift/routers';
import {
  belongs,
  conditionName,
  longestTtl,
  readRecords,
  weightChanges,
} from '../../../lib/shift/routers/route53/records';

const records = {
  name: 'www.example.com',
  types: ['A'],
  setIdentifiers: { blue: 'apps-blue', green: 'apps-green' },
};

const record = (
  SetIdentifier: string,
  Weight: number | undefined,
  more: Partial<ResourceRecordSet> = {},
): ResourceRecordSet => ({
  Name: 'www.example.com.',
  Type: 'A',
  SetIdentifier,
  Weight,
  TTL: 30,
  ResourceRecords: [{ Value: '192.0.2.1' }],
  ...more,
});

test.each([
  ['www.example.com', 'www.example.com'],
  ['WWW.Example.com.', 'www.example.com'],
  ['\\052.example.com.', '*.example.com'],
  ['a\\100b.example.com', 'a@b.example.com'],
])('the plain name of %s is %s', (name, expected) => {
  expect(normalizedRecordName(name)).toBe(expected);
});

test('a name in a condition of IAM has escapes and no dot at its end', () => {
  expect(conditionName('*.Example.com.')).toBe('\\052.example.com');
  expect(conditionName('_sip.example.com')).toBe('_sip.example.com');
});

test.each([
  [{}, true],
  [{ Name: 'WWW.EXAMPLE.COM' }, true],
  [{ Name: 'www2.example.com.' }, false],
  [{ Name: 'x.www.example.com.' }, false],
  [{ Type: 'AAAA' as const }, false],
])('a record set with %j belongs: %s', (more, expected) => {
  expect(belongs(record('apps-blue', 1, more), records)).toBe(expected);
});

describe('reading', () => {
  test.each<[string, ResourceRecordSet[], object]>([
    [
      'whole percents',
      [record('apps-blue', 90), record('apps-green', 10)],
      { weights: { blue: 90, green: 10 }, notes: [] },
    ],
    [
      'another scale',
      [record('apps-blue', 3), record('apps-green', 1)],
      { weights: { blue: 75, green: 25 } },
    ],
    [
      'a record of no slot at 0',
      [record('apps-blue', 1), record('apps-green', 0), record('old', 0)],
      { weights: { blue: 100, green: 0 } },
    ],
    [
      'a health check',
      [record('apps-blue', 1, { HealthCheckId: 'hc' }), record('apps-green', 0)],
      { notes: ['keeps the health check hc of apps-blue'] },
    ],
  ])('%s', (_, sets, expected) => {
    expect(readRecords(sets, records)).toMatchObject(expected);
  });

  test.each<[string, ResourceRecordSet[], string, RegExp, object?]>([
    [
      'one missing',
      [record('apps-blue', 1), record('apps-greenish', 0)],
      'notFound',
      /no A record with the set identifier apps-green; there are: apps-blue, apps-greenish$/,
    ],
    ['all missing', [], 'notFound', /apps-blue, apps-green; there are: none$/],
    [
      'all 0',
      [record('apps-blue', 0), record('apps-green', 0)],
      'unfit',
      /every weight is 0 .*which Route 53 takes for equal shares/,
      { blue: 1, green: 1 },
    ],
    [
      'no whole percents',
      [record('apps-blue', 1), record('apps-green', 2)],
      'unfit',
      /no whole percents/,
      { blue: 1, green: 2 },
    ],
    [
      'traffic that goes elsewhere',
      [record('apps-blue', 1), record('apps-green', 0), record('old', 3)],
      'unfit',
      /A record of no slot: old \(weight 3\)/,
    ],
    [
      'a record that is not weighted',
      [record('apps-blue', 1), record('apps-green', undefined, { Region: 'eu-west-1' })],
      'unfit',
      /apps-green is not a weighted one/,
    ],
    [
      'records of a traffic policy',
      [record('apps-blue', 1, { TrafficPolicyInstanceId: 'tp' }), record('apps-green', 0)],
      'unfit',
      /traffic policy instance tp/,
    ],
  ])('%s is refused', (_, sets, failure, why, ...[raw]) => {
    const expected = { failure, why: expect.stringMatching(why), ...(raw && { raw }) };
    expect(readRecords(sets, records)).toEqual(expected);
  });

  test('two types have to agree', () => {
    const both = { ...records, types: ['A', 'AAAA'] };
    const sets = (green: number) => [
      record('apps-blue', 9),
      record('apps-green', 1),
      record('apps-blue', 100 - green, { Type: 'AAAA' }),
      record('apps-green', green, { Type: 'AAAA' }),
    ];
    expect(readRecords(sets(10), both)).toMatchObject({ weights: { blue: 90, green: 10 } });
    expect(readRecords(sets(20), both)).toEqual({
      failure: 'unfit',
      why: expect.stringMatching(
        /type A have the weights blue 90, green 10, those of type AAAA have blue 80, green 20/,
      ),
    });
    expect(readRecords(sets(10).slice(0, 3), both)).toMatchObject({
      failure: 'notFound',
      why: expect.stringMatching(/no AAAA record/),
    });
  });
});

test('resolvers keep the longest TTL, and an alias for a minute', () => {
  const AliasTarget = { HostedZoneId: 'Z1', DNSName: 'edge.example.com', EvaluateTargetHealth: true };
  const alias = record('apps-green', 0, { TTL: undefined, ResourceRecords: undefined, AliasTarget });
  expect(longestTtl([record('apps-blue', 1)])).toBe(30);
  expect(longestTtl([record('apps-blue', 1), alias])).toBe(60);
  expect(longestTtl([record('apps-blue', 1, { TTL: 300 }), alias])).toBe(300);
  expect(longestTtl([])).toBe(0);
});

const existing = fc.record({
  HealthCheckId: fc.option(fc.constantFrom('hc-1', 'hc-2'), { nil: undefined }),
  Weight: fc.integer({ min: 0, max: 255 }),
});

test('a change is one batch of whole record sets, and reads as it was written', () => {
  const both = { ...records, types: ['A', 'AAAA'] };
  const alias = { HostedZoneId: 'Z1', DNSName: 'dualstack.edge.example.com.', EvaluateTargetHealth: true };
  fc.assert(
    fc.property(
      fc.array(existing, { minLength: 4, maxLength: 4 }),
      fc.integer({ min: 0, max: 100 }),
      fc.boolean(),
      (four, green, isAlias) => {
        const target: Partial<ResourceRecordSet> = isAlias
          ? { TTL: undefined, ResourceRecords: undefined, AliasTarget: alias }
          : {};
        const sets = four.map(({ HealthCheckId, Weight }, index) =>
          record(index % 2 === 0 ? 'apps-blue' : 'apps-green', Weight, {
            ...target,
            Type: index < 2 ? 'A' : 'AAAA',
            HealthCheckId,
          }),
        );
        const wanted = { blue: 100 - green, green };
        const changes = weightChanges([...sets, record('old', 0)], both, wanted);
        const written = (changes as unknown as { ResourceRecordSet: ResourceRecordSet }[]).map(
          ({ ResourceRecordSet: set }) => set,
        );
        expect(readRecords(written, both)).toMatchObject({ weights: wanted });
        expect(written.map((set) => ({ ...set, Weight: 0 }))).toEqual(
          sets.map((set) => ({ ...set, Weight: 0 })),
        );
        expect(changes).toEqual(
          written.map((ResourceRecordSet) => ({ Action: 'UPSERT', ResourceRecordSet })),
        );
      },
    ),
  );
});

test('a change is refused where the records do not fit', () => {
  expect(weightChanges([record('apps-blue', 1)], records, { blue: 90, green: 10 })).toMatchObject({
    failure: 'notFound',
  });
});
