import { gzipSync } from 'node:zlib';
import { neverDeployed, newestDeployed, recordOf } from '../../../../lib/core/readiness/live/helm-releases';
import { readHelmRecord, readManifest } from '../../../../lib/core/readiness/live/helm-record';

const budget = 'apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata:\n  name: web\n';
const found = { apiVersion: 'policy/v1beta1', kind: 'PodDisruptionBudget', name: 'web' };

describe('a manifest', () => {
  test.each<[string, string, readonly object[], number]>([
    ['one document', budget, [found], 0],
    ['comments and empty documents', `---\n# Source: a\n---\n${budget}---\n\n--- # end\n`, [found], 0],
    ['with a namespace', `${budget}  namespace: shop\n`, [{ ...found, namespace: 'shop' }], 0],
    ['the key that names it behind others', `spec:\n  a: 1\n${budget}`, [found], 0],
    ['JSON', JSON.stringify({ ...found, metadata: { name: 'web' }, name: undefined }), [found], 0],
    [
      'quoted keys',
      `"apiVersion": policy/v1beta1\n'kind': PodDisruptionBudget\nmetadata: {name: web}\n`,
      [found],
      0,
    ],
    ['a separator in a text', `${budget}data:\n  text: |\n    a\n    ---\n    kind: Pod\n`, [found], 0],
    [
      'a list',
      `apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: a}\n`,
      [
        { apiVersion: 'v1', kind: 'List', name: '' },
        { apiVersion: 'v1', kind: 'Pod', name: 'a' },
      ],
      0,
    ],
    ['an anchor of another part', `spec: &a {b: 1}\n${budget}  labels: *a\n`, [found], 0],
    ['a document that can not be read, beside others', `a: [\n---\n${budget}`, [found], 1],
    ['no object', `just: text\n---\n- 1\n---\n${budget}`, [found], 2],
    ['values that are no texts', 'apiVersion: 1\nkind: [a]\nmetadata: 7\n', [], 1],
    ['null', `null\n---\n${budget}`, [found], 0],
    ['a version with control characters', 'apiVersion: "v1\\e"\nkind: Pod\n', [], 1],
  ])('%s', async (_, text, objects, unread) => {
    expect(await readManifest(text)).toEqual({ objects, unread });
  });

  test('of a definition the names alone are read: all of it is more than the reader takes', async () => {
    const schema = `spec:\n${'  a: 1\n'.repeat(700_000)}`;
    expect(await readManifest(`${budget}${schema}`)).toEqual({ objects: [found], unread: 0 });
    expect(await readManifest(`${budget}  annotations:\n${'    a: 1\n'.repeat(700_000)}`)).toEqual({
      ...{ objects: [], unread: 1, tooLong: 1 },
    });
  });
});

describe('a document that takes too long in one go is not read, and what is beside it is', () => {
  const item = '- apiVersion: v1\n  kind: Pod\n  metadata: {name: a}\n';
  const list = `apiVersion: v1\nkind: List\nitems:\n${item.repeat(5_000)}`;
  const flow = `{apiVersion: v1, kind: ConfigMap, data: {${'a: b, '.repeat(50_000)}}}`;

  test.each([
    ['a list', list],
    ['braces without quotes', flow],
    ['a text without end', `${budget}x: |\n${'  a: 1\n'.repeat(2_500_000)}`],
  ])('%s', async (_, text) => {
    const begun = performance.now();
    expect(await readManifest(`${text}\n---\n${budget}`)).toEqual({
      objects: [found],
      unread: 1,
      tooLong: 1,
    });
    expect(performance.now() - begun).toBeLessThan(2_000);
  });

  test('JSON is read in a moment', async () => {
    const items = Array.from({ length: 20_000 }, (_, index) => ({
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: `a-${index}` } },
    }));
    const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    expect(text.length).toBeGreaterThan(1_000_000);
    const begun = performance.now();
    const { objects, unread } = await readManifest(text);
    expect([objects.length, unread]).toEqual([20_001, 0]);
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});

