import { parseDuration } from '../durations';
import type { Problem, Rule } from '../problems';
import { Problems, oneOf } from '../problems';
import type { Check, CheckResult, CheckStage, CheckStatus, CheckWindow } from '../shift';
import { SourceError } from '../shift';
import { checkArguments, listOf, timeSpan } from './argument-rules';
import type { CheckContext } from './check-context';
import type { CheckKind, NamedCheck } from './check-kind';
import { readProgramOutput } from './program-output';
import { programEnvironment, programInput } from './program-window';
import type { ProgramResult } from './run-program';

/** What {@link program} takes. */
export interface ProgramArgs extends NamedCheck {
  /** Name or path of the program, then its arguments; no shell reads them. */
  readonly command: readonly string[];
  /** It is ended when it takes longer. @default '1m' */
  readonly timeout?: string;
  /** When it runs: before the weights of a step are written, after they have stood for a while, or both. @default ['after'] */
  readonly stages?: readonly CheckStage[];
}

const defaultTimeout = '1m';
const word: Rule = {
  allowed: 'text',
  accepts: (value) => typeof value === 'string' && !value.includes('\0'),
};

/**
 * The exit status of a program: 0 passes, 1 fails, 2 is inconclusive. A pass beside a figure that has a bound and no number
 * is inconclusive, too. Any other status, a time-out, and a program that
 * can't be started are failures of the source and say nothing about the cluster.
 *
 * It learns about the step from variables (see {@link programEnvironment}) and from a JSON document on stdin, and may
 * write figures as JSON to stdout (see {@link readProgramOutput}). It has the environment of this process, with whatever
 * credentials that holds. An interrupt of the shift ends it, and all that it has started.
 */
export const program: CheckKind<ProgramArgs> = {
  problems: (args: Readonly<Record<string, unknown>>): readonly Problem[] => {
    const problems = new Problems('program');
    const rules = { command: listOf(word), timeout: timeSpan, stages: listOf(oneOf('before', 'after')) };
    checkArguments(problems, args, rules, ['command']);
    if (Array.isArray(args.command) && args.command[0] === '') {
      problems.add('command[0]', '', 'the name or path of a program');
    }
    return problems.all;
  },
  create: (name, settings, context): Check => ({
    name,
    stages: settings.stages ?? ['after'],
    evaluate: (window, signal) => evaluate(settings, context, window, signal),
  }),
  rights: () => [],
};

async function evaluate(
  settings: ProgramArgs,
  { subject, runProgram }: CheckContext,
  window: CheckWindow,
  signal?: AbortSignal,
): Promise<CheckResult> {
  const called = settings.command[0]!;
  let result: ProgramResult;
  try {
    result = await runProgram({
      command: settings.command,
      env: programEnvironment(window),
      input: programInput(window, subject),
      timeout: parseDuration(settings.timeout ?? defaultTimeout)!,
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    if (signal?.aborted) {
      throw error;
    }
    const { code, message } = error as NodeJS.ErrnoException;
    throw new SourceError(`program "${called}" could not be started: ${code ?? message}`, { cause: error });
  }
  if (result.timedOut) {
    throw new SourceError(`program "${called}" did not end within ${settings.timeout ?? defaultTimeout}`);
  }
  const status = statuses.get(result.status);
  if (status === undefined) {
    throw new SourceError(
      `program "${called}" ended with ${result.status === null ? 'a signal' : `status ${result.status}`}; ` +
        '0 passes, 1 fails, 2 is inconclusive',
    );
  }
  const { reason, figures, unknown = [] } = readProgramOutput(result.output);
  if (status === 'pass' && unknown.length > 0) {
    const named = unknown.slice(0, 3).join(', ');
    return {
      status: 'inconclusive',
      reason: `program "${called}" passes, but these have a bound and no number: ${named}`,
      figures,
    };
  }
  return { status, reason: reason ?? `program "${called}" ended with status ${result.status}`, figures };
}

const statuses: ReadonlyMap<number | null, CheckStatus> = new Map([
  [0, 'pass'],
  [1, 'fail'],
  [2, 'inconclusive'],
]);
