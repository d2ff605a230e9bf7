import { isAbsolute } from 'node:path';
import { FileRefused, readBounded, utf8Text } from '../files/read';
import { oneLine } from '../printable-text';
import { withoutLogins } from './secrets';

/** Texts that Pulumi makes of an Output where somebody asks for its text or its JSON. */
const outputText = /Calling \[to(String|JSON)\] on an \[Output<T>\]/;

/**
 * Says what a value is that is known only during a deployment, `an Output`; of a value that is known already, nothing. It
 * knows Pulumi's Outputs by their mark, so that it need not load Pulumi.
 *
 * @see https://www.pulumi.com/docs/iac/concepts/inputs-outputs/
 */
export function laterValue(value: unknown): string | undefined {
  if (typeof value === 'string') {
    return outputText.test(value) ? 'a text made of an Output' : undefined;
  }
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) {
    return undefined;
  }
  if ((value as { __pulumiOutput?: unknown }).__pulumiOutput === true) {
    return 'an Output';
  }
  return value instanceof Promise ? 'a Promise' : undefined;
}

const builtIns =
  /^\[object ((?:Weak)?(?:Map|Set)|Date|RegExp|Error|String|Number|Boolean|\w+Array|ArrayBuffer)\]$/;

/** Name of the class of what has its content elsewhere than in keys: `Map`. It would look like an object without any. */
export function builtInClass(value: object): string | undefined {
  return builtIns.exec(Object.prototype.toString.call(value))?.[1];
}

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
        ...problems.map((problem) => `  ${formatProblem(problem)}`),
      ].join('\n'),
    );
    this.name = 'InvalidInput';
  }
}

/** One line for one problem, whatever is in its value. */
export function formatProblem(problem: Problem): string {
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
  if (!(error instanceof InvalidInput)) {
    return oneLine(error instanceof Error ? error.message || error.name : String(error));
  }
  const { subject, problems, message } = error;
  if (problems.length !== 1) {
    return message.replace(/\n\s*/g, '; ');
  }
  const [of, problem] = [oneLine(subject), formatProblem(problems[0]!)];
  // A place in a file names the file already.
  return problem.startsWith(of) ? problem : `${of}: ${problem}`;
}

function count(problems: number): string {
  return problems === 1 ? '1 problem' : `${problems} problems`;
}

/** More of a value is not looked at, in characters. */
const mostRead = 1_000;

/** Of the name of a file, in characters. */
const longestPath = 400;

/** Long values are cut: the path says where the rest is. Names of files are themselves a path. Logins in URLs are left out. */
function show(value: unknown): string {
  if (value === undefined) {
    return 'nothing';
  }
  // JSON has null for NaN and the infinities.
  const whole =
    typeof value === 'number' ? String(value) : (builtInText(value) ?? jsonOf(value) ?? kindOf(value));
  const text = withoutLogins(whole.slice(0, mostRead));
  const most = typeof value === 'string' && isAbsolute(value) ? longestPath : 80;
  return text.length > most ? `${text.slice(0, most - 3)}...` : text;
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

function builtInText(value: unknown): string | undefined {
  const name = typeof value === 'object' && value !== null ? builtInClass(value) : undefined;
  return name && `a ${name}`;
}

function kindOf(value: unknown): string {
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/**
 * Collects what is wrong with an input, so that a user sees all of it at once.
 *
 * @example
 * const problems = new Problems('ClusterFleet "apps"');
 * problems.check('slots.blue', 'blue', dnsLabel);
 * problems.throwIfAny();
 */
export class Problems {
  private readonly found: Problem[] = [];

  /** @param subject what is checked, for the error's first line */
  public constructor(public readonly subject: string) {}

  /** What was found so far, in the order of finding. */
  public get all(): readonly Problem[] {
    return this.found;
  }

  /** Adds a problem; `allowed` completes the sentence "… must be". */
  public add(path: string, value: unknown, allowed: string): void {
    this.found.push({ path, value, allowed });
  }

  /** Adds a problem whose value must not be shown. */
  public addSecret(path: string, allowed: string): void {
    this.found.push({ path, allowed });
  }

  /** Adds what is missing; `allowed` says what it must be. */
  public require(path: string, allowed: string): void {
    this.found.push({ path, allowed, kind: 'required' });
  }

  /** Adds what may not be there beside something else; `other` completes "… conflicts with". */
  public conflicts(path: string, other: string): void {
    this.found.push({ path, allowed: other, kind: 'conflicts' });
  }

  /** Adds a problem where the rule does not accept the value. Answers whether it did. */
  public check<T>(path: string, value: T, rule: Format<T>): boolean {
    const accepted = rule.accepts(value);
    if (!accepted) {
      this.add(path, value, rule.allowed);
    }
    return accepted;
  }

  /**
   * Adds a problem for each field that is given and that its rule does not accept.
   *
   * @param path of the object; empty for the input itself
   */
  public checkGiven<T extends object>(
    path: string,
    object: T,
    rules: Readonly<Partial<Record<keyof T, Format>>>,
  ): void {
    for (const [field, rule] of Object.entries(rules) as [keyof T & string, Format][]) {
      if (object[field] !== undefined) {
        this.check(path ? `${path}.${field}` : field, object[field], rule);
      }
    }
  }

  /** Takes over problems found elsewhere, with their paths below `path`. */
  public addAll(problems: readonly Problem[], path = ''): void {
    for (const problem of problems) {
      this.found.push({ ...problem, path: path ? `${path}.${problem.path}` : problem.path });
    }
  }

  /**
   * Ends the check.
   *
   * @throws InvalidInput with every problem, if there is one
   */
  public throwIfAny(): void {
    if (this.found.length > 0) {
      throw new InvalidInput(this.subject, this.found);
    }
  }
}

/** A mapping that a user gave, and whose values nobody has looked at yet. */
export type PlainObject = Readonly<Record<string, unknown>>;

/** Whether a value is a mapping: an object that is no list. */
export function isPlainObject(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
};

/**
 * The text of a file that a user has named.
 *
 * @param what completes the sentence "… must be": `a plan, in YAML or JSON`
 * @throws InvalidInput where it can't be read: the operating system's error does not say what was wanted
 */
export function readText(file: string, what: string): string {
  try {
    return utf8Text(readBounded(file), file);
  } catch (error) {
    throw new InvalidInput(file, [{ path: file, allowed: allowedFor(error, what) }]);
  }
}

function allowedFor(error: unknown, what: string): string {
  if (error instanceof FileRefused) {
    return `${error.reason === 'a folder' ? 'a file' : what}; it is ${error.reason}`;
  }
  const { code = 'unknown error' } = error as NodeJS.ErrnoException;
  return `${what}; ${reasons[code] ?? `it can not be read (${code})`}`;
}

/** Says whether a value is acceptable, and what would be. */
export interface Format<T = unknown> {
  /** Completes the sentence "… must be". */
  readonly allowed: string;
  /** Whether the value follows the rule. */
  accepts(value: T): boolean;
}
