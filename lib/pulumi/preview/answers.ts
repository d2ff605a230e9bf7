import { isDeepStrictEqual } from 'node:util';
import type { ScalarTag } from 'yaml';
import { readYamlFile } from '../../core/validation/document';
import { opaque } from '../../core/validation/arguments';
import { list, object, optional, record } from '../../core/validation/collections';
import { Problems } from '../../core/validation/problems';
import { problemsOf } from '../../core/validation/schema';
import type { Schema } from '../../core/validation/schema';
import { secret, text } from '../../core/validation/values';
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
  const found = problemsOf(answersSchema, value ?? {});
  problems.addAll(
    found.map(({ steps, path, ...problem }) => ({ ...problem, path: `${at([...steps])} ${path}`.trimEnd() })),
  );
  problems.throwIfAny();
  return value ?? {};
}

/** Answers may be secret: no value is shown. */
const answersSchema: Schema<Answers> = secret(
  object<Answers>(
    {
      invokes: optional(
        list(
          object<InvokeAnswer>(
            {
              token: text('the token of a function, such as aws:ec2/getVpc:getVpc', /^[^:]*:[^:]*:[^:]*$/),
              args: optional(opaque('a map of arguments')),
              returns: opaque("a map with the function's result"),
            },
            'a map with token, args and returns',
          ),
          0,
          'a list of { token, args, returns }',
        ),
      ),
      stackReferences: optional(
        record(opaque("a map of the stack's outputs"), text('a text'), 'a map of stack names'),
      ),
      secrets: optional(opaque('a map of configuration keys')),
    },
    'a map with invokes, stackReferences and secrets',
  ),
);

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
