import { statSync } from 'node:fs';
import { sleep } from '../../../core/async';
import { readBounded } from '../../../core/files/read';
import type { AwsClients } from '../../../core/aws/clients';
import type { AllowStatement } from '../../../core/aws/iam';
import type { AccessRule } from '../../../core/kubernetes/api';
import { LeaseTaken } from '../../../shift/engine';
import type { Lease } from '../../../shift/engine';
import {
  kubernetesLeaseAccess,
  kubernetesLeaseNameOf,
  openLeaseOf,
  ssmLeasePermissions,
} from '../../../shift/leases';
import type { LeaseSettings } from '../../../shift/leases';
import type { SwapPhase } from '../phases';
import type { Approvals } from '../swap-run';
import type { SwappedFleet } from '../store/swap-store';
import {
  answerFor,
  answersFor,
  boundTo,
  swapAnswerRecords,
  withAnswer,
  withBackRequest,
  without,
} from './answer-record';
import type { AnswerQuestion, BackRequest, SwapAnswerNote, SwapAnswers } from './answer-record';

/** Where answers of people are kept: beside the record of the swaps, so that any machine can answer. */
export interface AnswerStore {
  /** What it is, for logs. */
  readonly name: string;
  /** Writes an answer. */
  give(answer: SwapAnswerNote, signal?: AbortSignal): Promise<void>;
  /** The answer to a swap before a phase. One that was for the next swap is bound to this one. */
  take(phase: SwapPhase, swap: string, signal: AbortSignal): Promise<SwapAnswerNote | undefined>;
  /** The answers that a swap will find before these phases. Nothing is written. */
  waiting(question: Omit<AnswerQuestion, 'now'>, signal: AbortSignal): Promise<readonly SwapAnswerNote[]>;
  /** Writes that a person wants a swap to go back which another process runs. */
  askBack(request: BackRequest, signal?: AbortSignal): Promise<void>;
  /** That a person wants this swap to go back. */
  askedBack(swap: string, signal: AbortSignal): Promise<BackRequest | undefined>;
  /** Takes away what was answered to the next swap before one ended at this time: it was for that one. */
  drop(endedAt: number, signal: AbortSignal): Promise<void>;
  readonly close: () => void;
}

/** Nobody holds them longer than a write takes. */
const lasts = '30s';

/** How often it is tried while another process writes. */
const tries = 5;

const pauseMs = 1_000;

/** What the answers to a fleet's swaps are named after. */
function answersId({ fleet, region }: SwappedFleet): string {
  return `swap-answers/${region}/${fleet}`;
}

/**
 * The answers to the swaps of a fleet, in the same place as their record.
 *
 * @throws InvalidInput where there is no kubeconfig that can be used
 */
export async function openAnswers(
  settings: Exclude<LeaseSettings, 'none'>,
  fleet: SwappedFleet,
  clients: AwsClients | undefined,
): Promise<AnswerStore> {
  const own =
    'kubernetes' in settings
      ? { kubernetes: { ...settings.kubernetes, duration: lasts } }
      : { ssm: { ...settings.ssm, duration: lasts } };
  const held = await openLeaseOf(swapAnswerRecords, own, answersId(fleet), clients);
  return answersIn(held.lease, () => held.close());
}

