import type { ClusterSetSpec } from '../../../lib/manifests/cluster-sync';
import { cluster, minute } from './samples';
import { World } from './world';

const grace = { deletion: { gracePeriod: '15m', maxShare: 100 } };

describe('removal', () => {
  test('marks a Secret when its cluster is first missing, keeps it for the grace period, then removes it', async () => {
    const world = new World(cluster('blue'), cluster('green'));
    await world.sync(grace);
    world.clusters = [cluster('green')];
    expect(await world.writesOf(grace)).toEqual(['patch blue']);
    expect(world.hub.secrets.get('blue').metadata.annotations['cluster-canary/missing-since']).toBe(
      '2030-01-01T00:00:00.000Z',
    );
    world.now += 15 * minute - 1;
    expect(await world.writesOf(grace)).toEqual([]);
    expect((await world.plan(grace)).keep).toContainEqual({
      ...{ cluster: 'blue', arn: cluster('blue').arn, secret: 'blue' },
      reason: 'missing since 2030-01-01T00:00:00.000Z; goes after 2030-01-01T00:15:00.000Z',
    });
    world.now += 1;
    expect(await world.writesOf(grace)).toEqual(['remove blue']);
    expect(world.hub.names).toEqual(['green']);
  });

  test.each<[string, Parameters<typeof cluster>[1]]>([
    ['as it was', {}],
    ['changed', { endpoint: 'https://other.example.com' }],
    ['while it is being updated', { status: 'UPDATING' }],
  ])('a cluster that is back %s loses the mark: the next time counts anew', async (_, own) => {
    const world = new World(cluster('blue'));
    await world.sync(grace);
    world.clusters = [];
    await world.sync(grace);
    world.clusters = [cluster('blue', own)];
    world.now += 10 * minute;
    await world.sync(grace);
    expect(world.hub.secrets.get('blue').metadata.annotations).not.toHaveProperty(
      'cluster-canary/missing-since',
    );
    world.clusters = [];
    world.now += 10 * minute;
    await world.sync(grace);
    expect(world.hub.names).toEqual(['blue']);
  });

  test('a cluster that is no longer selected goes the same way', async () => {
    const world = new World(cluster('blue'));
    await world.sync(grace);
    world.clusters = [cluster('blue', { tags: {} })];
    expect(await world.writesOf(grace)).toEqual(['patch blue']);
  });

  test('nothing is marked or removed while any region does not answer; clusters elsewhere are registered', async () => {
    const world = new World(cluster('blue'), cluster('far', { region: 'us-east-1' }));
    const spec = { ...grace, accounts: [{ regions: ['eu-west-1', 'us-east-1'] }] };
    await world.sync(spec);
    world.clusters = [cluster('green'), cluster('far', { region: 'us-east-1' })];
    world.broken = ['us-east-1'];
    const { plan, written } = await world.sync(spec);
    expect(written).toBe(1);
    expect(plan).toMatchObject({
      create: [{ secret: 'green' }],
      update: [],
      delete: [],
      problems: ['us-east-1: no answer'],
    });
    const reason = 'not found, but not everything answered';
    expect(plan.keep).toMatchObject([
      { secret: 'blue', reason },
      { secret: 'far', reason },
    ]);
  });

  test.each([
    [1, 1, 30, 0],
    [1, 1, 100, 1],
    [2, 1, 30, 1],
    [2, 2, 30, 0],
    [10, 3, 30, 3],
    [10, 4, 30, 0],
    [10, 10, 100, 10],
    [10, 1, 0, 0],
  ])('of %i Secrets, %i due, at most %i %%: %i go', async (owned, due, maxShare, go) => {
    const all = Array.from({ length: owned }, (_, index) => cluster(`c-${index}`));
    const world = new World(...all);
    await world.sync();
    world.clusters = all.slice(due);
    const spec = { deletion: { gracePeriod: '0s', maxShare } };
    const { plan } = await world.sync(spec);
    expect([plan.delete.length, plan.problems.length]).toEqual([go, go === due ? 0 : 1]);
    expect(world.hub.names).toHaveLength(owned - go);
    await world.sync(spec, 'production', true);
    expect(world.hub.names).toHaveLength(owned - due);
  });
});

