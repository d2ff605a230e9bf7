import { formatDuration } from '../../../core/durations';
import { describeConfiguration, foreseeSwap } from '../../../operate/swap';
import type {
  FleetConfiguration,
  OpenSwap,
  OutlookPhase,
  ProgramChange,
  ProgramCommit,
  SwapOutlook,
  SwapPhase,
  SwapSeen,
} from '../../../operate/swap';
import { hangingLines, jsonText, somethingWrong, writeDocument, writeNotes, writeOut } from '../../output';
import { isoTime, stateDocument, versionsOnly } from './document';
import type { SwapFlags } from './flags';
import type { SwapStateDocument } from './document';

/** What `swap --dry-run --json` prints: `schemas/swap-dry-run.json`. Times are ISO 8601 in UTC. */
export interface SwapDryRun {
  readonly schemaVersion: 1;
  readonly dryRun: true;
  readonly fleet: string;
  readonly region: string;
  /** The program, for a person. */
  readonly program: string;
  readonly configuration: FleetConfiguration;
  readonly clusters: SwapSeen['clusters'];
  /** Live traffic by slot, in percent. */
  readonly live: SwapSeen['live'];
  /** The newest swap; null where there was none. */
  readonly state: SwapStateDocument | null;
  /** Who runs a swap of the fleet now; null where no one does. */
  readonly heldBy: string | null;
  /** How it would end: at once, or if every phase passes. */
  readonly ends: { readonly verdict: string; readonly unchanged: boolean; readonly reason: string };
  readonly swaps: readonly {
    readonly old: { readonly name: string; readonly version: string };
    readonly new: { readonly name: string; readonly version: string };
    /** The phase that it is taken over at; null where it was not begun by hand. */
    readonly adopted: SwapPhase | null;
    readonly phases: readonly DryRunPhase[];
  }[];
  /** The configuration that is deployed first; null where none is. */
  readonly next: FleetConfiguration | null;
  /** How that is deployed; null where nothing is. */
  readonly deployment: DryRunDeployment | null;
  /** What that deployment would change; null where none is, or it could not be previewed. */
  readonly changes: readonly ProgramChange[] | null;
  /** What keeps it from running, or from being known. */
  readonly problems: readonly string[];
}

interface DryRunDeployment {
  readonly phase: SwapPhase;
  /** What it is for: title of the commit and of the pull request. */
  readonly title: string;
  /** Whether what it would change can be known before. */
  readonly canPreview: boolean;
  /** The commit that it makes, where a pipeline does the rest; null where the program deploys by itself. */
  readonly commit: ProgramCommit | null;
}

interface DryRunPhase {
  readonly phase: SwapPhase;
  /** When it begins at the earliest: windows and soaks are counted, what phases take is not. */
  readonly from: string;
  readonly skip: boolean;
  readonly timeoutSeconds: number;
  /** The least time that it takes. */
  readonly leastSeconds: number;
  readonly onFailure: 'keep' | 'delete';
  /** Null where no one has to agree. */
  readonly approval: { readonly timeoutSeconds: number; readonly onTimeout: 'hold' | 'back' | 'goOn' } | null;
}

/** As many as a person reads; the document has all. */
const mostShown = 100;

/** What is looked ahead with. */
interface DryRunLook {
  readonly signal: AbortSignal;
  /** When a swap that has not begun would begin at the earliest, in milliseconds since 1970. @default - now */
  readonly from?: number;
  /** Whether what is live may be taken over. @default false */
  readonly adopt?: boolean;
  /** Whether a swap begins that is as the one that went back last. @default false */
  readonly retry?: boolean;
}

/** What a swap would do, as a document and as the machine plays it. */
export interface DryRun {
  readonly document: SwapDryRun;
  readonly outlook: SwapOutlook;
  /** When its fleet has the wanted version, at the earliest; -Infinity where it has it, and no one knows since when. */
  readonly endsAt: number;
}

/** Looks at what there is, and plays the swap from there. Nothing is written. */
export async function dryRunOf(open: OpenSwap, given: DryRunLook): Promise<DryRun> {
  const { plan, program, region } = open;
  const foreseen = await foreseeSwap(open, { ...given, now: Date.now(), say: writeNotes });
  const { look, seen, outlook, deployment, changes = null, problems } = foreseen;
  const { record } = look;
  const { first, end, swaps } = outlook;
  const document: SwapDryRun = {
    ...{ schemaVersion: 1, dryRun: true, fleet: plan.fleet, region, program: program.name },
    configuration: versionsOnly(seen.configuration),
    ...{ clusters: seen.clusters, live: seen.live },
    state: record ? stateDocument(record) : null,
    heldBy: look.holder ?? null,
    ends: { verdict: end.verdict, unchanged: end.unchanged === true, reason: end.reason },
    swaps: swaps.map(({ phases, adopted, ...swap }) => ({
      ...swap,
      adopted: adopted?.phase ?? null,
      phases: phases.map(phaseDocument),
    })),
    next: first ? versionsOnly(first.configuration) : null,
    deployment: deployment ? { ...deployment, commit: deployment.commit ?? null } : null,
    ...{ changes, problems },
  };
  const completedAt = record?.ended?.verdict === 'completed' ? record.ended.at : -Infinity;
  return { document, outlook, endsAt: swaps.at(-1)?.phases.at(-1)?.from ?? completedAt };
}

