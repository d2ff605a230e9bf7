import { laterValue } from './later-value';
import { oneLine } from './one-line';
import { withoutLogins } from './plain-secrets';

/** One thing that is wrong with what a user gave. */
export interface Problem {
  /** Where it is, in the words of the arguments: `weights.blue`, `slots[2].name`. */
  readonly path: string;
  /** The value as it was given; left out where it may be secret. */
  readonly value?: unknown;
  /** What would be accepted there, as a phrase: `a whole percent from 0 to 100`. */
  readonly allowed: string;
  /**
   * How the phrase is to be read: it `must be` that; it is `required` and must be that; it is an `unknown` key, and the
   * phrase says which there are; it `conflicts` with what the phrase names.
   *
   * @default 'must be'
   */
  readonly kind?: ProblemKind;
}

/** How the phrase of a problem is to be read. */
export type ProblemKind = 'must be' | 'required' | 'unknown' | 'conflicts';

/** What comes before the phrase. */
const reading: Readonly<Record<ProblemKind, string>> = {
  'must be': ' must be ',
  required: ' is required: ',
  unknown: ' unknown key',
  conflicts: ' conflicts with ',
};

/**
 * Everything that is wrong with one input, in one error: a line a problem, each with the argument's path,
 * the value and what is allowed.
 */
export class InvalidInput extends Error {
  /**
   * @param subject what was given, for the first line: `ClusterFleet "apps"`
   * @param problems at least one
   */
  public constructor(
    public readonly subject: string,
    public readonly problems: readonly Problem[],
  ) {
    super(
      [
        `${oneLine(subject)}: ${count(problems.length)}`,
        ...problems.map((problem) => `  ${describe(problem)}`),
      ].join('\n'),
    );
    this.name = 'InvalidInput';
  }
}

/** One line for one problem, whatever is in its value. */
export function describe(problem: Problem): string {
  const later = laterValue(problem.value);
  if (later !== undefined) {
    return oneLine(`${problem.path}: ${later}, known only during a deployment; here a plain value is needed`);
  }
  const { path, kind = 'must be', allowed } = problem;
  const given = 'value' in problem && kind !== 'required' ? ` ${show(problem.value)}:` : '';
  return oneLine(`${path}:${given}${reading[kind]}${allowed}`);
}

/** What an error says, on one line, for a text that has lines of its own. */
export function errorLine(error: unknown): string {
  return error instanceof InvalidInput
    ? error.message.replace(/\n\s*/g, '; ')
    : oneLine(error instanceof Error ? error.message || error.name : String(error));
}

function count(problems: number): string {
  return problems === 1 ? '1 problem' : `${problems} problems`;
}

/** More of a value is not looked at, in characters. */
const mostRead = 1_000;

/** Long values are cut: the path says where the rest is. Logins in URLs are left out. */
function show(value: unknown): string {
  if (value === undefined) {
    return 'nothing';
  }
  // JSON has null for NaN and the infinities.
  const whole = typeof value === 'number' ? String(value) : (jsonOf(value) ?? kindOf(value));
  const text = withoutLogins(whole.slice(0, mostRead));
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** Functions and symbols have no JSON, nor has what contains itself or a BigInt. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, withoutLater);
  } catch {
    return undefined;
  }
}

/** In lists and maps; JSON gets the values before they are asked for their own JSON. */
function withoutLater(this: Readonly<Record<string, unknown>>, key: string, value: unknown): unknown {
  return laterValue(this[key]) ?? value;
}

function kindOf(value: unknown): string {
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
