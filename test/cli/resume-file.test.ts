import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resumeFile } from '../../lib/cli/actions/shift/resume-file';

const scratch = mkdtempSync(join(tmpdir(), 'resume-file-'));
afterAll(() => rmSync(scratch, { recursive: true }));

test('a file lets a shift go on once; touched, it does so once more', async () => {
  const way = resumeFile(join(scratch, 'go'));
  const resumed = (place: number) => way.resumed(place);
  expect(way.how).toBe(
    `touch ${join(scratch, 'go')}-PLACE, where PLACE is the percent of the way at which it waits`,
  );
  expect(await resumed(50)).toBe(false);
  const file = join(scratch, 'go-50');
  writeFileSync(file, '');
  expect([await resumed(25), await resumed(50), await resumed(50)]).toEqual([false, true, false]);
  utimesSync(file, 1, 2);
  expect([await resumed(50), await resumed(50)]).toEqual([true, false]);
});
