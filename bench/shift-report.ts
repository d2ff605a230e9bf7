import type { ShiftCase, ShiftContender, ShiftResults } from './shift';
import { fixedLimits } from './shift-contenders';
import type { DriverOverhead, ShiftSpeed } from './shift-speed';
import { overheadGoal, speedGoal } from './shift-speed';
import { number, spread, table, whole } from './text';

/** Everything that was measured of traffic shifts. */
export interface ShiftSection {
  /** `2026-01-31` */
  readonly date: string;
  readonly node: string;
  readonly results: ShiftResults;
  readonly speed: readonly ShiftSpeed[];
  readonly driver: DriverOverhead;
}

const faults = ['one-percent', 'one-percent, bursts', 'latency'];
const alarms = ['healthy', 'bursts', 'shared bursts', 'cold first minute'];
const sources = ['flapping-source', 'quiet-night'];
/** The share of false alarms up to which contenders are compared. */
const fewAlarms = 0.05;

/** The heading that the section begins with. */
export const shiftHeading = '## Traffic shifts';

/** The section as Markdown, line by line. */
export function shiftSection({ date, node, results, speed, driver }: ShiftSection): string[] {
  return [
    shiftHeading,
    '',
    `Measured ${date} with Node.js ${node}.`,
    '',
    ...introduction(results),
    ...outage(results),
    ...goals(results),
    ...detected(results),
    ...falseAlarms(results),
    ...speedLines(speed),
    ...driverLines(driver),
  ];
}

function introduction({ runs, seed }: ShiftResults): string[] {
  return [
    `Shifts from blue to green in ${runs} simulated runs of each scenario, with the same seeds (from ${seed}) for each program: 1,000`,
    'requests a second, 0.1 % errors, 5 % slow requests, metrics of a minute after another minute. The scenarios are those of',
    '`examples/shift/scenarios`, and three others. In `bursts`, the share of errors varies by slot and minute, in',
    '`shared bursts` in both slots together. In `cold first minute`, green has 1 % errors and 19 % slow requests at first.',
    '',
    '| program | settings |',
    '|---|---|',
    '| `cluster-canary` | the plan of `examples/shift` |',
    '| `courier` | a model of `eksctl_courier_alb` (terraform-provider-eksctl 9b7909d): 5 % each 30 s (default), or each minute (README). Missing points count as 0 |',
    '| `Flagger` | a model of `advanceCanary` (1.44.0): 2 % a minute with threshold 10 (documentation), 10 % a minute with threshold 5 (tutorials), or the steps of cluster-canary with threshold 3 or 2. |',
    '',
    `The limits of the other programs are ${percent(fixedLimits.errors)} errors and ${percent(fixedLimits.slow)} slow requests in the newest minute.`,
    '',
  ];
}

/** Program and settings in one cell. */
function label({ name, settings }: ShiftContender): string {
  return `\`${name}\` ${settings}`.trim();
}

function outage({ contenders }: ShiftResults): string[] {
  return [
    '### An outage: every request to green fails',
    '',
    ...table(
      ['', 'detected', 'after, s', 'requests until detected', 'in an hour', 'writes'],
      contenders.map((contender) => {
        const one = contender.cases.outage!;
        return [
          label(contender),
          percent(one.detected),
          count(one.detectionSeconds),
          count(one.exposedUntilDetection),
          count(one.exposedInHour),
          count(one.writes),
        ];
      }),
    ),
    '',
    'The values are medians. `courier` ends at 100 % after the detection.',
    '',
  ];
}

function goals({ contenders }: ShiftResults): string[] {
  const [own, ...others] = contenders;
  const exposed = own!.cases.outage!.exposedUntilDetection!;
  const verdicts = verdictGoals(own!.cases);
  const missed = verdicts.filter(([, , isMet]) => !isMet);
  return [
    'Requests of `cluster-canary` until detection, as a share of those of the others. The goals are 0.2 for `courier` and 0.5',
    `for Flagger. False alarms are the most in ${alarms.join(', ')}; \`cluster-canary\` has ${percent(most(own!.cases))}.`,
    '',
    ...table(
      ['', 'share', 'goal', '', 'false alarms'],
      others.map((contender) => {
        const { name, cases } = contender;
        const goal = name === 'courier' ? 0.2 : 0.5;
        const ratio = exposed / cases.outage!.exposedUntilDetection!;
        return [
          label(contender),
          number(ratio),
          number(goal),
          ratio <= goal ? 'met' : '**missed**',
          percent(most(cases)),
        ];
      }),
    ),
    '',
    `Goals for verdicts of \`cluster-canary\`: ${verdicts.length - missed.length} of ${verdicts.length} are met. An outage is rolled back in all runs, one-percent and latency in at least 90 %.`,
    `The scenarios without a fault of green fail in at most ${percent(fewAlarms)}.${missed.map(([goal, share]) => ` **Missed**: ${goal}: ${percent(share)}.`).join('')}`,
    '',
  ];
}

