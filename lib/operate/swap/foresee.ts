import { errorLine } from '../../core/validation/problems';
import { problemsHere } from './begin';
import { deploymentTitle } from './deployment';
import { unexpectedChanges } from './expected-changes';
import type { HubProblem } from './phases/hubs';
import { swapOutlook } from './outlook';
import type { DeployAction, Refusals, SwapOutlook } from './outlook';
import type { SwapPhase } from './phases';
import type { FleetProgram, ProgramChange, ProgramCommit } from './program';
import type { SwapSeen } from './seen';
import type { SwapLook } from './store';
import type { SwapRun } from './swap-run';

/** What a swap would do, with what that is known from. */
export interface ForeseenSwap {
  readonly seen: SwapSeen;
  readonly outlook: SwapOutlook;
  /** The first deployment. @default - nothing is deployed */
  readonly deployment?: ForeseenDeployment;
  /** What the first deployment would change. @default - nothing is deployed, or it could not be previewed */
  readonly changes?: readonly ProgramChange[];
  /** What keeps it from running, or from being known, a line each. */
  readonly problems: readonly string[];
}

/** The first deployment of a swap. */
export interface ForeseenDeployment {
  /** The phase that deploys it. */
  readonly phase: SwapPhase;
  /** What it is for, in one line: title of its commit and of its pull request. */
  readonly title: string;
  /** Whether what it would change can be known before. */
  readonly canPreview: boolean;
  /** The commit that it makes, where a pipeline does the rest. @default - the program deploys by itself */
  readonly commit?: ProgramCommit;
}

/** How it is looked ahead. */
export interface ForeseeOptions {
  /** Whether what is live may be taken over. @default false */
  readonly adopt?: boolean;
  /** Whether a swap begins that is as the one that went back last. @default false */
  readonly retry?: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** When a swap that has not begun would begin at the earliest, in milliseconds since 1970. @default - now */
  readonly from?: number;
  /** What the store holds. */
  readonly look: SwapLook;
  /** Who has refused phases of this swap. @default - no one has */
  readonly refusals?: Refusals;
  /** Takes a line about what goes on. */
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** What is opened of a swap to look it ahead. */
interface Foreseeable extends Pick<SwapRun, 'plan' | 'program' | 'observe' | 'store' | 'mover'> {
  /** Why hubs that it needs can't be asked. @default - none is needed */
  readonly hubProblems?: (signal: AbortSignal) => Promise<readonly HubProblem[]>;
  /** What phases name on this machine and can't be used. @default - they name nothing */
  readonly fileProblems?: () => Promise<readonly string[]>;
}

/**
 * What an opened swap would do, and what its first deployment would change. Nothing is written.
 *
 * @throws what the observer throws, and the signal's reason
 */
export async function foreseeSwap(
  { plan, program, observe, store, mover, hubProblems, fileProblems }: Foreseeable,
  { look, adopt = false, retry = false, now, from = now, refusals, say, signal }: ForeseeOptions,
): Promise<ForeseenSwap> {
  const seen = await observe(signal);
  const { record } = look;
  const isOpen = record !== undefined && !record.ended;
  const begins = isOpen ? now : Math.max(now, from);
  const outlook = swapOutlook(plan, {
    ...{ seen, adopt, retry, now: begins },
    ...(record && { record }),
    ...(refusals && { refusals }),
  });
  const problems = look.problem === undefined ? [] : [`${store.name}: ${look.problem}`];
  const { first } = outlook;
  if (outlook.end.unchanged !== true) {
    const unreachable = (await hubProblems?.(signal)) ?? [];
    mover?.look?.().notes.forEach((note) => say(note));
    const here = await problemsHere({
      program,
      ...(mover && { mover }),
      ...(fileProblems && { fileProblems }),
    });
    // A hub whose kubeconfig is missing is found twice.
    problems.push(...new Set([...unreachable.map(({ reason }) => reason), ...here]));
  }
  const isMissing = (program.problems?.() ?? []).length > 0;
  const deployment = first && foreseenDeployment(program, first);
  const foreseen = { seen, outlook, problems, ...(deployment && { deployment }) };
  if (!first || !deployment || isMissing) {
    return foreseen;
  }
  if (!deployment.canPreview) {
    const why = deployment.commit ? 'is deployed by a pipeline' : 'has no preview';
    say(`What the first deployment would change is not known: ${program.name} ${why}`);
    return foreseen;
  }
  try {
    say(`Previews the first deployment: ${program.name}`);
    const { phase, back, old, new: fresh, configuration, restore } = first;
    const changes = await program.preview(configuration, signal, restore);
    problems.push(
      ...unexpectedChanges(changes, { phase, back, fleet: plan.fleet, old: old.name, new: fresh.name }),
    );
    return { ...foreseen, changes };
  } catch (error) {
    signal.throwIfAborted();
    problems.push(`The first deployment could not be previewed: ${errorLine(error)}`);
    return foreseen;
  }
}

function foreseenDeployment(
  { canPreview = true, commit }: FleetProgram,
  first: DeployAction,
): ForeseenDeployment {
  return { phase: first.phase, title: deploymentTitle(first), canPreview, ...(commit && { commit }) };
}
