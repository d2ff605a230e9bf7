import type { Change, ResourceRecordSet } from '@aws-sdk/client-route-53';
import { systemClock } from '../../../../lib/core/async';
import type { AwsClients } from '../../../../lib/core/aws/clients';
import {
  withMissingRecords,
  entries,
  recordsId,
  recordsOf,
} from '../../../../lib/pulumi/traffic/shift/kinds/live-records';
import {
  originOfRecords,
  recordChange,
  recordRefusal,
  weightedRecords,
} from '../../../../lib/pulumi/traffic/shift/kinds/records';
import { routeOf } from '../../../../lib/pulumi/traffic/shift/split-kind';
import type { HookedResource, SplitEvent } from '../../../../lib/pulumi/traffic/shift/split-kind';
import { RouterError } from '../../../../lib/shift/engine';

const set = (slot: string, Weight: number, more: Partial<ResourceRecordSet> = {}): ResourceRecordSet => ({
  Name: 'www.example.com.',
  Type: 'A',
  SetIdentifier: `apps-${slot}`,
  Weight,
  TTL: 60,
  ResourceRecords: [{ Value: '192.0.2.1' }],
  ...more,
});

/** A zone with these records, in pages of two. */
function zone(...sets: ResourceRecordSet[]): AwsClients {
  const client = {
    send: ({ input: { StartRecordIdentifier } }: { input: { StartRecordIdentifier?: string } }) => {
      const start = Math.max(
        0,
        sets.findIndex((each) => each.SetIdentifier === StartRecordIdentifier),
      );
      const next = sets[start + 2];
      return Promise.resolve({
        ResourceRecordSets: sets.slice(start, start + 2),
        IsTruncated: next !== undefined,
        NextRecordName: next?.Name,
        NextRecordType: next?.Type,
        NextRecordIdentifier: next?.SetIdentifier,
      });
    },
  };
  return { route53: () => Promise.resolve(client) } as unknown as AwsClients;
}

const resource = (weight: number, more: object = {}, before?: number): HookedResource => ({
  id: 'Z1_www.example.com_A_apps-green',
  name: 'green',
  newInputs: {
    zoneId: 'Z1',
    name: 'www.example.com',
    type: 'A',
    setIdentifier: 'apps-green',
    weightedRoutingPolicies: [{ weight }],
    records: ['192.0.2.1'],
    ...more,
  },
  ...(before !== undefined && { oldInputs: { weightedRoutingPolicies: [{ weight: before }] } }),
});

describe('records as what is shifted', () => {
  const kind = weightedRecords(['www.example.com', 'api.example.com'], ['A', 'AAAA']);

  test('are one rule for each name, with its types and the weight of each set identifier', async () => {
    const clients = zone(set('blue', 90), set('green', 10), set('red', 5, { Name: 'zzz.example.com.' }));
    expect(await kind.live(clients).at('Z1')).toEqual([
      {
        id: 'Z1/www.example.com',
        place: 'Z1',
        priority: 0,
        targets: [
          { arn: 'apps-blue', weight: 90 },
          { arn: 'apps-green', weight: 10 },
        ],
        tags: { 'cluster-canary/rule': 'www.example.com' },
        types: ['A'],
      },
    ]);
  });

  test('are found by zone and name, however these are written', () => {
    expect(kind.idOf(resource(1, { zoneId: '/hostedzone/Z1', name: 'WWW.example.com.' }))).toBe(
      'Z1/www.example.com',
    );
    expect(recordsOf(recordsId('Z1', '\\052.example.com'))).toEqual({ zone: 'Z1', name: '*.example.com' });
    expect(kind.placeIn({ ...resource(1), newInputs: {} })).toBeUndefined();
  });

  test('have a router of the types that are there, in the region that the lease is in', () => {
    const rule = {
      id: 'Z1/www.example.com',
      place: 'Z1',
      priority: 0,
      targets: [],
      tags: {},
      types: ['A' as const],
    };
    expect(routeOf(kind, rule, { blue: 'apps-blue' }, { region: 'eu-west-1' })).toEqual({
      router: {
        route53: {
          hostedZoneId: 'Z1',
          recordName: 'www.example.com',
          recordType: ['A'],
          region: 'eu-west-1',
        },
      },
      slots: { blue: { setIdentifier: 'apps-blue' } },
    });
  });
});

describe('the weights before a shift of records', () => {
  const two = { blue: 'b', green: 'g' };
  const three = { ...two, red: 'r' };
  test.each<[Record<string, number>, Record<string, string>, object | undefined]>([
    [{ b: 100 }, two, { blue: 100, green: 0 }],
    [{ g: 0 }, two, { blue: 100, green: 0 }],
    [{ b: 70, g: 30 }, three, { blue: 70, green: 30, red: 0 }],
    [{ b: 100 }, three, { blue: 100, green: 0, red: 0 }],
    [{ r: 0 }, three, undefined],
    [{ b: 100, g: 100 }, two, undefined],
    [{ b: 40, g: 40 }, two, undefined],
  ])('are told from those of the records that change: %j of %j', (known, identifiers, found) => {
    expect(originOfRecords(new Map(Object.entries(known)), identifiers)).toEqual(found);
  });

  test('come from the state, or from what the provider has found', async () => {
    const change = await recordChange(resource(100, {}, 20));
    expect(change).toMatchObject({ writesWeights: true, after: [{ arn: 'apps-green', weight: 100 }] });
    expect([...change.before]).toEqual([['apps-green', 20]]);
    const oldOutputs = { weightedRoutingPolicies: [{ weight: 7 }] };
    expect([...(await recordChange({ ...resource(100), oldOutputs })).before]).toEqual([['apps-green', 7]]);
  });
});

