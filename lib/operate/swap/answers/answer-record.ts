import { swapAnswersAnnotation } from '../../../core/names';
import { list, object, optional } from '../../../core/validation/collections';
import type { Schema } from '../../../core/validation/schema';
import { problemsOf } from '../../../core/validation/schema';
import { flag, number, oneOf, text } from '../../../core/validation/values';
import type { RecordKind } from '../../../shift/leases';
import { swapPhases } from '../phases';
import type { SwapPhase } from '../phases';

/** What a person has answered before a phase. Times are milliseconds since 1970. */
export interface SwapAnswerNote {
  readonly phase: SwapPhase;
  /** Whether the phase may begin; else the swap goes back. */
  readonly agrees: boolean;
  /** Who has answered: user and machine. */
  readonly by: string;
  readonly at: number;
  /** Id of the swap that it is for. @default - the next one that asks */
  readonly swap?: string;
}

/** That a person wants a swap to go back which another process runs. */
export interface BackRequest {
  /** Id of the swap. */
  readonly swap: string;
  /** Who wants it: user and machine. */
  readonly by: string;
  /** What becomes of the new cluster. */
  readonly then: 'keep' | 'delete';
}

/** The answers to the swaps of a fleet. */
export interface SwapAnswers {
  /** Older ones first. */
  readonly answers: readonly SwapAnswerNote[];
  /** The newest request for the way back. @default - there was none */
  readonly back?: BackRequest;
}

/** An answer that no swap has asked for is forgotten after a week: nobody remembers it either. */
const longestUnasked = 7 * 24 * 3_600_000;

/** As many phases as two swaps have; a parameter of SSM holds 4 KB. */
const mostKept = 18;

const longestName = 100;

const shortText = text('a text of 1 to 200 characters', /./, 200);

const answersSchema: Schema<SwapAnswers> = object<SwapAnswers>({
  answers: list(
    object<SwapAnswerNote>({
      phase: oneOf(...swapPhases),
      agrees: flag,
      by: shortText,
      at: number('milliseconds since 1970', { min: 0, max: 8.64e15 }),
      swap: optional(shortText),
    }),
  ),
  back: optional(object<BackRequest>({ swap: shortText, by: shortText, then: oneOf('keep', 'delete') })),
});

/** Answers to swaps, for the lease that keeps them. */
export const swapAnswerRecords: RecordKind<SwapAnswers> = {
  of: 'answers',
  another: 'another answer to this swap',
  schemaVersion: 1,
  description: 'What people have answered to the swaps of a fleet',
  annotation: swapAnswersAnnotation,
  // The name of what is answered begins with "swap" itself.
  prefix: '',
  check: (value, problems) => problems.addAll(problemsOf(answersSchema, value)),
  long: { read: 'the answers', written: 'the answers' },
};

/** The answers with one more, in place of one to the same question. */
export function withAnswer({ answers, ...rest }: SwapAnswers, answer: SwapAnswerNote): SwapAnswers {
  const others = answers.filter(({ phase, swap }) => phase !== answer.phase || swap !== answer.swap);
  return {
    ...rest,
    answers: [...others, { ...answer, by: answer.by.slice(0, longestName) }].slice(-mostKept),
  };
}

/** The answers with a request for the way back, in place of an older one. */
export function withBackRequest(all: SwapAnswers, request: BackRequest): SwapAnswers {
  return { ...all, back: { ...request, by: request.by.slice(0, longestName) } };
}

/** Which answers are asked for. */
export interface AnswerQuestion {
  readonly phases: readonly SwapPhase[];
  /** Id of the swap. @default - the next one */
  readonly swap?: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The answer to a swap before a phase: one that names the swap before one to the next swap, whatever the clocks of machines say. */
export function answerFor(
  { answers }: SwapAnswers,
  { phase, swap, now }: { readonly phase: SwapPhase; readonly swap: string; readonly now: number },
): SwapAnswerNote | undefined {
  const found = answers.filter(
    (each) =>
      each.phase === phase &&
      (each.swap === swap || (each.swap === undefined && now - each.at <= longestUnasked)),
  );
  return found.sort(
    (one, other) => Number(other.swap !== undefined) - Number(one.swap !== undefined) || other.at - one.at,
  )[0];
}

/** The answers that count before these phases, in their order; nothing is bound by that. */
export function answersFor(
  all: SwapAnswers,
  { phases, swap, now }: AnswerQuestion,
): readonly SwapAnswerNote[] {
  return phases.flatMap((phase) => answerFor(all, { phase, swap: swap ?? '', now }) ?? []);
}

/** The answers, with one that was for the next swap bound to this one: a later swap asks anew. */
export function boundTo(all: SwapAnswers, answer: SwapAnswerNote, swap: string): SwapAnswers {
  const rest = {
    ...all,
    answers: all.answers.filter((each) => each.phase !== answer.phase || each.swap !== undefined),
  };
  return withAnswer(rest, { ...answer, swap });
}

/** The answers without those to the next swap that are older than the end of one: that was the next one. */
export function without({ answers, ...rest }: SwapAnswers, endedAt: number): SwapAnswers {
  return { ...rest, answers: answers.filter(({ swap, at }) => swap !== undefined || at > endedAt) };
}
