import type { ElasticLoadBalancingV2ClientConfig } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { NodeHttpHandler } from '@smithy/node-http-handler';
import type { Readable } from 'node:stream';
import { forwarded, proxyAgent } from '../proxy/agent';
import { environmentProxy } from '../proxy/environment';
import { byProxy } from '../proxy/proxy';

/** How long AWS is waited for, in milliseconds. */
export interface RequestTimeouts {
  /** How long a connection may take. */
  readonly connectionTimeout: number;
  /** How long an answer may take. */
  readonly requestTimeout: number;
}

type Handle = NodeHttpHandler['handle'];

type Request = Parameters<Handle>[0];

/** What a client of the SDK takes to send its requests. */
export type RequestHandler = NonNullable<ElasticLoadBalancingV2ClientConfig['requestHandler']>;

/** As many connections as the SDK makes by itself. */
const pool = { keepAlive: true, maxSockets: 50 };

/**
 * Sends the requests of a client of the SDK by the proxy that the environment names for each, or directly. Errors name the
 * proxy. For one client: closing the client closes its connections.
 */
export async function requestHandler(
  { connectionTimeout, requestTimeout }: RequestTimeouts,
  env: NodeJS.ProcessEnv = process.env,
): Promise<RequestHandler> {
  const { NodeHttpHandler } = await import('@smithy/node-http-handler');
  // Without it, the SDK only warns.
  const common = { requestTimeout, throwOnRequestTimeout: true };
  const direct = new NodeHttpHandler({ ...common, connectionTimeout });
  const handlers = new Map<string, NodeHttpHandler>();
  const through = (proxy: string): NodeHttpHandler => {
    const connect = { ...pool, connectTimeoutMs: connectionTimeout };
    const known =
      handlers.get(proxy) ??
      new NodeHttpHandler({
        ...common,
        // The time to connect is the agent's, which knows of the proxy.
        httpAgent: proxyAgent(proxy, 'http:', connect),
        httpsAgent: proxyAgent(proxy, 'https:', connect) as never,
      });
    handlers.set(proxy, known);
    return known;
  };
  return {
    metadata: direct.metadata,
    handle: async (request: Request, options: Parameters<Handle>[1]) => {
      const url = urlOf(request);
      const proxy = environmentProxy(url, env);
      if (proxy === undefined) {
        return direct.handle(request, options);
      }
      try {
        const { path = request.path, headers } = forwarded(proxy, url);
        // A retry has the request as it was.
        const sent = Object.assign({}, request, { path, headers: { ...request.headers, ...headers } });
        return await through(proxy).handle(sent, options);
      } catch (error) {
        throw byProxy(error as Error, proxy);
      }
    },
    destroy: () => [direct, ...handlers.values()].forEach((each) => each.destroy()),
    updateHttpClientConfig: (key, value) =>
      [direct, ...handlers.values()].forEach((each) => each.updateHttpClientConfig(key, value)),
    httpHandlerConfigs: () => direct.httpHandlerConfigs(),
  } as RequestHandler;
}

/** Without the query, which the SDK adds itself. */
function urlOf({ protocol, hostname, port, path }: Request): URL {
  const host = hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname;
  return new URL(`${protocol}//${host}${port === undefined ? '' : `:${port}`}${path}`);
}

/** Of one answer of AWS, in bytes: a page of any call that is made here has some hundred kilobytes. */
export const longestAwsAnswer = 32 * 1024 * 1024;

/** Of the body of an answer, in milliseconds: the SDK's own time-outs end with its headers, or count silence alone. */
const longestBody = 60_000;

/**
 * Reads the body of an answer, in place of the SDK's own reader, which takes whatever comes.
 *
 * @throws Error where it is too long, or takes too long
 */
export async function limitedAnswer(
  body: unknown,
  { longest = longestAwsAnswer, timeout = longestBody } = {},
): Promise<Uint8Array> {
  const stream = body as Readable;
  const timer = setTimeout(
    () => stream.destroy(refused(`the answer did not end within ${timeout / 1000} s`)),
    timeout,
  );
  try {
    const parts: Uint8Array[] = [];
    let length = 0;
    for await (const part of stream as AsyncIterable<Uint8Array>) {
      length += part.length;
      if (length > longest) {
        throw refused(`the answer is longer than ${longest} bytes`);
      }
      parts.push(part);
    }
    return Buffer.concat(parts);
  } finally {
    clearTimeout(timer);
  }
}

/** `callAws` takes the code for an answer that is none of AWS. */
function refused(message: string): Error {
  return Object.assign(new Error(message), { code: 'EPROTO' });
}

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
 * `callAws` tells what came of it.
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
