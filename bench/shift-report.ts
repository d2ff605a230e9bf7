import type { ShiftCase, ShiftContender, ShiftResults } from './shift';
import { delays } from './shift';
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
    `From blue to green in simulated worlds, ${runs} runs each, all of them the same for everybody (seeds derived from ${seed}):`,
    '1,000 requests a second, 0.1 % errors and 5 % slow requests everywhere, figures by the minute that are there a',
    'minute after its end. The worlds are those of `examples/shift/scenarios`. In `bursts` the share of errors of each',
    'slot and minute is drawn from an exponential distribution around 0.1 %, and every other minute keeps the one before',
    '(beta-binomial with dispersion 0.001); `shared bursts` hit both slots together; in `cold first minute` green has 1 %',
    'errors and 19 % slow requests in its first minute.',
    '',
    '- `cluster-canary` is the machine that real shifts run on, with the plan of `examples/shift`.',
    '- `courier` is a model of `eksctl_courier_alb` (terraform-provider-eksctl 9b7909d). It reproduces what was measured of',
    '  the real one, write by write (`test/shift/simulation/courier.test.ts`). Missing points are filled with 0 for it; else its',
    '  first question fails every shift.',
    '- `Flagger` is a model of its `advanceCanary` (v1.44.0, read in source): no values are a failed check, failed checks',
    '  add up to the threshold, the rollback comes an interval after the last one. It has no router for clusters behind a',
    '  load balancer; the model writes the weights as if it had one. Two of the rows are not in its documentation: they',
    "  have cluster-canary's own steps, with the two lowest thresholds that a healthy shift survives.",
    `- The limits of courier and Flagger are ${percent(fixedLimits.errors)} errors and ${percent(fixedLimits.slow)} slow requests of the newest minute.`,
    '',
  ];
}

function outage({ contenders }: ShiftResults): string[] {
  return [
    '### An outage: every request to green fails',
    '',
    ...table(
      [
        '',
        '',
        'detected',
        'after, s',
        'requests to green until then',
        'until its weight is 0',
        'within the hour',
        'writes',
      ],
      contenders.map(({ name, settings, cases }) => {
        const one = cases.outage!;
        return [
          name,
          settings,
          percent(one.detected),
          count(one.detectionSeconds),
          count(one.exposedUntilDetection),
          count(one.exposedUntilZero),
          count(one.exposedInHour),
          count(one.writes),
        ];
      }),
    ),
    '',
    'Medians. Courier sets the weight to 0 again and again, and after each step to the next one; it ends at 100 %, so most',
    "of its requests come after the detection. With steps of 10 % every 10 s, as in some of courier's examples, the shift",
    'is over before the first figures of it are there.',
    '',
    'Requests to green until then, where the figures come sooner or later after the end of their minute:',
    '',
    ...table(
      ['', '', ...delays],
      contenders.map(({ name, settings, cases }) => [
        name,
        settings,
        ...delays.map((delay) => count(cases[`outage, ${delay}`]!.exposedUntilDetection)),
      ]),
    ),
    '',
  ];
}

function goals({ contenders }: ShiftResults): string[] {
  const [own, ...others] = contenders;
  const exposed = own!.cases.outage!.exposedUntilDetection!;
  return [
    'Requests until detection, beside those of the others; the goals are a fifth of courier and a half of Flagger, at few',
    `false alarms (at most ${percent(fewAlarms)} in each of ${alarms.join(', ')}).`,
    '',
    ...table(
      ['', '', 'share of its requests', 'goal', '', 'its false alarms at most'],
      others.map(({ name, settings, cases }) => {
        const goal = name === 'courier' ? 0.2 : 0.5;
        const ratio = exposed / cases.outage!.exposedUntilDetection!;
        return [
          name,
          settings,
          number(ratio),
          number(goal),
          ratio <= goal ? 'met' : '**missed**',
          percent(most(cases)),
        ];
      }),
    ),
    '',
    `cluster-canary's own false alarms: at most ${percent(most(own!.cases))}. Until the first figures are there nobody can see`,
    'anything, and the first step is one percent at least: whoever starts with 1 % and stays there for as long has as',
    'many requests by then. Where a goal is missed, that is why; what is left of the difference is the waiting for further',
    'failed checks.',
    '',
    ...table(
      ['Share of the requests, by delay of the figures', '', ...delays],
      others.map(({ name, settings, cases }) => [
        name,
        settings,
        ...delays.map((delay) => {
          const of = `outage, ${delay}`;
          return number(own!.cases[of]!.exposedUntilDetection! / cases[of]!.exposedUntilDetection!);
        }),
      ]),
    ),
    '',
    'The sooner the figures come, the less courier has sent by then, since its first minute is 1 % too; what it sends',
    'after the detection is the table above. The checks of cluster-canary wait two minutes for figures to be complete,',
    'also where they would be there at once.',
    '',
    ...table(
      ["Goals for cluster-canary's verdicts", '', ''],
      verdictGoals(own!.cases).map(([goal, share, isMet]) => [
        goal,
        percent(share),
        isMet ? 'met' : '**missed**',
      ]),
    ),
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
    return [`${scenario}: broken off in at most ${percent(fewAlarms)}`, share, share <= fewAlarms] as const;
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
    'Share of the shifts in which it is found, and the median of the requests that went to green within the hour. In',
    '`one-percent` 1.1 % of the requests to green fail; in `latency` twice as many are slow.',
    '',
    ...table(
      ['', '', ...faults.flatMap((scenario) => [scenario, 'requests'])],
      contenders.map(({ name, settings, cases }) => [
        name,
        settings,
        ...faults.flatMap((scenario) => [
          percent(cases[scenario]!.detected),
          count(cases[scenario]!.exposedInHour),
        ]),
      ]),
    ),
    '',
    'The fixed limits find some of the one percent in the first minutes of little traffic, where one failed request of a',
    'few is above any limit: by chance, as their false alarms below.',
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
    '### Nothing is wrong with green',
    '',
    'Share of the shifts that are broken off.',
    '',
    ...table(
      ['', '', ...columns],
      contenders.map(({ name, settings, cases }) => [
        name,
        settings,
        ...columns.map((scenario) => goal(scenario, cases[scenario]!)),
      ]),
    ),
    '',
    'On a quiet night one percent of the traffic is a request in eight minutes. cluster-canary says that there are not',
    'enough requests for a verdict, waits ten minutes longer and takes the weight back; the others go on where no request',
    'failed, or stop where none came.',
    '',
  ];
}

function speedLines(speed: readonly ShiftSpeed[]): string[] {
  return [
    '### Simulation',
    '',
    'Whole shifts of `examples/shift/plan.yaml` a second of processor time, garbage collection included; beside the same',
    'random draws alone: the traffic of the same worlds, without the machine and the checks.',
    '',
    ...table(
      ['Scenario', 'shifts a second', `goal ${whole(speedGoal)}`, 'time, to that of the draws'],
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
    `A real shift on the real clock, with a router and checks that answer at once, whose waits add up to ${number(waitsMs / 1000)} s`,
    `takes ${percent(overhead.median)} (${percent(overhead.min)}–${percent(overhead.max)}) longer than its waits (goal: ${percent(overheadGoal)}, ${overhead.median <= overheadGoal ? 'met' : '**missed**'}) and ${spread(cpuMs)} ms of processor time.`,
    'What it adds is some milliseconds for each step and each question, whatever the length of the waits: a shift of half',
    'an hour has more than a hundred times the waits.',
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
