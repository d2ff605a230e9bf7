import { InvalidInput } from '../../../lib/core/validation';
import { openCapacity } from '../../../lib/shift/capacity';
import type { CapacityRecord } from '../../../lib/shift/engine';
import { failure } from './fake-cluster';
import type { FakeCall } from './fake-cluster';
import { Shop, putApp, settle, subject } from './shop';

/** The process is gone, with everything that it had begun. */
class Killed extends Error {}

/** Workloads of every kind, with minimums of every kind. */
function shopOf(): Shop {
  const shop = new Shop({ scale: ['hpa', 'keda', 'replicas'] });
  for (const [cluster, slot, ready] of [
    [shop.blue, 'blue', 20],
    [shop.green, 'green', 2],
  ] as const) {
    putApp(cluster, slot, { name: 'web', ready });
    putApp(cluster, slot, { name: 'api', ready, hpa: { minReplicas: undefined } });
    putApp(cluster, slot, { name: 'zero', ready, hpa: { minReplicas: 0 } });
    putApp(cluster, slot, { name: 'queue', ready, scaledObject: {} });
    putApp(cluster, slot, { name: 'fixed', ready, hpa: false });
  }
  return shop;
}

/** What the owners of the objects have set. */
function settings(shop: Shop): object {
  return Object.fromEntries(
    [shop.blue, shop.green].flatMap((cluster) =>
      [...cluster.objects].flatMap(([key, { kind, spec, metadata }]) => {
        const isFixed = kind === 'Deployment' && metadata.name === 'fixed';
        const isScaler = kind === 'HorizontalPodAutoscaler' || kind === 'ScaledObject';
        const minimum = isFixed ? spec.replicas : (spec.minReplicas ?? spec.minReplicaCount ?? null);
        const notes = Object.keys(metadata.annotations ?? {});
        return isFixed || isScaler ? [[`${cluster.server} ${key}`, [minimum, ...notes]]] : [];
      }),
    ),
  );
}

/** Dies at the call with this number: before it takes effect, or after, when its answer is lost. */
function dieAt(shop: Shop, number: number, when: 'before' | 'after'): () => boolean {
  let calls = 0;
  let dead = false;
  const count = (): void => {
    if (dead || calls++ === number) {
      dead = true;
      throw new Killed();
    }
  };
  for (const cluster of [shop.blue, shop.green]) {
    cluster[when] = count;
    if (when === 'after') {
      cluster.before = () => {
        if (dead) {
          throw new Killed();
        }
      };
    }
  }
  shop.remembering = count;
  return () => dead;
}

function revive(shop: Shop): void {
  for (const cluster of [shop.blue, shop.green]) {
    cluster.before = cluster.after = () => undefined;
  }
  shop.remembering = () => undefined;
}

/** A shift by one process: `false` where it was killed. */
async function shift(shop: Shop): Promise<boolean> {
  const run = shop.run();
  try {
    for (const green of [10, 50, 100]) {
      const first = await run.prepare(shop.request(green));
      expect(first.status).not.toBe('fail');
      settle(shop.green);
      expect(await run.prepare(shop.request(green))).toMatchObject({ status: 'pass' });
    }
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(Killed);
    return false;
  }
}

const giveBack = (shop: Shop, record: CapacityRecord = shop.record ?? {}) =>
  shop.run().giveBack(record, undefined, shop.origin);

describe.each(['before', 'after'] as const)('killed %s a call', (when) => {
  test('anywhere in a shift: another process gives everything back', async () => {
    const calm = shopOf();
    const original = settings(calm);
    expect(await shift(calm)).toBe(true);
    expect(settings(calm)).not.toEqual(original);
    expect(await giveBack(calm)).toBeUndefined();
    expect(settings(calm)).toEqual(original);
    let kills = 0;
    for (; ; kills += 1) {
      const shop = shopOf();
      dieAt(shop, kills, when);
      const isOver = await shift(shop);
      revive(shop);
      expect(await giveBack(shop)).toBeUndefined();
      expect(settings(shop)).toEqual(original);
      if (isOver) {
        break;
      }
    }
    expect(kills).toBeGreaterThan(60);
  });

  test('anywhere in a shift: the next run goes on and ends where an uninterrupted one ends', async () => {
    const calm = shopOf();
    const original = settings(calm);
    await shift(calm);
    for (let kills = 0; kills < 160; kills += 7) {
      const shop = shopOf();
      dieAt(shop, kills, when);
      await shift(shop);
      revive(shop);
      expect(await shift(shop)).toBe(true);
      expect(settings(shop)).toEqual(settings(calm));
      expect(await giveBack(shop)).toBeUndefined();
      expect(settings(shop)).toEqual(original);
    }
  });

  test('anywhere while it gives back: the next one gives back the rest', async () => {
    const original = settings(shopOf());
    for (let kills = 0; ; kills += 1) {
      const shop = shopOf();
      await shift(shop);
      const isDead = dieAt(shop, kills, when);
      await giveBack(shop);
      const wasKilled = isDead();
      revive(shop);
      expect(await giveBack(shop)).toBeUndefined();
      expect(settings(shop)).toEqual(original);
      const writes = (): number =>
        [...shop.blue.calls, ...shop.green.calls].filter((call) => call.startsWith('patch')).length;
      const before = writes();
      expect(await giveBack(shop)).toBeUndefined();
      expect(writes()).toBe(before);
      if (!wasKilled) {
        expect(kills).toBeGreaterThan(10);
        break;
      }
    }
  });
});

