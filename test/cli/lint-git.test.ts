import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readGitFiles } from '../../lib/cli/actions/lint/git-files';
import { batches, blobsOf, tooLargeReason } from '../../lib/cli/actions/lint/run-git';
import { git, writeFiles } from './lint-repository';

const folder = mkdtempSync(join(tmpdir(), 'cluster-canary-git-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const settings = (name: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\ndata: { text: "ä\\n" }\n`;

/** A repository with one commit. */
function committed(name: string, files: Readonly<Record<string, string | Buffer>>): string {
  const root = join(folder, name);
  mkdirSync(root);
  writeFiles(root, files);
  git(root, 'init', '-q');
  git(root, 'add', '.');
  git(root, 'commit', '-q', '-m', 'old');
  return root;
}

test('many files of a commit are all read, each as it was', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 501 }, (_, at) => [`m/${at}.yaml`, at % 100 === 0 ? '' : settings(`s${at}`)]),
  );
  const root = committed('many', { ...files, 'm/odd name ü.yml': settings('odd'), 'm/notes.md': '{{' });
  const { objects, unreadable } = await readGitFiles('HEAD', [join(root, 'm')]);
  expect(unreadable).toEqual([]);
  expect(new Set(objects.map(({ name }) => name)).size).toBe(496);
  for (const { name, value, source } of objects) {
    expect(value['data']).toEqual({ text: 'ä\n' });
    expect(source!.file).toBe(name === 'odd' ? 'HEAD:m/odd name ü.yml' : `HEAD:m/${name.slice(1)}.yaml`);
  }
});

test('templates of a chart are left out, as those of a folder are; what can’t be read is said', async () => {
  const root = committed('chart', {
    'web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
    'web/templates/a.yaml': 'kind: {{ .Values.kind }}\n',
    'web/templates/plain.yaml': settings('plain'),
    'web/charts/deep/Chart.yaml': 'apiVersion: v2\nname: deep\nversion: 1.0.0\n',
    'web/charts/deep/templates/a.yaml': '{{ if x }}\n',
    'other/templates/a.yaml': 'kind: {{ .Values.kind }}\n',
    'other/binary.yaml': Buffer.from([0, 10, 0, 10]),
  });
  const { objects, unreadable } = await readGitFiles('HEAD', [root]);
  expect(objects.map(({ name }) => name)).toEqual(['plain']);
  expect(unreadable).toEqual([
    { file: 'HEAD:other/binary.yaml', reason: 'binary, not text in UTF-8' },
    { file: 'HEAD:other/templates/a.yaml', line: 1, reason: expect.stringContaining('never rendered') },
  ]);
});

test('without git, it is said that there is none', async () => {
  const root = committed('no-git', { 'm/a.yaml': settings('a') });
  const { PATH } = process.env;
  process.env.PATH = '/nowhere';
  try {
    await expect(readGitFiles('HEAD', [root])).rejects.toThrow('git is not installed');
  } finally {
    process.env.PATH = PATH;
  }
});

const mebi = 2 ** 20;

test.each([
  [64 * mebi, 0, undefined],
  [64 * mebi + 1, 0, 'more than 64 MiB'],
  [64 * mebi, 448 * mebi, undefined],
  [64 * mebi, 448 * mebi + 1, 'the files before it have 512 MiB together'],
  [0, 512 * mebi, undefined],
])('a file of %i bytes after %i is read unless there is a reason', (size, before, reason) => {
  expect(tooLargeReason(size, before)).toBe(reason);
});

test('one process reads so many files, and no more than an answer holds', () => {
  const lengths = (sizes: readonly number[]) =>
    batches(sizes.map((size) => ({ size }))).map((part) => part.length);
  expect(lengths([])).toEqual([]);
  expect(lengths(Array<number>(1001).fill(1))).toEqual([500, 500, 1]);
  expect(lengths(Array<number>(5).fill(64 * mebi))).toEqual([2, 2, 1]);
  expect(lengths([64 * mebi + 1, 1, 1])).toEqual([1, 2]);
});

test.each([
  ['one that git lacks', 'abc missing\n', 'abc missing'],
  ['fewer than were asked for', '', 'no answer'],
])('%s is an error', (_, output, message) => {
  expect(() => blobsOf(Buffer.from(output), 1)).toThrow(message);
});

test('where the clone is shallow, that is said beside a commit that git does not know', async () => {
  const whole = committed('whole', { 'a.yaml': settings('a') });
  const unknown = 'must be a folder, a file, or a commit that git knows';
  await expect(readGitFiles('v1', [whole])).rejects.toThrow(new RegExp(`${unknown}$`));
  git(whole, 'commit', '-q', '--allow-empty', '-m', 'new');
  const shallow = join(folder, 'shallow');
  git(folder, 'clone', '-q', '--depth', '1', `file://${whole}`, shallow);
  await expect(readGitFiles('v1', [shallow])).rejects.toThrow(
    `${unknown}: this clone is shallow; with actions/checkout, set fetch-depth: 0`,
  );
});
