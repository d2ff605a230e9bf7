import fc from 'fast-check';
import { KubernetesError } from '../../../lib/core/kubernetes/errors';
import type { SyncWindow } from '../../../lib/manifests/argocd';
import { openWindows } from '../../../lib/operate/argocd';
import { WindowShift } from '../../../lib/operate/argocd/sync-windows';
import {
  windowManager,
  windowsAfterShift,
  windowsDuringShift,
  WindowWriter,
} from '../../../lib/operate/argocd/window-writer';
import type { ShiftActivity, Verdict } from '../../../lib/shift/engine';

const night: SyncWindow = { kind: 'allow', schedule: '0 1 * * *', duration: '1h', applications: ['*'] };
const now = Date.UTC(2026, 2, 1, 0, 1, 30);
const own = { name: 'apps', lasts: '1h' };

describe('the windows of a project', () => {
  test('during a shift: those that are there, and its own, which opened two minutes ago for clocks that are behind', () => {
    expect(windowsDuringShift([night], own, now)).toEqual([
      night,
      {
        kind: 'deny',
        schedule: '59 23 28 2 *',
        duration: '1h',
        timeZone: 'UTC',
        applications: ['*'],
        manualSync: true,
        description: 'cluster-canary: a cluster shift is running: apps',
      },
    ]);
    expect(windowsDuringShift([], { ...own, clusters: ['apps-*'] }, now)[0]).toMatchObject({
      clusters: ['apps-*'],
    });
    expect(windowsDuringShift([], { ...own, clusters: ['apps-*'] }, now)[0]).not.toHaveProperty(
      'applications',
    );
  });

  test.each<[string, SyncWindow[], number]>([
    ['of this shift', windowsDuringShift([night], own, now - 1_800_000), 2],
    ['of another shift of the same minute', windowsDuringShift([night], { ...own, name: 'batch' }, now), 3],
  ])('a window %s', (_whose, before, count) => {
    const after = windowsDuringShift(before, own, now);
    expect(after).toHaveLength(count);
    expect(windowsAfterShift(after, 'apps')).toEqual(
      before.filter(({ description }) => !/: apps$/.test(description ?? '')),
    );
    const identities = after.map(({ manualSync: _manual, description: _text, ...rest }) =>
      JSON.stringify(rest),
    );
    // Argo CD refuses a project where two are the same.
    expect(new Set(identities).size).toBe(count);
  });

  test('without a window of this shift nothing is to be taken away', () => {
    expect(windowsAfterShift([night], 'apps')).toBeUndefined();
    expect(windowsAfterShift(windowsDuringShift([night], own, now), 'app')).toBeUndefined();
  });

  test('property: what others have set is there in the same order, whichever shifts begin and end', () => {
    const names = fc.constantFrom('apps', 'batch', 'apps/web');
    const steps = fc.array(
      fc.record({ name: names, begins: fc.boolean(), after: fc.integer({ min: 0, max: 90_000 }) }),
    );
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(night, { ...night, schedule: '5 4 * * *' })),
        steps,
        (foreign, all) => {
          let at = now;
          let windows: SyncWindow[] = foreign;
          for (const { name, begins, after } of all) {
            at += after;
            windows = begins
              ? windowsDuringShift(windows, { name, lasts: '1h' }, at)
              : (windowsAfterShift(windows, name) ?? windows);
          }
          expect(windows.filter(({ kind }) => kind === 'allow')).toEqual(foreign);
          const own = windows.filter(({ kind }) => kind === 'deny');
          expect(new Set(own.map(({ schedule }) => schedule)).size).toBe(own.length);
        },
      ),
    );
  });
});

/** A hub with projects in memory, as an API server keeps them. */
class Hub {
  public readonly namespace = 'argocd';
  public readonly projects = ['apps'];
  public windows: SyncWindow[] | undefined;
  public version = 1;
  public down = false;
  public readonly writes: any[] = [];
  /** Called before a write: somebody else may be faster. */
  public meanwhile: () => void = () => undefined;

