import type { Verdict } from '../../shift';
import { describeDuration } from '../../shift';
import { hangingLines } from '../output';
import type { Percentiles, SimulationResult } from '../../simulation';

const words: readonly (readonly [Verdict, string])[] = [
  ['completed', 'completed'],
  ['rolledBack', 'rolled back'],
  ['held', 'held'],
  ['aborted', 'aborted'],
];

const count = (value: number): string => Math.round(value).toLocaleString('en-US');
const seconds = (value: number): string => describeDuration(value * 1000);

/** What came of many simulated shifts, for a person, a line each. */
export function simulationLines(result: SimulationResult, what: string): readonly string[] {
  const { runs, seed, verdicts, detection, writes, notSimulated } = result;
  const verdictRows = words
    .filter(([verdict]) => verdicts[verdict] > 0)
    .map(([verdict, word]) => [word, count(verdicts[verdict]), share(verdicts[verdict], runs)]);
  const figureRows = [
    ['', 'median', '95 % at most'],
    row('requests to a bad slot', result.exposedRequests, count),
    row('of them failed', result.failedRequests, count),
    row('duration', result.durationSeconds, seconds),
    ...(detection.seconds === null ? [] : [row('until it was noticed', detection.seconds, seconds)]),
    ['writes', count(writes.p50), `${count(writes.max)} (most)`],
  ];
  const lines = [
    `${count(runs)} ${runs === 1 ? 'run' : 'runs'} of ${what}, seed ${seed}`,
    '',
    ...columns(verdictRows),
    '',
    ...columns(figureRows),
    '',
    ...(detection.falseAlarms === 0
      ? []
      : [`False alarms: ${count(detection.falseAlarms)}, no slot was bad before.`]),
    ...(detection.undecided === 0
      ? []
      : [`Without a verdict in time: ${count(detection.undecided)}, no slot was bad before.`]),
    ...(notSimulated.length === 0 ? [] : [`Not simulated, taken to pass: ${notSimulated.join(', ')}.`]),
    ...(result.outcome === undefined ? [] : hangingLines(result.outcome.reason)),
  ];
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function row(name: string, { p50, p95 }: Percentiles, text: (value: number) => string): readonly string[] {
  return [name, text(p50), text(p95)];
}

function share(part: number, whole: number): string {
  return `${((part / whole) * 100).toFixed(1)} %`;
}

/** Names at the left, figures at the right of their columns. */
function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((cells) => cells[column]!.length)));
  return rows.map(([name = '', ...figures]) => {
    const aligned = figures.map((figure, index) => figure.padStart(widths[index + 1]!));
    return `  ${[name.padEnd(widths[0]!), ...aligned].join('  ')}`;
  });
}
