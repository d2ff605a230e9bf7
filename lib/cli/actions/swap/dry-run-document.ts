import { dirname, resolve } from 'node:path';
import { errorLine } from '../../../core/validation/problems';
import { foreseeSwap, phaseFacts, swapPhases } from '../../../operate/swap';
import type {
  CheckedSwapFile,
  FleetConfiguration,
  OpenSwap,
  OutlookPhase,
  PhaseFact,
  ProgramChange,
  ProgramCommit,
  SwapOutlook,
  SwapPhase,
  SwapRecord,
  SwapSeen,
} from '../../../operate/swap';
import { readPlan } from '../../../shift/plan-file';
import type { CheckedPlanFile } from '../../../shift/plan-file';
import { writeNotes } from '../../output';
import { isoTime, stateDocument, versionsOnly } from './document';
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
  /** What people have answered already before phases that are still to come, in their order. */
  readonly answers: readonly DryRunAnswer[];
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

/** An answer that the swap will find. */
export interface DryRunAnswer {
  readonly phase: SwapPhase;
  /** Whether the phase may begin; else the swap goes back. */
  readonly agrees: boolean;
  /** Who has answered: user and machine. */
  readonly by: string;
  readonly at: string;
}

/** The first deployment. */
export interface DryRunDeployment {
  readonly phase: SwapPhase;
  /** What it is for: title of the commit and of the pull request. */
  readonly title: string;
  /** Whether what it would change can be known before. */
  readonly canPreview: boolean;
  /** The commit that it makes, where a pipeline does the rest; null where the program deploys by itself. */
  readonly commit: ProgramCommit | null;
}

/** One phase that is left. */
export interface DryRunPhase {
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
  /** What it looks at and does, by the swap file; empty where it is left out, or the swap goes back. */
  readonly facts: readonly PhaseFact[];
}

/** What is looked ahead with. */
interface DryRunLook {
  readonly signal: AbortSignal;
  /** When the run begins, in milliseconds since 1970. @default - now */
  readonly begins?: number;
  /** When a swap that has not begun would begin at the earliest, in milliseconds since 1970. @default - as the run does */
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
export async function dryRunOf(
  swap: CheckedSwapFile,
  open: OpenSwap,
  { begins = -Infinity, ...given }: DryRunLook,
): Promise<DryRun> {
  const { plan, program, region, store } = open;
  const look = await store.look(given.signal);
  const { record } = look;
  const left = await answersLeft(open, record, given.signal);
  const foreseen = await foreseeSwap(open, {
    ...given,
    look,
    refusals: Object.fromEntries(
      left.answers.flatMap(({ phase, agrees, by }) => (agrees ? [] : [[phase, by]])),
    ),
    now: Math.max(Date.now(), begins),
    say: writeNotes,
  });
  const { seen, outlook, deployment, changes = null, problems } = foreseen;
  const { first, end, swaps } = outlook;
  const planned = planOf(swap);
  const facts = phaseFacts(swap, { program, ...(planned && { plan: planned }) });
  const isBack = record?.back !== undefined && !record.ended;
  const document: SwapDryRun = {
    ...{ schemaVersion: 1, dryRun: true, fleet: plan.fleet, region, program: program.name },
    configuration: versionsOnly(seen.configuration),
    ...{ clusters: seen.clusters, live: seen.live },
    state: record ? stateDocument(record) : null,
    heldBy: look.holder ?? null,
    answers: left.answers,
    ends: { verdict: end.verdict, unchanged: end.unchanged === true, reason: end.reason },
    swaps: swaps.map(({ phases, adopted, ...each }) => ({
      ...each,
      adopted: adopted?.phase ?? null,
      phases: phases.map((phase) => phaseDocument(phase, isBack ? [] : facts[phase.phase])),
    })),
    next: first ? versionsOnly(first.configuration) : null,
    deployment: deployment ? { ...deployment, commit: deployment.commit ?? null } : null,
    ...{ changes, problems: [...problems, ...left.problems] },
  };
  const completedAt = record?.ended?.verdict === 'completed' ? record.ended.at : -Infinity;
  return { document, outlook, endsAt: swaps.at(-1)?.phases.at(-1)?.from ?? completedAt };
}

/** The plan of the shift; where it can't be read yet, {@link foreseeSwap} says why. */
function planOf({ file, phases }: CheckedSwapFile): CheckedPlanFile | undefined {
  const plan = phases.shift?.plan;
  try {
    return plan === undefined ? undefined : readPlan(resolve(dirname(file), plan));
  } catch {
    return undefined;
  }
}

/** Answers before phases that ask someone and have not begun. Without such phases no one is asked for them. */
async function answersLeft(
  { plan, answers }: OpenSwap,
  record: SwapRecord | undefined,
  signal: AbortSignal,
): Promise<Pick<SwapDryRun, 'answers' | 'problems'>> {
  const open = record && !record.ended ? record : undefined;
  const reached = open ? swapPhases.indexOf(open.phase) + (open.phaseStartedAt === undefined ? 0 : 1) : 0;
  const phases = swapPhases
    .slice(reached)
    .filter((phase) => plan.phases[phase].approval !== undefined && plan.phases[phase].skip !== true);
  if (open?.back || phases.length === 0) {
    return { answers: [], problems: [] };
  }
  try {
    const found = await answers.waiting({ phases, ...(open && { swap: open.id }) }, signal);
    const documents = found.map(({ phase, agrees, by, at }) => ({ phase, agrees, by, at: isoTime(at) }));
    return { answers: documents, problems: [] };
  } catch (error) {
    signal.throwIfAborted();
    return { answers: [], problems: [`${answers.name}: answers could not be read: ${errorLine(error)}`] };
  }
}

function phaseDocument(
  { phase, from, skip = false, timeoutMs, leastMs = 0, onFailure, approval }: OutlookPhase,
  facts: readonly PhaseFact[],
): DryRunPhase {
  return {
    ...{ phase, from: isoTime(from), skip, onFailure },
    timeoutSeconds: timeoutMs / 1000,
    leastSeconds: leastMs / 1000,
    approval: approval ? { timeoutSeconds: approval.timeoutMs / 1000, onTimeout: approval.onTimeout } : null,
    facts,
  };
}
