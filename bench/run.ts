import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureImports } from './imports';
import { measurePreviews } from './preview';
import { report } from './report';
import { root } from './run-node';
import { measureShifts } from './shift';
import type { ShiftSection } from './shift-report';
import { shiftHeading, shiftSection } from './shift-report';
import { measureDriver, measureSpeed } from './shift-speed';
import { measureSynth } from './synth';

const { quick, only } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } },
}).values;
if (only !== undefined && only !== 'shifts') {
  throw new Error(`--only ${only}: only "shifts" can be measured alone`);
}
const file = join(root, 'docs', 'benchmarks.md');

const conditions = {
  date: new Date().toISOString().slice(0, 10),
  node: process.version,
  cpus: cpus().length,
  memoryGigabytes: totalmem() / 2 ** 30,
  loadBefore: loadavg()[0]!,
};
const text = only === 'shifts' ? withNewShifts(readFileSync(file, 'utf8')) : everything();
process.stdout.write(text);
if (!quick) {
  writeFileSync(file, text);
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
    shifts: measureShiftSection(),
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

/** The other sections stay as they are; that of the shifts is the last one. */
function withNewShifts(before: string): string {
  const [others = ''] = before.split(`${shiftHeading}\n`);
  return [others.trimEnd(), '', ...shiftSection(measureShiftSection())].join('\n');
}
