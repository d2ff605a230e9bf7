import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Weights } from 'cluster-canary/shift';
import { blueArn, greenArn, ruleArn } from './arns';

/** What happens to a request in place of an ordinary answer. */
export type RuleFault =
  /** AWS asks to slow down. */
  | 'throttled'
  /** It has its effect, and the connection breaks before the answer. */
  | 'lost'
  /** It has its effect, and the answer breaks off. */
  | 'cutOff'
  /** Nobody answers, and it has no effect. */
  | 'silent'
  /** It has its effect, and the answer comes later. */
  | { readonly late: number }
  /** A proxy answers by itself, and it has no effect. */
  | { readonly status: number; readonly body: string };

/** One rule behind the query protocol of Elastic Load Balancing, on loopback. */
export class RuleServer {
  /** `DescribeRules`, `ModifyRule blue 50, green 50`, `operator` */
  public readonly events: string[] = [];
  /** Is asked before each request is answered; the number counts those of one action from 0. */
  public onRequest: (action: string, call: number) => RuleFault | undefined = () => undefined;
  private readonly counts = new Map<string, number>();
  private server!: Server;

  public constructor(public weights: Weights) {}

  public get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  public async start(): Promise<this> {
    this.server = createServer((asked, answer) => void this.handle(asked, answer));
    await new Promise<void>((ready) => this.server.listen(0, '127.0.0.1', ready));
    return this;
  }

  public async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }

  /** Somebody sets the weights at the console. */
  public operator(weights: Weights): void {
    this.weights = weights;
    this.events.push('operator');
  }

  public count(action: string): number {
    return this.counts.get(action) ?? 0;
  }

  private async handle(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of asked) {
      text += String(chunk);
    }
    const form = new URLSearchParams(text);
    const action = form.get('Action')!;
    const call = this.count(action);
    this.counts.set(action, call + 1);
    const fault = this.onRequest(action, call);
    const wanted = action === 'ModifyRule' ? weightsIn(form) : undefined;
    this.events.push(wanted ? `${action} blue ${wanted.blue}, green ${wanted.green}` : action);
    if (fault === 'silent') {
      return;
    }
    if (fault === 'throttled') {
      answer.writeHead(400, { 'content-type': 'text/xml' }).end(throttling);
      return;
    }
    if (typeof fault === 'object' && 'status' in fault) {
      answer.writeHead(fault.status, { 'content-type': 'text/html' }).end(fault.body);
      return;
    }
    this.weights = wanted ?? this.weights;
    const body = this.rules(action);
    if (typeof fault === 'object') {
      await new Promise((resolve) => setTimeout(resolve, fault.late));
    }
    if (fault === 'lost') {
      answer.destroy();
    } else if (fault === 'cutOff') {
      // Without a length, and closed: the client can't see that something lacks.
      answer.socket!.end(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${body.slice(0, -80)}`);
    } else {
      answer.writeHead(200, { 'content-type': 'text/xml' }).end(body);
    }
  }

  private rules(action: string): string {
    const groups = Object.entries({ [blueArn]: this.weights.blue, [greenArn]: this.weights.green })
      .map(
        ([arn, weight]) =>
          `<member><TargetGroupArn>${arn}</TargetGroupArn><Weight>${weight}</Weight></member>`,
      )
      .join('');
    const forward = `<Type>forward</Type><ForwardConfig><TargetGroups>${groups}</TargetGroups></ForwardConfig>`;
    const rule = `<RuleArn>${ruleArn}</RuleArn><Actions><member>${forward}</member></Actions>`;
    const result = `<${action}Result><Rules><member>${rule}</member></Rules></${action}Result>`;
    return `<${action}Response xmlns="http://elasticloadbalancing.amazonaws.com/doc/2015-12-01/">${result}</${action}Response>`;
  }
}

/** A page that is no XML, as most are. */
export const page =
  '<!DOCTYPE html><html><head><meta charset="utf-8"></head><body>Bad gateway<br></body></html>';
/** One that happens to be XML: the SDK reads it, and finds nothing in it. */
export const xmlPage = '<html><head><title>Gateway</title></head><body><h1>Bad gateway</h1></body></html>';

const throttling =
  '<ErrorResponse><Error><Type>Sender</Type><Code>Throttling</Code><Message>Rate exceeded</Message></Error></ErrorResponse>';

function weightsIn(form: URLSearchParams): Weights {
  const found = new Map<string, number>();
  for (const [key, arn] of form) {
    if (key.endsWith('.TargetGroupArn')) {
      found.set(arn, Number(form.get(key.replace(/TargetGroupArn$/, 'Weight'))));
    }
  }
  return { blue: found.get(blueArn) ?? 0, green: found.get(greenArn) ?? 0 };
}
