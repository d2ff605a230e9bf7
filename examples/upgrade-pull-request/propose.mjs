// What upgrade.yml proposes: from what EKS says of versions, the swap file, and the report of `ready`.
import { readFileSync, writeFileSync } from 'node:fs';

const [mode, versionsFile, swapFile, readyFile, bodyFile] = process.argv.slice(2);
const day = 24 * 3_600_000;
const minorOf = (version) => Number(/^1\.(\d+)$/.exec(version)?.[1] ?? NaN);

const swap = readFileSync(swapFile, 'utf8');
const wanted = /^(to:[^\n]*?["'])(1\.\d+)(["'])/m;
const current = wanted.exec(swap)?.[2];
if (current === undefined) {
  throw new Error(`${swapFile} has no line such as: to: "1.35"`);
}

const { clusterVersions } = JSON.parse(readFileSync(versionsFile, 'utf8'));
const supported = clusterVersions.filter(({ versionStatus }) => versionStatus === 'STANDARD_SUPPORT');
const newest = supported
  .map(({ clusterVersion }) => clusterVersion)
  .filter((version) => minorOf(version) > minorOf(current))
  .sort((one, other) => minorOf(other) - minorOf(one))[0];

if (mode === 'next') {
  console.log(newest === undefined ? '' : `to=${newest}`);
} else {
  const { summary, findings, subjects } = JSON.parse(readFileSync(readyFile, 'utf8'));
  writeFileSync(swapFile, swap.replace(wanted, `$1${newest}$3`));
  writeFileSync(bodyFile, bodyOf(summary, findings, subjects));
  console.log(`Kubernetes ${newest} for ${/^fleet:\s*(\S+)/m.exec(swap)?.[1] ?? 'the fleet'}`);
}

/** How long the version that runs has standard support. */
function supportOf() {
  const { endOfStandardSupportDate: end } =
    clusterVersions.find(({ clusterVersion }) => clusterVersion === current) ?? {};
  // The command line of AWS prints a date, the API seconds.
  const at = typeof end === 'number' ? end * 1000 : Date.parse(end);
  if (Number.isNaN(at)) {
    return `EKS does not say how long ${current} has standard support.`;
  }
  const days = Math.ceil((at - Date.now()) / day);
  return days > 0
    ? `${current} leaves standard support in ${days} days.`
    : `${current} has left standard support ${-days} days ago: EKS charges for extended support.`;
}

function bodyOf(summary, findings, subjects) {
  const untried = subjects.flatMap(({ name, untried: lines }) => lines.map((line) => `${name}: ${line}`));
  const shown = findings
    .slice(0, 50)
    .map(({ severity, id, message, fix }) => `| ${[severity, id, message, fix].map(cell).join(' | ')} |`);
  return [
    `${newest} is out. ${supportOf()}`,
    '',
    `\`ready --to ${newest}\` reports ${summary.error} errors and ${summary.warning} warnings.`,
    ...(shown.length > 0 ? ['', '| severity | finding | what | fix |', '|---|---|---|---|', ...shown] : []),
    ...(untried.length > 0 ? ['', 'Not looked at:', '', ...untried.map((line) => `- ${cell(line)}`)] : []),
    '',
    'Once it is merged, `cluster-canary swap swap.yaml` changes the cluster, or the SwapWorkflow in the hub does.',
    '',
  ].join('\n');
}

/** One cell of a table: what clusters say of themselves is no markup. */
function cell(text) {
  return String(text ?? '')
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_{}[\]<>#|@]/g, '\\$&');
}
