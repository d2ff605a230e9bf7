import { unknownValue } from './wire';

/**
 * A result that is unknown as a whole. A result is a map of values and has no word for that; its prototype says
 * it: the SDK copies every key of a result by assignment, so this key makes the copy inherit from the SDK's
 * unknown value, and `isUnknown` holds for it. A map without keys would mean "known, and nothing in it": `.id`
 * of it would be left out of the inputs, with its dependency. The other key is for functions with one value.
 */
export const unknownResult = JSON.parse(
  `{ "__proto__": "${unknownValue}", "value": "${unknownValue}" }`,
) as Readonly<Record<string, unknown>>;

/**
 * Stands for an unknown result, and for everything below it, where a program gets no Output but a plain value. As
 * an input it is unknown, inside a text it shows as unknown, and calling or iterating it throws.
 */
const standIn: unknown = new Proxy(Object.freeze({}), {
  get: (_, key): unknown => {
    switch (key) {
      case '__pulumiUnknown':
        return true;
      case 'toString':
      case 'toJSON':
      case Symbol.toPrimitive:
        return () => unknownValue;
      // Not a promise.
      case 'then':
        return undefined;
      default:
        return typeof key === 'symbol' || key.startsWith('__') ? undefined : standIn;
    }
  },
});

/** The plain forms of invoke in Pulumi's SDK: they answer a promise of a value. */
export interface PlainInvokes {
  invoke: (...args: unknown[]) => Promise<unknown>;
  invokeSingle: (...args: unknown[]) => Promise<unknown>;
}

/**
 * Makes the plain forms of invoke answer a value that can be passed on where their result is unknown. A program
 * would else compute with `undefined`, and the plan would show less than is deployed.
 *
 * @returns a function that takes it back
 */
export function standInForUnknownResults(
  runtime: PlainInvokes,
  isUnknown: (value: unknown) => boolean,
): () => void {
  const { invoke, invokeSingle } = runtime;
  const replaced = (result: unknown) => (isUnknown(result) ? standIn : result);
  runtime.invoke = (...args) => invoke(...args).then(replaced);
  runtime.invokeSingle = (...args) => invokeSingle(...args).then(replaced);
  return () => {
    Object.assign(runtime, { invoke, invokeSingle });
  };
}
