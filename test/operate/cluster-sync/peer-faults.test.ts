import type { ListClusters } from '../../../lib/operate/cluster-sync';
import { eksSource, planClusters, syncClusters } from '../../../lib/operate/cluster-sync';
import { MemoryHub } from './memory-hub';
import { cluster, minute, settings } from './samples';
import { World } from './world';

const clusterLabel = { 'argocd.argoproj.io/secret-type': 'cluster', env: 'production' };

/** EKS with pages of 100, as a client of it. */
function eks(names: readonly string[], calls: string[] = [], failing?: string): ListClusters {
  return ({ region = 'eu-west-1' }) => ({
    eks: () =>
      Promise.resolve({
        listClusters: ({ nextToken = '0' }: any) => {
          calls.push(`list ${region} ${nextToken}`);
          if (failing === `${region} ${nextToken}`) {
            return Promise.reject(Object.assign(new Error('Rate exceeded'), { name: 'ThrottlingException' }));
          }
          const end = Number(nextToken) + 100;
          const more = end < names.length ? { nextToken: String(end) } : {};
          return Promise.resolve({ clusters: names.slice(Number(nextToken), end), ...more });
        },
        describeCluster: ({ name }: any) => {
          calls.push(`describe ${region} ${name}`);
          const { certificateAuthority: data, ...found } = cluster(name, { region });
          return Promise.resolve({ cluster: { ...found, certificateAuthority: { data } } });
        },
      } as any),
    sts: () =>
      Promise.resolve({
        getCallerIdentity: () => {
          calls.push(`identity ${region}`);
          return Promise.resolve({ Account: '123456789012' });
        },
      } as any),
    close: () => undefined,
  });
}

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `c-${1000 + index}`);

