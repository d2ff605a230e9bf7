import * as fc from 'fast-check';
import { problemsOf } from '../../../lib/core/validation/schema';
import type { CheckStatus } from '../../../lib/shift/engine';
import { Delivery } from '../../../lib/shift/notify/delivery';
import { DeliveryFailed, Notifier, eventTypes, notifySchema, sinkKinds } from '../../../lib/shift/notify';
import type { CommonSinkSettings, FleetEvent, Sink, SinkKind } from '../../../lib/shift/notify';
import { takesEvent } from '../../../lib/shift/notify/sink';
import { schemaFlaws } from '../routers/contract';
import { check, World } from '../engine/world';
import { samples, toySink } from './events';
import * as fakes from './fakes';
import { contextWith } from './fakes/fake';
import type { SinkFake, SinkWorld } from './fakes/fake';
import { Receiver, reset } from './receiver';
import type { Answer } from './receiver';

type Kind = SinkKind<CommonSinkSettings>;

const faked = fakes as Readonly<Record<string, SinkFake>>;

test('every kind of sink has a fake in test/shift/notify/fakes', () => {
  expect(Object.keys(faked).sort()).toEqual(Object.keys(sinkKinds).sort());
});

// The test above says which fake is missing.
const all = Object.entries(sinkKinds).flatMap(([name, kind]) =>
  Object.hasOwn(faked, name) ? [[name, kind, faked[name]!] as [string, Kind, SinkFake]] : [],
);

