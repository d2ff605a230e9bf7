import { EventEmitter } from 'node:events';
import * as fc from 'fast-check';
import { untilClear } from '../../../lib/core/async';
import { KubernetesError } from '../../../lib/core/kubernetes/errors';
import { HookError, watchInterrupts } from '../../../lib/pulumi/hooks';
import type { HubApplication } from '../../../lib/pulumi/hubs';
import { busyApplications, handoverBlockers, handoverSteps, hubApplications } from '../../../lib/pulumi/hubs';
import { waitUntilComparable, waitUntilQuiet } from '../../../lib/pulumi/hubs/handover/compare-hubs';
import { handoverTimes } from '../../../lib/pulumi/hubs/handover/dependencies';
import { ensureRight, fenceOff } from '../../../lib/pulumi/hubs/handover/fence';

const application = (name: string, more: Partial<HubApplication> = {}): HubApplication => ({
  name,
  set: 'podinfo',
  cluster: 'apps-blue',
  namespace: 'podinfo',
  automated: false,
  sync: 'Synced',
  revisions: ['0123456789abcdef'],
  differing: [],
  operating: false,
  ...more,
});

describe('Applications as they are read', () => {
  const manifest = (fields: object = {}, metadata: object = {}) => ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: {
      name: 'web',
      ownerReferences: [{ apiVersion: 'v1', kind: 'ApplicationSet', name: 'podinfo', uid: '1' }],
      ...metadata,
    },
    spec: { destination: { name: 'apps-blue', namespace: 'podinfo' }, syncPolicy: { automated: {} } },
    status: {
      reconciledAt: '2026-01-01T00:00:00Z',
      sync: { status: 'OutOfSync', revision: 'abc' },
      resources: [
        { kind: 'Deployment', namespace: 'podinfo', name: 'web', status: 'OutOfSync' },
        { kind: 'Namespace', name: 'podinfo', status: 'Synced' },
        { kind: 'ClusterRole', name: 'web', status: 'OutOfSync' },
      ],
      conditions: [
        { type: 'OrphanedResourceWarning', message: 'no' },
        { type: 'ComparisonError', message: 'why' },
      ],
      operationState: { phase: 'Running' },
    },
    ...fields,
  });
  test('all that a handover asks', () => {
    expect(hubApplications([manifest()])).toEqual([
      application('web', {
        automated: true,
        sync: 'OutOfSync',
        revisions: ['abc'],
        differing: ['Deployment podinfo/web', 'ClusterRole web'],
        error: 'why',
        operating: true,
      }),
    ]);
  });
  test.each<[string, object, Partial<HubApplication>]>([
    ['nothing is known yet', { status: undefined }, { revisions: [], operating: false }],
    ['not compared since it is there', { status: { sync: { status: 'Unknown' } } }, { revisions: [] }],
    ['several sources', { status: { sync: { revisions: ['a', 'b'] } } }, { revisions: ['a', 'b'] }],
    ['a sync that waits', { status: {}, operation: { sync: {} } }, { operating: true }],
    ['a sync that has ended', { status: { operationState: { phase: 'Failed' } } }, { operating: false }],
    [
      'automated, but off',
      { spec: { destination: {}, syncPolicy: { automated: { enabled: false } } } },
      { automated: false, cluster: '' },
    ],
    ['a cluster by its URL', { spec: { destination: { server: 'https://x' } } }, { cluster: 'https://x' }],
  ])('%s', (_, fields, expected) => {
    expect(hubApplications([manifest(fields)])[0]).toMatchObject(expected);
  });
  test('an uncompared one has no word on its sync', () => {
    expect(hubApplications([manifest({ status: { sync: { status: 'Synced' } } })])[0]!.sync).toBeUndefined();
  });
  test("left out: what is being deleted, and what is the own cluster's", () => {
    const own = [{ name: 'in-cluster' }, { server: 'https://kubernetes.default.svc' }];
    expect(
      hubApplications([
        manifest({}, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
        ...own.map((destination) => manifest({ spec: { destination } })),
      ]),
    ).toEqual([]);
  });
});

