import * as fc from 'fast-check';
import type { EksCluster } from '../../../lib/manifests/cluster-sync';
import { cluster, minute } from './samples';
import { World } from './world';

const names = ['a', 'b', 'c', 'd', 'e', 'f'];
const regions = ['eu-west-1', 'us-east-1'];

const anyCluster = fc
  .record({
    name: fc.constantFrom(...names),
    region: fc.constantFrom(...regions),
    status: fc.constantFrom('ACTIVE', 'ACTIVE', 'ACTIVE', 'CREATING', 'UPDATING', 'FAILED'),
    tags: fc.constantFrom({ env: 'production' }, { env: 'production', team: 'web' }, { env: 'staging' }, {}),
    endpoint: fc.constantFrom('one', 'two'),
  })
  .map(({ name, region, endpoint, ...own }: Record<string, any>) =>
    cluster(name, { region, ...own, endpoint: `https://${name}-${region}-${endpoint}.example.com` }),
  );

const anyClusters = fc.uniqueArray(anyCluster, { selector: ({ arn }) => arn, maxLength: 8 });

/** What happens before one run. */
const anyRound = fc.record({
  clusters: anyClusters,
  broken: fc.subarray(regions),
  minutes: fc.constantFrom(0, 1, 20),
  force: fc.boolean(),
  labels: fc.constantFrom<Record<string, string>>(
    {},
    { env: 'production' },
    { team: '{{tags.team | default none}}' },
  ),
  adopt: fc.boolean(),
  brokenWrites: fc.subarray(names, { maxLength: 1 }),
});

const anyForeign = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom(...names, 'x', 'y'),
    kind: fc.constantFrom('by hand', 'other set', 'copied label', 'no cluster'),
  }),
  { selector: ({ name }) => name, maxLength: 3 },
);

function putForeign(
  world: World,
  foreign: readonly { readonly name: string; readonly kind: string }[],
): void {
  for (const { name, kind } of foreign) {
    const owner = { 'cluster-canary/cluster-set': kind === 'other set' ? 'other' : 'production' };
    world.hub.put(
      name,
      {
        labels: {
          ...(kind === 'no cluster'
            ? {}
            : { 'argocd.argoproj.io/secret-type': 'cluster', env: 'production' }),
          ...(kind === 'other set' || kind === 'copied label' ? owner : {}),
        },
        annotations: kind === 'other set' ? owner : {},
      },
      { name: `foreign-${name}`, server: `https://foreign-${name}.example.com` },
    );
  }
}

const specOf = (labels: Record<string, string>, adopt: boolean) => ({
  accounts: [{ regions }],
  template: { metadata: { labels } },
  adopt,
});

/** The clusters that a hub is to know, where everything answers. */
function registrable(clusters: readonly EksCluster[], taken: readonly string[]): string[] {
  const wanted = clusters.filter(({ status, tags }) => status === 'ACTIVE' && tags.env === 'production');
  return wanted
    .filter(({ name }) => !taken.includes(name) && wanted.filter((other) => other.name === name).length === 1)
    .map(({ arn }) => arn)
    .sort();
}

const ownArns = (world: World): string[] =>
  world.hub.names
    .flatMap((name) => {
      const { annotations = {} } = world.hub.secrets.get(name).metadata;
      return annotations['cluster-canary/cluster-set'] === 'production'
        ? [annotations['cluster-canary/cluster-arn']]
        : [];
    })
    .sort();

test('whatever happens: a second run writes nothing, foreign Secrets stay, and removals keep to their rules', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyForeign,
      fc.array(anyRound, { minLength: 1, maxLength: 6 }),
      async (foreign, rounds) => {
        const world = new World();
        putForeign(world, foreign);
        const untouchable = foreign.map(({ name }) => name);
        const before = structuredClone(untouchable.map((name) => world.hub.secrets.get(name)));
        for (const { clusters, broken, minutes, force, labels, brokenWrites } of rounds) {
          Object.assign(world, { clusters, broken, now: world.now + minutes * minute });
          brokenWrites.forEach((name) => world.hub.broken.add(name));
          const owned = ownArns(world);
          const { plan, failed } = await world.sync(specOf(labels, false), 'production', force);
          expect(plan.delete.length === 0 || broken.length === 0).toBe(true);
          const most = Math.max(Math.floor(owned.length * 0.3), owned.length > 1 ? 1 : 0);
          expect(force || plan.delete.length <= most).toBe(true);
          // A cluster that is there and selected never loses its Secret.
          const there = clusters.filter(({ tags }) => tags.env === 'production').map(({ arn }) => arn);
          expect(plan.delete.filter(({ arn }) => there.includes(arn!))).toEqual([]);
          world.hub.broken.clear();
          // Of more Secrets more may go: what was held back may go when new ones have been made.
          const grows =
            plan.create.length > 0 && plan.keep.some(({ reason = '' }) => /held back/.test(reason));
          if (failed.length === 0 && plan.delete.length === 0 && !grows) {
            expect(await world.writesOf(specOf(labels, false), 'production', force)).toEqual([]);
          }
          expect(untouchable.map((name) => world.hub.secrets.get(name))).toEqual(before);
        }
      },
    ),
    { numRuns: 50 },
  );
});

test('whatever has happened: when everything answers and time passes, the hub knows what it should', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyForeign,
      fc.array(anyRound, { maxLength: 4 }),
      anyClusters,
      async (foreign, rounds, clusters) => {
        const world = new World();
        putForeign(world, foreign);
        for (const { labels, adopt, force, minutes, brokenWrites, ...round } of rounds) {
          Object.assign(world, round, { now: world.now + minutes * minute });
          brokenWrites.forEach((name) => world.hub.broken.add(name));
          await world.sync(specOf(labels, adopt), 'production', force);
          world.hub.broken.clear();
        }
        Object.assign(world, { clusters, broken: [] });
        const spec = specOf({ env: 'production' }, false);
        const taken = foreign
          .filter(
            ({ name }) =>
              world.hub.secrets.get(name)?.metadata.annotations?.['cluster-canary/cluster-set'] !==
              'production',
          )
          .map(({ name }) => name);
        for (let run = 0; run < 4; run += 1) {
          await world.sync(spec, 'production', true);
          world.now += 20 * minute;
        }
        // Clusters that are refused or not active keep the Secret that they have.
        const expected = registrable(clusters, taken);
        const known = ownArns(world);
        expect(expected.filter((arn) => !known.includes(arn) && !isHeld(arn, clusters, known))).toEqual([]);
        const there = clusters.filter(({ tags }) => tags.env === 'production').map(({ arn }) => arn);
        expect(known.filter((arn) => !there.includes(arn))).toEqual([]);
        expect(await world.writesOf(spec, 'production', true)).toEqual([]);
      },
    ),
    { numRuns: 50 },
  );
});

/** Another cluster of its name is there, not active, and holds the name. */
function isHeld(arn: string, clusters: readonly EksCluster[], known: readonly string[]): boolean {
  const [name] = arn.split('/').slice(-1);
  return clusters.some((other) => other.name === name && other.arn !== arn && known.includes(other.arn));
}
