import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import { asWritten, exactly, guardedText, jsonText, linesText } from '../../lib/cli/output';
import { HookError } from '../../lib/pulumi/hooks';
import { programLog } from '../../lib/pulumi/log';
import { SourceError } from '../../lib/shift/engine';
import { namedResult } from '../../lib/shift/engine/driver/ask-checks';
import { asking, bad, commands, env, expectNoHarm, harm, own } from './hostile-cases';
import { root } from './run-cli';
import { clusterCanary } from './run-here';

test('every command has its cases', () => {
  const names = commands.map(([name]) => name).sort();
  expect(Object.keys(asking).sort()).toEqual(names);
  expect(Object.keys(own).sort()).toEqual(names);
});

test('this test would see it', () => {
  expect(harm(bad)).toHaveLength(4);
  expect(harm('error: EVIL\\u001b[31m\n  EVIL\n')).toEqual([]);
});

/** What signals end, what has a standard input, and what loads programs of users needs processes. */
const inProcess = commands.filter(([name]) => !/^(demo|guard|harden|preview)/.test(name));

// `hostile-values.slow.ts` has all cases of all commands.
test.each(inProcess)('%s shows what others wrote, and nothing of it does anything', async (name) => {
  const [first] = Object.entries(own[name]!);
  await expectNoHarm(name, [first!], (_what, words) => clusterCanary(words, { env }));
});

test('what a check answers, and how its source fails, is one line of a reason', async () => {
  const [answered, failed, thrown] = await Promise.all([
    namedResult('a', Promise.resolve({ status: 'fail' as const, reason: bad, figures: [] })),
    namedResult('a', Promise.reject(new SourceError(bad))),
    namedResult('a', Promise.reject(new Error(bad))),
  ]);
  for (const { reason } of [answered, failed, thrown]) {
    expect([reason.includes('EVIL'), reason.includes('\n'), harm(`check: ${reason}`)]).toEqual([
      true,
      false,
      [],
    ]);
  }
});

test('colours and the drawing of progress reach a terminal, what others wrote does not', () => {
  const line = `\u001b[31mred\u001b[0m ${bad}`;
  expect(linesText([line], true)).toMatch(/^\u001b\[31mred\u001b\[0m EVIL \u001b\[31m\\u001b\]0;t[^\n]*\n$/);
  expect(harm(linesText([line]))).toEqual([]);
  expect(guardedText('a\r\nb\tc\u001b[8m\u001b[2J', true)).toBe(
    String.raw`a${'\n'}b${'\t'}c\u001b[8m\u001b[2J`,
  );
  expect(asWritten('\u001b[2J', true)).toBe(String.raw`\u001b[2J`);
  expect(exactly(() => asWritten('\u001b[2J', true))).toBe('\u001b[2J');
});

test('a document means the same as without the guard', () => {
  const document = { [bad]: [bad, '\ud800', '\u{e0041}', '\\\u0085', '##vso['] };
  expect(JSON.parse(jsonText(document))).toEqual(document);
  expect(harm(jsonText(document))).toEqual([]);
});

test("Pulumi's log and what hooks throw give no commands either", () => {
  expect(harm(new HookError(bad).message.replaceAll('EVIL', 'x'))).toEqual([]);
  const info = jest.spyOn(pulumi.log, 'info').mockResolvedValue(undefined);
  programLog.info(bad.replaceAll('EVIL', 'x'));
  expect(harm(info.mock.calls[0]![0])).toEqual([]);
  info.mockRestore();
});

/** Files that may write to a stream or to Pulumi's log themselves: all others would go past what guards lines. */
test.each([
  [
    /\bprocess\.std(?:out|err)\.write\(|\bconsole\.\w+\(|\bwriteSync\(/,
    ['cli/actions/shift/progress.ts', 'cli/output.ts'],
  ],
  [/\bpulumi\.log\./, ['pulumi/log.ts']],
])('%s is in few files only', (pattern, known) => {
  const lib = join(root, 'lib');
  const files = (readdirSync(lib, { recursive: true }) as string[])
    .filter((each) => each.endsWith('.ts'))
    .filter((each) => pattern.test(readFileSync(join(lib, each), 'utf8').replace(/^ *\*.*$|\/\/.*$/gm, '')));
  expect(files.sort()).toEqual(known);
});
