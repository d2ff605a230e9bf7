import type { CheckSettings } from '../../../lib/shift/checks';
import { prometheus } from '../../../lib/shift/checks';
import type { Service } from './metric-samples';
import { serve } from './metric-samples';

/** What such a Prometheus answers to a query of errors, second by second, while each slot has 100 requests a second. */
export interface SilentCase {
  readonly name: string;
  /** The value at a time in seconds, as JSON; undefined for no point. */
  readonly errors: (at: number, slot: string) => string | undefined;
  /** More settings of the check. */
  readonly settings?: object;
  readonly ends: 'completed' | 'rolledBack' | 'neverBegun';
}

const now = (): number => Date.now() / 1000;
const ofGreen =
  (value: string | undefined): SilentCase['errors'] =>
  (_at, slot) =>
    slot === 'green' ? value : '"0"';

/** Half of green's requests fail in each of these but the controls; the source does not say so. */
export const silentCases: readonly SilentCase[] = [
  { name: 'control: good figures', errors: () => '"0"', ends: 'completed' },
  {
    name: 'control: silence means zero',
    errors: () => undefined,
    settings: { missing: 'zero' },
    ends: 'completed',
  },
  {
    name: 'control: half of the requests fail, and it is counted',
    errors: ofGreen('"50"'),
    ends: 'rolledBack',
  },
  { name: 'no figure of any slot', errors: () => undefined, ends: 'neverBegun' },
  { name: 'not a number for any slot', errors: () => '"NaN"', ends: 'neverBegun' },
  { name: 'empty text for every slot', errors: () => '""', ends: 'neverBegun' },
  { name: 'no figure of green', errors: ofGreen(undefined), ends: 'rolledBack' },
  {
    name: 'not a number for green',
    errors: ofGreen('"NaN"'),
    settings: { missing: 'zero' },
    ends: 'rolledBack',
  },
  { name: 'infinitely many', errors: ofGreen('"+Inf"'), settings: { missing: 'zero' }, ends: 'rolledBack' },
  { name: 'fewer than none', errors: ofGreen('"-50"'), settings: { missing: 'zero' }, ends: 'rolledBack' },
  { name: 'null', errors: ofGreen('null'), settings: { missing: 'zero' }, ends: 'rolledBack' },
  {
    name: 'text that is no number',
    errors: ofGreen('"none"'),
    settings: { missing: 'zero' },
    ends: 'rolledBack',
  },
  {
    name: 'a number without quotation marks',
    errors: ofGreen('0'),
    settings: { missing: 'zero' },
    ends: 'rolledBack',
  },
  {
    name: 'late beside requests that are there',
    errors: (at, slot) => (slot === 'green' && at > now() - 30 ? undefined : '"0"'),
    ends: 'rolledBack',
  },
];

/** A Prometheus that is silent in this way. */
export function silentPrometheus({ errors }: SilentCase): Promise<Service> {
  return serve(({ searchParams }) => {
    const [what, slot] = searchParams.get('query')!.split(' ');
    const [from, to, step] = ['start', 'end', 'step'].map((name) => Number(searchParams.get(name)));
    const points: string[] = [];
    for (let at = from!; at <= to!; at += step!) {
      const value = what === 'requests' ? '"100"' : errors(at, slot!);
      points.push(...(value === undefined ? [] : [`[${at}, ${value}]`]));
    }
    const series = points.length > 0 ? `{ "metric": {}, "values": [${points.join()}] }` : '';
    return { body: `{ "status": "success", "data": { "resultType": "matrix", "result": [${series}] } }` };
  });
}

/** The check that asks it, by periods of a second. */
export function silentCheck({ address }: Service, { settings }: SilentCase): CheckSettings {
  return prometheus.errorShare({
    address,
    requests: 'requests {{slot}} {{period}}',
    errors: 'errors {{slot}} {{period}}',
    max: 0.02,
    period: '1s',
    delay: '0s',
    ...settings,
  });
}

/** A shift of one step and no more than it needs. */
export const silentShift = {
  step: [50],
  every: '1s',
  checkEvery: '500ms',
  bake: '0s',
  inconclusiveLimit: '2500ms',
} as const;
