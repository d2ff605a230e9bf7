import { ssmLease, ssmLeaseParameter, ssmLeasePermissions } from 'cluster-canary/leases';
import type { Clock, ShiftRecord } from 'cluster-canary/shift';
import { LeaseTaken } from 'cluster-canary/shift';
import fc from 'fast-check';
import { sdkError } from '../../core/aws/recording-clients';
import { ruleArn } from '../routers/arns';
import { SsmMemory } from './ssm-memory';

const record: ShiftRecord = {
  origin: { blue: 100, green: 0 },
  wanted: { blue: 0, green: 100 },
  written: { blue: 90, green: 10 },
  before: [{ blue: 100, green: 0 }],
  startedAt: 5,
};

let memory: SsmMemory;
let now: number;
const clock: Clock = { now: () => now, sleep: () => Promise.resolve() };

beforeEach(() => {
  memory = new SsmMemory();
  now = 1_000_000;
});

const lease = (holder: string) => ssmLease(ruleArn, memory.clients, { holder, duration: 60_000, clock });
const taken = (holder: string, expiresAt: number) => ({ name: 'LeaseTaken', holder, expiresAt });

const ended = { at: 7, verdict: 'completed', live: { blue: 0, green: 100 } } as const;

test('a parameter is created, kept, and marked when the shift has ended: it is never deleted', async () => {
  const one = lease('one');
  expect(await one.acquire()).toEqual({});
  expect(memory.clients.inputs('PutParameter')).toEqual([
    {
      Name: ssmLeaseParameter(ruleArn),
      Value: JSON.stringify({ schemaVersion: 2, holder: 'one', expiresAt: 1_060_000 }),
      Overwrite: false,
      Type: 'String',
      Description: 'Who shifts traffic, and the record of the newest shift',
    },
  ]);
  now += 50_000;
  await one.keep(record);
  expect(memory.value).toEqual({ schemaVersion: 2, holder: 'one', expiresAt: 1_110_000, record });
  await one.release({ ...record, ended });
  const over = { ...record, ended };
  expect(memory.value).toEqual({ schemaVersion: 2, expiresAt: 0, record: over });
  expect(await lease('two').look()).toEqual({ record: over });
  expect(await lease('two').acquire()).toEqual({ record: over });
  expect(memory.clients.inputs('DeleteParameter')).toEqual([]);
});

test('of two, the second is told who has it and until when', async () => {
  await lease('one').acquire();
  await expect(lease('two').acquire()).rejects.toMatchObject({
    ...taken('one', 1_060_000),
    message: expect.stringMatching(
      /^SSM parameter \/cluster-canary\/leases\/.* one; its lease ends at 1970-/,
    ),
  });
  expect(memory.value.holder).toBe('one');
});

test('an unfinished shift leaves its record to the next', async () => {
  const one = lease('one');
  await one.acquire();
  await one.keep(record);
  await one.release();
  expect(memory.value).toEqual({ schemaVersion: 2, expiresAt: 0, record });
  expect(await lease('two').acquire()).toEqual({ record });
  expect(memory.value).toMatchObject({ holder: 'two', record });
});

test('a lease that has expired is taken over with its record; its holder notices', async () => {
  const one = lease('one');
  await one.acquire();
  await one.keep(record);
  now += 60_000;
  const two = lease('two');
  expect(await two.acquire()).toEqual({ record });
  await expect(one.keep(record)).rejects.toMatchObject(taken('two', 1_120_000));
  await one.release({ ...record, ended });
  expect(memory.value.holder).toBe('two');
  await two.keep(record);
});

test('a holder notices the other one also after that one has gone', async () => {
  const one = lease('one');
  await one.acquire();
  now += 60_000;
  const two = lease('two');
  await two.acquire();
  await two.release();
  await expect(one.keep(record)).rejects.toBeInstanceOf(LeaseTaken);
});

test('a parameter that somebody has deleted is made again', async () => {
  const one = lease('one');
  await one.acquire();
  memory.versions.clear();
  await one.keep(record);
  expect(memory.value).toMatchObject({ holder: 'one', record });
});

test('a parameter that is deleted between two calls is free', async () => {
  await lease('one').acquire();
  memory.before = (command) => command === 'GetParameter' && memory.versions.clear();
  expect(await lease('two').acquire()).toEqual({});
  expect(memory.value.holder).toBe('two');
});

