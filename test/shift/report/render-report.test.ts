import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import type { CheckRecord, ShiftOutcome } from '../../../lib/shift/engine';
import { renderReport, writeReport } from '../../../lib/shift/report';
import { narrow, weightsChart, wide } from '../../../lib/shift/report/weights-chart';
import { at, completed, foreign, rolledBack, unread } from './outcomes';

const all = { completed, rolledBack, foreign, unread };

/** Every element of a page in order; fails where one is not closed, or closed by another. */
function elements(markup: string): readonly string[] {
  const open: string[] = [];
  const seen: string[] = [];
  for (const [, closing, name, selfClosing] of markup.matchAll(
    /<(\/?)([a-zA-Z][\w-]*)(?:\s[^<>]*?)?(\/?)>/g,
  )) {
    if (closing === '/') {
      expect(open.pop()).toBe(name);
      continue;
    }
    seen.push(name!);
    if (selfClosing !== '/') {
      open.push(name!);
    }
  }
  expect(open).toEqual([]);
  return seen;
}

/** The text of a page as a reader sees it. */
function textOf(markup: string): string {
  return markup
    .replace(/<style>[^]*?<\/style>/g, '')
    .replace(/<[^>]*>/g, '\n')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&');
}

describe.each(Object.entries(all))('the report of a shift (%s)', (_name, outcome) => {
  const files = renderReport(outcome, { title: 'Shift of apps', note: 'Simulated, seed 1.' });
  const page = files['report.html'];

  test('is well-formed, loads nothing and runs nothing', () => {
    const names = elements(page);
    elements(files['shift.svg'].replace(/^<\?xml[^>]*\?>\n/, ''));
    expect(names).not.toEqual(expect.arrayContaining(['script']));
    for (const name of ['script', 'link', 'img', 'iframe', 'object', 'foreignObject', 'image', 'a']) {
      expect(names).not.toContain(name);
    }
    for (const file of Object.values(files) as string[]) {
      const addresses = file.replaceAll('xmlns="http://www.w3.org/2000/svg"', '');
      expect(addresses).not.toMatch(/https?:|@import|url\((?!#)|javascript:|\son\w+=/);
    }
    expect(page).toContain('default-src &#39;none&#39;');
  });

  test('can be found through without seeing it', () => {
    const names = elements(page);
    expect(page).toMatch(/<html lang="en">/);
    expect(names.filter((name) => name === 'h1')).toHaveLength(1);
    expect(names.filter((name) => name === 'main')).toHaveLength(1);
    const tables = names.filter((name) => name === 'table').length;
    expect(names.filter((name) => name === 'caption')).toHaveLength(tables);
    expect(page.match(/class="scroll" role="region" tabindex="0" aria-label="[^"]+"/g) ?? []).toHaveLength(
      tables,
    );
    expect(page).not.toMatch(/<th(?! scope="(row|col)")[\s>]/);
    const pictures = page.match(/<svg [^>]*role="img" aria-labelledby="[^"]+"/g) ?? [];
    expect(pictures).toHaveLength(names.filter((name) => name === 'svg').length);
  });

  test('has each identifier once, and every reference leads to one', () => {
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id!);
    expect(new Set(ids).size).toBe(ids.length);
    const references = [...page.matchAll(/ aria-labelledby="([^"]*)"/g)].flatMap(([, list]) =>
      list!.split(' '),
    );
    const fills = [...page.matchAll(/url\(#([^)]*)\)/g)].map(([, id]) => id!);
    expect(ids).toEqual(expect.arrayContaining([...references, ...fills]));
  });

  test('says what happened', () => {
    const text = textOf(page);
    expect(text).toContain('Shift of apps');
    expect(text).toContain('Simulated, seed 1.');
    for (const piece of [...outcome.reason.split('\n'), ...outcome.log.map((line) => line.text)]) {
      expect(text).toContain(piece);
    }
    for (const check of outcome.checks) {
      expect(text).toContain(check.reason);
    }
  });
});

test('the verdict stands in the title and on the page', () => {
  expect(renderReport(rolledBack)['report.html']).toMatch(/<title>[^<]*: rolled back<\/title>/);
  expect(textOf(renderReport(rolledBack)['report.html'])).toContain('↩ Rolled back');
  expect(textOf(renderReport(completed)['report.html'])).toContain('✓ Completed');
  expect(textOf(renderReport({ ...completed, verdict: 'held' })['report.html'])).toContain('⏸ Held');
});

describe('the page of a failed shift', () => {
  const page = renderReport(rolledBack, { title: 'Shift of apps' })['report.html'];
  const place = (piece: string): number => {
    expect(page).toContain(piece);
    return page.indexOf(piece);
  };

  test('says in one sentence what happened, then where the traffic is, before everything else', () => {
    const sentence =
      '<p class="sentence">green: 328 of 7,800 requests failed (4.2 %); also failed: smoke test.</p>';
    const order = [sentence, '<p>The traffic is back at blue 100, green 0.</p>', '<dl', '<svg'].map(place);
    expect(order).toEqual([...order].sort((one, other) => one - other));
    const words = textOf(page.slice(page.indexOf('<body>'), place(sentence))).replace(/\s*\n\s*/g, '|');
    expect(words).toBe('|Shift of apps|↩ Rolled back|');
  });

  test('folds statistics and tables: what is open has no figure of a check but in charts', () => {
    const open = page.replace(/<details>[^]*?<\/details>/g, '').replace(/<svg[^]*?<\/svg>/g, '');
    expect(open).not.toMatch(/<table|at most 1 %|error share 4\.20/);
    const statistics =
      /<details><summary>Statistics of cloudWatch\.errorShare, smoke test<[^]*?<\/details>/.exec(page)![0];
    expect(textOf(statistics).replace(/\s*\n\s*/g, '|')).toContain(
      '|error share|green|4.2 %|328 of 7,800|at most 1 %|',
    );
    expect(textOf(statistics)).toContain('smoke test: exit status 3');
  });

  test('has the checks that failed first, and folds the others', () => {
    expect(
      [...page.matchAll(/<div class="check">(<details><summary>)?<h3>([^<]*)/g)].map(([, folds, name]) => [
        name,
        folds !== undefined,
      ]),
    ).toEqual([
      ['cloudWatch.errorShare', false],
      ['smoke test', false],
      ['targetHealth', true],
    ]);
    const well = renderReport(completed)['report.html'];
    expect(well).not.toMatch(/<div class="check"><details>|Statistics of/);
  });
});

test.each([
  ['on a desk', wide],
  ['on a telephone', narrow],
])('a weight of one percent is seen %s', (_, size) => {
  const first = { ...completed, writes: completed.writes.slice(0, 1), final: { blue: 99, green: 1 } };
  const { text } = weightsChart(first, size, 'x', 'x');
  const line = /<g class="cc-hue-green"><path class="cc-edge"[^>]* d="([^"]*)"/.exec(text)![1]!;
  const heights = [...line.matchAll(/[ML][\d.]+ ([\d.]+)/g)].map(([, y]) => Number(y));
  expect(Math.max(...heights) - Math.min(...heights)).toBeGreaterThanOrEqual(20);
  for (const percent of [
    '0 %',
    '1 %',
    '5 %',
    '10 %',
    '25 %',
    '50 %',
    '75 %',
    '100 %',
    'weight, on a square-root scale',
  ]) {
    expect(text).toContain(`>${percent}</text>`);
  }
});

test('many writes and answers do not hide the lines', () => {
  const count = (outcome: ShiftOutcome, pattern: RegExp): number =>
    renderReport(outcome)['shift.svg'].match(pattern)!.length;
  const moments = Array.from({ length: 100 }, (_, index) => at(index / 4));
  const writes = moments.map((moment, index) => ({
    at: moment,
    weights: { blue: 99 - index, green: 1 + index },
  }));
  const long = { ...completed, writes, endedAt: at(26) };
  // Two in the names of the slots.
  expect([count(long, /class="cc-point"/g), count(completed, /class="cc-point"/g)]).toEqual([2, 2 + 2 * 7]);
  const [, pass] = completed.checks;
  const checks = moments.map((moment) => ({ ...pass!, at: moment }));
  const one = [...checks.slice(0, 50), { ...checks[50]!, status: 'fail' as const }, ...checks.slice(51)];
  const drawn = renderReport({ ...completed, checks: one, endedAt: at(26) })['shift.svg'];
  expect(drawn.match(/class="cc-fail"/g)).toHaveLength(1 + 1);
  expect(drawn.match(/class="cc-pass"/g)!.length).toBeLessThan(65);
});

test('a shift that is not over is drawn up to now', () => {
  const { writes, checks } = completed;
  const running = {
    ...completed,
    final: null,
    endedAt: at(5),
    writes: writes.slice(0, 3),
    checks: checks.slice(0, 3),
  };
  const { text } = weightsChart(running, wide, 'x', 'x');
  expect(text).toMatch(/after 4 min blue 95 %, green 5 %\.</);
  expect(text).not.toMatch(/found at the end|NaN/);
});

test('the chart says in words what it shows', () => {
  const describe = (outcome: ShiftOutcome): string =>
    /<desc[^>]*>([^<]*)</.exec(renderReport(outcome)['shift.svg'])![1]!;
  expect(describe(rolledBack)).toBe(
    'At first blue 100 %, green 0 %. Written: after 0 s blue 99 %, green 1 %; after 2 min blue 98 %, green 2 %; ' +
      'after 4 min blue 95 %, green 5 %; after 6 min blue 90 %, green 10 %; after 8 min 6 s back to blue 100 %, green 0 %.',
  );
  expect(describe(foreign)).toMatch(/ Found at the end: red 50 %, teal 50 %, black 0 %\.$/);
  expect(describe({ ...completed, writes: [], final: completed.from })).toMatch(/No weights were written\.$/);
  expect(describe(unread)).toBe('The live weights could not be read.');
});

test('every figure stands in a table with its bound', () => {
  const text = textOf(renderReport(rolledBack)['report.html']).replace(/\s*\n\s*/g, '|');
  expect(text).toContain('|8 min|error share|green|4.2 %|328 of 7,800|at most 1 %|fail|');
  expect(text).toContain('|8 min|requests|green|7,800|at least 200|fail|');
  expect(text).toContain('|0 s|healthy share|green|no data|at least 90 %|inconclusive|');
});

test('marks writes, verdicts and the rollback on the chart', () => {
  const count = (outcome: ShiftOutcome, pattern: RegExp): number =>
    renderReport(outcome)['shift.svg'].match(pattern)?.length ?? 0;
  expect(count(rolledBack, /class="cc-write"/g)).toBe(4);
  expect(count(rolledBack, /class="cc-write cc-write-back"/g)).toBe(1);
  expect(count(rolledBack, /class="cc-event"/g)).toBe(1);
  expect(count(completed, /class="cc-event"/g)).toBe(0);
  // Each has one more in the legend.
  expect(count(rolledBack, /class="cc-fail"/g)).toBe(2 + 1);
  expect(count(completed, /class="cc-fail"/g)).toBe(0 + 1);
  expect(count(rolledBack, /class="cc-inconclusive"/g)).toBe(1 + 1);
  expect(renderReport(foreign)['shift.svg']).toContain('found at the end, 5 min');
});

const hostile = [
  '</title><script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onload='alert(1)",
  '--><!-- ]]> &amp; &#0;',
  '$& $1 $`',
  '\u0000\u001b[31m\ud800 \u202egreen',
  'constructor',
  '__proto__',
];

test.each(hostile)('shows the hostile text %j as text', (text) => {
  const weights = Object.fromEntries([
    ['blue', 40],
    [text, 60],
  ]);
  const check: CheckRecord = {
    at: at(1),
    name: text,
    stage: 'after',
    status: 'fail',
    reason: text,
    figures: [{ name: text, slot: text, value: 1, max: 0 }],
  };
  const outcome: ShiftOutcome = {
    ...completed,
    reason: text,
    to: weights,
    final: weights,
    writes: [{ at: at(1), weights }],
    checks: [check],
    log: [{ at: at(1), text }],
  };
  const files = renderReport(outcome, { title: text, note: text });
  const harmless = renderReport(
    JSON.parse(JSON.stringify(outcome).replaceAll(JSON.stringify(text).slice(1, -1), 'x')),
    {
      title: 'x',
      note: 'x',
    },
  );
  for (const name of ['report.html', 'shift.svg'] as const) {
    expect(files[name]).not.toMatch(/<script|<img|<!--|[\u0000\u001b\ud800\u202e]/);
    const kinds = (markup: string) => elements(markup.replace(/^<\?xml[^>]*\?>\n/, '')).join(' ');
    expect(kinds(files[name])).toBe(kinds(harmless[name]));
  }
});

test('never draws a number that is none, for any outcome', () => {
  const weights = fc
    .integer({ min: 0, max: 100 })
    .map((green): Record<string, number> => ({ blue: 100 - green, green }));
  const moment = fc.integer({ min: 0, max: 600 }).map((minutes) => at(minutes / 7));
  const figure = fc.record({
    name: fc.constantFrom('error share', 'p99'),
    slot: fc.option(fc.constantFrom('blue', 'green', 'red'), { nil: undefined }),
    value: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 })),
    unit: fc.constantFrom('share' as const, 'count' as const, 'seconds' as const, undefined),
    min: fc.option(fc.double({ noNaN: true, min: -10, max: 10 }), { nil: undefined }),
    max: fc.option(fc.double({ noNaN: true, min: -10, max: 10 }), { nil: undefined }),
  });
  const outcomes = fc.record({
    verdict: fc.constantFrom('completed', 'rolledBack', 'held', 'aborted'),
    from: fc.option(weights),
    final: fc.option(weights),
    endedAt: moment,
    writes: fc.array(fc.record({ at: moment, weights, rollback: fc.boolean() }), { maxLength: 8 }),
    checks: fc.array(
      fc.record({
        at: moment,
        name: fc.constantFrom('a', 'b'),
        stage: fc.constantFrom('before', 'after'),
        status: fc.constantFrom('pass', 'fail', 'inconclusive'),
        reason: fc.constant('why'),
        figures: fc.array(figure, { maxLength: 3 }),
      }),
      { maxLength: 8 },
    ),
  });
  fc.assert(
    fc.property(outcomes, (parts: any) => {
      const files = renderReport({ ...completed, ...parts });
      for (const file of Object.values(files) as string[]) {
        expect(file).not.toMatch(/NaN|Infinity|undefined/);
      }
    }),
    { numRuns: 80 },
  );
});

test('writes its files into a folder that it makes', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'cluster-canary-report-'));
  try {
    const files = renderReport(completed);
    expect(writeReport(join(scratch, 'a', 'b'), files)).toBe(join(scratch, 'a', 'b', 'report.html'));
    expect(readFileSync(join(scratch, 'a', 'b', 'report.html'), 'utf8')).toBe(files['report.html']);
    expect(existsSync(join(scratch, 'a', 'b', 'shift.svg'))).toBe(true);
  } finally {
    rmSync(scratch, { recursive: true });
  }
});
