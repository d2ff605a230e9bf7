import type { HistoryEntry } from '../../../lib/operate/history';

const hour = 3_600_000;

/** When the swap of {@link entry} began. */
export const begin = Date.parse('2026-01-02T03:04:05Z');

/** A swap that has ended well. */
export const entry: HistoryEntry = {
  ...{ id: '2026-01-02T03:04:05Z-a1b2c3', kind: 'swap', fleet: 'apps', region: 'eu-west-1' },
  ...{ by: 'alex@laptop', startedAt: begin, endedAt: begin + 26 * hour },
  old: { name: 'blue', version: '1.35' },
  new: { name: 'green', version: '1.36' },
  verdict: 'completed',
  phases: [
    { phase: 'create', startedAt: begin, endedAt: begin + hour, verdict: 'passed', approvedBy: 'kim' },
    { phase: 'delete', startedAt: begin + 25 * hour, endedAt: begin + 26 * hour, verdict: 'passed' },
  ],
  cost: { hours: 26, centsAnHour: 60 },
};

/** What others write: it ends the line, and gives commands to a terminal and to a pipeline. */
export const bad = 'EVIL \u001b[31m\r\n::error::EVIL\n##vso[task.complete]\u202e\u2028{{ssm:key}}';

/** Texts that are no entry, or a hostile one, by what they are. */
export const hostile: Readonly<Record<string, string>> = {
  'no JSON': bad,
  nothing: '',
  'a list': '[]',
  'a number': '7',
  'a newer one': JSON.stringify({ schemaVersion: 2, ...entry }),
  'without an id': JSON.stringify({ ...entry, id: undefined }),
  'a fleet with a path': JSON.stringify({ ...entry, fleet: '../..' }),
  'a hostile verdict': JSON.stringify({ ...entry, verdict: bad }),
  'a hostile time': JSON.stringify({ ...entry, startedAt: 1e300 }),
  'a hostile phase': JSON.stringify({ ...entry, phases: [{ phase: bad }] }),
  'nested without end': `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
  'too long': JSON.stringify({ ...entry, by: 'x'.repeat(300_000) }),
};
