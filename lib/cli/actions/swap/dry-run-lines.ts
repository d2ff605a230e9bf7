import { formatDuration } from '../../../core/durations';
import { describeConfiguration, endWords } from '../../../operate/swap';
import type { ProgramChange, SwapOutlook } from '../../../operate/swap';
import { hangingLines, wrapped } from '../../output';
import type { SwapStateDocument } from './document';
import type { DryRunDeployment, DryRunPhase, SwapDryRun } from './dry-run-document';

/** As many as a person reads; the document has all. */
const mostShown = 100;

/** The last line for a person. */
export const nothingWritten = 'Nothing was written.';

/** What the document does not say. */
interface DryRunWords {
  /** The file, for a command about this fleet: `swap.yaml --fleet eu`. */
  readonly named: string;
  /** Milliseconds since 1970. @default - this machine's time */
  readonly now?: number;
}

/** What a swap would do, for a person. */
export function dryRunLines(
  document: SwapDryRun,
  { end }: SwapOutlook,
  { named, now = Date.now() }: DryRunWords,
): readonly string[] {
  const { fleet, region, program, configuration, clusters, live, state, swaps } = document;
  const { next, deployment, changes, problems } = document;
  return [
    ...wrapped(`Fleet ${fleet} in ${region}, made by ${program}.`, '  '),
    `  configuration: ${describeConfiguration(configuration)}`,
    ...Object.entries(clusters).map(
      ([slot, { version, status }]) =>
        `  ${slot}: Kubernetes ${version}, ${status}, ${live[slot] ?? 0} % of the traffic`,
    ),
    ...openLines(document, named),
    ...(isBack(document)
      ? [
          `Back from ${state!.new.name} (${state!.new.version}) to ${state!.old.name} (${state!.old.version}).`,
        ]
      : swaps.flatMap((swap) => [
          `From ${swap.old.name} (${swap.old.version}) to ${swap.new.name} (${swap.new.version})${takenOver(swap)}:`,
          ...swap.phases.flatMap((phase, index) => phaseLines(phase, swap.phases.slice(0, index), now)),
        ])),
    ...(next && deployment
      ? [
          `The ${state && !state.ended ? 'next' : 'first'} deployment, ${deployment.phase}: ${describeConfiguration(next)}`,
          ...deploymentLines(deployment),
          ...changeLines(changes),
        ]
      : []),
    ...(swaps.length === 0 || end.verdict !== 'completed'
      ? hangingLines(`${endWords[end.verdict]}: ${end.reason}`)
      : []),
    ...problems.map((problem) => `problem: ${problem}`),
  ];
}

function isBack({ state }: SwapDryRun): boolean {
  return state !== null && state.ended === null && state.back !== null;
}

function takenOver({ adopted }: SwapDryRun['swaps'][number]): string {
  return adopted === null ? '' : `, taken over at ${adopted}`;
}

/** Where an open swap is, why its last run stopped, and what people have to answer, or have answered. */
function openLines({ state, heldBy, answers }: SwapDryRun, named: string): readonly string[] {
  const open = state && !state.ended ? state : undefined;
  const lines = [
    ...(open
      ? [`swap ${open.id} of ${open.by} is open, at ${open.phase}${open.back ? ', on its way back' : ''}`]
      : []),
    ...(open?.stopped ? stoppedLines(open.stopped) : []),
    ...(heldBy === null ? [] : [`it is run now by ${heldBy}`]),
    ...answers.map(
      ({ phase, agrees, by, at }) =>
        `${by} has ${agrees ? 'agreed to' : 'refused'} ${phase}, at ${minuteOf(at)}`,
    ),
  ];
  const isAsked = open?.askedAt && !answers.some(({ phase }) => phase === open.phase);
  return [
    ...lines.flatMap((line) => wrapped(`  ${line}`, '    ')),
    // A command is not broken: it is to be copied.
    ...(isAsked
      ? [
          `  ${open.phase} has waited for a person since ${minuteOf(open.askedAt)}. To agree, or with --refuse to refuse:`,
          `    cluster-canary swap ${named} --approve ${open.phase}`,
        ]
      : []),
  ];
}

function stoppedLines({
  at,
  by,
  verdict,
  reason,
}: NonNullable<SwapStateDocument['stopped']>): readonly string[] {
  return hangingLines(
    `its last run, by ${by}, was ${endWords[verdict].toLowerCase()} at ${minuteOf(at)}: ${reason}`,
  );
}

/** `2026-12-01T22:00Z` */
function minuteOf(time: string): string {
  return `${time.slice(0, 16)}Z`;
}

/** When a phase or a wave begins, where that is not at once. */
export function notBefore(from: string, now = Date.now()): string | undefined {
  return Date.parse(from) > now + 60_000 ? `not before ${minuteOf(from)}` : undefined;
}

/** Where what is said of a phase begins. */
const phaseIndent = ' '.repeat(12);

function phaseLines(phase: DryRunPhase, before: readonly DryRunPhase[], now: number): readonly string[] {
  const { skip, facts } = phase;
  const last = before.filter((each) => !each.skip).at(-1);
  const head = `  ${phase.phase.padEnd(8)}  `;
  return skip
    ? [`${head}left out`]
    : [
        ...wrapped(`${head}${phaseWords(phase, last, now)}`, phaseIndent),
        ...facts.flatMap(({ name, values }) =>
          wrapped(`${phaseIndent}${name}: ${values.join(', ') || 'none'}`, `${phaseIndent}  `),
        ),
      ];
}

function phaseWords(
  { phase, from, timeoutSeconds, leastSeconds, onFailure, approval }: DryRunPhase,
  last: DryRunPhase | undefined,
  now: number,
): string {
  const duration = (seconds: number): string => formatDuration(seconds * 1000);
  const isBefore = !['drain', 'delete'].includes(phase);
  const parts = [
    ...(leastSeconds > 0
      ? [`at least ${duration(leastSeconds)}`, `inconclusive for ${duration(timeoutSeconds)} at most`]
      : [`within ${duration(timeoutSeconds)}`]),
    // One that has the time of the phase before begins when that has ended.
    (last?.from === from ? undefined : notBefore(from, now)) ?? [],
    ...(isBefore ? [`on failure ${onFailure}s the new cluster`] : []),
    ...(approval
      ? [`a person agrees within ${duration(approval.timeoutSeconds)}, else ${approval.onTimeout}`]
      : []),
  ].flat();
  return parts.join(', ');
}

/** How it is deployed, and why nothing is known of what it changes. */
function deploymentLines({ title, canPreview, commit }: DryRunDeployment): readonly string[] {
  if (commit) {
    const { by, repository, branch, file } = commit;
    const way = by === 'push' ? `a push to ${branch}` : `a pull request to ${branch}`;
    return [
      `  ${way} of ${repository}, file ${file}: "${title}"`,
      '  what the pipeline then changes is not known before',
    ];
  }
  return canPreview ? [] : ['  what it changes is not known: the program has no preview'];
}

function changeLines(changes: readonly ProgramChange[] | null): readonly string[] {
  if (changes === null) {
    return [];
  }
  const lines = changes.map(({ op, type, name, properties }) => {
    const what = [op, type, name].filter(Boolean).join(' ');
    return `  ${what}${properties && properties.length > 0 ? `: ${properties.join(', ')}` : ''}`;
  });
  const more = lines.length - mostShown;
  return [
    ...(lines.length === 0 ? ['  the program shows no changes'] : lines.slice(0, mostShown)),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}
