import { randomBytes } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { KubernetesError } from '../../../lib/core/kubernetes/errors';
import type { ShiftHistory } from '../../../lib/shift/history';
import { folderHistory } from '../../../lib/shift/history/folder';
import { keptText, longestShift } from '../../../lib/shift/history/kept-shift';
import { kubernetesHistory } from '../../../lib/shift/history/kubernetes';
import { s3History } from '../../../lib/shift/history/s3';
import { RecordingClients, sdkError } from '../../core/aws/recording-clients';
import { hostile, keptShift } from './shifts';

const scratch = mkdtempSync(join(tmpdir(), 'shifts-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

interface World {
  readonly history: ShiftHistory;
  /** Puts a text where a shift would be. */
  readonly put: (id: string, text: string) => void;
  /** How much is stored. */
  readonly count: () => number;
}

let clients: RecordingClients;
let objects: Map<string, string>;
/** Errors that the next writes are answered with. */
let failures: Error[];

function s3(): World {
  objects = new Map();
  failures = [];
  clients = new RecordingClients({
    PutObject: ({ Bucket, Key, Body, IfNoneMatch, ContentType }) => {
      expect([Bucket, IfNoneMatch, ContentType]).toEqual(['records', '*', 'application/json']);
      const failure = failures.shift();
      if (failure) {
        throw failure;
      }
      if (objects.has(Key)) {
        throw sdkError('PreconditionFailed', 'At least one of the pre-conditions did not hold', {
          status: 412,
        });
      }
      objects.set(Key, Body);
      return {};
    },
    ListObjectsV2: ({ Bucket, Prefix, ContinuationToken = '0' }) => {
      expect([Bucket, Prefix]).toEqual(['records', 'teams/web/']);
      const keys = [...objects.keys()].filter((key) => key.startsWith(Prefix)).sort();
      const from = Number(ContinuationToken);
      const page = keys.slice(from, from + 2);
      const next = from + 2 < keys.length ? { NextContinuationToken: String(from + 2) } : {};
      return {
        KeyCount: page.length,
        ...(page.length > 0 && { Contents: page.map((Key) => ({ Key })) }),
        ...next,
      };
    },
    GetObject: ({ Key }) => {
      const text = objects.get(Key);
      if (text === undefined) {
        throw sdkError('NoSuchKey', 'The specified key does not exist.', { status: 404 });
      }
      return { Body: Readable.from([Buffer.from(text)]) };
    },
  });
  return {
    history: s3History(clients, 'records', 'teams/web'),
    put: (id, text) => objects.set(`teams/web/${id}.json`, text),
    count: () => objects.size,
  };
}

const most = 3;
let stored: Map<string, any>;

function kubernetes(): World {
  stored = new Map();
  let version = 0;
  const api = {
    create: (object: any) => {
      if (stored.has(object.metadata.name)) {
        return Promise.reject(new KubernetesError('alreadyExists', 'https://hub: there is one already', 409));
      }
      return Promise.resolve(keep(object));
    },
    replace: (object: any) =>
      stored.get(object.metadata.name)?.metadata.resourceVersion === object.metadata.resourceVersion
        ? Promise.resolve(keep(object))
        : Promise.reject(new KubernetesError('conflict', 'https://hub: it has changed', 409)),
    list: (_kind: object, { namespace, labelSelector }: any) => {
      expect([namespace, labelSelector]).toEqual(['argocd', 'cluster-canary/kept-shift=true']);
      return Promise.resolve(
        [...stored.values()].filter(
          ({ metadata }) => metadata.labels?.['cluster-canary/kept-shift'] === 'true',
        ),
      );
    },
  };
  const keep = (object: any) => {
    expect(Buffer.byteLength(object.binaryData['shift.json.gz'], 'base64')).toBeLessThan(900_001);
    version += 1;
    const written = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
    stored.set(object.metadata.name, written);
    return written;
  };
  return {
    history: kubernetesHistory(api as never, 'argocd', most),
    put: (id, text) =>
      keep({
        metadata: {
          name: `other-${id}`,
          labels: { 'cluster-canary/kept-shift': 'true' },
          annotations: { 'cluster-canary/shift-id': id },
        },
        binaryData: { 'shift.json.gz': gzipSync(text).toString('base64') },
      }),
    count: () => stored.size,
  };
}

let folders = 0;
let place: string;

function folder(): World {
  place = join(scratch, `${(folders += 1)}`, 'made');
  return {
    history: folderHistory(place),
    put: (id, text) => {
      mkdirSync(place, { recursive: true });
      writeFileSync(join(place, `${id}.json`), text);
    },
    count: () => readdirSync(place).length,
  };
}

const all = [
  ['folder', folder],
  ['s3', s3],
  ['kubernetes', kubernetes],
] as const;

describe.each(all)('%s', (_, make) => {
  let world: World;
  beforeEach(() => (world = make()));
  const [first, second, third] = [
    keptShift(1, { fleet: 'apps' }),
    keptShift(2),
    keptShift(3, { route: 'eu' }),
  ];

  test('an empty history has nothing', async () => {
    expect(await world.history.list({ limit: 5 })).toEqual({ shifts: [], problems: [] });
    expect(await world.history.read(first.run.id)).toBeUndefined();
  });

  test('shifts come back whole, the newest first', async () => {
    for (const each of [second, first, third]) {
      await world.history.keep(each);
    }
    expect(await world.history.list({ limit: 5 })).toEqual({ shifts: [third, second, first], problems: [] });
    expect((await world.history.list({ limit: 1 })).shifts).toEqual([third]);
    expect((await world.history.list({ limit: 1, fleet: 'apps' })).shifts).toEqual([first]);
    expect((await world.history.list({ limit: 1, fleet: 'app' })).shifts).toEqual([]);
    expect(await world.history.read(second.run.id)).toEqual(second);
  });

  test('kept twice, after a lost answer, it is there once, and stays as it was', async () => {
    await world.history.keep(first);
    await world.history.keep({ ...first, reason: 'something else' });
    expect(await world.history.list({ limit: 5 })).toEqual({ shifts: [first], problems: [] });
    expect(world.count()).toBe(1);
  });

  test.each(Object.entries(hostile))('%s is said, and the others are listed', async (_what, [text, said]) => {
    await world.history.keep(first);
    world.put('20260202t030405z-traffic-00000000', text);
    const { shifts, problems } = await world.history.list({ limit: 5 });
    expect(shifts).toEqual([first]);
    expect(problems).toEqual([expect.stringMatching(said)]);
    expect(problems[0]).toMatch(/^[\x20-\x7e]*$/);
    expect(problems[0]!.length).toBeLessThan(1_000);
    expect(await world.history.read('20260202t030405z-traffic-00000000')).toEqual(problems[0]);
  });
});

describe('a folder', () => {
  const shift = keptShift(1);

  test('it is for its owner alone', async () => {
    const { history } = folder();
    await history.keep(shift);
    expect(statSync(place).mode & 0o777).toBe(0o700);
    expect(statSync(join(place, `${shift.run.id}.json`)).mode & 0o777).toBe(0o600);
  });

  test('no link is followed, no pipe or folder is waited for, and nothing huge is read', async () => {
    const { history, put } = folder();
    await history.keep(shift);
    const secret = join(scratch, 'secret');
    writeFileSync(secret, keptText(keptShift(9)));
    const file = (name: string) => join(place, `20270101t000000z-${name}-00000000.json`);
    symlinkSync(secret, file('link'));
    symlinkSync(join(scratch, 'nowhere'), file('broken'));
    mkdirSync(file('folder'));
    put('20270101t000000z-huge-00000000', '');
    truncateSync(file('huge'), longestShift + 1);
    put('20270101t000000z-binary-00000000', '\u0000');
    put('shift', '{}');
    writeFileSync(join(place, 'notes.txt'), 'not looked at');
    const { shifts, problems } = await history.list({ limit: 5 });
    expect(shifts).toEqual([shift]);
    expect(problems).toEqual([
      `${file('link')}: a link, which is not followed`,
      `${file('huge')}: more than 32 MiB`,
      `${file('folder')}: a folder`,
      `${file('binary')}: binary, not text in UTF-8`,
    ]);
  });

  test('a folder that can not be written is an error that names it', async () => {
    const { history } = folder();
    writeFileSync(join(scratch, String(folders)), 'a file');
    await expect(history.keep(shift)).rejects.toThrow(`${folders}: a file`);
  });
});

describe('S3', () => {
  const shift = keptShift(1);

  test('two writes of one name at once: S3 asks for another try', async () => {
    const { history } = s3();
    const conflict = () =>
      sdkError('ConditionalRequestConflict', 'The conditional request cannot succeed', { status: 409 });
    failures = [conflict(), conflict()];
    await history.keep(shift);
    expect(clients.names).toEqual(['PutObject', 'PutObject', 'PutObject']);
    failures = Array.from({ length: 9 }, conflict);
    objects.clear();
    await expect(history.keep(shift)).rejects.toThrow('s3:PutObject');
    expect(clients.names).toHaveLength(7);
  });

  test('a right that is missing is named, with the object', async () => {
    const { history } = s3();
    failures = [sdkError('AccessDenied', 'no', { status: 403 })];
    await expect(history.keep(shift)).rejects.toThrow(
      new RegExp(`^s3://records/teams/web/${shift.run.id}.json: the credentials lack the right s3:PutObject`),
    );
  });

  test('objects of others are not read', async () => {
    const { history } = s3();
    await history.keep(shift);
    objects.set('teams/web/', '');
    objects.set('teams/web/notes.json', '{}');
    objects.set(`teams/web/deeper/${shift.run.id}.json`, '{}');
    expect(await history.list({ limit: 5 })).toEqual({ shifts: [shift], problems: [] });
    expect(clients.names.filter((name) => name === 'GetObject')).toHaveLength(1);
  });

  test('what is longer than a shift is not read to its end', async () => {
    const { history, put } = s3();
    put('20260202t030405z-traffic-00000000', ' '.repeat(longestShift + 1));
    const { problems } = await history.list({ limit: 5 });
    expect(problems).toEqual([expect.stringContaining(`longer than ${longestShift} bytes`)]);
  });
});

describe('ConfigMaps', () => {
  const shifts = [1, 2, 3, 4, 5].map((number) => keptShift(number));

  test('the newest takes the place of the oldest, by names that a Role can list', async () => {
    const { history } = kubernetes();
    for (const each of shifts) {
      await history.keep(each);
    }
    expect([...stored.keys()]).toEqual([
      'cluster-canary-shift-01',
      'cluster-canary-shift-02',
      'cluster-canary-shift-03',
    ]);
    expect((await history.list({ limit: 9 })).shifts).toEqual([shifts[4], shifts[3], shifts[2]]);
  });

  test('several at once lose nothing, and a ConfigMap of something else stays as it is', async () => {
    const { history } = kubernetes();
    const other = { metadata: { name: 'cluster-canary-shift-01' }, data: { mine: 'yes' } };
    stored.set('cluster-canary-shift-01', other);
    await Promise.all(shifts.slice(0, 2).map((each) => history.keep(each)));
    expect((await history.list({ limit: 9 })).shifts).toEqual([shifts[1], shifts[0]]);
    await Promise.all(shifts.slice(2, 4).map((each) => history.keep(each)));
    expect((await history.list({ limit: 9 })).shifts).toEqual([shifts[3], shifts[2]]);
    expect(stored.get('cluster-canary-shift-01')).toBe(other);
  });

  test('what is too long for a ConfigMap is an error that says where there is room', async () => {
    const { history } = kubernetes();
    const noise = Array.from({ length: 40_000 }, () => ({
      at: shifts[0]!.startedAt,
      text: randomBytes(40).toString('hex'),
    }));
    await expect(history.keep({ ...shifts[0]!, log: noise })).rejects.toThrow(
      /^the outcome is too long for a ConfigMap: \d+ bytes compressed, of at most 900000; a folder or S3 keeps it$/,
    );
    expect(stored.size).toBe(0);
  });

  test('a few bytes that stand for more than a shift are not unpacked', async () => {
    const { history, put } = kubernetes();
    put('bomb', ' '.repeat(longestShift + 1));
    await history.keep(shifts[0]!);
    const found = await history.list({ limit: 5 });
    expect(found.shifts).toHaveLength(1);
    expect(found.problems).toEqual(['ConfigMap argocd/other-bomb: more than 32 MiB']);
    stored.get('other-bomb').binaryData['shift.json.gz'] = 'AAAA';
    expect((await history.list({ limit: 5 })).problems).toEqual([
      'ConfigMap argocd/other-bomb: shift.json.gz is not compressed by gzip',
    ]);
    delete stored.get('other-bomb').binaryData;
    expect((await history.list({ limit: 5 })).problems).toEqual([
      'ConfigMap argocd/other-bomb: it has no key shift.json.gz',
    ]);
  });

  test('what is stored is the document', async () => {
    const { history } = kubernetes();
    await history.keep(shifts[0]!);
    const { binaryData } = stored.get('cluster-canary-shift-01');
    expect(gunzipSync(Buffer.from(binaryData['shift.json.gz'], 'base64')).toString()).toBe(
      keptText(shifts[0]!),
    );
  });
});
