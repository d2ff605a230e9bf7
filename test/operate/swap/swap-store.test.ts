import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boundedRecord, swapRecords } from '../../../lib/operate/swap/record-schema';
import type { SwapRecord } from '../../../lib/operate/swap/record';
import { swapStorePermissions, swapStoreAccess } from '../../../lib/operate/swap/store/rights';
import { swapLeaseId, swapStore } from '../../../lib/operate/swap/store/swap-store';
import type { LeaseSettings } from '../../../lib/shift/leases';
import { ssmLeaseParameter } from '../../../lib/shift/leases';
import { memoryLeaseOf } from '../../../lib/shift/leases/memory';
import { plainServer } from '../../core/kubernetes/plain-server';
import type { PlainServer } from '../../core/kubernetes/plain-server';
import { SsmMemory } from '../../shift/leases/ssm-memory';
import { longSetting, longestRecord, record } from './records';

const apps = { fleet: 'apps', region: 'eu-west-1' };
const parameter = ssmLeaseParameter(swapLeaseId(apps));
const folder = mkdtempSync(join(tmpdir(), 'swap-store-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** An API server with Leases. */
const leases = new Map<string, any>();
let server: PlainServer;
const kubeconfig = join(folder, 'kubeconfig.json');
beforeAll(async () => {
  server = await plainServer((request, response) => {
    const name = request.url!.split('?')[0]!.split('/').pop()!;
    const chunks: Buffer[] = [];
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (/\/apis\/coordination.k8s.io\/v1$/.test(request.url!)) {
        return answer(200, { resources: [{ kind: 'Lease', name: 'leases', namespaced: true }] });
      }
      if (request.method === 'GET') {
        const found = leases.get(name);
        return found ? answer(200, found) : answer(404, { kind: 'Status', reason: 'NotFound', code: 404 });
      }
      const sent = JSON.parse(Buffer.concat(chunks).toString());
      const version = Number(leases.get(sent.metadata.name)?.metadata.resourceVersion ?? 0) + 1;
      const stored = { ...sent, metadata: { ...sent.metadata, resourceVersion: String(version) } };
      leases.set(sent.metadata.name, stored);
      return answer(request.method === 'POST' ? 201 : 200, stored);
    });
  }, kubeconfig);
});
afterAll(() => server.stop());

let memory: SsmMemory;
beforeEach(() => {
  memory = new SsmMemory();
  leases.clear();
});

const kinds: readonly [string, LeaseSettings][] = [
  ['ssm', { ssm: {} }],
  ['kubernetes', { kubernetes: { namespace: 'argocd', kubeconfig } }],
];
const open = (settings: LeaseSettings, holder: string, fleet = apps) =>
  swapStore(settings, fleet, memory.clients, holder);

describe.each(kinds)('%s', (_kind, settings) => {
  test('one swap of a fleet at a time, and its record is there for the next run', async () => {
    const [one, two] = [await open(settings, 'one'), await open(settings, 'two')];
    const other = await open(settings, 'two', { ...apps, region: 'us-east-1' });
    expect(await one.lease.acquire()).toEqual({});
    await one.lease.keep(record);
    await expect(two.lease.acquire()).rejects.toThrow(
      /: another swap of this fleet has the lease: one; its lease ends at .* unless it goes on$/,
    );
    expect(await two.lease.look()).toMatchObject({ record, holder: 'one' });
    expect(await other.lease.acquire()).toEqual({});
    await one.lease.release();
    expect(await two.lease.acquire()).toEqual({ record });
    const ended: SwapRecord = { ...record, ended: { at: 10_000, verdict: 'completed' } };
    await two.lease.release(ended);
    expect(await one.lease.look()).toEqual({ record: ended });
    [one, two, other].forEach((each) => each.close());
  });

  test.each([
    ['short settings', '1.36'],
    ['long settings', longSetting],
  ] as const)('the longest record with %s is kept whole', async (_what, setting) => {
    const held = await open(settings, 'one');
    const { lease } = held;
    await lease.acquire();
    await lease.keep(record);
    const longest = longestRecord(setting);
    await lease.keep(longest);
    await lease.release();
    expect(await lease.look()).toEqual({ record: boundedRecord(longest) });
    // A short one again.
    await lease.acquire();
    await lease.release(record);
    expect(await lease.look()).toEqual({ record });
    held.close();
  });

  test('a holder whose lease went to another swap is told so', async () => {
    const held = await open(settings, 'one');
    const { lease } = held;
    await lease.acquire();
    const text = (holder: string) => ({ schemaVersion: 1, holder, expiresAt: Date.now() + 60_000 });
    memory.versions.set(parameter, ['', '', JSON.stringify(text('two'))]);
    for (const [name, stored] of leases) {
      leases.set(name, { ...stored, spec: { ...stored.spec, holderIdentity: 'two' } });
    }
    await expect(lease.keep(record)).rejects.toThrow(/another swap of this fleet has the lease: two/);
    held.close();
  });
});