/** The same in any lease. */
export function answersIn(
  lease: Lease<SwapAnswers>,
  close: () => void = () => undefined,
  now: () => number = Date.now,
): AnswerStore {
  const acquire = async (signal?: AbortSignal, left = tries - 1): ReturnType<typeof lease.acquire> => {
    try {
      return await lease.acquire(signal);
    } catch (error) {
      if (!(error instanceof LeaseTaken) || left === 0) {
        throw error;
      }
      await sleep(pauseMs * (0.5 + Math.random()), signal);
      return acquire(signal, left - 1);
    }
  };
  const change = async (make: (all: SwapAnswers) => SwapAnswers, signal?: AbortSignal): Promise<void> => {
    const { record = { answers: [] }, problem } = await acquire(signal);
    // What is no list of answers answers nothing, and is written over.
    await lease.release(make(problem === undefined ? record : { answers: [] }), signal);
  };
  return {
    name: lease.name,
    give: (answer, signal) => change((all) => withAnswer(all, answer), signal),
    take: async (phase, swap, signal) => {
      const { record } = await lease.look(signal);
      const found = record && answerFor(record, { phase, swap, now: now() });
      if (found && found.swap === undefined) {
        await change((all) => {
          const same = answerFor(all, { phase, swap, now: now() });
          return same && same.swap === undefined ? boundTo(all, same, swap) : all;
        }, signal);
      }
      return found;
    },
    waiting: async (question, signal) => {
      const { record } = await lease.look(signal);
      return record ? answersFor(record, { ...question, now: now() }) : [];
    },
    askBack: (request, signal) => change((all) => withBackRequest(all, request), signal),
    askedBack: async (swap, signal) => {
      const { record } = await lease.look(signal);
      return record?.back?.swap === swap ? record.back : undefined;
    },
    drop: async (endedAt, signal) => {
      const { record } = await lease.look(signal);
      if (record && without(record, endedAt).answers.length < record.answers.length) {
        await change((all) => without(all, endedAt), signal);
      }
    },
    close,
  };
}

/** The least rights at AWS that answers need. */
export function answerPermissions(
  settings: Exclude<LeaseSettings, 'none'>,
  fleet: SwappedFleet,
): readonly AllowStatement[] {
  return 'kubernetes' in settings
    ? []
    : ssmLeasePermissions(answersId(fleet), { region: settings.ssm?.region ?? fleet.region });
}

/** The least rights at the API server of the lease that answers need. */
export function answerAccess(
  settings: Exclude<LeaseSettings, 'none'>,
  fleet: SwappedFleet,
): readonly AccessRule[] {
  return 'kubernetes' in settings
    ? kubernetesLeaseAccess(settings.kubernetes.namespace, [
        kubernetesLeaseNameOf(swapAnswerRecords, answersId(fleet)),
      ])
    : [];
}

/** How a swap hears of answers. */
export interface ApprovalPlaces {
  readonly store: Pick<AnswerStore, 'take'>;
  /** The command that answers, with `PHASE` in place of the phase. */
  readonly command: (phase: SwapPhase) => string;
  /** Files that answer as well: PATH-PHASE. One that is older than the swap answered another one. @default - none */
  readonly files?: string;
  /** Reads a file. @default - this machine's */
  readonly read?: (path: string) => FileAnswer | undefined;
}

/** What a file answers. */
export interface FileAnswer {
  /** Its first word. */
  readonly word: string;
  /** When it was written or touched last, in milliseconds since 1970. */
  readonly at: number;
}

/** How much earlier than by this process's clock a file may have been written: file systems count in up to two seconds. */
const fileTimeMs = 2_000;

/** Answers that are left by a command, on whichever machine, or by a file on this one. */
export function leftApprovals({ store, command, files, read = fileAnswer }: ApprovalPlaces): Approvals {
  const file = (phase: SwapPhase): string => `${files}-${phase}`;
  return {
    how: (phase) =>
      `${command(phase)}${files === undefined ? '' : `; or make the file ${file(phase)}, or touch one of an earlier swap (empty or with "yes"; what else it says refuses)`}`,
    answer: async (phase, { id, startedAt }, signal) => {
      const found = await store.take(phase, id, signal);
      // Of two answers, the one that refuses counts.
      if (found?.agrees === false) {
        return { refusedBy: found.by };
      }
      const said = files === undefined ? undefined : read(file(phase));
      if (said !== undefined && said.at >= startedAt - fileTimeMs) {
        const by = `the file ${file(phase)}`;
        return /^(y|yes|ok|agreed|approved)?$/i.test(said.word) ? { approvedBy: by } : { refusedBy: by };
      }
      return found && { approvedBy: found.by };
    },
  };
}

const longestFile = 10_000;

/** What a file that is there answers. One that can't be read is no answer. */
function fileAnswer(path: string): FileAnswer | undefined {
  try {
    const text = readBounded(path, { longest: longestFile }).toString('utf8');
    return { word: text.trim().split(/\s/, 1)[0] ?? '', at: statSync(path).mtimeMs };
  } catch {
    return undefined;
  }
}
