/** A command of the SDK, before it is sent. */
export interface AwsCommand {
  /** The command's own stack, as the SDK documents it; its types differ from command to command. */
  readonly middlewareStack: { add(middleware: never, options: never): void };
}

type Send = (args: unknown) => Promise<unknown>;
type Middleware = (next: Send) => Send;

interface Stack {
  add(
    middleware: Middleware,
    options: { readonly step: string; readonly priority: string; readonly name: string },
  ): void;
}

/** The SDK tries no error again whose name, status and cause say nothing: what has happened is in another field. */
class SentOnce extends Error {
  public constructor(public readonly failure: unknown) {
    super('sent once');
  }
}

/**
 * Calls a function each time right before a request of the command goes out, retries included: client and credentials are
 * there, the request is signed, and no pause of the SDK is left.
 *
 * @returns the command
 */
export function beforeEachRequest<Command extends AwsCommand>(command: Command, call: () => void): Command {
  return around(command, (next) => (args) => {
    call();
    return next(args);
  });
}

/**
 * Lets the SDK send a command once, whatever comes of it: a second request would change what nobody has looked at since.
 * `askAws` tells what came of it.
 *
 * @param before is called right before the request goes out; what it throws keeps it back
 * @returns the command
 */
export function sentOnce<Command extends AwsCommand>(command: Command, before: () => void): Command {
  return around(command, (next) => async (args) => {
    try {
      before();
      return await next(args);
    } catch (failure) {
      throw new SentOnce(failure);
    }
  });
}

/** What came of a command that was sent once, or of any other. */
export function failureOf(error: unknown): unknown {
  return error instanceof SentOnce ? error.failure : error;
}

/** Within the SDK's own retries and signing. */
function around<Command extends AwsCommand>(command: Command, middleware: Middleware): Command {
  const stack: Stack = command.middlewareStack;
  stack.add(middleware, { step: 'finalizeRequest', priority: 'low', name: 'cluster-canary' });
  return command;
}