test('a record that can’t be kept changes nothing', async () => {
  const shop = shopOf();
  const original = settings(shop);
  shop.remembering = () => {
    throw new Error('the record does not fit');
  };
  await expect(shop.run().prepare(shop.request(10))).rejects.toThrow('the record does not fit');
  expect(settings(shop)).toEqual(original);
  expect(shop.green.calls.filter((call) => call.startsWith('patch'))).toEqual([]);
});

test('everything is on record before the first write', async () => {
  const shop = shopOf();
  shop.remembering = () => {
    expect([...shop.blue.calls, ...shop.green.calls].filter((call) => call.startsWith('patch'))).toEqual([]);
  };
  await shop.run().prepare(shop.request(50));
  expect(Object.keys(shop.record!.blue!.minimums)).toHaveLength(5);
  expect(shop.record!.green!.minimums).toEqual({
    'deployment/shop/web@hpa': [2, 0, 10],
    'deployment/shop/api@hpa': [1, 0, 10],
    'deployment/shop/zero@hpa': [0, 0, 10],
    'deployment/shop/queue@scaledobject': [null, 0, 10],
    'deployment/shop/fixed': [2, 0, 10],
  });
});

describe('an API server that is lost', () => {
  const lost = (): never => {
    throw failure('unreachable', 'https://green.example.com: no answer within 10 s');
  };

  test('while it is asked: nothing is known', async () => {
    const shop = shopOf();
    shop.green.before = lost;
    await expect(shop.run().prepare(shop.request(10))).rejects.toMatchObject({
      name: 'SourceError',
      message: 'https://green.example.com: no answer within 10 s',
    });
    expect(shop.record).toBeUndefined();
  });

  test('the old one, once this run has seen that it holds its pods: the shift goes on', async () => {
    const shop = shopOf();
    const run = shop.run();
    await run.prepare(shop.request(10));
    settle(shop.green);
    shop.blue.before = () => {
      throw failure('unreachable', 'https://blue.example.com: no answer within 10 s');
    };
    expect(await run.prepare(shop.request(10))).toMatchObject({
      status: 'pass',
      reason:
        'green: 10 pods for 10 % are ready; blue: not looked at again: https://blue.example.com: no answer within 10 s',
    });
  });

  test('the old one, which is on record and may not hold its pods: the shift waits', async () => {
    const shop = shopOf();
    const run = shop.run();
    shop.blue.before = ({ verb, dryRun }: FakeCall) => {
      if (verb === 'patch' && !dryRun) {
        lost();
      }
    };
    await expect(run.prepare(shop.request(10))).rejects.toThrow(/no answer/);
    expect(Object.keys(shop.record!)).toContain('blue');
    settle(shop.green);
    shop.blue.before = () => lost();
    await expect(run.prepare(shop.request(10))).rejects.toThrow(/no answer/);
    await expect(shop.run().prepare(shop.request(10))).rejects.toThrow(/no answer/);
  });

  test('while it gives back: the rest is given back by the next run', async () => {
    const shop = shopOf();
    const original = settings(shop);
    await shift(shop);
    let gets = 0;
    shop.green.before = (call: FakeCall) => {
      gets += 1;
      if (gets > 4) {
        lost();
      }
      expect(call.verb).not.toBe('list');
    };
    const left = await giveBack(shop);
    expect(left!.problem).toMatch(
      /^green: \d minimums are not given back: https:\/\/green.example.com: no answer within 10 s$/,
    );
    expect(Object.keys(left!.raised)).toEqual(['green']);
    expect(Object.keys(left!.raised.green!.minimums).length).toBeGreaterThan(0);
    // The others are not asked for: each would take as long.
    expect(gets).toBeLessThan(12);
    revive(shop);
    expect(await giveBack(shop, left!.raised)).toBeUndefined();
    expect(settings(shop)).toEqual(original);
  });

  test('that no kubeconfig names: nothing is waited for at first, and later it may come back', async () => {
    const shop = shopOf();
    const gone = new InvalidInput('kubeconfig', [
      { path: 'contexts', value: 'apps-green', allowed: 'a context of the kubeconfig' },
    ]);
    const lostContext = openCapacity({}, subject, { id: 'rule', open: () => Promise.reject(gone) });
    expect(await lostContext.prepare(shop.request(10))).toMatchObject({
      status: 'fail',
      holds: true,
      reason: expect.stringMatching(/apps-green/),
    });
    await shop.run().prepare(shop.request(10));
    await expect(lostContext.prepare(shop.request(10))).rejects.toThrow(/apps-green/);
  });

  test('with no kubeconfig any more', async () => {
    const shop = shopOf();
    await shift(shop);
    const { giveBackCapacity } = await import('../../../lib/shift/capacity');
    const left = await giveBackCapacity(shop.record!, () =>
      Promise.reject(new Error('there is no kubeconfig')),
    );
    expect(left).toEqual({
      problem:
        'blue: 4 minimums are not given back: there is no kubeconfig; green: 5 minimums are not given back: there is no kubeconfig',
      raised: expect.objectContaining({ blue: expect.objectContaining({ context: 'apps-blue' }) }),
    });
  });
});

