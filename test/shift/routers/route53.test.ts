import type { ResourceRecordSet } from '@aws-sdk/client-route-53';
import type { Clock } from 'cluster-canary/shift';
import type { Answers } from '../../core/aws/recording-clients';
import { RecordingClients, sdkError } from '../../core/aws/recording-clients';
import { route53 } from './open';

const settings = {
  hostedZoneId: '/hostedzone/Z1D633PJN98FT9',
  recordName: 'www.example.com',
  recordType: 'A',
  setIdentifiers: { blue: 'apps-blue', green: 'apps-green' },
} as const;

/** A clock that does not wait. */
class FakeClock implements Clock {
  public time = 0;
  public readonly slept: number[] = [];
  public now = () => this.time;
  public sleep = (milliseconds: number, signal?: AbortSignal) => {
    if (!signal?.aborted) {
      this.slept.push(milliseconds);
      this.time += milliseconds;
    }
    return Promise.resolve();
  };
}

const set = (SetIdentifier: string, Weight: number, Name = 'www.example.com.'): ResourceRecordSet => ({
  ...{ Name, Type: 'A', SetIdentifier, Weight, TTL: 30 },
  ResourceRecords: [{ Value: '192.0.2.1' }],
});

function zone(blue: number, green: number, more: Answers = {}) {
  let sets = [set('apps-blue', blue), set('apps-green', green)];
  const clients = new RecordingClients({
    ListResourceRecordSets: () => ({
      ResourceRecordSets: [...sets, set('apps-blue', 7, 'zzz.example.com.')],
      IsTruncated: false,
    }),
    ChangeResourceRecordSets: ({ ChangeBatch }) => {
      sets = ChangeBatch.Changes.map(({ ResourceRecordSet }: any) => ResourceRecordSet);
      return { ChangeInfo: { Id: '/change/C1', Status: 'PENDING' } };
    },
    GetChange: () => ({ ChangeInfo: { Status: 'INSYNC' } }),
    ...more,
  });
  const clock = new FakeClock();
  return { clients, clock, router: route53(settings, clients, clock) };
}

test('a write is one change, and answers when servers and resolvers have it', async () => {
  const answers = ['PENDING', 'INSYNC'];
  const { clients, clock, router } = zone(90, 10, {
    GetChange: () => ({ ChangeInfo: { Status: answers.shift() } }),
  });
  expect(await router.read()).toEqual({ blue: 90, green: 10 });
  await router.write({ blue: 70, green: 30 });
  expect(clients.inputs('ChangeResourceRecordSets')).toEqual([
    {
      HostedZoneId: 'Z1D633PJN98FT9',
      ChangeBatch: {
        Changes: [
          { Action: 'UPSERT', ResourceRecordSet: set('apps-blue', 70) },
          { Action: 'UPSERT', ResourceRecordSet: set('apps-green', 30) },
        ],
      },
    },
  ]);
  expect(clients.inputs('GetChange')).toEqual([{ Id: '/change/C1' }, { Id: '/change/C1' }]);
  expect(clock.slept).toEqual([5_000, 5_000, 30_000]);
  expect(await router.read()).toEqual({ blue: 70, green: 30 });
});

test('a change that every server has at once is not asked about', async () => {
  const { clients, clock, router } = zone(90, 10, {
    ChangeResourceRecordSets: () => ({ ChangeInfo: { Id: 'C1', Status: 'INSYNC' } }),
  });
  await router.write({ blue: 70, green: 30 });
  expect(clients.inputs('GetChange')).toEqual([]);
  expect(clock.slept).toEqual([30_000]);
});

test('a zone with many records is read to the end of the name', async () => {
  const pages = [
    {
      ResourceRecordSets: [set('apps-blue', 1)],
      IsTruncated: true,
      NextRecordName: 'www.example.com.',
      NextRecordType: 'A',
      NextRecordIdentifier: 'apps-green',
    },
    { ResourceRecordSets: [set('apps-green', 1)], IsTruncated: true, NextRecordName: 'zzz.example.com.' },
  ];
  const { clients, router } = zone(0, 0, { ListResourceRecordSets: () => pages.shift() });
  expect(await router.read()).toEqual({ blue: 50, green: 50 });
  expect(clients.inputs('ListResourceRecordSets')).toEqual([
    { HostedZoneId: 'Z1D633PJN98FT9', StartRecordName: 'www.example.com' },
    {
      HostedZoneId: 'Z1D633PJN98FT9',
      StartRecordName: 'www.example.com.',
      StartRecordType: 'A',
      StartRecordIdentifier: 'apps-green',
    },
  ]);
});

