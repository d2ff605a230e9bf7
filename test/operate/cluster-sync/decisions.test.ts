import type {
  CurrentSecret,
  DesiredSecret,
  DesiredState,
  OwnedSecret,
} from '../../../lib/operate/cluster-sync';
import { reconcile } from '../../../lib/operate/cluster-sync';
import { cluster, minute, now, settings } from './samples';

const isoNow = '2030-01-01T00:00:00.000Z';
const blueArn = cluster('blue').arn;

function wanted(name: string, own: Partial<DesiredSecret> = {}): DesiredSecret {
  return {
    cluster: name,
    arn: cluster(name).arn,
    name,
    labels: { env: 'production' },
    annotations: { note: 'a' },
    data: { name, server: `https://${name}.example.com`, config: '{}' },
    ...own,
  };
}

/** A Secret of the set, as it should be. */
function registered(
  name: string,
  own: Partial<OwnedSecret> = {},
  rest: Partial<CurrentSecret> = {},
): CurrentSecret & { readonly own: OwnedSecret } {
  const { arn, labels, annotations, data } = wanted(name);
  const written = {
    labels: Object.keys(labels),
    annotations: Object.keys(annotations),
    data: Object.keys(data),
  };
  return {
    ...{ name, uid: `uid of ${name}`, isCluster: true, owner: 'production', arn },
    ...{ clusterName: name, server: data.server! },
    ...rest,
    own: { resourceVersion: '7', labels, annotations, data, written, ...own },
  };
}

/** A Secret that no set owns. */
function foreign(name: string, own: Partial<CurrentSecret> = {}): CurrentSecret {
  return { name, uid: `uid of ${name}`, isCluster: true, ...own };
}

function plan(
  desired: Partial<DesiredState>,
  current: readonly CurrentSecret[],
  spec: Parameters<typeof settings>[0] = {},
) {
  const state = { secrets: [], skipped: [], unselected: [], failures: [], ...desired };
  return reconcile(
    state,
    current,
    settings({ deletion: { gracePeriod: '15m', maxShare: 50 }, ...spec }),
    now,
  );
}

const nothing = { create: [], update: [], delete: [], keep: [], skipped: [], problems: [] };
const blue = { cluster: 'blue', arn: blueArn, secret: 'blue' };
const skippedBlue = { cluster: 'blue', arn: blueArn };

describe('a Secret of the set whose cluster is there', () => {
  test('stays, when it is as it should be', () => {
    expect(plan({ secrets: [wanted('blue')] }, [registered('blue')])).toEqual({ ...nothing, keep: [blue] });
  });

  test('loses the mark alone, when nothing else is wrong with it', () => {
    expect(plan({ secrets: [wanted('blue')] }, [registered('blue', { missingSince: now })])).toEqual({
      ...nothing,
      update: [
        {
          ...blue,
          uid: 'uid of blue',
          changes: [{ field: 'missing since' }],
          missingSince: null,
          adopted: false,
        },
      ],
    });
  });

  test('gets what differs, and loses what the set wrote and no longer wants; keys of others stay', () => {
    const desired = wanted('blue');
    const data = { ...desired.data, config: '{"old":true}', project: 'p', hand: 'made' };
    const before = registered('blue', {
      labels: { env: 'test', team: 'a', hand: 'made' },
      annotations: {},
      data,
      written: { labels: ['env', 'team', 'gone'], annotations: ['note'], data: ['config', 'project'] },
    });
    expect(plan({ secrets: [desired] }, [before])).toStrictEqual({
      ...nothing,
      update: [
        {
          ...blue,
          uid: 'uid of blue',
          desired,
          changes: [
            // A long value is not told.
            { field: 'config' },
            { field: 'project', from: 'p' },
            { field: 'labels.env', from: 'test', to: 'production' },
            { field: 'labels.team', from: 'a' },
            { field: 'annotations.note', to: 'a' },
          ],
          adopted: false,
        },
      ],
    });
  });
});

test("nobody's is taken over where the set adopts, and the plan says so", () => {
  const desired = wanted('blue');
  expect(plan({ secrets: [desired] }, [foreign('blue')], { adopt: true })).toEqual({
    ...nothing,
    update: [{ ...blue, uid: 'uid of blue', desired, changes: [{ field: 'owner' }], adopted: true }],
  });
});

