import fc from 'fast-check';
import type {
  Resume,
  ShiftOutcome,
  ShiftProgress,
  ShiftRequest,
  ShiftRequests,
  ShiftState,
} from '../../../lib/shift/engine';
import { next } from '../../../lib/shift/engine';
import { now, plan, states } from './machine-states';
import { all, check, minute, World } from './world';

/** Requests that a test makes. */
class Desk implements ShiftRequests {
  private readonly listeners = new Set<(request: ShiftRequest) => void>();

  public subscribe(listener: (request: ShiftRequest) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  public ask(what: ShiftRequest['what'], by = 'alex'): void {
    this.listeners.forEach((listener) => listener({ what, by }));
  }

  public get isEmpty(): boolean {
    return this.listeners.size === 0;
  }
}

/** Asks once for something, when the weights of green are these. */
function onceAt(desk: Desk, green: number, what: ShiftRequest['what']): (progress: ShiftProgress) => void {
  let isAsked = false;
  return ({ weights }) => {
    if (!isAsked && weights?.green === green) {
      isAsked = true;
      desk.ask(what);
    }
  };
}

/** A person who lets it continue once `go` is set. */
class Person implements Resume {
  public readonly how = 'ask Kim';
  public readonly places: number[] = [];
  public go: boolean | { readonly by: string } = false;

