import { randomUUID } from 'node:crypto';
import { Agent, createServer, request as sendRequest } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Random } from '../../core/random';
import { answerAdmin } from './admin-api';
import type { ProxyState } from './admin-api';
import { closeServer, keptOpenMs, listenOnLoopback, urlOf } from './loopback';
import { TrafficCounts } from './traffic-counts';
import type { ServedRequest } from './traffic-counts';

/** The header that leads to one upstream past the weights. */
export const previewHeader = 'x-slot';

/**
 * The longest request that is taken, in bytes, and how long its parts and its answer may take, in milliseconds: a machine that is
 * busy with something else is slow, and no upstream is to blame.
 */
const limits = { body: 65_536, headers: 8_192, partMs: 30_000, upstreamMs: 30_000 };

/** Headers that belong to one connection. @see https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1 */
const ofConnection = [
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  'proxy-authenticate',
  'proxy-authorization',
];

/** What a proxy is made with. */
export interface ProxySettings {
  /** Upstreams by name, each with the port on loopback that the next request goes to. */
  readonly upstreams: Readonly<Record<string, () => number>>;
  /** Weights at the start. */
  readonly weights: Readonly<Record<string, number>>;
  /** Which upstream each request goes to. */
  readonly random: Random;
  /** Is called with each request that the weights have led, when it has ended. @default - nothing */
  readonly onServed?: (served: ServedRequest, begunAt: number) => void;
}

/**
 * A load balancer in one process: each request goes to an upstream by the weights at that moment, or past them by the header
 * `x-slot`. It listens on loopback alone. For the demo and tests; not for traffic of users.
 */
export class WeightedProxy {
  private readonly state: ProxyState;
  private readonly front: Server;
  private readonly admin: Server;
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 256 });

  public constructor(private readonly settings: ProxySettings) {
    this.state = { weights: settings.weights, version: randomUUID(), counts: new TrafficCounts() };
    const options = {
      maxHeaderSize: limits.headers,
      headersTimeout: limits.partMs,
      requestTimeout: limits.partMs,
      keepAliveTimeout: keptOpenMs,
    };
    this.front = createServer(options, (request, response) => this.forward(request, response));
    this.admin = createServer(options, (request, response) => void this.answer(request, response));
  }

  /** Starts both of its servers, each on a free port of loopback. */
  public async start(): Promise<void> {
    await Promise.all([this.front, this.admin].map(listenOnLoopback));
  }

  /** Where visitors go. */
  public get url(): string {
    return urlOf(this.front);
  }

  /** Where the admin API is. */
  public get adminUrl(): string {
    return urlOf(this.admin);
  }

  /** The live weights. */
  public get weights(): Readonly<Record<string, number>> {
    return this.state.weights;
  }

  public async stop(): Promise<void> {
    await Promise.all([this.front, this.admin].map(closeServer));
    this.agent.destroy();
  }

  private forward(request: IncomingMessage, response: ServerResponse): void {
    const { upstreams, random } = this.settings;
    const wished = request.headers[previewHeader];
    const isPreview = typeof wished === 'string' && Object.hasOwn(upstreams, wished);
    const slot = isPreview ? wished : chosen(this.state.weights, random.uniform());
    const begunAt = Date.now();
    const begun = performance.now();
    let hasEnded = false;
    const end = (failed: boolean): void => {
      if (hasEnded || isPreview) {
        return;
      }
      hasEnded = true;
      const served = { slot, at: Date.now(), milliseconds: performance.now() - begun, failed };
      this.state.counts.add(served);
      this.settings.onServed?.(served, begunAt);
    };
    const refuse = (status: number, text: string, failed = true): void => {
      if (failed) {
        end(true);
      }
      // What the visitor did wrong says nothing of the upstream.
      hasEnded = true;
      if (!response.headersSent) {
        response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
      }
      response.end(text);
    };
    const sent = sendRequest({
      host: '127.0.0.1',
      port: upstreams[slot]!(),
      method: request.method,
      path: request.url,
      headers: endToEnd(request.headers),
      agent: this.agent,
      timeout: limits.upstreamMs,
    });
    sent.on('timeout', () => {
      refuse(504, `${slot} does not answer in time\n`);
      sent.destroy();
    });
    sent.on('error', () => refuse(502, `${slot} does not answer\n`));
    sent.on('response', (answer) => {
      const { statusCode: status = 502 } = answer;
      response.writeHead(status, endToEnd(answer.headers));
      answer.pipe(response);
      answer.on('end', () => end(status >= 500));
      answer.on('error', () => response.destroy());
      answer.on('close', () => end(true));
    });
    let length = 0;
    request.on('data', (part: Buffer) => {
      length += part.length;
      if (length > limits.body) {
        request.unpipe(sent);
        refuse(413, 'the request is too long\n', false);
        sent.destroy();
      }
    });
    request.pipe(sent);
    // A visitor who goes takes the request along.
    response.on('close', () => {
      end(true);
      sent.destroy();
    });
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request;
    const body = await textOf(request);
    const { status, etag, content } =
      body === undefined
        ? { status: 413, etag: undefined, content: { error: 'the request is too long' } }
        : answerAdmin(this.state, { method, path, ifMatch: headers['if-match'], body }, Date.now());
    response.writeHead(status, { 'content-type': 'application/json', ...(etag !== undefined && { etag }) });
    response.end(JSON.stringify(content));
  }
}

/** @param at from 0 to 1: where on the weights, one after the other */
function chosen(weights: Readonly<Record<string, number>>, at: number): string {
  const entries = Object.entries(weights).filter(([, weight]) => weight > 0);
  let rest = at * entries.reduce((sum, [, weight]) => sum + weight, 0);
  return (entries.find(([, weight]) => (rest -= weight) < 0) ?? entries.at(-1)!)[0];
}

function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ofConnection.includes(name)));
}

/** The whole body of a request; undefined where it is too long. */
async function textOf(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > limits.body) {
      return undefined;
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