describe('obstacles', () => {
  const old = [application('web'), application('api')];
  test.each<[string, HubApplication[], HubApplication[], string[]]>([
    ['the same', old, [...old].reverse(), []],
    ['none at all', [], [], []],
    ['one is missing', old, [application('web')], ['api: is not there']],
    ['one too many', [application('web')], old, ['api: the hub that writes has no such']],
    [
      'another place',
      [application('web')],
      [application('web', { cluster: 'apps-green' })],
      ['web: deploys to apps-green podinfo, not to apps-blue podinfo'],
    ],
    [
      'another revision',
      [application('web')],
      [application('web', { revisions: ['fedcba9876543210'] })],
      ['web: is compared with fedcba987654, not with 0123456789ab'],
    ],
    [
      'not looked at',
      [application('web')],
      [application('web', { sync: undefined })],
      ['web: is not compared yet'],
    ],
    [
      'can not compare',
      [application('web')],
      [application('web', { sync: 'Unknown', error: 'no\n  access' })],
      ['web: is not compared yet: no access'],
    ],
    [
      'a difference of its own',
      [application('web')],
      [application('web', { sync: 'OutOfSync', differing: ['a', 'b', 'c', 'd'] })],
      ['web: finds differences that the hub that writes does not: a, b, c and 1 more'],
    ],
    [
      'a difference of both',
      [application('web', { sync: 'OutOfSync' })],
      [application('web', { sync: 'OutOfSync' })],
      [],
    ],
    ['the old one is yet to write it', [application('web', { sync: 'OutOfSync' })], [application('web')], []],
    [
      'the old one does not know itself',
      [application('web', { sync: 'Unknown', revisions: [] })],
      [application('web', { sync: 'OutOfSync' })],
      [],
    ],
    [
      'neither of them can compare',
      [application('web', { sync: 'Unknown', revisions: [] })],
      [application('web', { sync: 'Unknown', error: 'no route to host', revisions: [] })],
      [],
    ],
    [
      'several things at once',
      old,
      [application('web', { cluster: 'x', sync: undefined }), application('other')],
      [
        'web: deploys to x podinfo, not to apps-blue podinfo',
        'web: is not compared yet',
        'api: is not there',
        'other: the hub that writes has no such',
      ],
    ],
  ])('%s', (_, from, to, expected) => {
    expect(handoverBlockers(from, to)).toEqual(expected);
  });

  test('a hub can always take over from one that knows as much, and never from one that has an Application more', () => {
    const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1 });
    fc.assert(
      fc.property(names, fc.nat(), (all, pick) => {
        const from = all.map((name) => application(name));
        expect(handoverBlockers(from, from)).toEqual([]);
        const to = from.filter((_each, index) => index !== pick % all.length);
        expect(handoverBlockers(from, to)).toHaveLength(1);
        expect(handoverBlockers(to, from)).toHaveLength(1);
      }),
    );
  });
});

test('busy is what may still write; a stranger that is automated does not keep the handover waiting', () => {
  expect(
    busyApplications(
      [
        application('still'),
        application('automated', { automated: true }),
        application('running', { operating: true }),
        application('both', { automated: true, operating: true }),
        application('other set', { set: 'other', automated: true }),
        application('by hand', { set: undefined, automated: true }),
        application('by hand, running', { set: undefined, automated: true, operating: true }),
      ],
      ['podinfo'],
    ),
  ).toEqual([
    'automated: is synchronised by itself',
    'running: a sync runs',
    'both: is synchronised by itself, a sync runs',
    'by hand, running: a sync runs',
  ]);
});

test('the steps, in order, with what they take', () => {
  const due = {
    what: 'ArgoCdHub "argocd"',
    to: 'green',
    targets: ['apps-a', 'apps-b'],
    times: handoverTimes({}),
  };
  expect(handoverSteps({ ...due, from: 'blue', lost: [] })).toEqual([
    'ArgoCdHub "argocd": the right to write goes from blue to green',
    '  1. green must have the Applications of blue, compared with the same revisions and without a difference of its own, within 5m',
    '  2. automated sync off on blue',
    '  3. running syncs on blue are waited for, at most 5m',
    '  4. in each managed cluster (apps-a, apps-b) blue loses the right to write; 30s later green gets it',
    '  5. automated sync on on green',
  ]);
  expect(handoverSteps({ ...due, lost: ['blue'] })).toEqual([
    'ArgoCdHub "argocd": the right to write goes from blue to green',
    "  1. blue can't be asked: it is not compared with green, and nothing is waited for",
    '  2. in each managed cluster (apps-a, apps-b) blue loses the right to write; 30s later green gets it',
    '  3. automated sync on on green',
  ]);
  // The hub that wrote has left the program, with others that stay.
  expect(handoverSteps({ ...due, lost: [] }).slice(0, 2)).toEqual([
    'ArgoCdHub "argocd": the right to write goes from a hub that is no longer in the program to green',
    "  1. a hub that is no longer in the program can't be asked: it is not compared with green, and nothing is waited for",
  ]);
});

