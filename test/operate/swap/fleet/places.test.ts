import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openHistory } from 'cluster-canary/history';
import type { HistoryEntry } from 'cluster-canary/history';
import { swapFleet, swapOutlook } from 'cluster-canary/swap';
import type { SwapFleetSettings } from 'cluster-canary/swap';
import { checkedSwap, openRecords } from '../../../../lib/operate/swap';
import { manifestsBelow } from '../../../../lib/operate/swap/fleet/manifests';
import { SwapWorld, fleetScript } from '../../../cli/swap-world';

const folder = mkdtempSync(join(tmpdir(), 'swap-fleet-'));
const world = new SwapWorld(join(folder, 'world.json'));
const { env } = process;

beforeAll(async () => {
  writeFileSync(join(folder, 'fleet.sh'), fleetScript);
  await world.start();
  process.env = { ...env, ...world.env };
});
afterAll(() => {
  process.env = env;
  world.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('with the places of a swap file: EKS, SSM and commands', () => {
  const command = ['sh', 'fleet.sh', 'world.json'];
  const settings = {
    ...{ fleet: 'apps', to: '1.36', moves: 'hub' },
    program: { commands: { read: command, preview: command, deploy: command } },
    phases: {
      ready: { skip: true },
      deliver: { skip: true },
      create: { approve: true },
      soak: { for: '1h' },
    },
  } as const satisfies SwapFleetSettings;
  const options = { base: folder, waits: false };

  test('the record, answers of the command and the history are beside the lease', async () => {
    world.configuration = { slots: { blue: '1.35' }, active: 'blue' };
    const { end, changes } = await swapOutlook(settings, options);
    expect(end.verdict).toBe('completed');
    expect(changes).toEqual([{ op: 'create', type: 'aws:eks/cluster:Cluster', name: 'apps-green' }]);
    expect([...world.parameters.keys()]).toEqual([]);

    const records = await openRecords(checkedSwap(settings));
    await records.answers.give({ phase: 'delete', agrees: true, by: 'kim@desk', at: Date.now() });
    const lines: string[] = [];
    const observer = { log: ({ text }: { readonly text: string }) => lines.push(text) };
    const held = await swapFleet(settings, { ...options, observer });
    expect(held).toMatchObject({ verdict: 'held', record: { phase: 'create' } });
    expect(lines.join('\n')).toContain('cluster-canary swap FILE --approve create (or --refuse create)');

    await records.answers.give({ phase: 'create', agrees: true, by: 'kim@desk', at: Date.now() });
    const soaking = await swapFleet(settings, options);
    expect(soaking).toMatchObject({ verdict: 'held', record: { phase: 'soak' } });
    expect(soaking.phases).toContainEqual(
      expect.objectContaining({ phase: 'create', approvedBy: 'kim@desk' }),
    );

    expect(await swapFleet(settings, { ...options, ask: 'back' })).toMatchObject({ verdict: 'rolledBack' });
    expect(world.configuration).toEqual({ slots: { blue: '1.35', green: '1.36' }, active: 'blue' });
    const entries = () => [...world.parameters.keys()].filter((name) => name.includes('/history/apps/'));
    expect(entries()).toHaveLength(1);
    // Kim agreed to the delete of this swap, which did not come to it.
    const { signal } = new AbortController();
    expect(await records.answers.take('delete', 'the swap after it', signal)).toBeUndefined();
    records.close();

    // A kill came before the history was written: the next run adds what it finds.
    const [entry] = entries();
    const kept = world.parameters.get(entry!)!.at(-1);
    world.parameters.delete(entry!);
    expect(await swapFleet(settings, { ...options, ask: 'back' })).toMatchObject({ unchanged: true });
    expect(entries()).toEqual([entry]);
    expect(world.parameters.get(entry!)).toEqual([kept]);
  });

  test('an answer of the program comes before one of the command', async () => {
    world.parameters.clear();
    world.configuration = { slots: { blue: '1.35' }, active: 'blue' };
    const asked = await swapFleet(settings, {
      ...options,
      approve: ({ phase }) => Promise.resolve(phase === 'create' ? { refusedBy: 'our rota' } : undefined),
    });
    expect(asked).toMatchObject({
      verdict: 'rolledBack',
      reason: expect.stringContaining('our rota refuses'),
    });
    expect(world.configuration.slots).toEqual({ blue: '1.35' });
  });

  test('no region is an error that says where it was looked for', async () => {
    const { AWS_REGION: _, ...others } = process.env;
    process.env = { ...others, AWS_CONFIG_FILE: '/nowhere', AWS_SHARED_CREDENTIALS_FILE: '/nowhere' };
    await expect(swapFleet(settings, options)).rejects.toThrow(/region: is required: an AWS region/);
    process.env = { ...env, ...world.env };
  });
});

describe('a history of one’s own', () => {
  const entry: HistoryEntry = {
    ...{
      id: 'swap-1',
      kind: 'swap',
      fleet: 'apps',
      region: 'eu-west-1',
      by: 'alex',
      startedAt: 1,
      endedAt: 2,
    },
    ...{ old: { name: 'blue', version: '1.35' }, new: { name: 'green', version: '1.36' } },
    ...{ verdict: 'completed', phases: [] },
  };

  test('is written and read', async () => {
    const { store, close } = await openHistory({ folder: join(folder, 'history') });
    await store.add(entry);
    expect(await store.list({ fleet: 'apps', limit: 10 })).toEqual({ entries: [entry], problems: [] });
    close();
  });

  test('takes entries alone: a fleet is a name, and no path', async () => {
    const { store } = await openHistory({ folder: join(folder, 'history') });
    await expect(store.add({ ...entry, fleet: '../../etc' })).rejects.toThrow(/fleet: .*must be/);
    await expect(store.add({} as never)).rejects.toThrow(/id: is required/);
  });

  test.each([
    {},
    { ssm: {}, folder: 'x' },
    { ssm: { regoin: 'x' } },
    { kubernetes: {} },
    { folder: 7 },
    'ssm',
  ])('is refused: %j', async (place) => {
    await expect(openHistory(place as never)).rejects.toThrow(/openHistory: \d problem/);
  });
});

test('manifests are read from files and folders; what can not be read is said', () => {
  const place = join(folder, 'rendered');
  mkdirSync(join(place, 'web'), { recursive: true });
  writeFileSync(join(place, 'a.yaml'), 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n');
  writeFileSync(join(place, 'web', 'b.json'), '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"b"}}');
  writeFileSync(join(place, 'web', 'note.md'), 'kind: Pod');
  writeFileSync(join(place, 'bad.yml'), '{{ template }}');
  writeFileSync(join(place, 'odd.yaml'), Buffer.from([0xff, 0xfe, 0x41]));
  symlinkSync(join(folder, 'world.json'), join(place, 'link.yaml'));
  const { objects, unreadable, templates } = manifestsBelow(['rendered', 'none', 'rendered/a.yaml'], folder);
  expect(objects.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    'ConfigMap a',
    'Secret b',
    'ConfigMap a',
  ]);
  expect(unreadable.map(({ file }) => file.slice(folder.length + 1))).toEqual([
    'rendered/bad.yml',
    'rendered/link.yaml',
    'rendered/odd.yaml',
    'none',
  ]);
  expect(templates).toEqual([]);
});
