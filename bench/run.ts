import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureCapacity } from './capacity';
import type { CapacitySection } from './capacity-report';
import { capacityHeading, capacitySection } from './capacity-report';
import { measureClockChecks } from './clocks';
import type { ClocksSection } from './clocks-report';
import { clocksHeading, clocksSection } from './clocks-report';
import { measureClusterSets } from './clusterset';
import type { ClusterSetSection } from './clusterset-report';
import { clusterSetHeading, clusterSetSection } from './clusterset-report';
import { measureImports } from './imports';
import { measureLint, measureLintForms, measureLintStart } from './lint';
import type { LintSection, StartSection } from './lint-report';
import { lintHeading, lintSection, startHeading, startSection } from './lint-report';
import { measurePreviews } from './preview';
import { importHeading, importSection, report } from './report';
import { root } from './run-node';
import { corpusHeading } from './corpus-report';
import { apisHeading, evacuationHeading, quietHeading, withSection } from './sections';
import { measureShifts } from './shift';
import type { ShiftSection } from './shift-report';
import { shiftHeading, shiftSection } from './shift-report';
import { measureDriver, measureSpeed } from './shift-speed';
import { measureSynth } from './synth';

const { quick, only } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } },
}).values;
const file = join(root, 'docs', 'benchmarks.md');

const conditions = {
  date: new Date().toISOString().slice(0, 10),
  node: process.version,
  cpus: cpus().length,
  memoryGigabytes: totalmem() / 2 ** 30,
  loadBefore: loadavg()[0]!,
};
/** Sections that can be measured alone, by their headings; the others stay as they are. */
const alone: Readonly<Record<string, readonly [heading: string, measure: () => readonly string[]]>> = {
  imports: [importHeading, () => importSection(measureImports(quick ? 2 : 11), conditions)],
  lint: [lintHeading, () => lintSection(measureLintSection())],
  start: [startHeading, () => startSection(measureStartSection())],
  clusters: [clusterSetHeading, () => clusterSetSection(measureClusterSetSection())],
  clocks: [clocksHeading, () => clocksSection(measureClocksSection())],
  shifts: [shiftHeading, () => shiftSection(measureShiftSection())],
  capacity: [capacityHeading, () => capacitySection(measureCapacitySection())],
};
const chosen = only === undefined ? undefined : alone[only];
if (only !== undefined && chosen === undefined) {
  throw new Error(`--only ${only}: only ${Object.keys(alone).join(', ')} can be measured alone`);
}
const before = readFileSync(file, 'utf8');
const text = chosen ? withSection(before, chosen[0], chosen[1]()) : keepingOthers(everything());
process.stdout.write(text);
if (!quick) {
  writeFileSync(file, text);
}

/** What `bench/corpus.ts`, `bench/evacuate.ts` and `bench/shift-quiet.ts` have written: charts that are not here, servers beside what is measured. */
function keepingOthers(after: string): string {
  return [corpusHeading, evacuationHeading, quietHeading, apisHeading].reduce((text, heading) => {
    const section = before.split(/^(?=## )/m).find((each) => each.startsWith(`${heading}\n`));
    return section === undefined ? text : withSection(text, heading, section.split('\n'));
  }, after);
}

function everything(): string {
  return report({
    conditions,
    imports: measureImports(quick ? 2 : 11),
    synth: measureSynth(quick ? [1000] : [1000, 4000], quick ? 2 : 11),
    previews: measurePreviews(
      quick
        ? [
            { clusters: 1, times: 1 },
            { clusters: 10, times: 1 },
          ]
        : [
            { clusters: 1, times: 7 },
            { clusters: 10, times: 7 },
            { clusters: 100, times: 5 },
            { clusters: 1000, times: 3 },
          ],
    ),
    lint: measureLintSection(),
    start: measureStartSection(),
    clusterSets: measureClusterSetSection(),
    clocks: measureClocksSection(),
    shifts: measureShiftSection(),
    capacity: measureCapacitySection(),
  });
}

function measureShiftSection(): ShiftSection {
  return {
    date: conditions.date,
    node: conditions.node,
    results: measureShifts(quick ? 30 : 300),
    speed: measureSpeed(['healthy', 'one-percent', 'outage'], quick ? 500 : 5000, quick ? 1 : 5),
    driver: measureDriver(quick ? 1 : 5),
  };
}

function measureCapacitySection(): CapacitySection {
  return { date: conditions.date, node: conditions.node, results: measureCapacity(quick ? 60 : 1000) };
}

function measureLintSection(): LintSection {
  return {
    date: conditions.date,
    node: conditions.node,
    load: conditions.loadBefore,
    results: measureLint(quick ? [10, 1000] : [10, 1000, 20_000], quick ? 2 : 7),
    forms: measureLintForms(quick ? 1000 : 20_000, quick ? 1 : 3),
  };
}

function measureStartSection(): StartSection {
  const { NODE_BESIDE: beside } = process.env;
  const programs = [process.execPath, ...(beside === undefined ? [] : [beside])];
  return {
    date: conditions.date,
    load: conditions.loadBefore,
    results: measureLintStart(quick ? 3 : 31, programs),
  };
}

function measureClusterSetSection(): ClusterSetSection {
  return {
    date: conditions.date,
    node: conditions.node,
    load: conditions.loadBefore,
    results: measureClusterSets(quick ? [1] : [1, 15, 100]),
  };
}

function measureClocksSection(): ClocksSection {
  return {
    date: conditions.date,
    node: conditions.node,
    load: conditions.loadBefore,
    results: measureClockChecks(quick ? [50] : [50, 500, 5000]),
  };
}
