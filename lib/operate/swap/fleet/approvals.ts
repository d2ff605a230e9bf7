import { leftApprovals } from '../answers/answers';
import type { AnswerStore } from '../answers/answers';
import type { SwapPhase } from '../phases';
import type { Approvals } from '../swap-run';

/** A phase that waits until a person agrees. */
export interface ApprovalQuestion {
  /** The phase, which has not begun. */
  readonly phase: SwapPhase;
  /** Id of the swap. An answer to another swap is none. */
  readonly swap: string;
}

/** What a person has answered. */
export type ApprovalAnswer =
  | {
      /** Who agrees. */
      readonly approvedBy: string;
    }
  | {
      /** Who does not: the swap goes back. */
      readonly refusedBy: string;
    };

/**
 * Asks whether a person has agreed. It is called every ten seconds until it answers, and once more just before the phase begins: a
 * person may refuse until then. An error of it is no answer.
 *
 * @returns nothing where there is no answer yet
 */
export type AskApproval = (
  question: ApprovalQuestion,
  signal: AbortSignal,
) => Promise<ApprovalAnswer | undefined>;

/**
 * Answers of the program, and those that the command has left beside the record.
 *
 * @param left where the command leaves them. @default - the command can leave none
 */
export function approvalsOf(
  approve: AskApproval | undefined,
  left: Pick<AnswerStore, 'take'> | undefined,
): Approvals {
  const command = left && leftApprovals({ store: left, command: commandLine });
  return {
    how: (phase) =>
      [...(approve ? ['the program answers'] : []), ...(command ? [command.how(phase)] : [])].join('; or '),
    answer: async (phase, swap, signal) =>
      (await approve?.({ phase, swap: swap.id }, signal)) ?? (await command?.answer(phase, swap, signal)),
  };
}

function commandLine(phase: SwapPhase): string {
  return `cluster-canary swap FILE --approve ${phase} (or --refuse ${phase}), with the fleet and lease of this swap`;
}
