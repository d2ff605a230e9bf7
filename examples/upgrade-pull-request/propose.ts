// What upgrade.yml proposes: from what EKS says of versions, the swap file, and the report of `ready`.
import { readFileSync, writeFileSync } from 'node:fs';

/** A version of Kubernetes, as `aws eks describe-cluster-versions` has it. */
interface Version {
  readonly clusterVersion: string;
  readonly versionStatus: string;
  /** A date as text from the command line of AWS, or seconds since 1970. */
  readonly endOfStandardSupportDate?: string | number;
}

/** The part of `ready --format json` that is used. */
interface Report {
  readonly summary: { readonly error: number; readonly warning: number };
  readonly findings: readonly {
    readonly severity: string;
    readonly id: string;
    readonly message: string;
    readonly fix: string;
  }[];
  readonly subjects: readonly { readonly name: string; readonly untried: readonly string[] }[];
}

const [mode = '', versionsFile = '', swapFile = '', readyFile = '', bodyFile = ''] = process.argv.slice(2);

const day = 24 * 3_600_000;

const minorOf = (version: string): number => Number(/^1\.(\d+)$/.exec(version)?.[1] ?? NaN);

const swap = readFileSync(swapFile, 'utf8');
const wanted = /^(to:[^\n]*?["'])(1\.\d+)(["'])/m;
const current = wanted.exec(swap)?.[2];
if (current === undefined) {
  process.stderr.write(`${swapFile}: no line such as to: "1.35" that all fleets have in common\n`);
  process.exit(2);
}

const { clusterVersions: versions } = JSON.parse(readFileSync(versionsFile, 'utf8')) as {
  readonly clusterVersions: readonly Version[];
};
const [newest] = versions
  .filter(({ versionStatus }) => versionStatus === 'STANDARD_SUPPORT')
  .map(({ clusterVersion }) => clusterVersion)
  .filter((version) => minorOf(version) > minorOf(current))
  .sort((one, other) => minorOf(other) - minorOf(one));

if (mode === 'next') {
  process.stdout.write(newest === undefined ? '' : `to=${newest}\n`);
} else if (newest !== undefined) {
  const report = JSON.parse(readFileSync(readyFile, 'utf8')) as Report;
  writeFileSync(swapFile, swap.replace(wanted, `$1${newest}$3`));
  writeFileSync(bodyFile, bodyOf(newest, report));
  const fleet = /^fleet:\s*(\S+)/m.exec(swap)?.[1] ?? 'the fleet';
  process.stdout.write(`Kubernetes ${newest} for ${fleet}\n`);
}

/** How long the version that runs has standard support. */
function supportOf(running: string): string {
  const end = versions.find(({ clusterVersion }) => clusterVersion === running)?.endOfStandardSupportDate;
  const at = typeof end === 'number' ? end * 1000 : Date.parse(end ?? '');
  if (Number.isNaN(at)) {
    return `EKS does not say how long ${running} has standard support.`;
  }
  const days = Math.ceil((at - Date.now()) / day);
  return days > 0
    ? `${running} leaves standard support in ${days} days.`
    : `${running} has left standard support ${-days} days ago: EKS charges for extended support.`;
}

function bodyOf(version: string, { summary, findings, subjects }: Report): string {
  const untried = subjects.flatMap(({ name, untried: lines }) => lines.map((line) => `${name}: ${line}`));
  const rows = findings
    .slice(0, 50)
    .map(({ severity, id, message, fix }) => `| ${[severity, id, message, fix].map(cell).join(' | ')} |`);
  return [
    `${version} is out. ${supportOf(current!)}`,
    '',
    `\`ready --to ${version}\` reports ${summary.error} errors and ${summary.warning} warnings` +
      `${untried.length > 0 ? `, and could not look at all that it looks at (${untried.length} below)` : ''}.`,
    ...(rows.length > 0 ? ['', '| severity | finding | what | fix |', '|---|---|---|---|', ...rows] : []),
    ...(untried.length > 0 ? ['', 'Not looked at:', '', ...untried.map((line) => `- ${cell(line)}`)] : []),
    '',
    'Once it is merged, `cluster-canary swap swap.yaml` changes the cluster, or the SwapWorkflow in the hub does.',
    '',
  ].join('\n');
}

/** One cell of a table: what clusters say of themselves is no markup. */
function cell(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_{}[\]<>#|@]/g, '\\$&');
}
