import { isDeepStrictEqual } from 'node:util';
import type { ScalarTag } from 'yaml';
import { readYamlFile } from '../../core/validation/document';
import { unknownKey } from '../../core/validation/known-keys';
import { Problems, isPlainObject } from '../../core/validation/problems';
import { wireSecret } from './wire';

/** The result of a provider's function. */
export interface InvokeAnswer {
  /** The function's token: `aws:ec2/getVpc:getVpc`. */
  readonly token: string;
  /**
   * Arguments that a call must have for this answer; a call may have more.
   * @default - any arguments
   */
  readonly args?: Readonly<Record<string, unknown>>;
  /** The function's result. */
  readonly returns: Readonly<Record<string, unknown>>;
}

/** What a preview can't know by itself. The first answer that fits a call is taken. */
export interface Answers {
  /** Results of functions. @default - unknown, and listed in the plan */
  readonly invokes?: readonly InvokeAnswer[];
  /**
   * All outputs of other stacks, by the stack's name as the program gives it (`organization/project/stack`).
   * @default - unknown, and listed in the plan
   */
  readonly stackReferences?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /**
   * Stand-ins for secret configuration values, for programs that need a number or an object there. They stay
   * secret: no output shows them.
   * @default - the text `[secret]`
   */
  readonly secrets?: Readonly<Record<string, unknown>>;
}

/** Lets an answers file mark a text as secret: `token: !secret text`. */
const secretTag: ScalarTag = { tag: '!secret', resolve: (text) => wireSecret(text) };

/**
 * Reads an answers file (YAML or JSON). A text can be marked as secret with the tag `!secret`.
 *
 * @throws InvalidInput with everything that is wrong with it
 */
export function readAnswers(file: string, shown = file): Answers {
  const problems = new Problems(`answers ${shown}`);
  const yaml = readYamlFile(file, shown, problems, [secretTag]);
  problems.throwIfAny();
  return checkAnswers(yaml?.value, problems, (path) => yaml?.at(path) ?? shown);
}

/**
 * Evaluates answers that were given as data.
 *
 * @throws InvalidInput with everything that is wrong with them
 */
export function checkAnswers(
  value: unknown,
  problems = new Problems('answers'),
  at: (path: (string | number)[]) => string = () => 'answers',
): Answers {
  const where = (...path: (string | number)[]) => {
    const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`));
    return `${at(path)} ${steps.join('').replace(/^\./, '')}`;
  };
  const answers = value ?? {};
  if (!isPlainObject(answers)) {
    problems.addAll([{ path: at([]), allowed: 'a map with invokes, stackReferences and secrets' }]);
    problems.throwIfAny();
    return {};
  }
  for (const key of Object.keys(answers).filter((each) => !known.answers.includes(each))) {
    problems.addAll([{ path: where(key), allowed: unknownKey(key, known.answers) }]);
  }
  const { invokes, stackReferences, secrets } = answers;
  if (invokes !== undefined && !Array.isArray(invokes)) {
    problems.addAll([{ path: where('invokes'), allowed: 'a list of { token, args, returns }' }]);
  } else {
    (invokes ?? []).forEach((invoke: unknown, index: number) =>
      checkInvoke(invoke, problems, (...path) => where('invokes', index, ...path)),
    );
  }
  if (stackReferences !== undefined && !isPlainObject(stackReferences)) {
    problems.addAll([{ path: where('stackReferences'), allowed: 'a map of stack names' }]);
  } else {
    for (const [stack, outputs] of Object.entries(stackReferences ?? {})) {
      if (!isPlainObject(outputs)) {
        problems.addAll([{ path: where('stackReferences', stack), allowed: "a map of the stack's outputs" }]);
      }
    }
  }
  if (secrets !== undefined && !isPlainObject(secrets)) {
    problems.addAll([{ path: where('secrets'), allowed: 'a map of configuration keys' }]);
  }
  problems.throwIfAny();
  return answers;
}

const known = { answers: ['invokes', 'stackReferences', 'secrets'], invoke: ['token', 'args', 'returns'] };

function checkInvoke(invoke: unknown, problems: Problems, where: (...path: string[]) => string): void {
  if (!isPlainObject(invoke)) {
    problems.addAll([{ path: where(), allowed: 'a map with token, args and returns' }]);
    return;
  }
  for (const key of Object.keys(invoke).filter((each) => !known.invoke.includes(each))) {
    problems.addAll([{ path: where(key), allowed: unknownKey(key, known.invoke) }]);
  }
  if (typeof invoke['token'] !== 'string' || invoke['token'].split(':').length !== 3) {
    problems.addAll([
      { path: where('token'), allowed: 'the token of a function, such as aws:ec2/getVpc:getVpc' },
    ]);
  }
  if (invoke['args'] !== undefined && !isPlainObject(invoke['args'])) {
    problems.addAll([{ path: where('args'), allowed: 'a map of arguments' }]);
  }
  if (!isPlainObject(invoke['returns'])) {
    problems.addAll([{ path: where('returns'), allowed: "a map with the function's result" }]);
  }
}

/** The result that the answers hold for a call, if any. */
export function answerInvoke(
  answers: Answers,
  token: string,
  args: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | undefined {
  return answers.invokes?.find(
    (answer) =>
      answer.token === token &&
      Object.entries(answer.args ?? {}).every(([key, value]) => isDeepStrictEqual(args[key], value)),
  )?.returns;
}
