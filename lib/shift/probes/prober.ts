import type { Clock } from '../../core/async';
import { syntheticAgent } from '../../core/names';
import type { SlotCount } from '../evaluation';
import type { OwnRequests } from './own-requests';
import type { Probe, ProbeResult, SendProbe } from './probe';
import { previewUrl } from './resolve-preview';
import type { ResolvedPreview } from './resolve-preview';

/** What is sent, and what counts as an answer. */
export interface ProberSettings {
  /** Requests a second to each slot. */
  readonly rate: number;
  /** Paths, asked in turn. */
  readonly paths: readonly string[];
  /** For one exchange, in milliseconds. */
  readonly timeoutMs: number;
  /** Statuses that are well. @default - those below 400 */
  readonly expectedStatus?: readonly number[];
  /** Answers that take longer are slow, in milliseconds. @default - none is */
  readonly slowAboveMs?: number;
  /** Length of a round, in milliseconds. @default 10000 - short enough for a check that is asked every 15 seconds */
  readonly roundMs?: number;
}

/** What a round works with. */
export interface ProberTools {
  readonly send: SendProbe;
  readonly clock: Clock;
  /** Where each request is noted, whatever becomes of its round. */
  readonly own: OwnRequests;
}

/** The longest body of an answer, in bytes. */
const longestAnswer = 2_097_152;

/** Pairs that may be on their way at once: slots that hang are asked no faster than they answer. */
export const mostUnderWay = 20;

const defaultRoundMs = 10_000;

/** Pairs of a round at least: fewer than these are no outage. */
const fewestPairs = 10;

/** How many pairs a round has. */
export function pairsOfRound({
  rate,
  roundMs = defaultRoundMs,
}: Pick<ProberSettings, 'rate' | 'roundMs'>): number {
  return Math.max(fewestPairs, Math.round((rate * roundMs) / 1_000));
}

/** What came of a round. */
export interface ProbedRound {
  /** Counts of the round, one of each slot, all of the same number of requests; none where no pair was sent. */
  readonly counts: readonly SlotCount[];
  /**
   * Why some pairs don't count, a line for each slot: requests that never left this machine, or its proxy, say nothing of a slot.
   */
  readonly unsent: readonly string[];
}

/**
 * One round: the same requests to all slots at the same moments, evenly over its time. A pair that is due while too many are
 * on their way is left out.
 *
 * @param first number of the first pair, from which its path follows
 * @throws the signal's reason where that is aborted
 */
export async function probeRound(
  previews: Readonly<Record<string, ResolvedPreview>>,
  settings: ProberSettings,
  { send, clock, own }: ProberTools,
  first = 0,
  signal?: AbortSignal,
): Promise<ProbedRound> {
  const begun = clock.now();
  own.begin(begun);
  const totals = Object.keys(previews).map((slot) => ({
    slot,
    at: begun,
    requests: 0,
    errors: 0,
    ...(settings.slowAboveMs !== undefined && { slow: 0 }),
  }));
  const underWay = new Set<Promise<void>>();
  const unsent = new Map<string, { readonly failure: string; pairs: number }>();
  const pair = async (number: number): Promise<void> => {
    const path = settings.paths[number % settings.paths.length] ?? '/';
    const answers = await Promise.all(
      Object.entries(previews).map(async ([slot, preview]) => {
        const answer = await answerOf(send, probeOf(preview, path, settings), clock, signal);
        if (isOurs(answer)) {
          const { failure, pairs } = unsent.get(slot) ?? { failure: answer.failure, pairs: 0 };
          unsent.set(slot, { failure, pairs: pairs + 1 });
        } else {
          own.note({ slot, at: clock.now(), ...noted(answer, settings) });
        }
        return answer;
      }),
    );
    // A pair is the same request to all slots, or none.
    if (answers.some(isOurs)) {
      return;
    }
    totals.forEach((total, index) => {
      const answer = answers[index];
      if (answer !== undefined) {
        total.requests += 1;
        total.errors += isWell(answer, settings) ? 0 : 1;
        if (total.slow !== undefined) {
          total.slow += isSlow(answer, settings) ? 1 : 0;
        }
      }
    });
  };
  for (let number = 0; number < pairsOfRound(settings); number += 1) {
    const due = begun + (number * 1_000) / settings.rate;
    await clock.sleep(Math.max(0, due - clock.now()), signal);
    signal?.throwIfAborted();
    if (underWay.size < mostUnderWay) {
      const sent = pair(first + number).finally(() => underWay.delete(sent));
      // It is waited for below; what it throws is heard there.
      sent.catch(() => undefined);
      underWay.add(sent);
    }
  }
  await Promise.all(underWay);
  signal?.throwIfAborted();
  return {
    counts: totals.some(({ requests }) => requests > 0) ? totals : [],
    unsent: [...unsent].map(([slot, { failure, pairs }]) => {
      const requests = `${pairs} request${pairs === 1 ? '' : 's'}`;
      return `${slot}: ${requests} never left this machine or its proxy: ${failure}`;
    }),
  };
}

/** Whether it says nothing of the slot. */
function isOurs(answer: ProbeResult): answer is Extract<ProbeResult, { readonly failure: string }> {
  return 'failure' in answer && answer.ours === true;
}

/** A request that was cut by the signal may have been counted by others: it is noted as one without an answer. */
async function answerOf(
  send: SendProbe,
  probe: Probe,
  clock: Clock,
  signal?: AbortSignal,
): Promise<ProbeResult> {
  const begun = clock.now();
  try {
    return await send(probe, signal);
  } catch (error) {
    if (signal?.aborted === true) {
      return { failure: 'cut', milliseconds: clock.now() - begun };
    }
    throw error;
  }
}

function probeOf(preview: ResolvedPreview, path: string, { timeoutMs }: ProberSettings): Probe {
  return {
    url: previewUrl(preview, path),
    method: 'GET',
    headers: { accept: '*/*', 'user-agent': syntheticAgent, ...preview.headers },
    timeoutMs,
    longestAnswer,
  };
}

function noted(answer: ProbeResult, settings: ProberSettings): { failed: boolean; slow: boolean } {
  return { failed: 'failure' in answer || answer.status >= 500, slow: isSlow(answer, settings) };
}

function isWell(answer: ProbeResult, { expectedStatus }: ProberSettings): boolean {
  if ('failure' in answer) {
    return false;
  }
  return expectedStatus ? expectedStatus.includes(answer.status) : answer.status < 400;
}

/** Only what was answered can be slow, as a load balancer measures it. */
function isSlow(answer: ProbeResult, { slowAboveMs }: ProberSettings): boolean {
  return !('failure' in answer) && slowAboveMs !== undefined && answer.milliseconds > slowAboveMs;
}