describe('other Secrets', () => {
  const foreign = { labels: { 'argocd.argoproj.io/secret-type': 'cluster' } };
  const reasonOf = async (world: World, spec: Partial<ClusterSetSpec> = {}): Promise<string> => {
    const { create, update, skipped, problems } = await world.plan(spec);
    expect([create, update]).toEqual([[], []]);
    expect(problems).toHaveLength(1);
    return skipped[0].reason;
  };

  test('one of the wanted name is left alone, and taken over only when asked', async () => {
    const world = new World(cluster('blue'));
    world.hub.put(
      'blue',
      { labels: { ...foreign.labels, hand: 'made' } },
      { name: 'blue', config: '{"bearerToken":"x"}' },
    );
    expect(await reasonOf(world)).toMatch(/"blue" was not made by this set; spec.adopt/);
    expect(await world.writesOf({ adopt: true })).toEqual(['apply blue']);
    expect(world.hub.data('blue').config).not.toContain('bearerToken');
    expect(world.hub.secrets.get('blue').metadata.labels).toMatchObject({ hand: 'made', env: 'production' });
    expect(await world.writesOf({ adopt: true })).toEqual([]);
  });

  test("one of another set's is not taken over, though asked", async () => {
    const world = new World(cluster('blue'));
    await world.sync({}, 'other');
    expect(await reasonOf(world, { adopt: true })).toMatch(/belongs to the set "other"/);
  });

  test("one of another set's, under another name, keeps the cluster out", async () => {
    const world = new World(cluster('blue'));
    await world.sync({ template: { metadata: { name: 'of-other-{{name}}' } } }, 'other');
    expect(await reasonOf(world)).toMatch(/"of-other-blue" of the set "other" registers it already/);
  });

  test('clusters of one address, as behind one load balancer, are told apart by their ARNs', async () => {
    const endpoint = 'https://shared.example.com';
    const world = new World(
      cluster('blue', { endpoint }),
      cluster('green', { endpoint }),
      cluster('test', { endpoint, tags: {} }),
    );
    await world.sync();
    await world.sync({ selector: { matchExpressions: [{ key: 'env', operator: 'DoesNotExist' }] } }, 'other');
    expect(world.hub.names).toEqual(['blue', 'green', 'test']);
    expect(await world.writesOf()).toEqual([]);
    expect((await world.plan()).problems).toEqual([]);
  });

  test("one that is not a cluster's is not mixed with a cluster's, though asked", async () => {
    const world = new World(cluster('argocd-secret'));
    world.hub.put('argocd-secret', {}, { 'server.secretkey': 'key' });
    expect(await reasonOf(world, { adopt: true })).toMatch(/"argocd-secret" that is not a cluster's/);
  });

  test.each([
    [
      'address',
      { server: `${cluster('blue').endpoint!.toUpperCase().replace('HTTPS', 'https')}/` },
      /"older" registers https:/,
    ],
    ['name in Argo CD', { name: 'blue' }, /"older" registers a cluster "blue" already/],
  ])('one with the same %s under another name keeps the cluster out', async (_, data, reason) => {
    const world = new World(cluster('blue'));
    world.hub.put('older', foreign, data);
    expect(await reasonOf(world)).toMatch(reason);
  });

  test("the set's own, whose Argo CD label somebody took away, gets it back", async () => {
    const world = new World(cluster('blue'));
    await world.sync();
    delete world.hub.secrets.get('blue').metadata.labels['argocd.argoproj.io/secret-type'];
    expect(await world.writesOf()).toEqual(['apply blue']);
  });
});

describe('names', () => {
  test('two clusters that would share one are both refused, and what is there stays', async () => {
    const world = new World(cluster('apps'));
    await world.sync();
    const far = cluster('apps', { region: 'us-east-1' });
    world.clusters = [cluster('apps'), far];
    const { skipped, keep, problems } = await world.plan();
    expect(skipped).toHaveLength(2);
    expect(skipped[0].reason).toBe(
      `the name "apps" is also that of ${far.arn}; make them differ by the template's name`,
    );
    expect([keep.length, problems.length]).toEqual([1, 2]);
    expect(await world.writesOf()).toEqual([]);
  });

  test('a cluster seen by two roles is one cluster', async () => {
    const world = new World(cluster('apps'), cluster('apps'));
    expect(await world.writesOf()).toEqual(['apply apps']);
  });

  test('a template that names a registered cluster anew makes no second Secret of it', async () => {
    const world = new World(cluster('apps'));
    await world.sync();
    const spec = { template: { metadata: { name: '{{name}}-{{region}}', labels: { env: 'production' } } } };
    world.clusters = [cluster('apps', { endpoint: 'https://other.example.com' })];
    const { plan } = await world.sync(spec);
    expect(plan.problems).toEqual([
      expect.stringMatching(/registered as Secret "apps", and the template now names it "apps-eu-west-1"/),
    ]);
    expect(world.hub.names).toEqual(['apps']);
  });

  test('a cluster of the name of one that is gone waits until its Secret has gone', async () => {
    const world = new World(cluster('apps'));
    const spec = { ...grace, accounts: [{ regions: ['eu-west-1', 'us-east-1'] }] };
    await world.sync(spec);
    const moved = cluster('apps', { region: 'us-east-1' });
    world.clusters = [moved];
    expect((await world.plan(spec)).skipped).toMatchObject(
      [{ arn: moved.arn, refused: false, reason: /waits until that is gone/ }].map((each) => ({
        ...each,
        reason: expect.stringMatching(each.reason),
      })),
    );
    await world.sync(spec);
    world.now += 15 * minute;
    await world.sync(spec);
    await world.sync(spec);
    expect(world.hub.data('apps').server).toBe(moved.endpoint);
  });
});

describe('a Secret that changes while a plan is carried out', () => {
  test('is not written: a foreign one that came, and one that is another by now', async () => {
    const world = new World(cluster('blue'), cluster('green'));
    await world.sync();
    world.clusters.push(cluster('new'));
    world.clusters[0] = cluster('blue', { endpoint: 'https://other.example.com' });
    const look = world.hub.get.bind(world.hub);
    world.hub.get = async (reference) => {
      const found = look(reference).catch((error: unknown) => error);
      world.hub.put('new', {}, { server: 'https://foreign.example.com' });
      world.hub.secrets.delete('blue');
      world.hub.put('blue', {}, { server: 'https://foreign.example.com' });
      throw await found;
    };
    const { failed, written } = await world.sync();
    expect(written).toBe(0);
    expect(failed.map(({ secret }) => secret).sort()).toEqual(['blue', 'new']);
    for (const name of ['blue', 'new']) {
      expect(world.hub.data(name)).toEqual({ server: 'https://foreign.example.com' });
    }
  });
});
