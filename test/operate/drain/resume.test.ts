import type { Hub } from '../../../lib/operate/argocd';
import { pauseGitOps, resumeGitOps } from '../../../lib/operate/drain/pause';

const target = { clusterName: 'apps-blue', fleet: 'apps', slot: 'blue' };
const cluster = { name: 'apps-blue', arn: 'arn:blue', status: 'ACTIVE', endpoint: 'https://blue', tags: {} };

const slot = { 'cluster-canary/fleet': 'apps', 'cluster-canary/slot': 'blue' };
const skip = 'argocd.argoproj.io/skip-reconcile';
const traffic = 'cluster-canary/traffic';
const active = 'cluster-canary/active';
const green = { 'cluster-canary/fleet': 'apps', 'cluster-canary/slot': 'green' };

type Kept = Record<string, string>;

/** A Secret of which each manager owns what it applied last, as server-side apply has it. */
interface Secret {
  labels: Kept;
  annotations: Kept;
  readonly owned: Record<string, readonly string[]>;
}

class MemoryHub {
  public readonly secrets: Record<string, Secret> = {};
  /** Writes until it is killed. */
  public left = Infinity;

  public add(name: string, labels: Kept, annotations: Kept = {}): this {
    const keys = [...Object.keys(labels), ...Object.keys(annotations)];
    const ofShifts = keys.filter((key) => [traffic, active].includes(key));
    const others = keys.filter((key) => !ofShifts.includes(key));
    this.secrets[name] = { labels, annotations, owned: { others, 'cluster-canary-traffic': ofShifts } };
    return this;
  }

  public get hub(): Hub {
    return {
      name: 'hub',
      namespace: 'argocd',
      api: {
        list: () =>
          Promise.resolve(
            Object.entries(this.secrets).map(([name, { labels, annotations }]) => ({
              metadata: {
                name,
                uid: `uid of ${name}`,
                labels: { ...labels },
                annotations: { ...annotations },
              },
              data: {},
            })),
          ),
        apply: ({ metadata }: any, { fieldManager }: any) => {
          const { name, uid, labels = {}, annotations = {} } = metadata;
          this.left -= 1;
          if (this.left < 0) {
            return Promise.reject(new Error('killed'));
          }
          const secret = this.secrets[name]!;
          expect(uid).toBe(`uid of ${name}`);
          const now = [...Object.keys(labels), ...Object.keys(annotations)];
          const others = Object.entries(secret.owned).flatMap(([by, keys]) =>
            by === fieldManager ? [] : keys,
          );
          for (const key of secret.owned[fieldManager] ?? []) {
            if (!now.includes(key) && !others.includes(key)) {
              delete secret.labels[key];
              delete secret.annotations[key];
            }
          }
          for (const [by, keys] of Object.entries(secret.owned)) {
            // A forced apply of another value takes the field over.
            const isTaken = (key: string) =>
              by !== fieldManager && now.includes(key) && secret.labels[key] !== labels[key];
            secret.owned[by] = keys.filter((key) => !isTaken(key));
          }
          secret.owned[fieldManager] = now;
          Object.assign(secret.labels, labels);
          Object.assign(secret.annotations, annotations);
          const { labels: all, annotations: notes } = secret;
          return Promise.resolve({ metadata: { name, uid, labels: { ...all }, annotations: { ...notes } } });
        },
      } as never,
    };
  }
}

test('what a pause wrote is gone, and nothing else', async () => {
  const memory = new MemoryHub().add('blue', { ...slot, team: 'shop' }, { note: 'ours' }).add('green', green);
  const before = structuredClone(memory.secrets);
  expect(await pauseGitOps(memory.hub, target, cluster)).toEqual(['blue']);
  expect(memory.secrets.blue).toMatchObject({
    labels: { [traffic]: 'draining' },
    annotations: { [skip]: 'true' },
  });
  expect(await resumeGitOps(memory.hub, target, cluster)).toEqual({ resumed: ['blue'], paused: [] });
  expect(memory.secrets.blue!.labels).toEqual(before.blue!.labels);
  expect(memory.secrets.blue!.annotations).toEqual(before.blue!.annotations);
  expect(memory.secrets.green).toEqual(before.green);
});