/** Prints what a swap would do, and sets the exit status. Nothing is written. */
export async function showDryRun(
  open: OpenSwap,
  { json = false, adopt = false, retry = false }: Pick<SwapFlags, 'json' | 'adopt' | 'retry'>,
  { signal, undo }: { readonly signal: AbortSignal; readonly undo: () => void },
): Promise<void> {
  const { document, outlook } = await dryRunOf(open, { signal, adopt, retry });
  undo();
  await (json
    ? writeDocument(jsonText(document))
    : writeOut([...dryRunLines(document, outlook), nothingWritten]));
  process.exitCode = statusOfDryRun(document);
}

/** The last line for a person. */
export const nothingWritten = 'Nothing was written.';

/** The exit status of what a swap would do. */
export function statusOfDryRun({ ends, problems }: SwapDryRun): number {
  return ends.verdict === 'aborted' || problems.length > 0 ? somethingWrong : 0;
}

function phaseDocument({
  phase,
  from,
  skip = false,
  timeoutMs,
  leastMs = 0,
  onFailure,
  approval,
}: OutlookPhase): DryRunPhase {
  return {
    ...{ phase, from: isoTime(from), skip, onFailure },
    timeoutSeconds: timeoutMs / 1000,
    leastSeconds: leastMs / 1000,
    approval: approval ? { timeoutSeconds: approval.timeoutMs / 1000, onTimeout: approval.onTimeout } : null,
  };
}

/** The same for a person. */
export function dryRunLines(document: SwapDryRun, { end }: SwapOutlook, now = Date.now()): readonly string[] {
  const { fleet, region, program, configuration, clusters, live, state, heldBy, swaps } = document;
  const { next, deployment, changes, problems } = document;
  return [
    `Fleet ${fleet} in ${region}, made by ${program}.`,
    `  configuration: ${describeConfiguration(configuration)}`,
    ...Object.entries(clusters).map(
      ([slot, { version, status }]) =>
        `  ${slot}: Kubernetes ${version}, ${status}, ${live[slot] ?? 0} % of the traffic`,
    ),
    ...(state && !state.ended
      ? [
          `  swap ${state.id} of ${state.by} is open, at ${state.phase}${state.back ? ', on its way back' : ''}`,
        ]
      : []),
    ...(heldBy === null ? [] : [`  it is run now by ${heldBy}`]),
    ...swaps.flatMap((swap) => [
      `From ${swap.old.name} (${swap.old.version}) to ${swap.new.name} (${swap.new.version})${takenOver(swap)}:`,
      ...swap.phases.map((phase) => phaseLine(phase, now)),
    ]),
    ...(next && deployment
      ? [
          `The ${state && !state.ended ? 'next' : 'first'} deployment, ${deployment.phase}: ${describeConfiguration(next)}`,
          ...deploymentLines(deployment),
          ...changeLines(changes),
        ]
      : []),
    ...(swaps.length === 0 || end.verdict !== 'completed'
      ? hangingLines(`${end.verdict}: ${end.reason}`)
      : []),
    ...problems.map((problem) => `problem: ${problem}`),
  ];
}

function takenOver({ adopted }: SwapDryRun['swaps'][number]): string {
  return adopted === null ? '' : `, taken over at ${adopted}`;
}

function phaseLine(
  { phase, from, skip, timeoutSeconds, leastSeconds, onFailure, approval }: DryRunPhase,
  now: number,
): string {
  if (skip) {
    return `  ${phase.padEnd(8)}  left out`;
  }
  const duration = (seconds: number): string => formatDuration(seconds * 1000);
  const isBefore = !['drain', 'delete'].includes(phase);
  const parts = [
    ...(leastSeconds > 0
      ? [`at least ${duration(leastSeconds)}`, `inconclusive for ${duration(timeoutSeconds)} at most`]
      : [`within ${duration(timeoutSeconds)}`]),
    ...(Date.parse(from) > now + 60_000 ? [`not before ${from.slice(0, 16)}Z`] : []),
    ...(isBefore ? [`on failure ${onFailure}s the new cluster`] : []),
    ...(approval
      ? [`a person agrees within ${duration(approval.timeoutSeconds)}, else ${approval.onTimeout}`]
      : []),
  ];
  return `  ${phase.padEnd(8)}  ${parts.join(', ')}`;
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