function verdictGoals(cases: ShiftContender['cases']): readonly (readonly [string, number, boolean])[] {
  const found = (scenario: string, least: number) => {
    const { detected: share, backAfterHour } = cases[scenario]!;
    return [
      `${scenario}: rolled back in ${least === 1 ? 'all' : `at least ${percent(least)}`}`,
      backAfterHour,
      Math.min(share, backAfterHour) >= least,
    ] as const;
  };
  const left = (scenario: string) => {
    const { detected: share } = cases[scenario]!;
    return [`${scenario}: failed in at most ${percent(fewAlarms)}`, share, share <= fewAlarms] as const;
  };
  return [
    found('outage', 1),
    found('one-percent', 0.9),
    found('one-percent, bursts', 0.9),
    found('latency', 0.9),
    ...[...alarms, 'flapping-source'].map(left),
  ];
}

function most(cases: ShiftContender['cases']): number {
  return Math.max(...alarms.map((scenario) => cases[scenario]!.detected));
}

function detected({ contenders }: ShiftResults): string[] {
  return [
    '### Smaller faults of green',
    '',
    'Share of runs that detect the fault. In `one-percent`, 1.1 % of the requests to green fail. In `latency`, twice as many',
    'are slow.',
    '',
    ...table(
      ['', ...faults],
      contenders.map((contender) => [
        label(contender),
        ...faults.map((scenario) => percent(contender.cases[scenario]!.detected)),
      ]),
    ),
    '',
  ];
}

function falseAlarms({ contenders }: ShiftResults): string[] {
  const columns = [...alarms, ...sources];
  const goal = (scenario: string, one: ShiftCase) =>
    scenario === 'quiet-night' || one.detected <= fewAlarms
      ? percent(one.detected)
      : `**${percent(one.detected)}**`;
  return [
    '### No fault of green',
    '',
    'Share of runs that fail:',
    '',
    ...table(
      ['', ...columns],
      contenders.map((contender) => [
        label(contender),
        ...columns.map((scenario) => goal(scenario, contender.cases[scenario]!)),
      ]),
    ),
    '',
    'In `quiet-night`, one percent of the traffic is a request in eight minutes: too few for a verdict.',
    '',
  ];
}

function speedLines(speed: readonly ShiftSpeed[]): string[] {
  return [
    '### Simulation',
    '',
    'Shifts of `examples/shift/plan.yaml` in a second of CPU time, and the ratio to the random draws alone:',
    '',
    ...table(
      ['Scenario', 'shifts a second', `goal ${whole(speedGoal)}`, 'ratio to draws'],
      speed.map(({ scenario, perSecond, ratio }) => [
        scenario,
        `${whole(perSecond.median)} (${whole(perSecond.min)}–${whole(perSecond.max)})`,
        perSecond.median >= speedGoal ? 'met' : '**missed**',
        spread(ratio),
      ]),
    ),
    '',
  ];
}

function driverLines({ waitsMs, overhead, cpuMs }: DriverOverhead): string[] {
  return [
    '### Driver',
    '',
    `A shift in real time, with a router and checks that answer at once, waits for ${number(waitsMs / 1000)} s in all. It takes`,
    `${percent(overhead.median)} (${percent(overhead.min)}–${percent(overhead.max)}) longer (goal: ${percent(overheadGoal)}, ${overhead.median <= overheadGoal ? 'met' : '**missed**'}) and ${spread(cpuMs)} ms of CPU time.`,
    '',
  ];
}

function percent(share: number): string {
  const value = share * 100;
  return `${Number.isInteger(value) ? value : number(value)} %`;
}

function count(value: number | null): string {
  return value === null ? '–' : whole(value);
}