const stored = (document: object) => JSON.stringify({ schemaVersion: 2, expiresAt: 0, ...document });
const store = (text: string) => memory.versions.set(ssmLeaseParameter(ruleArn), [text]);

test.each([
  ['', 'it is no document of a lease'],
  ['x', 'it is no document of a lease'],
  ['{}', 'it is no document of a lease'],
  ['7', 'it is no document of a lease'],
  [stored({ expiresAt: 1e300, holder: 'x' }), 'expiresAt: 1e+300: must be milliseconds since 1970'],
  [stored({ expiresAt: 'soon' }), 'expiresAt: "soon": must be milliseconds since 1970'],
  [stored({ holder: 7 }), 'holder: 7: must be a text of at most 1,000 characters'],
  [stored({ record: 7 }), 'its record is no record of a shift'],
  [
    stored({ record: { ...record, before: [null], startedAt: -1, rollingBack: 'yes' } }),
    'startedAt: -1: must be milliseconds since 1970; before: [null]: must be a list of at most 100 weights; ' +
      'rollingBack: "yes": must be true or false',
  ],
  [stored({ record: { ...record, origin: { blue: 1.5 } } }), /^origin: .*must be whole percents/],
  [stored({ record: { ...record, written: [100] } }), /^written: .*must be whole percents/],
  [stored({ record: { ...record, ended: {} } }), /^ended.at: .*; ended.verdict: .*; ended.live: /],
])('what can not be read (%j) is no one’s, and said', async (text, problem) => {
  store(text);
  const said = problem instanceof RegExp ? expect.stringMatching(problem) : problem;
  expect(await lease('one').look()).toEqual({ problem: said });
  const one = lease('one');
  expect(await one.acquire()).toEqual({ problem: said });
  expect(memory.value.holder).toBe('one');
  // It stays until there is a record: a person may still patch it.
  await one.release();
  expect(await lease('two').look()).toEqual(text === '' ? {} : { problem: expect.any(String) });
  const two = lease('two');
  await two.acquire();
  await two.keep(record);
  await two.release();
  expect(await lease('three').look()).toEqual({ record });
});

test('an unreadable record does not give the lease of its holder away', async () => {
  store(stored({ holder: 'two', expiresAt: now + 1, record: 7 }));
  expect(await lease('one').look()).toMatchObject({ holder: 'two', expiresAt: now + 1 });
  await expect(lease('one').acquire()).rejects.toBeInstanceOf(LeaseTaken);
});

test('a record of the version before is read', async () => {
  store(JSON.stringify({ schemaVersion: 1, expiresAt: 0, record }));
  expect(await lease('one').acquire()).toEqual({ record });
});

test('what a newer release wrote is left alone, also while it is held', async () => {
  const newer = JSON.stringify({ schemaVersion: 3, what: 'ever' });
  store(newer);
  for (const call of [() => lease('one').acquire(), () => lease('one').look()]) {
    await expect(call()).rejects.toMatchObject({
      name: 'NewerLease',
      message: expect.stringMatching(/^SSM parameter .*schemaVersion 3; this release reads up to 2/),
    });
  }
  expect(memory.versions.get(ssmLeaseParameter(ruleArn))).toEqual([newer]);
  memory.versions.clear();
  const one = lease('one');
  await one.acquire();
  store(newer);
  await expect(one.keep(record)).rejects.toMatchObject({ name: 'NewerLease' });
  await expect(one.release(record)).rejects.toMatchObject({ name: 'NewerLease' });
  expect(memory.versions.get(ssmLeaseParameter(ruleArn))).toEqual([newer]);
});

test.each(['GetParameter', 'PutParameter'])(
  'an empty answer to %s is none of AWS, and no free lease',
  async (command) => {
    store(stored({}));
    memory.after = (name) => (name === command ? 'empty' : undefined);
    await expect(lease('one').acquire()).rejects.toMatchObject({
      name: 'AwsError',
      failure: { kind: 'unreachable' },
    });
  },
);

describe('lost answers', () => {
  /** As the SDK does: the call is repeated after it took effect. */
  const repeatOnce = (command: string) => {
    let done = false;
    memory.after = async (name, input) => {
      if (name === command && !done) {
        done = true;
        await (await memory.clients.ssm()).putParameter(input);
      }
    };
  };

  test('a repeated overwrite is the holder’s own', async () => {
    const one = lease('one');
    await one.acquire();
    repeatOnce('PutParameter');
    await one.keep(record);
    expect(memory.versions.get(ssmLeaseParameter(ruleArn))).toHaveLength(3);
    await one.keep(record);
  });

  test('a repeated creation is the holder’s own', async () => {
    const one = lease('one');
    let repeated = false;
    memory.after = (name) => {
      if (name === 'PutParameter' && !repeated) {
        repeated = true;
        throw sdkError('ParameterAlreadyExists', 'The parameter already exists.');
      }
    };
    expect(await one.acquire()).toEqual({});
    expect(memory.value.holder).toBe('one');
  });
});