test.each<[what: string, before: Kept, others: Kept, paused: Kept, after: Kept]>([
  ['the label of a slot on standby', { [traffic]: 'standby' }, {}, {}, { [traffic]: 'standby' }],
  [
    'the label of a slot whose hub missed the end of the shift: it has no traffic now',
    { [traffic]: 'live' },
    {},
    {},
    { [traffic]: 'standby' },
  ],
  ['the label of a shift that was not over', { [traffic]: 'draining' }, {}, {}, { [traffic]: 'standby' }],
  [
    'the active label, where no slot has it',
    { [traffic]: 'live', [active]: 'true' },
    {},
    {},
    { [traffic]: 'standby', [active]: 'true' },
  ],
  ['the active label alone', { [active]: 'true' }, {}, {}, { [active]: 'true' }],
  [
    'not the active label, where another slot has it',
    { [traffic]: 'live', [active]: 'true' },
    { [active]: 'true' },
    {},
    { [traffic]: 'standby' },
  ],
  ['no label, where there was none', {}, {}, {}, {}],
  [
    'the active label that somebody has set meanwhile',
    { [traffic]: 'standby' },
    {},
    { [active]: 'true' },
    { [traffic]: 'standby', [active]: 'true' },
  ],
])('gives back %s', async (_, before, others, meanwhile, after) => {
  const memory = new MemoryHub().add('blue', { ...slot, ...before }).add('green', { ...green, ...others });
  await pauseGitOps(memory.hub, target, cluster);
  // A drain that did not pass pauses again.
  await pauseGitOps(memory.hub, target, cluster);
  expect(memory.secrets.blue!.labels[traffic]).toBe('draining');
  Object.assign(memory.secrets.blue!.labels, meanwhile);
  await resumeGitOps(memory.hub, target, cluster);
  expect(memory.secrets.blue!.labels).toEqual({ ...slot, ...after });
  expect(memory.secrets.blue!.annotations).toEqual({});
  expect(memory.secrets.green!.labels).toEqual({ ...green, ...others });
});

test('a pause and its undoing that are killed after any write end as those that are not', async () => {
  const killedAfter = async (paused: number, resumed: number) => {
    const memory = new MemoryHub().add('blue', { ...slot, [traffic]: 'standby', [active]: 'true' });
    for (const [left, act] of [
      [paused, pauseGitOps],
      [resumed, resumeGitOps],
    ] as const) {
      memory.left = left;
      await act(memory.hub, target, cluster).catch((error: Error) => expect(error.message).toBe('killed'));
      memory.left = Infinity;
      await act(memory.hub, target, cluster);
    }
    return memory.secrets.blue!;
  };
  const { labels, annotations } = await killedAfter(Infinity, Infinity);
  expect([labels, annotations]).toEqual([{ ...slot, [traffic]: 'standby', [active]: 'true' }, {}]);
  for (const paused of [0, 1, 2]) {
    for (const resumed of [0, 1, 2]) {
      expect(await killedAfter(paused, resumed)).toMatchObject({ labels, annotations });
    }
  }
});

test('a label of a shift that is not over stays in a hub that never was paused', async () => {
  const memory = new MemoryHub().add('blue', { ...slot, [traffic]: 'draining' });
  await resumeGitOps(memory.hub, target, cluster);
  expect(memory.secrets.blue!.labels).toEqual({ ...slot, [traffic]: 'draining' });
});

test.each<[string, (memory: MemoryHub) => void, Kept, Kept]>([
  ['twice', () => undefined, slot, {}],
  [
    'a label that a shift has written since stays',
    ({ secrets: { blue } }) => Object.assign(blue!.labels, { [traffic]: 'live' }),
    { ...slot, [traffic]: 'live' },
    {},
  ],
  [
    'an annotation that somebody else owns, too, stays',
    ({ secrets: { blue } }) => Object.assign(blue!.owned, { others: [skip] }),
    slot,
    { [skip]: 'true' },
  ],
])('%s', async (_, meanwhile, labels, annotations) => {
  const memory = new MemoryHub().add('blue', { ...slot });
  await pauseGitOps(memory.hub, target, cluster);
  meanwhile(memory);
  await resumeGitOps(memory.hub, target, cluster);
  await resumeGitOps(memory.hub, target, cluster);
  expect(memory.secrets.blue).toMatchObject({ labels, annotations });
  expect(Object.keys(memory.secrets.blue!.labels)).toEqual(Object.keys(labels));
  expect(Object.keys(memory.secrets.blue!.annotations)).toEqual(Object.keys(annotations));
});

test('a hub that never was paused stays as it is', async () => {
  const memory = new MemoryHub().add('blue', { ...slot, [traffic]: 'standby' }, { note: 'ours' });
  const { labels, annotations } = structuredClone(memory.secrets.blue!);
  expect(await resumeGitOps(memory.hub, target, cluster)).toEqual({ resumed: [], paused: [] });
  expect(memory.secrets.blue).toMatchObject({ labels, annotations });
});

test.each([
  ['alone', false, []],
  ['as well', true, ['blue']],
])('what something else has paused %s is said', async (_, isDrained, resumed) => {
  const memory = new MemoryHub().add('blue', { ...slot }, { [skip]: 'true' });
  if (isDrained) {
    await pauseGitOps(memory.hub, target, cluster);
  }
  expect(await resumeGitOps(memory.hub, target, cluster)).toEqual({ resumed, paused: ['blue'] });
  expect(memory.secrets.blue!.annotations).toEqual({ [skip]: 'true' });
});

test('a hub that does not know the cluster is left alone', async () => {
  const memory = new MemoryHub().add('other', {});
  expect(await resumeGitOps(memory.hub, target, undefined)).toEqual({ resumed: [], paused: [] });
});
