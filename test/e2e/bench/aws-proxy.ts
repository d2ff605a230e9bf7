import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AwsCall } from './aws-proxy-call';
import { onlyReads, readCall } from './aws-proxy-call';
import type { AwsFault } from './aws-proxy-faults';
import { faultAnswer } from './aws-proxy-faults';

/** Where and how often a fault happens. */
export interface FaultRule {
  /** The action, `ModifyRule`; a pattern for several. */
  readonly action: string | RegExp;
  readonly fault: AwsFault;
  /** How many calls. @default 1 */
  readonly times?: number;
  /** How many calls before them stay whole. @default 0 */
  readonly skip?: number;
}

/** A proxy in front of moto that writes down every call and answers some of them itself. */
export class AwsProxy {
  /** All calls in the order in which they came in. */
  public readonly calls: AwsCall[] = [];
  /** How the names of network load balancers begin: moto's ARNs say `app` of every load balancer. @default - there is none */
  public networkNames?: string;

  /** Answers of what moto does not know; undefined for what it is to answer. @default - it answers everything */
  public standIn?: (call: AwsCall, path: string) => object | undefined;

  private readonly rules: (FaultRule & { left: number; ahead: number })[] = [];
  private server?: Server;

  public constructor(private readonly upstream: string) {}

  /** Where it listens. */
  public get url(): string {
    return `http://127.0.0.1:${(this.server!.address() as AddressInfo).port}`;
  }

  public async start(): Promise<this> {
    this.server = createServer((asked, answer) => void this.handle(asked, answer));
    await new Promise<void>((ready, fail) => {
      this.server!.on('error', fail).listen(0, '127.0.0.1', ready);
    });
    return this;
  }

  public async stop(): Promise<void> {
    this.server?.closeAllConnections();
    await new Promise((done) => (this.server ? this.server.close(done) : done(undefined)));
  }

  /** From now on the first calls of an action go wrong. Rules are tried in the order in which they were given. */
  public fail(rule: FaultRule): void {
    this.rules.push({ ...rule, left: rule.times ?? 1, ahead: rule.skip ?? 0 });
  }

  /** Ends all faults. */
  public heal(): void {
    this.rules.length = 0;
  }

  /** Calls of one action. */
  public callsOf(action: string): AwsCall[] {
    return this.calls.filter((call) => call.action === action);
  }

  /** Calls that change something, since a moment or all. */
  public changes(since = 0): AwsCall[] {
    return this.calls.filter(({ action, at }) => at >= since && !onlyReads(action));
  }

  private async handle(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of asked) {
      chunks.push(chunk as Buffer);
    }
    const body = Buffer.concat(chunks);
    const { protocol, ...call } = readCall(asked.method!, asked.url!, asked.headers, body.toString());
    const kept: AwsCall = call;
    this.calls.push(kept);
    const fault = this.faultFor(kept.action);
    if (fault === 'timeout') {
      return;
    }
    if (typeof fault === 'object' && 'latency' in fault) {
      await new Promise((resolve) => setTimeout(resolve, fault.latency));
    } else if (fault !== undefined && fault !== 'answerLost') {
      const { status, headers, body: text } = faultAnswer(fault, protocol, kept.action);
      kept.status = status;
      answer.writeHead(status, headers).end(text);
      return;
    }
    const own = this.standIn?.(kept, asked.url!);
    if (own !== undefined) {
      kept.status = 200;
      const headers = { 'content-type': `application/${protocol === 'json' ? 'x-amz-json-1.1' : 'json'}` };
      answer.writeHead(200, headers).end(JSON.stringify(own));
      return;
    }
    this.forward(asked, this.renamed(body, 'net', 'app'), answer, (status) => {
      if (fault === 'answerLost') {
        answer.destroy();
        return false;
      }
      kept.status = status;
      return true;
    });
  }

  private forward(
    asked: IncomingMessage,
    body: Buffer,
    answer: ServerResponse,
    mayAnswer: (status: number) => boolean,
  ): void {
    const { method, url, headers } = asked;
    const onward = request(new URL(url!, this.upstream), { method, headers, agent: false });
    onward.on('response', (found) => {
      if (mayAnswer(found.statusCode!)) {
        answer.writeHead(found.statusCode!, found.headers);
        void this.pass(found, answer);
      } else {
        found.resume();
      }
    });
    onward.on('error', () => answer.destroy());
    onward.end(body);
  }

  private async pass(found: IncomingMessage, answer: ServerResponse): Promise<void> {
    if (this.networkNames === undefined) {
      found.pipe(answer);
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of found) {
      chunks.push(chunk as Buffer);
    }
    answer.end(this.renamed(Buffer.concat(chunks), 'app', 'net'));
  }

  /** The length stays the same. */
  private renamed(body: Buffer, from: 'app' | 'net', to: 'app' | 'net'): Buffer {
    const name = this.networkNames;
    return name === undefined
      ? body
      : Buffer.from(
          body
            .toString()
            .replaceAll(`${from}/${name}`, `${to}/${name}`)
            .replaceAll(`${from}%2F${name}`, `${to}%2F${name}`),
        );
  }

  private faultFor(action: string): AwsFault | undefined {
    const rule = this.rules.find(
      ({ left, action: wanted }) =>
        left > 0 && (typeof wanted === 'string' ? wanted === action : wanted.test(action)),
    );
    if (!rule) {
      return undefined;
    }
    if (rule.ahead > 0) {
      rule.ahead -= 1;
      return undefined;
    }
    rule.left -= 1;
    return rule.fault;
  }
}
