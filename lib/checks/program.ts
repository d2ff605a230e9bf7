import { parseDuration } from '../durations';
import type { Problem, Rule } from '../problems';
import { plainSecrets, Problems, oneOf } from '../problems';
import type { ProgramEnd } from '../programs';
import type { Check, CheckResult, CheckStage, CheckStatus, CheckWindow } from '../shift';
import { SourceError } from '../shift';
import { checkArguments, listOf, timeSpan } from './argument-rules';
import type { CheckContext } from './check-context';
import type { CheckKind, NamedCheck } from './check-kind';
import { readProgramOutput } from './program-output';
import { programEnvironment, programInput } from './program-window';

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
/** More than a check's figures ever take, in bytes; the rest is thrown away. */
const longestOutput = 100_000;
/** How long a program that has to end may clean up, in milliseconds; an interrupted `up` leaves three seconds. */
const grace = 1_000;
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
    if (problems.all.length === 0) {
      plainSecrets(args.command as readonly string[]).forEach((position) =>
        problems.addSecret(
          `command[${position}]`,
          'a text without a login or a secret in it: the program has the environment of this process',
        ),
      );
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
  { subject, env, runProgram }: CheckContext,
  window: CheckWindow,
  signal?: AbortSignal,
): Promise<CheckResult> {
  const [called = '', ...args] = settings.command;
  const timeout = settings.timeout ?? defaultTimeout;
  const end = await runProgram({
    program: called,
    args,
    env: { ...env, ...programEnvironment(window) },
    input: programInput(window, subject),
    timeoutMs: parseDuration(timeout)!,
    graceMs: grace,
    stdout: { bytes: longestOutput, beyond: 'keepStart' },
    // It may be long, and is of no use here.
    stderr: { bytes: 0, beyond: 'keepStart' },
    ...(signal ? { signal } : {}),
  });
  signal?.throwIfAborted();
  const status = end.how === 'exited' ? statuses.get(end.status) : undefined;
  if (end.how !== 'exited' || status === undefined) {
    throw new SourceError(`program "${called}" ${failureOf(end, timeout)}`);
  }
  const { reason, figures, unknown = [] } = readProgramOutput(end.stdout.toString('utf8'));
  if (status === 'pass' && unknown.length > 0) {
    const named = unknown.slice(0, 3).join(', ');
    return {
      status: 'inconclusive',
      reason: `program "${called}" passes, but these have a bound and no number: ${named}`,
      figures,
    };
  }
  return { status, reason: reason ?? `program "${called}" ended with status ${end.status}`, figures };
}

function failureOf(end: ProgramEnd, timeout: string): string {
  switch (end.how) {
    case 'notStarted':
      return `could not be started: ${end.code}`;
    case 'timedOut':
      return `did not end within ${timeout}`;
    case 'cancelled':
    case 'tooMuch':
    case 'exited':
    case 'signalled':
      return `ended with ${end.how === 'exited' ? `status ${end.status}` : 'a signal'}; 0 passes, 1 fails, 2 is inconclusive`;
  }
}

const statuses: ReadonlyMap<number, CheckStatus> = new Map([
  [0, 'pass'],
  [1, 'fail'],
  [2, 'inconclusive'],
]);
