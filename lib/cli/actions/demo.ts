import { oneOfWords } from '../../core/validation/formats';
import { InvalidInput } from '../../core/validation/problems';
import { combinedObserver, formatRoundedDuration } from '../../shift/engine';
import { userOnMachine } from '../../shift/leases';
import { ShiftPage } from '../../shift/page';
import type { PageControls } from '../../shift/page';
import { demoFaults, demoResult, demoVisitors, runDemo } from '../../shift/demo';
import type { DemoControls, DemoFault, DemoResult, DemoRun } from '../../shift/demo';
import { takeInterrupts } from '../interrupts';
import { interruptedStatus, jsonText, somethingWrong, writeDocument, writeOut } from '../output';
import { makeReportFolder, saveReport } from '../written-files';
import { ProgressView, progressStream } from './shift/progress';
import { resultLines } from './shift/result';

/** What `cluster-canary demo` takes. */
export interface DemoFlags {
  readonly fault: string;
  readonly seed: number;
  readonly json?: boolean;
  readonly report?: string;
}

/**
 * Runs `cluster-canary demo`, and sets the exit status.
 *
 * @throws InvalidInput for a fault that there is not, and where the folder of the report can't be written
 */
export async function demo({ fault: given, seed, json, report }: DemoFlags): Promise<void> {
  const fault = checkedFault(given);
  if (report !== undefined) {
    makeReportFolder(report);
  }
  const view = new ProgressView(progressStream());
  const interrupts = takeInterrupts(() => view.say('Interrupted: it ends.'));
  let run: DemoRun;
  let controls: DemoControls | undefined;
  const page = await ShiftPage.open({
    ...{ title: 'Demo of a traffic shift', by: userOnMachine(), address: { host: '127.0.0.1', port: 0 } },
    controls: pageControls(() => controls),
  });
  const { observer, requests, resume } = page.route('demo');
  try {
    run = await runDemo({
      ...{ fault, seed },
      run: {
        observer: combinedObserver([view.observer(''), observer]),
        ...{ requests, resume, signal: interrupts.signal, kill: interrupts.kill },
      },
      onStarted: (given) => {
        controls = given;
        [...startLines(given, fault), `Watch it, and break green: ${page.urlWithToken}`].forEach((line) =>
          view.say(line),
        );
      },
    });
    await page.end(interrupts.kill);
  } finally {
    await page.close();
    view.stop();
    interrupts.release();
  }
  const result = demoResult(run, seed);
  await (json === true
    ? writeDocument(jsonText(result))
    : writeOut(demoLines(result, interrupts.signal.aborted)));
  if (report !== undefined) {
    const { requests } = result.traffic.exposed;
    const broken = result.faults.length > 0 ? `; ${requests} reached green while it was broken` : '';
    saveReport(report, result.shift, {
      title: 'Demo of a traffic shift',
      note: `Two fleets of HTTP servers on one machine, ${demoVisitors} requests a second${broken}.`,
    });
  }
  const otherwise = interrupts.signal.aborted ? interruptedStatus : somethingWrong;
  process.exitCode = result.asExpected ? 0 : otherwise;
}

/** Buttons that break green, and repair it. */
function pageControls(given: () => DemoControls | undefined): PageControls {
  return {
    title: 'Break green',
    text: 'Green is a fleet of this machine. What you break here, the checks have to find.',
    actions: [
      { name: 'errors', label: 'Fail one request in three' },
      { name: 'latency', label: 'Answer late' },
      { name: 'outage', label: 'Answer nothing' },
      { name: 'none', label: 'Repair it' },
    ],
    chosen: () => given()?.fault(),
    act: (name) => {
      const fault = demoFaults.find((each) => each === name);
      if (fault === undefined) {
        given()?.fixGreen();
      } else {
        given()?.breakGreen(fault);
      }
    },
  };
}

function checkedFault(given: string): DemoFault | 'none' {
  const fault = [...demoFaults, 'none' as const].find((each) => each === given);
  if (fault === undefined) {
    const { allowed } = oneOfWords(...demoFaults, 'none');
    throw new InvalidInput('demo', [{ path: '--fault', value: given, allowed }]);
  }
  return fault;
}

const breaks: Readonly<Record<DemoFault, string>> = {
  errors: 'fails one request in three',
  latency: 'answers two of three requests 0.6 s late',
  outage: 'answers no request',
};

/** What is about to be seen. */
export function startLines({ url }: Pick<DemoControls, 'url'>, fault: DemoFault | 'none'): readonly string[] {
  const when = fault === 'outage' ? 'From the start' : 'From 10 % of the traffic on';
  return [
    `Blue and green are three HTTP servers each, behind a weighted proxy at ${url}; ${demoVisitors} requests a second.`,
    fault === 'none' ? 'Green is as well as blue.' : `${when}, green ${breaks[fault]}.`,
  ];
}

/**
 * What came of a demo, for a person, a line each.
 *
 * @param wasInterrupted whether a person has ended it
 */
export function demoLines(
  { shift, traffic, faults, expected, asExpected, detectionSeconds }: DemoResult,
  wasInterrupted = false,
): readonly string[] {
  const { visitors, slots, exposed } = traffic;
  const count = (value: number): string => value.toLocaleString('en-US');
  const rows = Object.entries(slots).map(
    ([slot, { requests, failed, slow }]) =>
      `  ${slot.padEnd(6)}  ${count(requests)} requests, ${count(failed)} failed, ${count(slow)} slow`,
  );
  const reached = `${count(exposed.requests)} requests reached it: ${count(exposed.failed)} failed, ${count(exposed.slow)} were slow.`;
  const after =
    detectionSeconds === null
      ? ''
      : ` A check failed after ${formatRoundedDuration(detectionSeconds * 1_000)}.`;
  return [
    ...resultLines(shift),
    '',
    `Visitors sent ${count(visitors.sent)} requests:`,
    ...rows,
    ...(faults.length === 0 ? [] : [`While green was broken, ${reached}${after}`]),
    ...(asExpected || wasInterrupted
      ? []
      : [`It should have ended otherwise: ${expected === 'completed' ? 'completed' : 'rolled back'}.`]),
  ];
}
