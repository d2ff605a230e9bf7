import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import type { Random } from '../../core/random';
import { closeServer, keptOpenMs, listenOnLoopback } from './loopback';

/** What may be wrong with the servers of a slot. */
export const demoFaults = ['errors', 'latency', 'outage'] as const;

/** One of them. */
export type DemoFault = (typeof demoFaults)[number];

/** How a fault shows. */
const faulty = { errorShare: 1 / 3, slowShare: 2 / 3, slowMs: 600 };

/** Servers that are well fail one of a thousand requests, too. */
const usualErrorShare = 0.001;

/** Time that an answer takes: at least, and on average as long again and more. In milliseconds. */
const leastMs = 4;

const meanMs = 8;

/** A few HTTP servers on loopback in place of a slot's cluster. */
export class DemoFleet {
  /** What is wrong with it. @default - nothing */
  public fault: DemoFault | undefined;
  private servers: readonly Server[] = [];
  private turn = 0;

  public constructor(
    /** Name of the slot, which its answers say. */
    public readonly slot: string,
    private readonly random: Random,
  ) {}

  /** Starts servers, each on a free port. */
  public async start(count: number): Promise<void> {
    const servers = Array.from({ length: count }, () =>
      createServer({ keepAliveTimeout: keptOpenMs }, (request, response) => {
        request.resume();
        this.answer(response);
      }),
    );
    this.servers = servers;
    await Promise.all(servers.map(listenOnLoopback));
  }

  /** The port of the server whose turn it is. */
  public nextPort(): number {
    this.turn += 1;
    const address = this.servers[this.turn % this.servers.length]!.address();
    return typeof address === 'object' && address ? address.port : 0;
  }

  public async stop(): Promise<void> {
    await Promise.all(this.servers.map(closeServer));
  }

  private answer(response: ServerResponse): void {
    const { fault, random } = this;
    if (fault === 'outage') {
      response.socket?.destroy();
      return;
    }
    const isSlow = fault === 'latency' && random.uniform() < faulty.slowShare;
    const fails = random.uniform() < (fault === 'errors' ? faulty.errorShare : usualErrorShare);
    const wait = leastMs - meanMs * Math.log(random.uniform()) + (isSlow ? faulty.slowMs : 0);
    setTimeout(() => {
      response.writeHead(fails ? 500 : 200, { 'content-type': 'text/plain; charset=utf-8' });
      response.end(fails ? `${this.slot} fails\n` : `Hello from ${this.slot}\n`);
    }, wait);
  }
}