test('a lease in memory keeps records of swaps, too', async () => {
  const shared = {};
  const [one, two] = ['one', 'two'].map((holder) => memoryLeaseOf(swapRecords, { memory: shared, holder }));
  await one!.acquire();
  await one!.keep(record);
  await expect(two!.acquire()).rejects.toThrow(/^one runs a swap here until /);
  await one!.release();
  expect(await two!.acquire()).toEqual({ record });
});

test('parameters of SSM: how many the longest records take', async () => {
  const { lease } = await open({ ssm: {} }, 'one');
  await lease.acquire();
  const counts: number[] = [];
  for (const each of [record, longestRecord('1.36'), longestRecord()]) {
    memory.versions.clear();
    await lease.keep(each);
    counts.push(memory.versions.size);
  }
  // There may be 25.
  expect(counts).toEqual([1, 10, 15]);
});

test('what a Helm template says is kept, though no parameter may hold it', async () => {
  const { lease } = await open({ ssm: {} }, 'one');
  await lease.acquire();
  for (const why of ['at {{ .Values.image }}', `at {{{{ .Values.image }}}} ${'{'.repeat(900)}`]) {
    for (const each of [record, longestRecord()]) {
      const said: SwapRecord = { ...each, back: { why, then: 'keep', step: 'shift' } };
      await lease.keep(said);
      expect(await lease.look()).toMatchObject({ record: boundedRecord(said) });
    }
  }
  for (const text of [...memory.versions.values()].flat()) {
    expect(text).not.toContain('{{');
  }
});

test('killed between any two writes, the record is the old one or the new one', async () => {
  const longest = boundedRecord(longestRecord());
  for (let writes = 0; ; writes += 1) {
    memory = new SsmMemory();
    const one = await open({ ssm: {} }, 'one');
    await one.lease.acquire();
    await one.lease.keep(record);
    let left = writes;
    memory.before = (command) => {
      if (command === 'PutParameter' && left-- === 0) {
        throw new Error('killed');
      }
    };
    const kept = await one.lease.keep(longest).then(
      () => true,
      () => false,
    );
    memory.before = () => undefined;
    const { record: found } = await one.lease.look();
    expect(found).toEqual(kept ? longest : record);
    if (kept) {
      expect(writes).toBeGreaterThan(3);
      return;
    }
  }
});

