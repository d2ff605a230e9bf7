import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { KubernetesError } from '../../../lib/core/kubernetes/errors';
import { historyAccess, historyOfLease, historyPermissions, openHistory } from '../../../lib/operate/history';
import type { HistoryStore } from '../../../lib/operate/history';
import { folderHistory } from '../../../lib/operate/history/folder';
import { kubernetesHistory } from '../../../lib/operate/history/kubernetes';
import { historyParameter, ssmHistory } from '../../../lib/operate/history/ssm';
import { RecordingClients, sdkError } from '../../core/aws/recording-clients';
import { entry, hostile } from './entries';

const scratch = mkdtempSync(join(tmpdir(), 'history-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

interface World {
  readonly store: HistoryStore;
  /** Puts a text where an entry would be. */
  put(name: string, text: string): void;
  /** How much is stored. */
  count(): number;
}

const most = 10;
let clients: RecordingClients;
let parameters: Map<string, string>;

function ssm(): World {
  parameters = new Map();
  clients = new RecordingClients({
    PutParameter: ({ Name, Value, Overwrite }) => {
      if (parameters.has(Name) && !Overwrite) {
        throw sdkError('ParameterAlreadyExists', 'The parameter already exists.', { status: 400 });
      }
      expect(Value.length).toBeLessThanOrEqual(4_096);
      parameters.set(Name, Value);
      return { Version: 1 };
    },
    GetParametersByPath: ({ Path, Recursive, MaxResults, NextToken = '0' }) => {
      expect([Recursive, MaxResults]).toEqual([true, most]);
      const found = [...parameters].filter(([name]) => name.startsWith(`${Path}/`));
      // A page may be empty though more follow.
      const from = Number(NextToken);
      const page = from === 0 ? [] : found.slice(from - 1, from - 1 + most);
      const next = from === 0 ? 1 : from + most;
      return {
        Parameters: page.map(([Name, Value]) => ({ Name, Value })),
        ...(next <= found.length && { NextToken: String(next) }),
      };
    },
  });
  return {
    store: ssmHistory(clients),
    put: (name, text) => parameters.set(`/cluster-canary/history/apps/${name}`, text),
    count: () => parameters.size,
  };
}

function kubernetes(): World {
  const stored = new Map<string, any>();
  const api = {
    create: (object: any) => {
      expect(object).toMatchObject({ immutable: true, metadata: { namespace: 'argocd' } });
      if (stored.has(object.metadata.name)) {
        return Promise.reject(new KubernetesError('alreadyExists', 'https://hub: there is one already', 409));
      }
      stored.set(object.metadata.name, object);
      return Promise.resolve(object);
    },
    list: (_kind: object, { namespace, labelSelector }: any) => {
      expect(namespace).toBe('argocd');
      const [, fleet] = /^cluster-canary\/history(?:=(.*))?$/.exec(labelSelector)!;
      const label = ({ metadata }: any) => metadata.labels['cluster-canary/history'];
      return Promise.resolve(
        [...stored.values()].filter((each) => fleet === undefined || label(each) === fleet),
      );
    },
  };
  return {
    store: kubernetesHistory(api as never, 'argocd'),
    put: (name, text) =>
      stored.set(name, {
        metadata: { name, labels: { 'cluster-canary/history': 'apps' } },
        data: text === '' ? undefined : { 'entry.json': text },
      }),
    count: () => stored.size,
  };
}

let folders = 0;
let place: string;
function folder(): World {
  place = join(scratch, `${(folders += 1)}`, 'made');
  const store = folderHistory(place);
  let count = 0;
  return {
    store,
    put: (name, text) => {
      mkdirSync(join(place, 'apps'), { recursive: true });
      writeFileSync(join(place, 'apps', `${name}.json`), text);
      count += 1;
    },
    count: () => count,
  };
}

describe.each([
  ['ssm', ssm],
  ['kubernetes', kubernetes],
  ['folder', folder],
])('%s', (kind, make) => {
  let world: World;
  beforeEach(() => (world = make()));
  const other = { ...entry, id: 'later', startedAt: entry.startedAt + 1, endedAt: entry.endedAt + 1 };

  test('an empty history has nothing', async () => {
    expect(await world.store.list({ limit: 5 })).toEqual({ entries: [], problems: [] });
    expect(await world.store.list({ fleet: 'apps', limit: 5 })).toEqual({ entries: [], problems: [] });
  });

  test('entries come back, the newest first, of one fleet or of all', async () => {
    const shop = { ...entry, id: 'shop', fleet: 'shop', startedAt: 1 };
    for (const each of [entry, shop, other]) {
      await world.store.add(each);
    }
    expect(await world.store.list({ limit: 5 })).toEqual({ entries: [other, entry, shop], problems: [] });
    expect((await world.store.list({ fleet: 'apps', limit: 5 })).entries).toEqual([other, entry]);
    expect((await world.store.list({ fleet: 'apps', limit: 1 })).entries).toEqual([other]);
    expect((await world.store.list({ fleet: 'app', limit: 1 })).entries).toEqual([]);
  });

  test('written twice, after a kill, it is one entry, and stays as it was', async () => {
    await world.store.add(entry);
    await world.store.add({ ...entry, by: 'somebody else' });
    expect(await world.store.list({ limit: 5 })).toEqual({ entries: [entry], problems: [] });
  });

  test('the same swap of a fleet of the same name elsewhere is another entry', async () => {
    await world.store.add(entry);
    await world.store.add({ ...entry, region: 'us-east-1' });
    expect((await world.store.list({ limit: 5 })).entries).toHaveLength(2);
  });

  test('what is no entry is a line, and the others count', async () => {
    await world.store.add(entry);
    Object.values(hostile).forEach((text, at) => world.put(`hostile-${at}`, text));
    const { entries, problems } = await world.store.list({ fleet: 'apps', limit: 5 });
    expect(entries).toEqual([entry]);
    expect(problems).toHaveLength(Object.keys(hostile).length);
    for (const problem of problems) {
      expect(problem).toMatch(/^[^\p{Cc}\p{Cf}\u2028]+$/u);
      expect(problem).toContain('hostile-');
    }
  });

  test('many entries are read to the end', async () => {
    for (let at = 0; at < 35; at += 1) {
      await world.store.add({ ...entry, id: `swap-${at}`, startedAt: at });
    }
    const { entries } = await world.store.list({ limit: 100 });
    expect(entries.map(({ startedAt }) => startedAt)).toEqual([...Array(35).keys()].reverse());
    expect(kind === 'ssm' ? clients.inputs('GetParametersByPath') : [1, 2, 3, 4, 5]).toHaveLength(5);
  });
});

describe('SSM', () => {
  test('an entry is written once, and nothing is ever overwritten', async () => {
    const { store } = ssm();
    await store.add(entry);
    await store.add(entry);
    expect(clients.inputs('PutParameter')).toEqual(
      Array(2).fill({
        Name: historyParameter(entry),
        Value: expect.any(String),
        Overwrite: false,
        Type: 'String',
        Description: 'A swap of the fleet apps, which has ended',
      }),
    );
    expect(historyParameter(entry)).toMatch(/^\/cluster-canary\/history\/apps\/[a-z0-9-]+$/);
  });

  test('a refusal is an error', async () => {
    const refuse = () => {
      throw sdkError('AccessDeniedException', 'no', { status: 400 });
    };
    const store = ssmHistory(new RecordingClients({ PutParameter: refuse, GetParametersByPath: refuse }));
    await expect(store.add(entry)).rejects.toThrow(/ssm:PutParameter/);
    await expect(store.list({ limit: 1 })).rejects.toThrow(/ssm:GetParametersByPath/);
  });
});

describe('a folder', () => {
  test('only its owner can read it, and nothing is left beside the entries', async () => {
    const { store } = folder();
    await store.add(entry);
    expect([place, join(place, 'apps')].map((each) => statSync(each).mode & 0o777)).toEqual([0o700, 0o700]);
    const files = readdirSync(join(place, 'apps'));
    expect(files).toHaveLength(1);
    expect(statSync(join(place, 'apps', files[0]!)).mode & 0o777).toBe(0o600);
  });

  test('a link is not followed, and is said', async () => {
    const { store } = folder();
    await store.add(entry);
    const secret = join(dirname(place), 'secret.json');
    writeFileSync(secret, 'password');
    chmodSync(secret, 0o600);
    symlinkSync(secret, join(place, 'apps', 'link.json'));
    const { entries, problems } = await store.list({ limit: 5 });
    expect(entries).toEqual([entry]);
    expect(problems).toEqual([expect.stringContaining('link.json')]);
    expect(problems[0]).not.toContain('password');
  });
});

describe('places', () => {
  test('the history is beside the lease', () => {
    expect(historyOfLease('none')).toBeUndefined();
    expect(historyOfLease({ ssm: {} }, { region: 'eu-west-1' })).toEqual({ ssm: { region: 'eu-west-1' } });
    expect(historyOfLease({ ssm: null } as never)).toEqual({ ssm: {} });
    const roleArn = 'arn:aws:iam::123456789012:role/r';
    expect(
      historyOfLease({ ssm: { region: 'eu-north-1', roleArn, duration: '2m' } }, { region: 'eu-west-1' }),
    ).toEqual({
      ssm: { region: 'eu-north-1', roleArn },
    });
    expect(historyOfLease({ kubernetes: { namespace: 'argocd', context: 'hub', duration: '2m' } })).toEqual({
      kubernetes: { namespace: 'argocd', context: 'hub' },
    });
  });

  test('a folder is opened without anything else', async () => {
    const { store } = await openHistory({ folder: join(scratch, 'opened') });
    await store.add(entry);
    expect((await store.list({ limit: 1 })).entries).toEqual([entry]);
  });
});

describe('rights', () => {
  const arn = 'arn:aws:ssm:eu-west-1:123456789012:parameter/cluster-canary/history';
  const settings = { ssm: { region: 'eu-west-1' } };

  test('to add: entries of the fleet, and to overwrite none', () => {
    expect(historyPermissions(settings, { use: 'add', fleet: 'apps', account: '123456789012' })).toEqual([
      {
        Sid: 'AddHistory',
        Effect: 'Allow',
        Action: ['ssm:PutParameter'],
        Resource: [`${arn}/apps/*`],
        Condition: { StringEquals: { 'ssm:Overwrite': ['false'] } },
      },
    ]);
  });

  test('to list: of one fleet, or of all', () => {
    const use = { use: 'list', account: '123456789012' } as const;
    const statement = { Sid: 'ReadHistory', Effect: 'Allow', Action: ['ssm:GetParametersByPath'] };
    expect(historyPermissions(settings, { ...use, fleet: 'apps' })).toEqual([
      { ...statement, Resource: [`${arn}/apps`, `${arn}/apps/*`] },
    ]);
    expect(historyPermissions(settings, use)).toEqual([{ ...statement, Resource: [arn, `${arn}/*`] }]);
  });

  test('of ConfigMaps', () => {
    const place = { kubernetes: { namespace: 'argocd' } };
    const rule = { apiGroups: [''], resources: ['configmaps'], namespace: 'argocd' };
    expect(historyAccess(place, { use: 'add' })).toEqual([{ ...rule, verbs: ['create'] }]);
    expect(historyAccess(place, { use: 'list' })).toEqual([{ ...rule, verbs: ['list'] }]);
    expect(historyPermissions(place, { use: 'list' })).toEqual([]);
    expect(historyAccess(settings, { use: 'list' })).toEqual([]);
    expect(historyAccess({ folder: 'x' }, { use: 'list' })).toEqual([]);
  });
});