  public resumed(place: number): Promise<boolean | { readonly by: string }> {
    this.places.push(place);
    return Promise.resolve(this.go);
  }
}

const settings = { step: 25, every: '1m', bake: '2m', checkEvery: '10s' } as const;

describe('of the machine', () => {
  const hold = { type: 'requested', at: now, what: 'hold', by: 'alex' } as const;
  const back = { ...hold, what: 'rollBack' } as const;

  test.each([
    'preparing before',
    'announcing record',
    'reading read',
    'writing',
    'standing wait',
    'paused ask',
  ] as const)('the way back from %s', (name) => {
    const { state, actions } = next(plan, states[name], back);
    expect(state).toMatchObject({
      phase: 'returning',
      target: all('blue'),
      why: 'alex requested a rollback.',
    });
    expect(actions.at(-1)).toMatchObject({ type: 'record', record: { rollingBack: true } });
  });

  test('before a step it waits at once, and asks a person', () => {
    const { state, actions } = next(plan, states['preparing before'], hold);
    expect(state).toMatchObject({ phase: 'paused', place: 50, course: { heldBy: 'alex' } });
    expect(actions).toEqual([
      { type: 'log', text: 'Held at 50 % of the way by alex: waits for a person.' },
      { type: 'ask', place: 50 },
    ]);
  });

  test.each(['announcing record', 'reading read', 'writing', 'standing wait'] as const)(
    'in %s what is under way goes on, and the hold is noted',
    (name) => {
      const { state, actions } = next(plan, states[name], hold);
      expect(state).toEqual({ ...states[name], course: { ...states[name].course, heldBy: 'alex' } });
      expect(actions).toEqual([{ type: 'log', text: expect.stringMatching(/^alex asked it to hold/) }]);
    },
  );

  test('in the bake there is nothing to hold', () => {
    const baking: ShiftState = { ...states['standing wait'], bake: true };
    expect(next(plan, baking, hold)).toEqual({ state: baking, actions: [] });
  });

  test.each(['idle', 'starting read', 'returning write', 'ending read', 'ended'] as const)(
    'in %s both change nothing',
    (name) => {
      for (const event of [hold, back]) {
        expect(next(plan, states[name], event)).toEqual({ state: states[name], actions: [] });
      }
    },
  );
});

/** Runs a shift, and asks for something once its weights are these. */
async function asked(
  what: ShiftRequest['what'],
  green: number,
  {
    world = new World(),
    person = new Person(),
    then,
  }: {
    readonly world?: World;
    readonly person?: Person;
    readonly then?: (progress: ShiftProgress) => void;
  } = {},
): Promise<{
  readonly outcome: ShiftOutcome;
  readonly world: World;
  readonly person: Person;
  readonly desk: Desk;
}> {
  const desk = new Desk();
  const ask = onceAt(desk, green, what);
  const observer = {
    progress: (progress: ShiftProgress): void => {
      ask(progress);
      then?.(progress);
    },
  };
  const outcome = await world.run(settings, { requests: desk, resume: person, observer });
  return { outcome, world, person, desk };
}

test('a shift that is held waits before its next step, goes on with a name, and remembers it', async () => {
  const person = new Person();
  const world = new World();
  let pausedAt: number | undefined;
  const { outcome, desk } = await asked('hold', 50, {
    world,
    person,
    then: ({ activity, heldBy }) => {
      if (activity === 'paused' && pausedAt === undefined) {
        expect([heldBy, world.rule.weights]).toEqual(['alex', { blue: 50, green: 50 }]);
        pausedAt = world.minutes;
      }
      if (pausedAt !== undefined && world.minutes > pausedAt + 30) {
        person.go = { by: 'kim by the page' };
      }
    },
  });
  expect(outcome).toMatchObject({ verdict: 'completed', approvals: [{ place: 50, by: 'kim by the page' }] });
  expect(world.rule.green).toEqual([25, 50, 75, 100]);
  const [, half, next] = world.rule.writes.map(({ at }) => at);
  expect(next! - half!).toBeGreaterThan(30 * minute);
  expect(new Set(person.places)).toEqual(new Set([50]));
  expect(desk.isEmpty).toBe(true);
});

test('checks run while it is held: a failure takes the traffic back', async () => {
  const world = new World();
  const desk = new Desk();
  const outcome = await world.run(settings, {
    requests: desk,
    resume: new Person(),
    checks: [
      check(({ live, to }) => (live.green === 50 && to > world.start + 20 * minute ? 'fail' : 'pass')),
    ],
    observer: { progress: onceAt(desk, 50, 'hold') },
  });
  expect([outcome.verdict, world.rule.weights]).toEqual(['rolledBack', all('blue')]);
});

test('without a way to let it continue, a hold ends the run, and the next one waits there as well', async () => {
  const world = new World();
  const desk = new Desk();
  const held = await world.run(settings, {
    requests: desk,
    observer: { progress: onceAt(desk, 50, 'hold') },
  });
  expect(held).toMatchObject({
    verdict: 'held',
    final: { green: 50 },
    reason: expect.stringMatching(/^Held at 50 % of the way by alex\./),
  });
  expect(world.memory.record).toMatchObject({ heldBy: 'alex' });
  expect(await world.run(settings)).toMatchObject({ verdict: 'held', final: { green: 50 } });
  // What a person says on the command line lets it go.
  expect(await world.run(settings, { resumedTo: 50 })).toMatchObject({ verdict: 'completed' });
});

test('a shift that was let beyond a pause and then killed is not asked again', async () => {
  const world = new World();
  const person = new Person();
  person.go = { by: 'kim' };
  const kill = new AbortController();
  const paused = { ...settings, pause: [50] };
  await world.run(paused, {
    resume: person,
    kill: kill.signal,
    observer: { written: ({ weights }) => (weights.green === 75 ? kill.abort() : undefined) },
  });
  expect(world.memory.record).toMatchObject({ approvals: [{ place: 50, by: 'kim' }] });
  const next = new Person();
  expect(await world.run(paused, { resume: next })).toMatchObject({
    ...{ verdict: 'completed', approvals: [{ place: 50, by: 'kim' }] },
  });
  expect(next.places).toEqual([]);
});

test('who let it go on is in its approvals, once for each pause, whatever runs follow', async () => {
  const world = new World();
  const paused = { ...settings, pause: [50, 75] };
  expect(await world.run(paused)).toMatchObject({ verdict: 'held', pausedAt: 50 });
  const beyond = { resumedTo: 50, resumedBy: `kim by argo resume\n${'x'.repeat(300)}` };
  const second = await world.run(paused, beyond);
  const by = `kim by argo resume\\n${'x'.repeat(80)}`;
  expect(by).toHaveLength(100);
  expect(second).toMatchObject({ verdict: 'held', pausedAt: 75, approvals: [{ place: 50, by }] });
  expect(world.memory.record).toMatchObject({ approvals: [{ place: 50, by }] });
  // A pod that is tried again says it again.
  expect((await world.run(paused, beyond)).approvals).toHaveLength(1);
  expect(await world.run(paused, { resumedTo: 75, resumedBy: 'alex' })).toMatchObject({
    verdict: 'completed',
    approvals: [
      { place: 50, by },
      { place: 75, by: 'alex' },
    ],
  });
});

test('without a lease, too; a place alone is no approval', async () => {
  const world = new World();
  const all = { ...settings, pause: [50] };
  expect(await world.run(all, { resumedTo: 50 })).not.toHaveProperty('approvals');
  const other = new World();
  expect(await other.run(all, { resumedTo: 50, resumedBy: 'alex' })).toMatchObject({
    verdict: 'completed',
    approvals: [{ place: 50, by: 'alex' }],
  });
});

test('the way back goes to where the shift began, and says who asked for it', async () => {
  const { outcome, world } = await asked('rollBack', 75);
  expect(outcome).toMatchObject({
    verdict: 'rolledBack',
    reason: expect.stringContaining('alex requested a rollback.'),
  });
  expect(world.rule.green).toEqual([25, 50, 75, 0]);
});

test('the way back during the bake, and from a hold', async () => {
  expect((await asked('rollBack', 100)).outcome).toMatchObject({ verdict: 'rolledBack', final: all('blue') });
  const desk = new Desk();
  const world = new World();
  const hold = onceAt(desk, 50, 'hold');
  let isPaused = false;
  const outcome = await world.run(settings, {
    requests: desk,
    resume: new Person(),
    observer: {
      progress: (progress) => {
        hold(progress);
        if (progress.activity === 'paused' && !isPaused) {
          isPaused = true;
          desk.ask('rollBack');
        }
      },
    },
  });
  expect([outcome.verdict, world.rule.weights]).toEqual(['rolledBack', all('blue')]);
});

test('whatever is asked for, and whenever: the end is one of a shift, and a name has no control characters', async () => {
  const request = fc.record({
    after: fc.integer({ min: 0, max: 60 }),
    what: fc.constantFrom<ShiftRequest['what']>('hold', 'rollBack'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(request, { maxLength: 4 }), async (requests) => {
      const world = new World();
      const desk = new Desk();
      const person = new Person();
      person.go = { by: 'kim\u001b[2J' };
      let calls = 0;
      const outcome = await world.run(settings, {
        requests: desk,
        resume: person,
        observer: {
          progress: () => {
            calls += 1;
            requests.filter(({ after }) => after === calls).forEach(({ what }) => desk.ask(what, 'alex\n'));
          },
        },
      });
      const wants = outcome.verdict === 'completed' ? all('green') : all('blue');
      expect(['completed', 'rolledBack']).toContain(outcome.verdict);
      expect(world.rule.weights).toEqual(wants);
      const names = [
        ...outcome.log.map(({ text }) => text),
        ...(outcome.approvals ?? []).map(({ by }) => by),
      ];
      expect(names.filter((name) => /(?!\n)\p{Cc}|alex\n /u.test(name))).toEqual([]);
      expect(desk.isEmpty).toBe(true);
    }),
    { numRuns: 80 },
  );
});