test('where a further parameter is gone there is no record, and it is said; nothing is lost by looking or taking', async () => {
  const longest = boundedRecord(longestRecord());
  const one = await open({ ssm: {} }, 'one');
  await one.lease.acquire();
  await one.lease.keep(longest);
  await one.lease.release();
  const second = memory.versions.get(`${parameter}-2`)!;
  memory.versions.delete(`${parameter}-2`);
  const two = await open({ ssm: {} }, 'two');
  const problem = expect.stringMatching(/^the record of the swap can't be read: one of .*-2:1, .* is gone/);
  expect(await two.lease.look()).toEqual({ problem });
  expect(await two.lease.acquire()).toEqual({ problem });
  await two.lease.release();
  memory.versions.set(`${parameter}-2`, second);
  expect(await one.lease.look()).toEqual({ record: longest });
}, 20_000);

test.each([
  [
    'a newer release',
    { schemaVersion: 2, expiresAt: 0, record },
    /schemaVersion 2; this release reads up to 1\). Run the swap with that release\.$/,
  ],
])('%s is refused', async (_what, stored, message) => {
  memory.versions.set(parameter, [JSON.stringify(stored)]);
  const { lease } = await open({ ssm: {} }, 'one');
  await expect(lease.acquire()).rejects.toThrow(message);
  await expect(lease.look()).rejects.toMatchObject({ name: 'NewerLease' });
});

test.each([
  ['nothing that can be read', '\u001b[31m{', 'it is no document of a lease'],
  [
    'a record of a shift',
    JSON.stringify({ schemaVersion: 1, expiresAt: 0, record: { origin: {} } }),
    'id: is required: a text',
  ],
  [
    'a hostile name',
    JSON.stringify({
      schemaVersion: 1,
      expiresAt: 0,
      record: { ...record, old: { name: '\u001b[31m\n', version: '1.35' } },
    }),
    'old.name: "\\u001b[31m\\n": must be',
  ],
  [
    'a record nested too deep',
    `{"schemaVersion":1,"expiresAt":0,"record":${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}}`,
    'its record is nested more than 20 levels deep',
  ],
])('%s is no record, and is said in a line', async (_what, text, problem) => {
  memory.versions.set(parameter, [text]);
  const { lease } = await open({ ssm: {} }, 'one');
  const content = await lease.acquire();
  expect(content.record).toBeUndefined();
  expect(content.problem).toContain(problem);
  expect(content.problem).toMatch(/^[^\p{Cc}]+$/u);
});

describe('rights', () => {
  test('of a parameter: statement by statement', () => {
    const statement = {
      Sid: 'HoldLease',
      Effect: 'Allow',
      Action: ['ssm:GetParameter', 'ssm:PutParameter'],
    };
    const name = expect.stringMatching(
      /^arn:aws:ssm:eu-west-1:123456789012:parameter\/cluster-canary\/leases\/swap-eu-west-1-apps-[0-9a-f]{12}\*$/,
    );
    expect(swapStorePermissions({ ssm: {} }, apps, '123456789012')).toEqual([
      { ...statement, Resource: [name] },
    ]);
    expect(swapStorePermissions({ ssm: { region: 'eu-central-1' } }, apps)[0]!.Resource).toEqual([
      expect.stringMatching(/^arn:aws:ssm:eu-central-1:\*:parameter\/.*\/swap-eu-west-1-apps-/),
    ]);
    expect(swapStoreAccess({ ssm: {} }, apps)).toEqual([]);
  });

  test('of a Lease: rule by rule', () => {
    const settings = { kubernetes: { namespace: 'argocd' } };
    expect(swapStoreAccess(settings, apps)).toEqual([
      {
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
        resourceNames: [expect.stringMatching(/^swap-eu-west-1-apps-[0-9a-f]{12}$/)],
        verbs: ['get', 'update'],
        namespace: 'argocd',
      },
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'], namespace: 'argocd' },
    ]);
    expect(swapStorePermissions(settings, apps)).toEqual([]);
  });

  test('the rights suffice: nothing else is asked for', async () => {
    const { lease } = await open({ ssm: {} }, 'one');
    await lease.acquire();
    await lease.keep(longestRecord());
    await lease.release();
    expect([...new Set(memory.clients.names)].sort()).toEqual(['GetParameter', 'PutParameter']);
    for (const name of memory.versions.keys()) {
      expect(name.startsWith(parameter)).toBe(true);
    }
  });
});
