import { terminalProgressLine, ProgressView } from '../../lib/cli/actions/shift/progress';
import type { CheckRecord, ShiftProgress } from '../../lib/shift/engine';

const now = Date.parse('2031-05-06T07:08:09Z');

const progress: ShiftProgress = {
  at: now,
  activity: 'standing',
  step: 3,
  steps: 7,
  weights: { blue: 95, green: 5 },
  from: { blue: 100, green: 0 },
  wanted: { blue: 0, green: 100 },
  rollbackReason: null,
  heldBy: null,
  approvals: [],
  startedAt: null,
  checks: [],
  standsUntil: now + 80_000,
  endsAt: now + 1_080_000,
  pausedAt: null,
  verdict: null,
};

function check(
  name: string,
  status: CheckRecord['status'],
  figures: CheckRecord['figures'] = [],
): CheckRecord {
  return { at: '2031-05-06T07:08:09.000Z', name, stage: 'after', status, reason: 'because', figures };
}

const errors = { name: 'error share', unit: 'share', max: 0.01 } as const;

test.each<[string, Partial<ShiftProgress>, string]>([
  ['a step that stands', {}, 'step 3/7 | blue 95, green 5 | waits, 1m20s left | 18m to go'],
  [
    'before the live weights are known',
    { activity: 'starting', step: 0, steps: 0, weights: null, standsUntil: null, endsAt: null },
    'reads the live weights',
  ],
  ['a bake', { activity: 'baking', step: 7 }, 'step 7/7 | blue 95, green 5 | bakes, 1m20s left | 18m to go'],
  [
    'a time that is over',
    { standsUntil: now - 1, endsAt: now - 1 },
    'step 3/7 | blue 95, green 5 | waits | 0s to go',
  ],
  [
    'a pause',
    { activity: 'paused', pausedAt: 50, standsUntil: null, endsAt: null },
    'step 3/7 | blue 95, green 5 | paused at 50 % of the way',
  ],
  [
    'a rollback',
    { activity: 'rollingBack', endsAt: null, standsUntil: null },
    'step 3/7 | blue 95, green 5 | rolls back',
  ],
  [
    'the last figure of each check',
    {
      endsAt: null,
      checks: [
        check('errors', 'pass', [
          { name: 'requests', value: 9 },
          { ...errors, value: 0.0012 },
        ]),
        check('worse', 'fail', [
          { ...errors, value: 0.001 },
          { ...errors, value: 0.04 },
        ]),
        check('silent', 'inconclusive', [{ ...errors, value: null }]),
        check('plain', 'pass'),
      ],
    },
    'step 3/7 | blue 95, green 5 | waits, 1m20s left | errors 0.12 % | worse 4 % FAIL | silent ? | plain ok',
  ],
])('%s', (_name, given, line) => {
  expect(terminalProgressLine({ ...progress, ...given }, now)).toBe(line);
});

test('what comes from elsewhere can not move the cursor', () => {
  const line = terminalProgressLine({ ...progress, checks: [check('\u001b[31mx\ny', 'pass')] }, now);
  expect(line).toContain(String.raw`| \u001b[31mx\ny ok |`);
});

/** What a terminal shows after some text: only what a drawing needs is understood. */
function screen(text: string): string {
  const lines = [''];
  let row = 0;
  for (const [, up, clear, back, next, plain] of text.matchAll(
    /\u001b\[(\d+)A|(\u001b\[J)|(\r)|(\n)|([^\u001b\r\n]+)/g,
  )) {
    if (up !== undefined) {
      row -= Number(up);
    } else if (clear !== undefined) {
      lines.splice(row, Infinity, '');
    } else if (next !== undefined) {
      row += 1;
      lines[row] ??= '';
    } else if (back === undefined) {
      lines[row] += plain!;
    }
  }
  return lines.join('\n');
}

describe('on a terminal', () => {
  let written = '';
  const stream = { isTTY: true, columns: 60, write: (text: string) => (written += text) };
  const lines = () => screen(written).split('\n').filter(Boolean);

  beforeEach(() => {
    written = '';
  });

  test.each([0, undefined])('a terminal with %s columns has 80', (columns) => {
    const view = new ProgressView({ ...stream, columns });
    view.observer('r'.repeat(60)).progress!(progress);
    view.stop();
    const [drawn] = written.split('\n');
    expect(drawn).toBe(`${'r'.repeat(60)}: step 3/7 | blue 9`);
    expect(drawn).toHaveLength(79);
  });

  test('a line for each shift is drawn anew, below the log, and goes at the end', () => {
    const view = new ProgressView(stream);
    const [eu, us] = [view.observer('eu'), view.observer('us')];
    eu.progress!(progress);
    us.progress!({ ...progress, step: 1 });
    eu.logged!({ at: '2031-05-06T07:08:09.123Z', text: 'one\ntwo' });
    eu.progress!({ ...progress, step: 4 });
    expect(lines()).toEqual([
      '07:08:09 eu: one',
      '07:08:09 eu: two',
      expect.stringMatching(/^eu: step 4\/7 \| blue 95/),
      expect.stringMatching(/^us: step 1\/7 \| blue 95/),
    ]);
    expect(lines().every((line) => line.length < 60)).toBe(true);
    us.progress!({ ...progress, verdict: 'completed' });
    expect(lines()).toHaveLength(3);
    view.stop();
    expect(lines()).toEqual(['07:08:09 eu: one', '07:08:09 eu: two']);
  });
});

test('elsewhere there are only plain lines', () => {
  let written = '';
  const view = new ProgressView({ write: (text: string) => (written += text) });
  const observer = view.observer('');
  observer.progress!(progress);
  observer.logged!({ at: '2031-05-06T07:08:09.123Z', text: 'one' });
  view.say('two');
  view.stop();
  expect(written).toBe('07:08:09 one\ntwo\n');
});

test('elsewhere a line comes now and then', () => {
  jest.useFakeTimers({ now });
  try {
    let written = '';
    const view = new ProgressView({ write: (text: string) => (written += text) });
    view.observer('').progress!(progress);
    jest.advanceTimersByTime(29_000);
    expect(written).toBe('');
    jest.advanceTimersByTime(32_000);
    expect(written.trim().split('\n')).toEqual([
      'step 3/7 | blue 95, green 5 | waits, 50s left | 17m30s to go',
      'step 3/7 | blue 95, green 5 | waits, 20s left | 17m to go',
    ]);
    view.stop();
  } finally {
    jest.useRealTimers();
  }
});