describe.each(all)('%s', (name, kind, fake) => {
  test('says on one line what arrives where', () => {
    expect(kind.tells).toMatch(/^[^\n]*[^\n.]$/);
    expect(kind.events.length).toBeGreaterThan(0);
    expect(kind.events.filter((type) => !eventTypes.includes(type))).toEqual([]);
  });

  test('its schema and its JSON Schema agree, and unknown keys are refused', () => {
    // Of a kind with two forms no key is required in each.
    const forms = kind.settings.json.oneOf === undefined ? [] : [/^settings: the least is/];
    const flaws = schemaFlaws('settings', kind.settings, fake.least);
    expect(flaws.filter((flaw) => !forms.some((form) => form.test(flaw)))).toEqual([]);
    expect(problemsOf(notifySchema, [{ [name]: fake.least }])).toEqual([]);
    expect(
      problemsOf(notifySchema, [{ [name]: { ...fake.least, events: ['ended', 'nothing'] } }]),
    ).toHaveLength(1);
  });

  test('refuses a secret as plain text, without showing it', () => {
    for (const key of fake.secretKeys) {
      const problems = problemsOf(kind.settings, { ...fake.least, [key]: 'a-secret-in-plain-text' });
      expect(problems.map(({ path }) => path)).toContain(key);
      expect(JSON.stringify(problems)).not.toContain('a-secret-in-plain-text');
    }
  });

  test('has the least rights: named actions on named resources', () => {
    const settings = fake.whole ?? fake.least;
    expect(problemsOf(kind.settings, settings)).toEqual([]);
    const { roleArn, statements = [] } = kind.permissions?.(settings) ?? {};
    expect(roleArn).toBe((settings as { roleArn?: string }).roleArn);
    for (const { Sid, Effect, Action, Resource } of statements) {
      expect([Sid, Effect]).toEqual([expect.stringMatching(/^[A-Za-z]+$/), 'Allow']);
      expect(Action.filter((action) => !/^[a-z0-9-]+:[A-Z][A-Za-z0-9]+$/.test(action))).toEqual([]);
      const granted = Object.values(settings).filter((value) => typeof value === 'string');
      expect([Resource].flat().filter((arn) => !granted.includes(arn))).toEqual([]);
    }
    for (const rule of kind.access?.(settings).rules ?? []) {
      expect(rule).toEqual({
        apiGroups: [expect.any(String)],
        resources: [expect.not.stringContaining('*')],
        verbs: ['create'],
        namespace: (settings as { namespace?: string }).namespace,
      });
    }
  });

  test('asks no one where it is opened, also without its secrets', () => {
    const asked: string[] = [];
    const refuse = (what: string): Promise<never> => {
      asked.push(what);
      return Promise.reject(new Error(`asks ${what}`));
    };
    const strict = contextWith({
      http: { send: () => refuse('http') },
      aws: () =>
        new Proxy({} as never, {
          get: (_target, service) => () => refuse(String(service)),
        }),
      kubernetes: () => refuse('kubernetes'),
      readFile: () => refuse('file'),
    });
    expect(kind.open(fake.least, strict).name).toMatch(new RegExp(`^${name}\\b[^\\n]*$`));
    expect(asked).toEqual([]);
  });

  describe('with a receiver', () => {
    let world: SinkWorld;
    let sink: ReturnType<Kind['open']>;

    beforeEach(async () => {
      world = await fake.start();
      sink = kind.open(world.settings, world.context);
    });
    afterEach(async () => {
      world.stop?.();
      await world.receiver?.stop();
    });

    /** An error of a delivery, which has no secret in it. */
    async function failure(signal = new AbortController().signal): Promise<Error> {
      sink = kind.open(world.settings, world.context);
      const outcome = await sink.deliver(eventOf(world), signal).then(
        () => undefined,
        (error: unknown) => error as Error,
      );
      expect(outcome).toBeInstanceOf(Error);
      expectNoSecret(outcome!.message);
      return outcome!;
    }

    function expectNoSecret(text: string): void {
      expect(world.secrets.filter((secret) => text.includes(secret))).toEqual([]);
    }

    /** Whether it is delivered after all, and how long the pauses were. */
    async function delivered(
      answers: readonly Answer[],
    ): Promise<readonly [isDelivered: boolean, slept: readonly number[]]> {
      const slept: number[] = [];
      const queue = [...answers];
      world.receiver!.answer = (got, response) => (queue.shift() ?? world.well!)(got, response);
      const delivery = new Delivery(
        { ...sink, takes: () => true },
        {
          clock: { now: () => 0, sleep: (milliseconds) => Promise.resolve(void slept.push(milliseconds)) },
          random: () => 0,
        },
      );
      delivery.add(eventOf(world));
      const report = await delivery.end(10_000);
      expectNoSecret(report.problem ?? '');
      return [report.undelivered === 0 && report.problem === undefined, slept];
    }

    const hasReceiver = (): boolean => world.receiver !== undefined;

    test('takes what it says, and delivers each type of event', async () => {
      const taken = eventTypes.filter((type) => takesEvent(kind, world.settings, samples[type]));
      expect(taken.length).toBeGreaterThan(0);
      for (const type of eventTypes) {
        await sink.deliver(samples[type], new AbortController().signal);
      }
      await sink.close?.(AbortSignal.timeout(5_000));
      expect(world.receiver?.got.length).not.toBe(0);
      expect(
        taken.every((type) => takesEvent(kind, { ...world.settings, events: [type] }, samples[type])),
      ).toBe(true);
      expect(takesEvent(kind, { ...world.settings, events: ['ended'] }, samples.started)).toBe(false);
    });

    test('a fault of the service passes: 500, a broken connection, then all is well', async () => {
      if (hasReceiver()) {
        const fails: Answer = (_got, response) => response.writeHead(503).end('busy');
        const [isDelivered, slept] = await delivered([fails, (_got, response) => reset(response)]);
        expect([isDelivered, slept]).toEqual([true, [1_000, 2_000]]);
      }
    });

    test('a service that is asked too often is asked later', async () => {
      if (hasReceiver()) {
        const [isDelivered, slept] = await delivered([
          (_got, response) => response.writeHead(429, { 'retry-after': '7' }).end(),
        ]);
        expect(isDelivered).toBe(true);
        // The SDK of AWS and the client of API servers keep the header to themselves.
        expect(slept).toEqual([world.goneIsFinal === false || name === 'kubernetesEvents' ? 1_000 : 7_000]);
      }
    });

    test('a service that is gone is not asked again', async () => {
      if (hasReceiver()) {
        world.receiver!.answer = (_got, response) => response.writeHead(410).end('gone');
        const error = await failure();
        expect(error).toBeInstanceOf(DeliveryFailed);
        if (world.goneIsFinal !== false) {
          expect((error as DeliveryFailed).how.final).toBe(true);
        }
      }
    });

    test('an answer without an end is cut off', async () => {
      if (hasReceiver()) {
        const chunk = 'x'.repeat(1_000_000);
        world.receiver!.answer = (_got, response) => {
          response.writeHead(500, { 'content-type': 'text/plain' });
          const flow = (): void => {
            while (!response.destroyed && response.write(chunk)) {
              // Until the other side does not take more.
            }
          };
          response.on('drain', flow).on('error', () => undefined);
          flow();
        };
        await failure();
      }
    }, 30_000);

    test('a redirect is not followed, so that no secret goes elsewhere', async () => {
      if (hasReceiver()) {
        const other = await Receiver.start((_got, response) => response.end('{}'));
        try {
          world.receiver!.answer = (_got, response) =>
            response.writeHead(307, { location: `${other.url}/elsewhere` }).end();
          await failure();
          expect(other.got).toEqual([]);
        } finally {
          await other.stop();
        }
      }
    });

    test('what is no answer of the service is no success, where its answers say something', async () => {
      if (hasReceiver()) {
        world.receiver!.answer = (_got, response) =>
          response.writeHead(200, { 'content-type': 'text/html' }).end('<html><p>log in');
        const { signal } = new AbortController();
        const outcome = await sink.deliver(eventOf(world), signal).catch((error: unknown) => error);
        expect(outcome instanceof Error).toBe(world.readsAnswers === true);
      }
    });

    test('a service that sends back what it got brings no secret into an error', async () => {
      if (hasReceiver()) {
        for (const status of [400, 401, 403, 500]) {
          world.receiver!.answer = ({ path, headers, body }, response) =>
            response.writeHead(status).end(`${path} ${JSON.stringify(headers)} ${body}`);
          await failure();
        }
      }
    });

    test('an aborted delivery ends at once, with a service that hangs or trickles', async () => {
      if (hasReceiver()) {
        for (const answer of [
          () => undefined,
          (_got: unknown, response: Parameters<Answer>[1]) => {
            response.writeHead(200);
            const timer = setInterval(() => response.write(' '), 10);
            response.on('close', () => clearInterval(timer));
          },
        ]) {
          const stop = new AbortController();
          const arrived = new Promise<void>((resolve) => {
            world.receiver!.answer = (got, response) => {
              answer(got, response);
              resolve();
            };
          });
          const failed = failure(stop.signal);
          await arrived;
          const begun = performance.now();
          stop.abort(new Error('enough'));
          await failed;
          expect(performance.now() - begun).toBeLessThan(2_000);
        }
      }
    });

    test('a missing secret is an error of the delivery that says where it was looked for', async () => {
      if (fake.secretKeys.length > 0) {
        world = { ...world, context: contextWith({ http: world.context.http }) };
        expect((await failure()).message).toMatch(/ the (variable|file) |can't be read from/);
        expect(world.receiver!.got).toEqual([]);
      }
    });

    test('a shift beside it, which never answers, ends and writes as it does alone', async () => {
      if (hasReceiver()) {
        world.receiver!.answer = () => undefined;
        const notifier = new Notifier({
          sinks: [{ ...sink, takes: () => true }],
          origin: { by: 'a', source: 'p' },
        });
        expect(await shiftWith(['pass', 'fail'], notifier)).toEqual(await shiftWith(['pass', 'fail']));
        await notifier.end(AbortSignal.abort());
      }
    });
  });
});

function eventOf({ event = samples.started }: SinkWorld): FleetEvent {
  return event;
}

/** What a shift comes to, in simulated time, and when it wrote what. */
async function shiftWith(answers: readonly CheckStatus[], notifier?: Notifier): Promise<object> {
  const world = new World();
  const given = [...answers];
  const outcome = await world.run(
    { step: 25, every: '1m', bake: '1m', inconclusiveLimit: '5m' },
    {
      checks: [check(() => given.shift() ?? 'pass', ['before', 'after'])],
      ...(notifier && { observer: notifier.observer('traffic') }),
    },
  );
  return { outcome, writes: world.rule.writes };
}

const badSinks: Readonly<Record<string, Partial<Sink>>> = {
  hangs: { deliver: () => new Promise(() => undefined) },
  rejects: { deliver: () => Promise.reject(new Error('refused')) },
  'rejects for good': { deliver: () => Promise.reject(new DeliveryFailed('refused', { final: true })) },
  throws: {
    deliver: () => {
      throw new Error('broken');
    },
  },
  'throws where it is asked': {
    takes: () => {
      throw new Error('broken');
    },
  },
  'never closes': { close: () => new Promise(() => undefined) },
};

test('whatever sinks do, a shift ends the same way and writes at the same times', async () => {
  const status = fc.constantFrom<CheckStatus>('pass', 'pass', 'pass', 'inconclusive', 'fail');
  const names = fc.subarray(Object.keys(badSinks), { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(fc.array(status, { maxLength: 20 }), names, async (answers, chosen) => {
      const sinks = chosen.map((name): Sink => ({ ...toySink(), name, ...badSinks[name] }));
      const notifier = new Notifier({ sinks, origin: { by: 'a', source: 'p' } });
      expect(await shiftWith(answers, notifier)).toEqual(await shiftWith(answers));
      await notifier.end(AbortSignal.abort());
    }),
    { numRuns: 40 },
  );
});