describe('who keeps a cluster out', () => {
  const skippedFor = (current: readonly CurrentSecret[], desired = wanted('blue')) =>
    plan({ secrets: [desired] }, current).skipped.filter(({ cluster: name }) => name === 'blue');

  test("its Secret of this set's is named before that of another one", () => {
    const others = foreign('a', { arn: blueArn, owner: 'other' });
    const own = registered('b', {}, { arn: blueArn });
    for (const current of [
      [others, own],
      [own, others],
    ]) {
      expect(skippedFor(current)).toEqual([
        { ...skippedBlue, refused: true, reason: expect.stringMatching(/^it is registered as Secret "b"/) },
      ]);
    }
  });

  test("a Secret of this set's with the same name in Argo CD: it passes when that one goes", () => {
    expect(skippedFor([registered('old', {}, { clusterName: 'blue' })])).toEqual([
      { ...skippedBlue, refused: false, reason: 'Secret "old" registers a cluster "blue" already' },
    ]);
  });

  test("not a Secret that is no cluster's, whatever is in it", () => {
    const odd = { isCluster: false, server: 'https://blue.example.com', clusterName: 'blue' };
    expect(skippedFor([foreign('odd', odd)])).toEqual([]);
  });

  test.each([
    ['https://blue.example.com', 'https://BLUE.example.com//', true],
    ['https://blue.example.com', 'https://blue.example.com', true],
    ['https://blue.example.com', 'https://green.example.com', false],
    // What is no URL is compared as it is.
    [blueArn, blueArn, true],
    [blueArn, `${blueArn}/`, false],
    [blueArn, blueArn.toUpperCase(), false],
  ])('%s beside %s: %s', (server, other, isSame) => {
    const desired = wanted('blue', { data: { name: 'blue', server } });
    expect(skippedFor([foreign('older', { server: other })], desired)).toHaveLength(isSame ? 1 : 0);
  });
});

describe('a Secret of the set whose cluster is not wanted', () => {
  const skipped = [{ cluster: 'blue', arn: blueArn, reason: 'it is being created', refused: false }];
  const marked = registered('blue', { missingSince: now - 5 * minute });

  test('stays unmarked while its cluster is there', () => {
    expect(plan({ skipped }, [registered('blue')])).toEqual({
      ...nothing,
      skipped,
      keep: [{ ...blue, reason: 'it is being created' }],
    });
  });

  test('loses the mark when its cluster is back', () => {
    expect(plan({ skipped }, [marked]).update).toEqual([
      {
        ...blue,
        uid: 'uid of blue',
        changes: [{ field: 'missing since' }],
        missingSince: null,
        adopted: false,
      },
    ]);
  });

  test('is marked, with the time, when its cluster is first missing', () => {
    expect(plan({}, [registered('blue')]).update).toEqual([
      {
        ...blue,
        uid: 'uid of blue',
        changes: [{ field: 'missing since', to: isoNow }],
        missingSince: isoNow,
        adopted: false,
      },
    ]);
  });

  test('goes in the version that was looked at, when its time is over', () => {
    const [green, red] = [registered('green'), registered('red', { missingSince: now - 15 * minute })];
    expect(plan({ secrets: [wanted('green')] }, [green, red]).delete).toEqual([
      {
        ...{ cluster: 'red', arn: cluster('red').arn, secret: 'red', uid: 'uid of red' },
        ...{ resourceVersion: '7', missingSince: '2029-12-31T23:45:00.000Z' },
      },
    ]);
  });

  test('is told by its own name where its ARN was taken away, also when it is held back', () => {
    const { arn: _arn, ...known } = registered('blue', { missingSince: now - 60 * minute });
    expect(plan({}, [known])).toEqual({
      ...nothing,
      keep: [
        {
          ...{ cluster: 'blue', secret: 'blue' },
          reason: 'missing since 2029-12-31T23:00:00.000Z; held back, since too many would go at once',
        },
      ],
      problems: [
        '1 of 1 Secrets would go, and at most 0 may at once (deletion.maxShare 50 %); none goes. If they are to go: --force',
      ],
    });
    expect(plan({}, [known]).keep[0]).not.toHaveProperty('arn');
    const { arn: _same, ...unmarked } = registered('blue');
    expect(plan({}, [unmarked]).update[0]).not.toHaveProperty('arn');
  });

  test('is held back with its ARN, beside others that stay', () => {
    const due = { missingSince: now - 60 * minute };
    const all = [registered('red', { missingSince: now }), registered('blue', due), registered('green', due)];
    const { keep, delete: gone } = plan({}, all, { deletion: { gracePeriod: '15m', maxShare: 34 } });
    expect(gone).toEqual([]);
    expect(keep.map(({ secret, arn }) => [secret, arn])).toEqual(
      ['red', 'blue', 'green'].map((name) => [name, cluster(name).arn]),
    );
  });
});