describe('what goes wrong with argocd-clusterset, and does not here', () => {
  test('only the first page counts: 250 clusters on three pages are all found', async () => {
    const calls: string[] = [];
    const plan = await planClusters(settings(), {
      source: eksSource({}, eks(names(250), calls)),
      hub: new MemoryHub(),
    });
    expect(plan.create.map(({ secret }) => secret).sort()).toEqual(names(250));
    expect(calls.filter((call) => call.startsWith('list'))).toEqual([
      'list eu-west-1 0',
      'list eu-west-1 100',
      'list eu-west-1 200',
    ]);
  });

  test('clusters past the first page lose their Secrets: where a later page fails, nothing goes', async () => {
    const world = new World(...names(150).map((name) => cluster(name)));
    await world.sync({ deletion: { gracePeriod: '0s' } });
    const source = eksSource({}, eks(names(150), [], 'eu-west-1 100'));
    const spec = { deletion: { gracePeriod: '0s', maxShare: 100 } };
    const plan = await planClusters(settings(spec), { source, hub: world.hub, force: true });
    expect(plan).toMatchObject({ create: [], update: [], delete: [] });
    expect(plan.keep).toHaveLength(150);
    expect(plan.problems).toEqual([
      expect.stringMatching(/the default region: AWS throttles eks:ListClusters/),
    ]);
  });

  test('Secrets are never updated: a new certificate authority, endpoint and label are written', async () => {
    const world = new World(cluster('blue'));
    await world.sync();
    world.clusters = [
      cluster('blue', { endpoint: 'https://other.example.com', certificateAuthority: 'bmV3' }),
    ];
    const template = { metadata: { labels: { env: 'staging' } } };
    expect((await world.plan({ template })).update).toEqual([
      {
        ...{ cluster: 'blue', arn: cluster('blue').arn, secret: 'blue' },
        changes: [
          { field: 'server', from: cluster('blue').endpoint, to: 'https://other.example.com' },
          { field: 'config' },
          { field: 'labels.env', from: 'production', to: 'staging' },
        ],
      },
    ]);
    await world.sync({ template });
    expect(world.hub.data('blue')).toMatchObject({
      server: 'https://other.example.com',
      config: expect.stringContaining('"caData":"bmV3"'),
    });
    expect(world.hub.secrets.get('blue').metadata.labels.env).toBe('staging');
  });

  test('a wrong server is not fixed: it is', async () => {
    const world = new World(cluster('blue'));
    await world.sync();
    world.hub.secrets.get('blue').data.server = Buffer.from('https://wrong').toString('base64');
    expect(await world.writesOf()).toEqual(['apply blue']);
    expect(world.hub.data('blue').server).toBe(cluster('blue').endpoint);
  });

  test('foreign Secrets are deleted: one made by hand, with the same labels, stays, and is never written', async () => {
    const world = new World(cluster('blue'));
    world.hub.put(
      'by-hand',
      { labels: clusterLabel },
      { name: 'by-hand', server: 'https://hand.example.com' },
    );
    world.hub.put(
      'copied',
      { labels: { ...clusterLabel, 'cluster-canary/cluster-set': 'production' } },
      { name: 'copied' },
    );
    const before = structuredClone([world.hub.secrets.get('by-hand'), world.hub.secrets.get('copied')]);
    const spec = { deletion: { gracePeriod: '0s', maxShare: 100 } };
    await world.sync(spec);
    world.clusters = [];
    await world.sync(spec, 'production', true);
    expect([world.hub.secrets.get('by-hand'), world.hub.secrets.get('copied')]).toEqual(before);
    expect(world.hub.names).toEqual(['by-hand', 'copied']);
  });

  test('a CREATING cluster crashes it: it is left out until it is active, and told', async () => {
    const {
      endpoint: _endpoint,
      certificateAuthority: _ca,
      ...creating
    } = cluster('green', { status: 'CREATING' });
    const world = new World(cluster('blue'), creating);
    const { plan } = await world.sync();
    expect(world.hub.names).toEqual(['blue']);
    expect(plan.skipped).toEqual([
      { cluster: 'green', arn: cluster('green').arn, reason: 'its status is CREATING', refused: false },
    ]);
    expect(plan.problems).toEqual([]);
  });

  test.each(['UPDATING', 'FAILED', 'DELETING', 'PENDING', 'NEW_STATUS'])(
    'a cluster that is %s keeps its Secret as it is',
    async (status) => {
      const world = new World(cluster('blue'));
      await world.sync();
      world.clusters = [cluster('blue', { status, endpoint: 'https://other.example.com' })];
      world.now += 1000 * minute;
      expect(await world.writesOf({ deletion: { gracePeriod: '0s', maxShare: 100 } })).toEqual([]);
      expect((await world.plan()).keep).toMatchObject([
        { secret: 'blue', reason: `its status is ${status}` },
      ]);
    },
  );

  test('one account, one region: each place is asked with its own role', async () => {
    const asked: unknown[] = [];
    const clientsOf: ListClusters = (options) => {
      asked.push([options.roleArn, options.region]);
      return eks([])(options);
    };
    const [one, two] = ['111111111111', '222222222222'].map((of) => `arn:aws:iam::${of}:role/reader`);
    const accounts = [
      { roleArn: one!, regions: ['eu-west-1', 'us-east-1'] },
      { roleArn: two!, regions: ['eu-west-1'] },
    ];
    await planClusters(settings({ accounts }), { source: eksSource({}, clientsOf), hub: new MemoryHub() });
    expect(asked).toEqual([
      [one, 'eu-west-1'],
      [one, 'us-east-1'],
      [two, 'eu-west-1'],
    ]);
  });

  test('no owner: every Secret says whose it is, and which cluster it is of', async () => {
    const world = new World(cluster('blue'));
    await world.sync();
    const { labels, annotations } = world.hub.secrets.get('blue').metadata;
    expect(labels).toEqual({ ...clusterLabel, 'cluster-canary/cluster-set': 'production' });
    expect(annotations).toEqual({
      'cluster-canary/cluster-set': 'production',
      'cluster-canary/cluster-arn': cluster('blue').arn,
    });
  });

  test('the status is never written: each run tells what it found, did, and could not do', async () => {
    const world = new World(cluster('blue'), cluster('green'), cluster('grey', { status: 'FAILED' }));
    world.hub.broken.add('green');
    const outcome = await world.sync();
    expect(outcome).toMatchObject({
      written: 1,
      failed: [{ secret: 'green', reason: 'the hub: denied' }],
      plan: { create: [{ secret: 'blue' }, { secret: 'green' }], skipped: [{ cluster: 'grey' }] },
    });
    expect(world.hub.names).toEqual(['blue']);
  });

  test('an empty region deletes all: nothing goes before the grace period, and then not all at once', async () => {
    const world = new World(...names(10).map((name) => cluster(name)));
    await world.sync();
    world.clusters = [];
    expect((await world.sync()).plan).toMatchObject({ delete: [] });
    world.now += 16 * minute;
    const { plan } = await world.sync();
    expect(plan.delete).toEqual([]);
    expect(plan.problems).toEqual([
      expect.stringMatching(/^10 of 10 Secrets would go, and at most 3 may at once/),
    ]);
    expect(world.hub.names).toHaveLength(10);
    await world.sync({}, 'production', true);
    expect(world.hub.names).toEqual([]);
  });

  test("two sets in one namespace delete each other's: each leaves the other's alone", async () => {
    const world = new World(cluster('blue'), cluster('test', { tags: { env: 'staging' } }));
    const staging = {
      selector: { eksTags: { env: 'staging' } },
      deletion: { gracePeriod: '0s', maxShare: 100 },
    };
    await world.sync();
    await world.sync(staging, 'staging');
    for (let round = 0; round < 3; round += 1) {
      expect(await world.writesOf({ deletion: { gracePeriod: '0s', maxShare: 100 } })).toEqual([]);
      expect(await world.writesOf(staging, 'staging')).toEqual([]);
    }
    expect(world.hub.names).toEqual(['blue', 'test']);
  });

  test('labels are ignored: those of the template come, change and go', async () => {
    const world = new World(cluster('blue', { tags: { env: 'production', team: 'Web Shop' } }));
    const labelled = (labels: Record<string, string>) => world.sync({ template: { metadata: { labels } } });
    await labelled({ env: 'production', team: '{{tags.team | label}}' });
    expect(world.hub.secrets.get('blue').metadata.labels).toMatchObject({
      env: 'production',
      team: 'Web-Shop',
    });
    // Somebody else keeps a label of their own on it.
    world.hub.secrets.get('blue').metadata.labels['cluster-canary/traffic'] = 'live';
    await labelled({ env: 'canary' });
    expect(world.hub.secrets.get('blue').metadata.labels).toEqual({
      ...{ 'argocd.argoproj.io/secret-type': 'cluster', 'cluster-canary/cluster-set': 'production' },
      ...{ env: 'canary', 'cluster-canary/traffic': 'live' },
    });
  });

  test('an unchanged run writes as much as the first: it writes nothing', async () => {
    const world = new World(...names(150).map((name) => cluster(name)));
    expect(await world.writesOf()).toHaveLength(150);
    expect(await world.writesOf()).toEqual([]);
    expect((await world.plan()).keep).toHaveLength(150);
  });
});