  public constructor(public readonly name: string) {}

  public readonly api: any = {
    get: async () => {
      this.answer();
      return Promise.resolve(this.project);
    },
    patch: async (_reference: any, { metadata, spec }: any, { fieldManager }: any) => {
      this.answer();
      expect(fieldManager).toBe(windowManager);
      this.meanwhile();
      if (metadata.resourceVersion !== String(this.version)) {
        throw new KubernetesError('conflict', 'the object has been modified');
      }
      this.version += 1;
      this.writes.push(metadata.managedFields ? { managedFields: metadata.managedFields } : spec.syncWindows);
      if (spec) {
        this.windows = spec.syncWindows ?? undefined;
      }
      return Promise.resolve(this.project);
    },
  };

  private get project(): object {
    return {
      metadata: {
        name: 'apps',
        resourceVersion: String(this.version),
        managedFields: [{ manager: 'pulumi' }, { manager: windowManager }],
      },
      spec: { syncWindows: this.windows },
    };
  }

  private answer(): void {
    if (this.down) {
      throw new KubernetesError('unreachable', `${this.name} does not answer`);
    }
  }
}

describe('what is written', () => {
  let said: string[];
  const writerOf = (...hubs: Hub[]): WindowWriter =>
    new WindowWriter(
      own,
      hubs,
      (line) => said.push(line),
      () => now,
    );

  beforeEach(() => {
    said = [];
  });

  test('the window comes and goes; a project that had none has none', async () => {
    const hub = new Hub('one');
    const writer = writerOf(hub);
    expect(await writer.open()).toBe(true);
    expect(hub.windows).toHaveLength(1);
    await writer.close();
    expect([hub.windows, hub.writes.length]).toEqual([undefined, 2]);
    await writer.close();
    expect(hub.writes).toHaveLength(2);
    expect(said).toEqual([]);
  });

  test('windows of others stay, and the field goes back to nobody', async () => {
    const hub = new Hub('one');
    hub.windows = [night];
    const writer = writerOf(hub);
    await writer.open();
    expect(hub.windows).toEqual([night, expect.objectContaining({ kind: 'deny' })]);
    await writer.close();
    expect(hub.windows).toEqual([night]);
    expect(hub.writes.at(-1)).toEqual({ managedFields: [{ manager: 'pulumi' }] });
  });

  test('a window that somebody sets in the same moment stays', async () => {
    const hub = new Hub('one');
    hub.meanwhile = () => {
      hub.meanwhile = () => undefined;
      hub.windows = [night];
      hub.version += 1;
    };
    await writerOf(hub).open();
    expect(hub.windows).toEqual([night, expect.objectContaining({ kind: 'deny' })]);
  });

  test('a project that somebody writes all the time is told', async () => {
    const hub = new Hub('one');
    hub.meanwhile = () => void (hub.version += 1);
    expect(await writerOf(hub).open()).toBe(false);
    expect(said).toEqual([
      expect.stringMatching(/^sync window: hub one: AppProject apps: .*modified; rollouts/),
    ]);
  });

  test('a hub that does not answer is told, and the others get it', async () => {
    const [one, two] = [new Hub('one'), new Hub('two')];
    one.down = true;
    const writer = writerOf(one, two);
    expect(await writer.open()).toBe(true);
    expect(two.windows).toHaveLength(1);
    await writer.close();
    expect(two.windows).toBeUndefined();
    expect(said).toEqual([
      expect.stringMatching(/hub one: .*does not answer; rollouts of applications do not wait/),
      expect.stringMatching(/hub one: .*does not answer; its window ends automatically within 1h$/),
    ]);
  });
});