test('a lease that would last for years is no one’s', async () => {
  store(stored({ holder: 'a clock that is wrong', expiresAt: now + 25 * 60 * 60_000, record }));
  expect(await lease('one').look()).toEqual({ record });
  expect(await lease('one').acquire()).toEqual({ record });
});

test('a stale read keeps no lease from being marked and given back', async () => {
  const one = lease('one');
  await one.acquire();
  await one.keep(record);
  const name = ssmLeaseParameter(ruleArn);
  memory.versions.set(name, [stored({}), ...memory.versions.get(name)!.slice(1)]);
  memory.before = (command, input) => {
    if (command === 'GetParameter' && input.Name === name) {
      input.Name = `${name}:1`;
    }
  };
  await one.release({ ...record, ended });
  expect(memory.value).toMatchObject({ expiresAt: 0, record: { ended } });
});

test('a read that answers with an older version is not believed', async () => {
  const one = lease('one');
  await lease('old').acquire();
  now += 60_000;
  await one.acquire();
  await one.keep(record);
  const name = ssmLeaseParameter(ruleArn);
  memory.before = (command, input) => {
    if (command === 'GetParameter' && input.Name === name) {
      input.Name = `${name}:1`;
    }
  };
  await one.keep(record);
  expect(memory.value.holder).toBe('one');
});

test.each([
  [sdkError('AccessDeniedException', 'no'), /lack the right ssm:GetParameter/],
  [sdkError('ThrottlingException', 'no'), /throttles ssm:GetParameter/],
  [sdkError('TimeoutError', 'no'), /no answer to ssm:GetParameter/],
])('%s is no verdict on the lease', async (error, message) => {
  memory.before = () => {
    throw error;
  };
  await expect(lease('one').acquire()).rejects.toMatchObject({
    name: 'AwsError',
    message: expect.stringMatching(message),
  });
});

test('of many that take over at once, in any order of their calls, one gets it and keeps it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.integer({ min: 2, max: 4 }),
      fc.boolean(),
      async (s, many, expired) => {
        memory = new SsmMemory();
        if (expired) {
          memory.versions.set(ssmLeaseParameter(ruleArn), [
            JSON.stringify({ schemaVersion: 1, holder: 'killed', expiresAt: 0, record }),
          ]);
        }
        memory.before = (command, input) => s.schedule(Promise.resolve(), `${command} ${input.Name}`);
        const all = [...Array(many).keys()].map((number) => lease(`holder-${number}`));
        const asked = all.map((one) => one.acquire().then((found) => ({ one, found })));
        await s.waitFor(Promise.allSettled(asked));
        const results = await Promise.allSettled(asked);
        const winners = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
        expect(winners.map(({ found }) => found)).toEqual([expired ? { record } : {}]);
        for (const result of results) {
          expect(result.status === 'fulfilled' || result.reason instanceof LeaseTaken).toBe(true);
        }
        memory.before = () => undefined;
        await winners[0]!.one.keep(record);
        expect(memory.value.record).toEqual(record);
      },
    ),
    { numRuns: 100 },
  );
});

test('the least rights are on the parameter, and those that its record goes on in', () => {
  const name = ssmLeaseParameter(ruleArn);
  expect(ssmLeasePermissions(ruleArn, { region: 'us-gov-west-1', account: '123456789012' })).toEqual([
    {
      Sid: 'HoldLease',
      Effect: 'Allow',
      Action: ['ssm:GetParameter', 'ssm:PutParameter'],
      Resource: [`arn:aws-us-gov:ssm:us-gov-west-1:123456789012:parameter${name}*`],
    },
  ]);
  expect(ssmLeasePermissions(ruleArn, { region: 'eusc-de-east-1' })[0]!.Resource).toEqual([
    `arn:aws-eusc:ssm:eusc-de-east-1:*:parameter${name}*`,
  ]);
  expect(ssmLeasePermissions(ruleArn)[0]!.Resource).toEqual([`arn:aws:ssm:*:*:parameter${name}*`]);
});