test('objects that are gone have nothing to give back', async () => {
  const shop = shopOf();
  await shift(shop);
  shop.green.objects.clear();
  expect(await giveBack(shop)).toBeUndefined();
  expect(shop.minimums()).toMatchObject({ 'blue HorizontalPodAutoscaler web': 2 });
});

test('a right that is missing is said, and the others are given back', async () => {
  const shop = shopOf();
  await shift(shop);
  shop.green.before = ({ verb, kind }) => {
    if (verb === 'patch' && kind === 'ScaledObject') {
      throw failure('denied', 'patch scaledobjects in namespace "shop": not allowed (403)');
    }
  };
  expect(await giveBack(shop)).toEqual({
    problem: 'green: a minimum is not given back: patch scaledobjects in namespace "shop": not allowed (403)',
    raised: {
      green: expect.objectContaining({ minimums: { 'deployment/shop/queue@scaledobject': [null, 0, 20] } }),
    },
  });
});

test('controllers that change the status all the time are no conflict', async () => {
  const shop = shopOf();
  const original = settings(shop);
  for (const cluster of [shop.blue, shop.green]) {
    const seen = new Map<string, number>();
    cluster.before = ({ verb, kind, name, dryRun }) => {
      const key = `${kind} ${name} ${dryRun}`;
      const times = seen.get(key) ?? 0;
      if (verb === 'patch' && times < 2) {
        seen.set(key, times + 1);
        cluster.touch(cluster.find(kind, name!));
      }
    };
  }
  expect(await shift(shop)).toBe(true);
  expect(await giveBack(shop)).toBeUndefined();
  expect(settings(shop)).toEqual(original);
});

test('a minimum that somebody changes between the look and the write is left, and decided on again', async () => {
  const shop = shopOf();
  let isChanged = false;
  shop.green.before = ({ verb, kind, name, dryRun }) => {
    if (verb === 'patch' && !dryRun && name === 'web' && !isChanged) {
      isChanged = true;
      shop.green.change(kind, 'web', { minReplicas: 4 }, 'kubectl');
    }
  };
  expect(await shop.run().prepare(shop.request(50))).toMatchObject({
    status: 'inconclusive',
    reason: expect.stringMatching(/^green: hpa shop\/web has changed meanwhile; green: /),
  });
  expect(shop.minimums()).toMatchObject({ 'green HorizontalPodAutoscaler web': 4 });
  await shop.run().prepare(shop.request(50));
  expect(shop.minimums()).toMatchObject({ 'green HorizontalPodAutoscaler web': 10 });
  await giveBack(shop);
  expect(shop.minimums()).toMatchObject({ 'green HorizontalPodAutoscaler web': 4 });
});

test('a minimum that somebody has changed since is left as it is', async () => {
  const shop = shopOf();
  await shift(shop);
  shop.green.change('HorizontalPodAutoscaler', 'web', { minReplicas: 30 }, 'kubectl');
  expect(await giveBack(shop)).toBeUndefined();
  expect(shop.minimums()).toMatchObject({ 'green HorizontalPodAutoscaler web': 30 });
  expect(shop.green.find('HorizontalPodAutoscaler', 'web').metadata.annotations).toEqual({});
});

test('a record that got lost: the next run of the same shift knows its own minimums by their notes', async () => {
  const shop = shopOf();
  const original = settings(shop);
  await shift(shop);
  shop.record = undefined;
  expect(await shift(shop)).toBe(true);
  expect(await giveBack(shop)).toBeUndefined();
  expect(settings(shop)).toEqual(original);
});

test('two shifts that share workloads: the last one gives back', async () => {
  const shop = shopOf();
  const original = settings(shop);
  const other = Object.assign(new Shop(shop.settings, 'rule/admin'), { blue: shop.blue, green: shop.green });
  expect(await shift(shop)).toBe(true);
  expect(await shift(other)).toBe(true);
  const raised = shop.minimums();
  expect(await giveBack(shop)).toBeUndefined();
  expect(shop.minimums()).toEqual(raised);
  expect(await giveBack(other)).toBeUndefined();
  expect(settings(shop)).toEqual(original);
});

test('a workload that nothing scales keeps its pods where it has traffic', async () => {
  for (const live of [{ blue: 0, green: 100 }, { blue: 50, green: 50 }, undefined]) {
    const shop = shopOf();
    await shift(shop);
    expect(await shop.run().giveBack(shop.record!, undefined, live)).toBeUndefined();
    const { spec, metadata } = shop.green.find('Deployment', 'fixed');
    expect([spec.replicas, metadata.annotations]).toEqual([20, {}]);
    expect(shop.minimums()).toMatchObject({
      'green HorizontalPodAutoscaler web': 2,
      'green ScaledObject queue': null,
    });
  }
});
