import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFiles, readFiles } from '../../lib/cli/actions/lint/inputs';
import { KeptValues } from '../../lib/cli/actions/lint/kept-values';
import { mostValues } from '../../lib/core/kubernetes/lists';

const folder = mkdtempSync(join(tmpdir(), 'cluster-canary-values-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('files are read until their objects have too many values', () => {
  // Of 5 values each, and of none.
  const text = 'apiVersion: v1\nkind: A\nlist: [x]\n';
  for (const [name, content] of [
    ['a', text],
    ['b', text],
    ['c', 'other: [1, 2, 3]\n'],
    ['d', text],
    ['e', text],
  ]) {
    writeFileSync(join(folder, `${name}.yaml`), content!);
  }
  const read = (most: number) => {
    const { objects, unreadable } = readFiles(
      findFiles([folder], undefined).files,
      undefined,
      new KeptValues(most),
    );
    return [objects.length, unreadable.map(({ file, reason }) => `${file.at(-6)} ${reason}`)];
  };
  expect(read(20)).toEqual([4, []]);
  expect(read(15)).toEqual([4, []]);
  const reason = 'not read: the files before it have more than 14 values together';
  expect(read(14)).toEqual([3, [`e ${reason}`]]);
  expect(read(9)).toEqual([2, ['c', 'd', 'e'].map((name) => `${name} ${reason.replace('14', '9')}`)]);
  expect(new KeptValues().problem).toBeUndefined();
  expect(mostValues).toBe(20_000_000);
});
