import type { OwnEnd, StoppedEnd } from '../../core/process/run-program';

/** One run of helm that failed, as helmfile tells it. */
interface FailedCommand {
  readonly args: readonly string[];
  readonly stderr: readonly string[];
}

/** Lines that helmfile writes where all is well. */
const routine =
  /^(Adding repo|Building dependency|Comparing release|Upgrading release|Templating release|Listing releases|Deleting|Decrypting|Fetching|Pulling|Affected releases|"[^"]*" has been added|Update Complete|Hang tight|\.\.\.Successfully)/;

/** As much of an output that can't be taken apart is shown, in lines: the end. */
const mostLines = 40;

/**
 * What went wrong, from the output of helmfile: a part for each release, with the release's name and what Helm said.
 *
 * @param output what helmfile wrote to stderr
 * @param releases names of the releases that it was run for, as far as they are known
 */
export function helmfileFailure(output: string, releases: readonly string[] = []): string {
  const commands = failedCommands(output);
  const parts = commands.map(({ args, stderr }) => {
    const lines = stderr.filter((line) => line.trim() !== '');
    const said = (lines.length > 0 ? lines : ['it said nothing']).join('\n  ');
    return `release ${releaseOf(args, releases) ?? '?'}: ${said}`;
  });
  const unique = [...new Set(parts)];
  if (unique.length > 0) {
    return unique.join('\n');
  }
  const lines = output.split('\n').filter((line) => line.trim() !== '' && !routine.test(line));
  return lines.slice(-mostLines).join('\n');
}

/** @see https://github.com/helmfile/helmfile/blob/v1.8.0/pkg/helmexec/exit_error.go */
function failedCommands(output: string): FailedCommand[] {
  return output
    .split(/command "[^"]*" exited with non-zero status:/)
    .slice(1)
    .map((block) => ({
      args: sectionOf(block, 'ARGS').flatMap(
        (line) => /^\d+: (.*) \(\d+ bytes\)$/.exec(line.trim())?.[1] ?? [],
      ),
      stderr: sectionOf(block, 'STDERR').map((line) => line.replace(/^ {2}/, '')),
    }));
}

/** The indented lines below a heading. */
function sectionOf(block: string, heading: string): string[] {
  const lines = block.split('\n');
  const start = lines.indexOf(`${heading}:`);
  if (start < 0) {
    return [];
  }
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => line !== '' && !line.startsWith('  '));
  return end < 0 ? rest : rest.slice(0, end);
}

function releaseOf(args: readonly string[], releases: readonly string[]): string | undefined {
  const known = args.find((arg) => releases.includes(arg));
  // helm upgrade --install NAME CHART, helm diff upgrade --allow-unreleased NAME CHART, helm uninstall NAME
  return (
    known ??
    args.slice(1).find((arg) => !/^(-.*|diff|upgrade|template|uninstall|dependency|build)$/.test(arg))
  );
}

/** How a run of helmfile ended, and what it wrote. */
export type HelmfileEnd = (OwnEnd | StoppedEnd) & { readonly stdout: string; readonly stderr: string };

/** A release as helmfile lists it. */
export interface ListedRelease {
  /** Name of the release. */
  readonly name: string;
  /** Its namespace; empty where the helmfile names none. */
  readonly namespace: string;
}

/** An entry of helmfile's own list. */
interface HelmfileListEntry {
  readonly name: string;
  readonly namespace?: string;
  readonly enabled?: boolean;
  readonly installed?: boolean;
}

/** What helmfile would do. */
export type HelmfilePlan =
  | { readonly kind: 'unchanged' }
  | {
      readonly kind: 'changes';
      /** A line for each release that would change: `web is updated`. */
      readonly releases: readonly string[];
      /** The differences as helm-diff shows them, without the contents of Secrets. */
      readonly text: string;
    }
  | { readonly kind: 'failed'; readonly reason: string };

/** As much of the differences is shown, in characters: more is not read by anybody, and Pulumi keeps what is shown. */
const longestText = 64 * 1024;

/** helmfile's own exit status for differences, with `--detailed-exitcode`. */
const differs = 2;

/**
 * Reads what `helmfile diff --detailed-exitcode` ended with. The status alone decides; the output is for people.
 *
 * @see https://github.com/helmfile/helmfile/blob/v1.8.0/pkg/app/app.go
 */
export function planOf(end: HelmfileEnd, releases: readonly string[]): HelmfilePlan {
  const status = end.how === 'exited' ? end.status : undefined;
  if (status === 0) {
    return { kind: 'unchanged' };
  }
  if (status === differs) {
    return { kind: 'changes', releases: affectedReleases(end.stderr), text: differences(end.stdout) };
  }
  return { kind: 'failed', reason: endReason(end, releases) };
}

/** Why a run of helmfile did not succeed. */
export function endReason(end: HelmfileEnd, releases: readonly string[]): string {
  if (end.how === 'cancelled') {
    return describeEnd(end);
  }
  const said = helmfileFailure(end.stderr, releases) || helmfileFailure(end.stdout, releases);
  if (said === '') {
    return describeEnd(end);
  }
  return end.how === 'exited' ? said : `${describeEnd(end)}\n${said}`;
}

/** How a run ended that did not succeed. */
export function describeEnd(end: OwnEnd | StoppedEnd): string {
  switch (end.how) {
    case 'cancelled':
      return 'it was interrupted';
    case 'timedOut':
      return 'it took too long';
    case 'tooMuch':
      return `it wrote too much to ${end.stream}`;
    case 'signalled':
      return `${end.signal} ended it`;
    case 'exited':
      return `it ended with status ${end.status}`;
  }
}

function affectedReleases(output: string): string[] {
  const lines = output.split('\n');
  return lines.flatMap((line) => {
    const [, name, what] = /^\s+(\S+) \(.*\) (UPDATED|DELETED)\b/.exec(line) ?? [];
    return name === undefined
      ? []
      : [`${name} is ${what === 'DELETED' ? 'uninstalled' : 'installed or updated'}`];
  });
}

/** Without the lines that stand there for releases that do not change. */
function differences(output: string): string {
  const lines = output.split('\n').map((line) => line.trimEnd());
  const isHeading = (line: string): boolean => line.startsWith('Comparing release=');
  const kept = lines.filter((line, position) => {
    if (!isHeading(line)) {
      return true;
    }
    const next = lines.findIndex((each, index) => index > position && each !== '');
    return next >= 0 && !isHeading(lines[next]!);
  });
  const text = kept.join('\n').trim();
  if (text.length <= longestText) {
    return text;
  }
  const shown = text.slice(0, text.lastIndexOf('\n', longestText));
  return `${shown}\n… and ${text.slice(shown.length).trim().split('\n').length} lines more: helmfile diff shows them`;
}

/**
 * Reads what `helmfile list --output json` wrote: the releases that are to be there, by namespace and name. helmfile's own order
 * changes from run to run.
 *
 * @throws Error where it is something else
 */
export function listedReleases(output: string): ListedRelease[] {
  const start = output.indexOf('[');
  const list = (start < 0 ? [] : JSON.parse(output.slice(start))) as HelmfileListEntry[];
  return list
    .filter(({ enabled, installed }) => enabled !== false && installed !== false)
    .map(({ name, namespace = '' }) => ({ name, namespace }))
    .sort((a, b) => (`${a.namespace}/${a.name}` < `${b.namespace}/${b.name}` ? -1 : 1));
}
