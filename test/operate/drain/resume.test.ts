import type { Hub } from '../../../lib/operate/argocd';
import { pauseGitOps, resumeGitOps } from '../../../lib/operate/drain/pause';

const target = { clusterName: 'apps-blue', fleet: 'apps', slot: 'blue' };
const cluster = { name: 'apps-blue', arn: 'arn:blue', status: 'ACTIVE', endpoint: 'https://blue', tags: {} };

type Kept = Record<string, string>;

/** A Secret of which each manager owns what it applied last, as server-side apply has it. */
interface Secret {
  labels: Kept;
  annotations: Kept;
  readonly owned: Record<string, readonly string[]>;
}

class MemoryHub {
  public readonly secrets: Record<string, Secret> = {};

  public add(name: string, labels: Kept, annotations: Kept = {}): this {
    const keys = [...Object.keys(labels), ...Object.keys(annotations)];
    this.secrets[name] = { labels, annotations, owned: { others: keys } };
    return this;
  }

  public get hub(): Hub {
    return {
      name: 'hub',
      namespace: 'argocd',
      api: {
        list: () =>
          Promise.resolve(
            Object.entries(this.secrets).map(([name, { labels }]) => ({
              metadata: { name, uid: `uid of ${name}`, labels },
              data: {},
            })),
          ),
        apply: ({ metadata }: any, { fieldManager }: any) => {
          const { name, uid, labels = {}, annotations = {} } = metadata;
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
          secret.owned[fieldManager] = now;
          Object.assign(secret.labels, labels);
          Object.assign(secret.annotations, annotations);
          return Promise.resolve({ metadata });
        },
      } as never,
    };
  }
}

const slot = { 'cluster-canary/fleet': 'apps', 'cluster-canary/slot': 'blue' };
const skip = 'argocd.argoproj.io/skip-reconcile';
const traffic = 'cluster-canary/traffic';

test('what a pause wrote is gone, and nothing else', async () => {
  const memory = new MemoryHub()
    .add('blue', { ...slot, team: 'shop' }, { note: 'ours' })
    .add('green', { 'cluster-canary/fleet': 'apps', 'cluster-canary/slot': 'green' });
  const before = structuredClone(memory.secrets);
  expect(await pauseGitOps(memory.hub, target, cluster)).toEqual(['blue']);
  expect(memory.secrets.blue).toMatchObject({
    labels: { [traffic]: 'draining' },
    annotations: { [skip]: 'true' },
  });
  expect(await resumeGitOps(memory.hub, target, cluster)).toEqual(['blue']);
  expect(memory.secrets.blue!.labels).toEqual(before.blue!.labels);
  expect(memory.secrets.blue!.annotations).toEqual(before.blue!.annotations);
  expect(memory.secrets.green).toEqual(before.green);
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
  expect(await resumeGitOps(memory.hub, target, cluster)).toEqual(['blue']);
  expect(memory.secrets.blue).toMatchObject({ labels, annotations });
});

test('a hub that does not know the cluster is left alone', async () => {
  const memory = new MemoryHub().add('other', {});
  expect(await resumeGitOps(memory.hub, target, undefined)).toEqual([]);
});
