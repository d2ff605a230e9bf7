import { writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureImports } from './imports';
import { measurePreviews } from './preview';
import { report } from './report';
import { root } from './run-node';
import { measureSynth } from './synth';

const { quick } = parseArgs({ options: { quick: { type: 'boolean', default: false } } }).values;

const conditions = {
  date: new Date().toISOString().slice(0, 10),
  node: process.version,
  cpus: cpus().length,
  memoryGigabytes: totalmem() / 2 ** 30,
  loadBefore: loadavg()[0]!,
};
const text = report({
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
});
process.stdout.write(text);
if (!quick) {
  writeFileSync(join(root, 'docs', 'benchmarks.md'), text);
}
