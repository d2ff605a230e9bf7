import { plainLines } from '../problems';

/** What a hook throws: an Error that certainly has a text, which the engine writes to the terminal as it is. */
export class HookRefusal extends Error {
  public constructor(message: string, options?: { readonly cause?: unknown }) {
    super(plainLines(message), options);
    this.name = 'HookRefusal';
  }
}

/**
 * An error with a text, whatever was thrown.
 *
 * Pulumi's engine takes a hook for one that has succeeded when what it throws has no text in `message`: a string, `{}`, an
 * error without a message, an AggregateError without one of its own.
 *
 * @param what what was going on, for errors that say nothing themselves: `the traffic shift of rule "web"`
 * @see https://github.com/pulumi/pulumi/blob/sdk/v3.248.0/sdk/nodejs/runtime/callbacks.ts
 */
export function errorWithText(thrown: unknown, what: string): HookRefusal {
  if (thrown instanceof HookRefusal && thrown.message.trim() !== '') {
    return thrown;
  }
  const text = textOf(thrown);
  return new HookRefusal(text === '' ? `${what} failed, and nothing says why; nothing was updated` : text, {
    cause: thrown,
  });
}

/** A hook that throws nothing but errors with a text. */
export function failClosed<Args>(
  what: string,
  hook: (args: Args) => Promise<void>,
): (args: Args) => Promise<void> {
  return async (args) => {
    try {
      await hook(args);
    } catch (thrown) {
      throw errorWithText(thrown, what);
    }
  };
}

function textOf(thrown: unknown): string {
  if (typeof thrown === 'string') {
    return thrown.trim();
  }
  if (typeof thrown !== 'object' || thrown === null) {
    return typeof thrown === 'number' ? String(thrown) : '';
  }
  const { message, name, errors } = thrown as { message?: unknown; name?: unknown; errors?: unknown };
  if (typeof message === 'string' && message.trim() !== '') {
    return message.trim();
  }
  const inner = Array.isArray(errors) ? errors.map(textOf).filter((text) => text !== '') : [];
  if (inner.length > 0) {
    return inner.join('; ');
  }
  return typeof name === 'string' && name !== '' && name !== 'Error' ? name : '';
}