test.each([
  ['throttled', sdkError('Throttling', 'Rate exceeded', { status: 400 })],
  ['without an answer', sdkError('TimeoutError', 'no answer')],
])('a poll that is %s is repeated', async (_, error) => {
  let polls = 0;
  const { clock, router } = zone(90, 10, {
    GetChange: () => {
      if (polls++ === 0) {
        throw error;
      }
      return { ChangeInfo: { Status: 'INSYNC' } };
    },
  });
  await router.write({ blue: 70, green: 30 });
  expect(clock.slept).toEqual([5_000, 5_000, 30_000]);
});

test('servers that never have the change are reported with the weights', async () => {
  const { clock, router } = zone(90, 10, { GetChange: () => ({ ChangeInfo: { Status: 'PENDING' } }) });
  await expect(router.write({ blue: 70, green: 30 })).rejects.toMatchObject({
    failure: 'unreachable',
    live: { blue: 70, green: 30 },
    message: expect.stringMatching(/change \/change\/C1 is made, but not on every server after 10 minutes/),
  });
  expect(clock.time).toBe(600_000);
});

test('no right to follow the change is an error with the new weights', async () => {
  const { router } = zone(90, 10, {
    GetChange: () => {
      throw sdkError('AccessDenied', 'no');
    },
  });
  await expect(router.write({ blue: 70, green: 30 })).rejects.toMatchObject({
    failure: 'denied',
    live: { blue: 70, green: 30 },
    message: expect.stringMatching(/lack the right route53:GetChange/),
  });
});

test('an abort while it waits ends the write well', async () => {
  const controller = new AbortController();
  const { clock, router } = zone(90, 10, {
    GetChange: (_, signal) => {
      controller.abort();
      throw sdkError(signal?.aborted ? 'AbortError' : 'NotAborted');
    },
  });
  await router.write({ blue: 70, green: 30 }, controller.signal);
  expect(clock.slept).toEqual([5_000]);
  expect(await router.read()).toEqual({ blue: 70, green: 30 });
});

test.each([
  ['throttled', sdkError('Throttling', 'Rate exceeded', { status: 400 })],
  ['denied', sdkError('AccessDenied', 'no', { status: 403 })],
  ['unfit', sdkError('InvalidChangeBatch', 'no', { status: 400 })],
] as const)('a change that fails is %s, and tells the live weights', async (failure, error) => {
  const { router } = zone(90, 10, {
    ChangeResourceRecordSets: () => {
      throw error;
    },
  });
  await expect(router.write({ blue: 70, green: 30 })).rejects.toMatchObject({
    failure,
    live: { blue: 90, green: 10 },
  });
});

test('a zone that is gone is not found', async () => {
  const { router } = zone(90, 10, {
    ListResourceRecordSets: () => {
      throw sdkError('NoSuchHostedZone', 'No hosted zone found with ID: Z1D633PJN98FT9');
    },
  });
  for (const asked of [
    router.read(),
    router.describe(),
    router.minimumWait(),
    router.write({ blue: 70, green: 30 }),
  ]) {
    await expect(asked).rejects.toMatchObject({ name: 'RouterError', failure: 'notFound' });
  }
});

test('says what it is, what is there, and what takes time', async () => {
  const { router } = zone(90, 10);
  expect(router.name).toBe('Route 53 records www.example.com A in zone Z1D633PJN98FT9');
  expect(router.subject).toEqual({ layer: 'names', slots: { blue: {}, green: {} } });
  expect(await router.describe()).toEqual({
    name: router.name,
    weights: { blue: 90, green: 10 },
    raw: { blue: 90, green: 10 },
    missing: [],
    notes: [],
  });
  expect(await router.minimumWait()).toEqual({
    milliseconds: 0,
    writeMilliseconds: 30_000,
    because: ['resolvers keep an answer for 30 s (TTL), which every write waits for'],
  });
  expect((await zone(0, 0).router.describe()).notes).toEqual([expect.stringMatching(/every weight is 0/)]);
});

test('the id does not depend on how the settings are written', () => {
  const ids = [
    settings,
    {
      ...settings,
      hostedZoneId: 'Z1D633PJN98FT9',
      recordName: 'WWW.example.com.',
      recordType: ['A'] as const,
    },
  ].map((one) => route53(one, new RecordingClients({})).id);
  expect(new Set(ids)).toEqual(new Set(['route53:Z1D633PJN98FT9:www.example.com:A']));
});