describe('credentials of the wrong account', () => {
  const [right, wrong] = ['111111111111', '222222222222'];
  const own = names(10).map((name) => cluster(name, { account: right }));
  const others = names(39).map((name) => cluster(`other-${name}`));
  const spec = {
    accounts: [{ account: right, regions: ['eu-west-1'] }, { regions: ['us-east-1'] }],
    deletion: { gracePeriod: '0s', maxShare: 100 },
  };

  /** EKS that has no clusters for the first place, and all of `others` for the second. */
  const source = (identity: () => Promise<object>, list: object = { clusters: [] }, calls: string[] = []) =>
    eksSource({}, ({ region }) => ({
      eks: () =>
        Promise.resolve({
          listClusters: () => {
            calls.push(`list ${region}`);
            return Promise.resolve(
              region === 'eu-west-1' ? list : { clusters: others.map(({ name }) => name) },
            );
          },
          describeCluster: ({ name }: any) => {
            const { certificateAuthority: data, ...found } = cluster(name);
            return Promise.resolve({ cluster: { ...found, certificateAuthority: { data } } });
          },
        } as any),
      sts: () => Promise.resolve({ getCallerIdentity: identity } as any),
      close: () => undefined,
    }));

  async function hub(): Promise<World> {
    const world = new World(...own, ...others);
    await world.sync();
    expect(world.hub.names).toHaveLength(49);
    return world;
  }

  const identity = (answer: object) => () => Promise.resolve(answer);
  const refused = () => Promise.reject(Object.assign(new Error('slow down'), { name: 'Throttling' }));

  test.each<[string, () => Promise<object>, object | undefined, RegExp]>([
    [
      'an identity of another account',
      identity({ Account: wrong }),
      undefined,
      /^eu-west-1 by account 1{12}: the credentials are of account 2{12}, and not of 1{12}; its Secrets stay/,
    ],
    ['an identity without an account', identity({}), undefined, /no answer to sts:GetCallerIdentity/],
    ['no identity', refused, undefined, /AWS throttles sts:GetCallerIdentity/],
    [
      'a list that is none',
      identity({ Account: right }),
      {},
      /no answer to eks:ListClusters .*no list "clusters"/,
    ],
    ['a list that is a text', identity({ Account: right }), { clusters: 'none' }, /no list "clusters"/],
  ])('%s: no Secret is marked, and none goes', async (_what, who, list, problem) => {
    const world = await hub();
    const parts = { source: source(who, list), hub: world.hub, now: () => world.now };
    const { plan, written } = await syncClusters(settings(spec), parts);
    expect(plan.problems).toEqual([expect.stringMatching(problem)]);
    expect([plan.update, plan.delete, written, world.hub.names.length]).toEqual([[], [], 0, 49]);
  });

  test('the right account without clusters: they are gone, and their Secrets go', async () => {
    const world = await hub();
    const parts = { source: source(identity({ Account: right })), hub: world.hub, now: () => world.now };
    const { plan } = await syncClusters(settings(spec), parts);
    expect([plan.problems, plan.delete.length, world.hub.names.length]).toEqual([[], 10, 39]);
  });

  test('a role of another account is one, too; that of the same is not asked who it is', async () => {
    const roleOf = (of: string) => ({
      roleArn: `arn:aws:iam::${of}:role/reader`,
      account: right,
      region: 'eu-west-1',
    });
    const never = () => Promise.reject(new Error('nobody is to be asked'));
    for (const [of, problems] of [
      [
        wrong,
        [expect.stringContaining('the credentials are of account 222222222222, and not of 111111111111')],
      ],
      [right, []],
    ] as const) {
      const used = { ...settings(spec), places: [roleOf(of)] };
      const plan = await planClusters(used, { source: source(never), hub: new MemoryHub() });
      expect(plan.problems).toEqual(problems);
    }
  });

  test('a wrong account is not even asked for its clusters; where nobody can say, it is', async () => {
    for (const [who, lists] of [
      [identity({ Account: wrong }), ['list us-east-1']],
      [refused, ['list eu-west-1', 'list us-east-1']],
    ] as const) {
      const calls: string[] = [];
      await planClusters(settings(spec), { source: source(who, undefined, calls), hub: new MemoryHub() });
      expect(calls.sort()).toEqual(lists);
    }
  });

  test('a place whose account is not set is noted: nobody can tell there', async () => {
    const world = new World();
    expect((await world.plan(spec)).notes).toEqual([
      'us-east-1: no account is set, so credentials of another one that has no clusters look as if all clusters were gone',
    ]);
    const roleArn = `arn:aws:iam::${right}:role/reader`;
    expect((await world.plan({ accounts: [{ roleArn }] })).notes).toEqual([]);
  });
});