/** A clock on which waiting takes no time. */
function patience(within: number, source = new EventEmitter()) {
  let now = 0;
  const clock = {
    now: () => now,
    sleep: (milliseconds: number, signal?: AbortSignal) => {
      now += signal?.aborted ? 0 : milliseconds;
      return Promise.resolve();
    },
  };
  return { within, every: 5_000, clock, signal: watchInterrupts(source).signal };
}
const log = () => {
  const lines: string[] = [];
  return {
    lines,
    info: (text: string) => void lines.push(text),
    warn: (text: string) => void lines.push(`warning: ${text}`),
  };
};
const hub = (slot: string, ...answers: (readonly HubApplication[] | Error)[]) => ({
  slot,
  reader: {
    applications: () => {
      const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    close: () => undefined,
  },
});
const down = new KubernetesError('unreachable', 'https://blue: no answer');

describe('waiting', () => {
  test('tells what is in the way when it changes, and looks less and less often', async () => {
    const looks: number[] = [];
    const told: (readonly string[])[] = [];
    const answers = [['a', 'b'], ['a', 'b'], ['a'], []];
    const given = patience(60_000);
    const look = () => {
      looks.push(given.clock.now());
      return Promise.resolve(answers[looks.length - 1]!);
    };
    expect(await untilClear(look, given, (lines) => void told.push(lines))).toEqual([]);
    expect(told).toEqual([['a', 'b'], ['a']]);
    expect(looks[1]).toBeGreaterThanOrEqual(250);
    expect(looks[3]! - looks[2]!).toBeGreaterThanOrEqual(1_000);
  });

  test('ends in time with what is left', async () => {
    const given = patience(10_000);
    expect(await untilClear(() => Promise.resolve(['a']), given)).toEqual(['a']);
    expect(given.clock.now()).toBeGreaterThanOrEqual(10_000);
    expect(given.clock.now()).toBeLessThan(10_010);
  });

  test('a hub that is ready after a while takes over', async () => {
    const seen = log();
    const green = hub('green', [], down, [application('web')]);
    await waitUntilComparable('hub', hub('blue', [application('web')]), green, patience(60_000), seen);
    expect(seen.lines).toEqual([
      'hub: green is not ready to write: web: is not there',
      "hub: green is not ready to write: the hub green can't be asked for its Applications: https://blue: no answer",
    ]);
  });

  test.each<[string, HubApplication[] | Error, HubApplication[] | Error, RegExp]>([
    [
      'not in time',
      [application('web')],
      [],
      /green is not ready to take over from blue \(not within 5m\); nothing has changed[^]*web: is not there/,
    ],
    ['gone', [application('web')], down, /nothing has changed[^]*the hub green can't be asked/],
    ['the old one gone', down, [], /the hub blue can't be asked[^]*no answer[^]*lost: \['blue'\]/],
  ])('one that is not ready does not: %s', async (_, from, to, expected) => {
    const refused = waitUntilComparable('hub', hub('blue', from), hub('green', to), patience(300_000), log());
    await expect(refused).rejects.toThrow(HookError);
    await expect(refused).rejects.toThrow(expected);
  });

  test('an interrupt ends the wait, with nothing changed', async () => {
    const source = new EventEmitter();
    const given = patience(300_000, source);
    source.emit('SIGINT');
    await expect(
      waitUntilComparable('hub', hub('blue', [application('web')]), hub('green', []), given, log()),
    ).rejects.toThrow(/\(interrupted\); nothing has changed/);
  });

  test('an interrupt ends a question that hangs, and is told as what it is', async () => {
    const source = new EventEmitter();
    const given = patience(300_000, source);
    const hanging = {
      slot: 'blue',
      reader: {
        applications: (signal: AbortSignal) =>
          new Promise<never>((_, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason as Error));
          }),
        close: () => undefined,
      },
    };
    const compared = waitUntilComparable('hub', hanging, hub('green', []), given, log());
    source.emit('SIGINT');
    await expect(compared).rejects.toThrow(/\(interrupted\); nothing has changed/);
  });

  test('a hub at rest is not waited for, a busy one is, one that stays busy is passed loudly', async () => {
    const busy = [application('web', { operating: true })];
    const seen = log();
    await waitUntilQuiet('hub', hub('blue', []), [], patience(300_000), seen);
    expect(seen.lines).toEqual([]);
    await waitUntilQuiet('hub', hub('blue', busy, []), [], patience(300_000), seen);
    expect(seen.lines).toEqual(['hub: waits for blue: web: a sync runs']);
    await waitUntilQuiet('hub', hub('blue', busy), [], patience(300_000), seen);
    await waitUntilQuiet('hub', hub('blue', down), [], patience(300_000), seen);
    expect(seen.lines.slice(2)).toEqual([
      'warning: hub: blue is not quiet after 5m: web: a sync runs; the handover goes on: from now on the managed clusters refuse what it writes',
      'warning: hub: blue does not say whether a sync runs: https://blue: no answer; the handover goes on: from now on the managed clusters refuse what it writes',
    ]);
  });

  test('an interrupt while syncs run says who may write', async () => {
    const source = new EventEmitter();
    const given = patience(300_000, source);
    source.emit('SIGTERM');
    await expect(
      waitUntilQuiet('hub', hub('blue', [application('web', { operating: true })]), [], given, log()),
    ).rejects.toThrow(/Automated sync is off on blue, which still has the right to write/);
  });
});

describe('the fence', () => {
  const right = {
    clusterName: 'apps-blue',
    policyArn: 'arn:admin',
    others: { blue: 'arn:blue', c: 'arn:c' },
  };
  /** An EKS in which a policy goes after so many tries to take it away. */
  const eks = (held: Record<string, string[]>, stubborn = 1) => {
    let tries = 0;
    return {
      policies: (_cluster: string, role: string) => Promise.resolve(held[role] ?? []),
      takeAway: (_cluster: string, role: string, policy: string) => {
        tries += 1;
        if (tries >= stubborn) {
          held[role] = held[role]!.filter((each) => each !== policy);
        }
        return Promise.resolve();
      },
      give: ({ roleArn, policyArn }: { roleArn: string; policyArn: string }) => {
        held[roleArn] = [...(held[roleArn] ?? []), policyArn];
        return Promise.resolve();
      },
      close: () => undefined,
      held,
    };
  };
  test('without another holder it waits for EKS, and no longer', async () => {
    const [given, seen] = [patience(0), log()];
    await fenceOff('hub', right, eks({ 'arn:blue': ['arn:view'] }), 30_000, given, seen);
    expect(given.clock.now()).toBe(30_000);
    expect(seen.lines).toEqual(['hub: no hub may write in apps-blue now; waits 30s for its API server']);
  });

  test('a right that nobody noted is taken away, confirmed, and only then the wait begins', async () => {
    const [given, seen] = [patience(0), log()];
    const rights = eks({ 'arn:blue': ['arn:view', 'arn:admin'] }, 2);
    await fenceOff('hub', right, rights, 30_000, given, seen);
    expect(rights.held).toEqual({ 'arn:blue': ['arn:view'] });
    expect(given.clock.now()).toBeGreaterThan(30_000);
    expect(seen.lines[0]).toBe(
      'warning: hub: blue still has the right to write in apps-blue; it is taken away',
    );
  });

  test('one that stays keeps the right from everybody else', async () => {
    const rights = eks({ 'arn:c': ['arn:admin'] }, Infinity);
    await expect(fenceOff('hub', right, rights, 0, patience(0), log())).rejects.toThrow(
      /in apps-blue the right to write stays with c \(arn:c\) after 1m; it is not given to a second hub/,
    );
  });

  test('a right that the state has and EKS has not is given again, behind the fence', async () => {
    const given = { clusterName: 'apps-blue', roleArn: 'arn:green', policyArn: 'arn:admin' };
    const [rights, seen, calls] = [eks({ 'arn:green': ['arn:view'] }), log(), [] as string[][]];
    const ensure = () =>
      ensureRight(
        'hub',
        given,
        rights,
        () => {
          calls.push(rights.held['arn:green']!);
          return Promise.resolve();
        },
        new AbortController().signal,
        seen,
      );
    await ensure();
    expect(rights.held).toEqual({ 'arn:green': ['arn:view', 'arn:admin'] });
    expect(calls).toEqual([['arn:view']]);
    expect(seen.lines).toEqual([
      'warning: hub: the right to write in apps-blue is gone, though the state has it; it is given again',
    ]);
    await ensure();
    expect(calls).toHaveLength(1);
  });

  test('a fault of EKS is told as it is', async () => {
    const rights = { ...eks({}), policies: () => Promise.reject(new Error('throttled')) };
    await expect(fenceOff('hub', right, rights, 0, patience(0), log())).rejects.toThrow('throttled');
  });

  test('an interrupt leaves the right with nobody', async () => {
    const source = new EventEmitter();
    const given = patience(0, source);
    source.emit('SIGINT');
    await expect(fenceOff('hub', right, eks({}), 30_000, given, log())).rejects.toThrow(
      /interrupted\. The right to write in apps-blue is not given to another hub/,
    );
  });
});
