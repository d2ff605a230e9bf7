import { shiftAnswersAnnotation } from '../../core/names';
import { list, object, optional } from '../../core/validation/collections';
import type { Schema } from '../../core/validation/schema';
import { problemsOf } from '../../core/validation/schema';
import { number, oneOf, text, whole } from '../../core/validation/values';
import type { RecordKind } from '../leases';

/** What a person asks of a shift from another machine. */
export interface ShiftAnswer {
  /** What the shift is to do. */
  readonly what: 'continue' | 'hold' | 'rollBack';
  /** Place of the pause, in percent of the way; of `continue` only. */
  readonly place?: number;
  /** Who, and how, on one line. */
  readonly by: string;
  /** When, in milliseconds since 1970. */
  readonly at: number;
  /** The shift that it is for: when that began, in milliseconds since 1970. */
  readonly shift: number;
}

/** What people have asked, older ones first. */
export interface ShiftAnswers {
  /** The newest ones. */
  readonly answers: readonly ShiftAnswer[];
}

/** A parameter of SSM holds 4 KB. */
const mostKept = 10;

const time = number('milliseconds since 1970', { min: 0, max: 8.64e15 });

const answersSchema: Schema<ShiftAnswers> = object<ShiftAnswers>(
  {
    answers: list(
      object<ShiftAnswer>(
        {
          what: oneOf('continue', 'hold', 'rollBack'),
          place: optional(whole(0, 100)),
          by: text('a text of 1 to 200 characters', /./, 200),
          at: time,
          shift: time,
        },
        'an answer',
        'any',
      ),
    ),
  },
  'what people have asked of shifts',
  'any',
);

/** Answers to shifts, for the lease that keeps them. */
export const shiftAnswerRecords: RecordKind<ShiftAnswers> = {
  of: 'answers',
  another: 'another answer to this shift',
  schemaVersion: 1,
  description: 'What people have asked of a traffic shift',
  annotation: shiftAnswersAnnotation,
  prefix: '',
  check: (value, problems) => problems.addAll(problemsOf(answersSchema, value)),
  long: { read: 'the answers', written: 'the answers' },
};

/** The answers with one more; those to earlier shifts go. */
export function withAnswer({ answers }: ShiftAnswers, answer: ShiftAnswer): ShiftAnswers {
  const own = answers.filter(({ shift }) => shift === answer.shift);
  return { answers: [...own, { ...answer, by: answer.by.slice(0, 100) }].slice(-mostKept) };
}

/** What one answer is known by. */
function keyOf({ what, place, by, at }: ShiftAnswer): string {
  return JSON.stringify([what, place, by, at]);
}

/**
 * The answers to a shift that are new.
 *
 * @param known what was there when the run began, and what it has heard since; gets the new ones
 */
export function newAnswers(
  { answers }: ShiftAnswers,
  shift: number,
  known: Set<string>,
): readonly ShiftAnswer[] {
  const fresh = answers.filter((answer) => !known.has(keyOf(answer)));
  fresh.forEach((answer) => known.add(keyOf(answer)));
  return fresh.filter((answer) => answer.shift === shift);
}