describe('the provider writes all of a record, which is refused', () => {
  const why = (deed: SplitEvent, asked: HookedResource, ...sets: ResourceRecordSet[]) =>
    recordRefusal(deed, asked, zone(...sets));

  test.each<[string, SplitEvent, HookedResource, ResourceRecordSet[], RegExp | undefined]>([
    ['where it is new', 'create', resource(100), [set('blue', 100)], undefined],
    ['where the hook has made it', 'create', resource(100), [set('green', 0)], undefined],
    [
      'where one points elsewhere',
      'create',
      resource(100, { records: ['192.0.2.9'] }),
      [set('green', 0)],
      /is there already and points to 192\.0\.2\.1[^]*overwritten/,
    ],
    [
      'where an alias is the same, written otherwise',
      'create',
      resource(0, { records: undefined, aliases: [{ name: 'LB.example.com' }] }),
      [
        set('green', 0, {
          ResourceRecords: undefined,
          AliasTarget: { HostedZoneId: 'Z', DNSName: 'lb.example.com.', EvaluateTargetHealth: false },
        }),
      ],
      undefined,
    ],
    ['by others where nothing is live', 'createByOthers', resource(100), [], undefined],
    ['by others where it has no weight', 'createByOthers', resource(0), [set('blue', 100)], undefined],
    [
      'by others where it has',
      'createByOthers',
      resource(100),
      [set('blue', 100)],
      /weight 100, and traffic moved at once/,
    ],
    [
      'by others where it writes the live weight',
      'updateByOthers',
      resource(40),
      [set('green', 40)],
      undefined,
    ],
    [
      'by others where it writes another',
      'updateByOthers',
      resource(0, { records: ['192.0.2.9'] }),
      [set('blue', 60), set('green', 40)],
      /has the weight 40, and an update would write 0[^]*pulumi up --refresh/,
    ],
  ])('or not, %s', async (_what, deed, asked, sets, text) => {
    const refusal = await why(deed, asked, ...sets);
    if (text === undefined) {
      expect(refusal).toBeUndefined();
    } else {
      expect(refusal).toMatch(text);
    }
  });
});

test('a right that is missing to make the records of a new slot is no silence of AWS', async () => {
  const denied = () =>
    Promise.reject(Object.assign(new Error('not authorized to perform: x:Y'), { name: 'AccessDenied' }));
  const clients = {
    route53: () => Promise.resolve({ send: denied }),
  } as unknown as AwsClients;
  const rule = {
    id: 'Z1/www.example.com',
    place: 'Z1',
    priority: 0,
    targets: [],
    tags: {},
    types: ['A' as const],
  };
  const router = withMissingRecords(
    { name: 'records', read: () => Promise.reject(new RouterError('notFound', 'no such record')) } as never,
    rule,
    { tag: 'www.example.com', priority: 0, targets: { green: 'apps-green' } },
    clients,
    systemClock,
  );
  await expect(router.read()).rejects.toMatchObject({ name: 'RouterError', failure: 'denied' });
});

test('records of a new slot are made with the weight 0, each type that is there', () => {
  const records = {
    blue: { values: { A: ['192.0.2.1'] }, ttl: 60 },
    green: {
      alias: { name: 'lb.example.com', zoneId: 'Z2', evaluateTargetHealth: false },
      healthCheckId: 'h',
    },
  };
  const identifiers = { blue: 'apps-blue', green: 'apps-green' };
  const sets = [set('blue', 100), set('blue', 100, { Type: 'AAAA' }), set('green', 0, { Type: 'AAAA' })];
  const changes: readonly Change[] = entries('www.example.com', ['A', 'AAAA'], identifiers, records, sets);
  expect(changes).toEqual([
    {
      Action: 'CREATE',
      ResourceRecordSet: {
        Name: 'www.example.com',
        Type: 'A',
        SetIdentifier: 'apps-green',
        Weight: 0,
        AliasTarget: { DNSName: 'lb.example.com', HostedZoneId: 'Z2', EvaluateTargetHealth: false },
        HealthCheckId: 'h',
      },
    },
  ]);
  expect(
    entries('www.example.com', ['A'], identifiers, { ...records, green: records.blue }, [
      set('blue', 100),
    ])[0],
  ).toMatchObject({
    ResourceRecordSet: { TTL: 60, ResourceRecords: [{ Value: '192.0.2.1' }], Weight: 0 },
  });
});