test('blank lines before an object hold nothing up', async () => {
  const blank = ' \n'.repeat(10_000);
  const begun = performance.now();
  expect(await readManifest(`${blank}${budget}`)).toEqual({ objects: [found], unread: 0 });
  expect(await readManifest(`${blank}# end${blank}`)).toEqual({ objects: [], unread: 0 });
  expect(performance.now() - begun).toBeLessThan(2_000);
});

test('many documents let others have their turn, and an abort ends them', async () => {
  const abort = new AbortController();
  setTimeout(() => abort.abort(new Error('enough')), 1);
  await expect(readManifest(`${budget}---\n`.repeat(9_000), abort.signal)).rejects.toThrow('enough');
});

const stored = (text: string, zip = true): string =>
  Buffer.from((zip ? gzipSync(text) : Buffer.from(text)).toString('base64')).toString('base64');

describe('a record of Helm', () => {
  const release = {
    ...{ manifest: budget, config: { password: 'hunter2' } },
    hooks: [{ manifest: 'apiVersion: batch/v1beta1\nkind: CronJob\nmetadata: {name: hook}' }, 7],
  };

  test.each([true, false])(
    'its objects and those of its hooks, and nothing else; zipped: %s',
    async (zip) => {
      expect(await readHelmRecord(stored(JSON.stringify(release), zip))).toEqual({
        objects: [found, { apiVersion: 'batch/v1beta1', kind: 'CronJob', name: 'hook' }],
        unread: 0,
      });
    },
  );

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['no text', 7],
    ['no JSON', stored('x')],
    ['no mapping', stored('[]')],
    ['without a manifest', stored('{}')],
    ['half of it', stored(JSON.stringify(release)).slice(0, 60)],
    ['too long', 'a'.repeat(2_000_001)],
    ['what unzips to more than is read', stored(JSON.stringify({ manifest: 'a'.repeat(70_000_000) }))],
  ])('%s', async (_, data) => {
    expect(await readHelmRecord(data)).toBeUndefined();
  });
});

describe('records', () => {
  const secret = (labels: Readonly<Record<string, string>>) => ({
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'shop', labels } },
  });

  test('by their labels', () => {
    expect(recordOf(secret({ owner: 'helm', name: 'web', version: '12', status: 'deployed' }))).toEqual({
      ...{ namespace: 'shop', secret: 's', release: 'web', revision: 12, status: 'deployed' },
    });
    expect(recordOf(secret({ owner: 'else', name: 'web', version: '12' }))).toBeUndefined();
    expect(recordOf(secret({ owner: 'helm', name: 'web', version: 'x' }))).toBeUndefined();
    expect(recordOf({ ...secret({}), metadata: { name: 's' } })).toBeUndefined();
  });

  const record = (release: string, revision: number, status: string, namespace = 'shop') => ({
    ...{ namespace, secret: `${release}-${revision}`, release, revision, status },
  });

  test('a release that was never deployed, whose newest record says why', () => {
    const found = neverDeployed([
      ...[record('web', 9, 'deployed'), record('web', 10, 'pending-upgrade')],
      ...[record('cut', 1, 'failed'), record('cut', 2, 'pending-install'), record('cut', 1, 'deployed', 'b')],
      ...[record('gone', 1, 'superseded'), record('gone', 2, 'uninstalled'), record('odd', 1, '')],
    ]);
    expect(found.map(({ secret, namespace }) => `${namespace}/${secret}`)).toEqual([
      'shop/cut-2',
      'shop/odd-1',
    ]);
  });

  test('of each release the newest that is deployed, whatever failed since', () => {
    expect(
      newestDeployed([
        ...[record('web', 9, 'deployed'), record('web', 10, 'deployed'), record('web', 11, 'failed')],
        ...[record('web', 1, 'deployed', 'other'), record('gone', 1, 'uninstalled')],
      ]).map(({ namespace, secret }) => `${namespace}/${secret}`),
    ).toEqual(['shop/web-10', 'other/web-1']);
  });
});
