import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { corpusHeading, corpusSection } from './corpus-report';
import type { CorpusCounts, Evaluation } from './corpus-report';
import { root } from './run-node';
import { withSection } from './sections';

// ts-node --transpile-only --project tsconfig.dev.json bench/corpus.ts FOLDER [JUDGEMENTS.json]
// FOLDER has a folder of rendered manifests for each chart; what people evaluated of them is kept beside it, not here.
const [folder, evaluated] = process.argv.slice(2);
if (folder === undefined) {
  throw new Error('give a folder that has a folder for each rendered chart');
}
const charts = chartsBelow(resolve(folder));
if (charts.length === 0) {
  throw new Error(`${folder}: there is no folder with manifests`);
}
const evaluations =
  evaluated === undefined ? [] : (JSON.parse(readFileSync(evaluated, 'utf8')) as readonly Evaluation[]);
const section = corpusSection({
  date: new Date().toISOString().slice(0, 10),
  node: process.version,
  charts: charts.length,
  counts: countsOf(resolve(folder), charts),
  evaluations,
});
const file = join(root, 'docs', 'benchmarks.md');
writeFileSync(file, withSection(readFileSync(file, 'utf8'), corpusHeading, section));

/** Folders that hold a manifest themselves. */
function chartsBelow(at: string): readonly string[] {
  const entries = readdirSync(at, { withFileTypes: true });
  return entries.some((each) => each.isFile() && /\.(?:ya?ml|json)$/.test(each.name))
    ? [at]
    : entries.filter((each) => each.isDirectory()).flatMap(({ name }) => chartsBelow(join(at, name)));
}

function countsOf(cwd: string, charts: readonly string[]): CorpusCounts {
  const main = join(root, 'dist', 'cli', 'main.js');
  const args = [main, 'lint', '.', '--count', '--format', 'json', '--cluster', ...charts];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (stdout === '') {
    throw new Error(`lint: exit status ${status}\n${stderr}`);
  }
  return JSON.parse(stdout) as CorpusCounts;
}
