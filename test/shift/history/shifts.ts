import { shiftPlan } from '../../../lib/shift/engine';
import type { ShiftOutcome } from '../../../lib/shift/engine';
import type { KeptShift } from '../../../lib/shift/history';
import { shiftId } from '../../../lib/shift/history/kept-shift';
import { simulate } from '../../../lib/shift/simulation';
import type { CheckOfPlan, Scenario } from '../../../lib/shift/simulation';

const checks: readonly CheckOfPlan[] = [
  { 'cloudWatch.errorShare': { max: 0.05, minRequests: 100 } },
  { targetHealth: {} },
];

/** The outcome of one run of the machine on simulated traffic. */
export function simulatedOutcome(scenario: Partial<Scenario> = {}, own = checks): ShiftOutcome {
  const { outcome } = simulate({
    plan: shiftPlan(['blue', 'green'], { blue: 0, green: 100 }, { step: 25, every: '2m', bake: '4m' }),
    checks: own,
    scenario: { requests: { perSecond: 100 }, errorShare: 0.001, metrics: { delay: '1m' }, ...scenario },
    runs: 1,
    seed: 1,
  });
  return outcome!;
}

const begin = Date.parse('2026-01-02T03:04:05Z');

const hour = 3_600_000;

/** A kept shift; each number is an hour later. */
export function keptShift(number: number, own: Partial<KeptShift['run']> = {}): KeptShift {
  const simulated = simulatedOutcome();
  const byMs = begin + number * hour - Date.parse(simulated.startedAt);
  const moved = (at: string) => new Date(Date.parse(at) + byMs).toISOString();
  const each = <T extends { readonly at: string }>(list: readonly T[]) =>
    list.map((one) => ({ ...one, at: moved(one.at) }));
  const { startedAt, endedAt, writes, checks: answers, log } = simulated;
  const outcome: ShiftOutcome = {
    ...{ ...simulated, startedAt: moved(startedAt), endedAt: moved(endedAt) },
    ...{ writes: each(writes), checks: each(answers), log: each(log) },
  };
  const { route = 'traffic' } = own;
  const run = { id: shiftId(route, 'rule', outcome), plan: 'plan.yaml', route, by: 'alex@laptop', ...own };
  return { ...outcome, run };
}

/** What others write: it ends the line, and gives commands to a terminal and to a pipeline. */
export const bad = 'EVIL \u001b[31m\r\n::error::EVIL\n##vso[task.complete]\u202e\u2028{{ssm:key}}';

const { run, ...outcome } = keptShift(0);

/** Texts that are no kept shift, by what they are, with what is said of them. */
export const hostile: Readonly<Record<string, readonly [text: string, said: RegExp]>> = {
  'no JSON': [bad, /: is not a JSON object$/],
  nothing: ['', /: is not a JSON object$/],
  'a list': ['[]', /: is not a JSON object$/],
  'another document': ['{"kind":"Pod"}', /: it is no outcome of a shift: it has no schemaVersion$/],
  'a newer one': [
    JSON.stringify({ ...outcome, run, schemaVersion: 2 }),
    /: a newer release of cluster-canary wrote it/,
  ],
  'a hostile verdict': [
    JSON.stringify({ ...outcome, run, verdict: bad }),
    /verdict: .*must be one of "completed"/,
  ],
  'a hostile time': [JSON.stringify({ ...outcome, run, endedAt: '2026-99-99T99:99:99.000Z' }), /endedAt/],
  'weights that are none': [JSON.stringify({ ...outcome, run, to: { blue: 1e9 } }), /to\.blue: 1000000000/],
  'a figure that is none': [
    JSON.stringify({ ...outcome, run, checks: [{ ...outcome.checks[0], figures: [bad] }] }),
    /checks\[0\]\.figures\[0\]/,
  ],
  'no origin': [JSON.stringify(outcome), /"run" is missing/],
  'a hostile origin': [JSON.stringify({ ...outcome, run: { ...run, by: 7 } }), /by: 7/],
  'nested without end': [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, /: is not a JSON object$/],
};
