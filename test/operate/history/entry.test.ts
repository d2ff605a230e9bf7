import fc from 'fast-check';
import type { HistoryEntry } from '../../../lib/operate/history';
import { entryText, historyList, readEntry } from '../../../lib/operate/history/entry';
import { bad, entry, hostile } from './entries';

test('an entry is read as it was written', () => {
  expect(readEntry('p', entryText(entry))).toEqual(entry);
});

const anyText = fc.fullUnicodeString({ maxLength: 600 });
const time = fc.nat({ max: 2_000_000_000_000 });
const anyEntry: fc.Arbitrary<HistoryEntry> = fc.record(
  {
    id: fc.string({ minLength: 1, maxLength: 200 }).filter((id) => /./.test(id)),
    kind: fc.constant('swap'),
    fleet: fc.constant('a'.repeat(63)),
    region: fc.constant('ap-southeast-4'),
    by: anyText,
    startedAt: time,
    endedAt: time,
    old: fc.constant(entry.old),
    new: fc.constant(entry.new),
    verdict: fc.constantFrom('completed', 'rolledBack', 'forgotten'),
    why: anyText,
    phases: fc.array(
      fc.record(
        {
          phase: fc.constantFrom('ready', 'prescale'),
          startedAt: time,
          endedAt: time,
          verdict: fc.constantFrom('passed', 'undone'),
          reason: anyText,
          approvedBy: anyText,
        },
        { requiredKeys: ['phase', 'startedAt', 'endedAt', 'verdict'] },
      ),
      { maxLength: 120, size: 'max' },
    ),
    cost: fc.constant({ hours: 26.31, centsAnHour: 60 }),
  },
  {
    requiredKeys: [
      'id',
      'kind',
      'fleet',
      'region',
      'by',
      'startedAt',
      'endedAt',
      'old',
      'new',
      'verdict',
      'phases',
    ],
  },
) as never;

test('whatever an entry says, its text fits a parameter and tells the same swap', () => {
  fc.assert(
    fc.property(anyEntry, (each) => {
      const text = entryText(each);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4_096);
      expect(text).not.toContain('{{');
      const read = readEntry('p', text) as HistoryEntry;
      const { by: _by, why: _why, phases, ...rest } = each;
      expect(read).toMatchObject(rest);
      expect(read.phases.length + (read.phasesLeftOut ?? 0)).toBe(phases.length);
      expect(read.phases[0]?.startedAt).toBe(phases[0]?.startedAt);
      expect(read.phases.at(-1)?.endedAt).toBe(phases.at(-1)?.endedAt);
    }),
    { numRuns: 100 },
  );
});

test('the usual swap, at its longest, loses no phase', () => {
  const phase = { phase: 'prescale', startedAt: 1_700_000_000_000, endedAt: 1_700_000_000_000 };
  const long = { verdict: 'undone', reason: 'x'.repeat(500), approvedBy: 'kim@example.com'.repeat(5) };
  const read = readEntry('p', entryText({ ...entry, phases: Array(20).fill({ ...phase, ...long }) }));
  expect(read).toMatchObject({ phases: { length: 20 } });
  expect(read).not.toHaveProperty('phasesLeftOut');
});

test.each(Object.entries(hostile))('%s is no entry, and is said in one plain line', (_what, text) => {
  const line = readEntry(`SSM parameter ${bad}`, text);
  expect(line).toEqual(expect.stringMatching(/^SSM parameter EVIL [^\p{Cc}\p{Cf}\u2028]+$/u));
  expect((line as string).length).toBeLessThan(1_500);
});

test('the newest first, none twice, of one fleet, and no more than asked for', () => {
  const one = (id: string, startedAt: number, fleet = 'apps') => ({ ...entry, id, startedAt, fleet });
  const read = [one('a', 1), one('b', 3), 'p: it is no entry', one('b', 3), one('c', 2), one('d', 9, 'shop')];
  expect(historyList(read, { fleet: 'apps', limit: 2 })).toEqual({
    entries: [one('b', 3), one('c', 2)],
    problems: ['p: it is no entry'],
  });
  expect(historyList(read, { limit: 9 }).entries.map(({ id }) => id)).toEqual(['d', 'b', 'c', 'a']);
});