describe('in the course of a shift', () => {
  let log: string[];
  const writer = {
    open: () => {
      log.push('open');
      return Promise.resolve(true);
    },
    close: () => {
      log.push('close');
      return Promise.resolve();
    },
  };
  const router: any = {
    name: 'rule',
    read: () => Promise.resolve(void log.push('read')),
    write: () => Promise.resolve(void log.push('write')),
  };
  /** A shift that goes through activities, each with a look at the weights. */
  const run = async (shift: WindowShift, ...activities: ShiftActivity[]): Promise<void> => {
    const seen: string[] = [];
    const watched = shift.around({ router, observer: { progress: ({ activity }) => seen.push(activity) } });
    for (const activity of activities) {
      watched.observer.progress!({ activity } as any);
      await watched.router.read();
    }
    expect(seen).toEqual(activities);
  };

  beforeEach(() => {
    log = [];
    jest.useFakeTimers();
  });
  afterEach(() => jest.useRealTimers());

  test('it opens once, before the look that comes before the first write', async () => {
    const shift = new WindowShift(writer, '1h', (line) => log.push(line));
    await run(shift, 'starting', 'preparing', 'writing', 'standing', 'writing', 'baking');
    await run(shift, 'starting', 'writing');
    await shift.end('completed');
    expect(log).toEqual([...['read', 'read', 'open'], ...Array(6).fill('read'), 'close']);
  });

  test('a rollback does not wait for it', async () => {
    const shift = new WindowShift(writer, '1h', (line) => log.push(line));
    await run(shift, 'starting', 'rollingBack', 'ending');
    await shift.end('rolledBack');
    expect(log).toEqual(['read', 'read', 'read', 'close']);
  });

  test('it is renewed when half of it has passed, and no more at the end', async () => {
    const shift = new WindowShift(writer, '1h', (line) => log.push(line));
    await run(shift, 'writing');
    await jest.advanceTimersByTimeAsync(29 * 60_000);
    expect(log).toEqual(['open', 'read']);
    await jest.advanceTimersByTimeAsync(61 * 60_000);
    expect(log.filter((each) => each === 'open')).toHaveLength(4);
    await shift.end('completed');
    await jest.advanceTimersByTimeAsync(120 * 60_000);
    expect(log.filter((each) => each === 'open')).toHaveLength(4);
    expect(log.at(-1)).toBe('close');
  });

  test('an end that comes while it opens waits for that, and nothing is renewed', async () => {
    let open!: (isOpen: boolean) => void;
    const slow = { ...writer, open: () => new Promise<boolean>((resolve) => (open = resolve)) };
    const shift = new WindowShift(slow, '1h', (line) => log.push(line));
    const running = run(shift, 'writing');
    const ended = shift.end('held');
    open(true);
    await Promise.all([running, ended]);
    expect(log).toContainEqual(expect.stringMatching(/wait on/));
    expect(jest.getTimerCount()).toBe(0);
  });

  test.each<[Verdict, ShiftActivity, unknown[]]>([
    ['completed', 'starting', ['close']],
    ['rolledBack', 'writing', ['close']],
    ['held', 'writing', [expect.stringMatching(/wait on.*within 1h they go on automatically/)]],
    ['aborted', 'writing', [expect.stringMatching(/wait on/)]],
    ['held', 'preparing', []],
    // Another shift runs, say: its window is not ours.
    ['aborted', 'starting', []],
  ])('%s in %s', async (verdict, activity, expected) => {
    const shift = new WindowShift(writer, '1h', (line) => log.push(line));
    await run(shift, activity);
    log = [];
    await shift.end(verdict);
    expect(log).toEqual(expected);
    expect(jest.getTimerCount()).toBe(0);
  });
});

test('without settings nothing is kept, and a kubeconfig that can not be used is refused', async () => {
  const watched: any = { router: {}, observer: {} };
  const none = await openWindows(undefined, () => undefined);
  expect(none.around(watched)).toBe(watched);
  await expect(
    openWindows({ name: 'apps', hubs: [{ kubeconfigText: 'a: b', projects: ['apps'] }] }, () => undefined),
  ).rejects.toThrow(/kubeconfig/);
});
