import { createServer, get } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { onCleanUp } from './clean-up';
import { RuleForwarder } from './rule-forwarder';
import type { TargetAnswer } from './rule-forwarder';
import type { ShiftCommandBench } from './shift-command';

const header = 'x-slot';
const values = { blue: 'to-blue', green: 'hunter2-of-a-preview' } as const;

/** One of the slots. */
export type Slot = keyof typeof values;
const slots = Object.keys(values) as Slot[];

/** A request that has got to a slot. */
export interface SeenRequest {
  readonly slot: Slot;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** What has led it there: the weights, as a visitor; the slot's preview; the slot's own address. */
  readonly by: 'weights' | 'preview' | 'address';
}

/** The slots of a rule behind a load balancer that forwards: visitors by the weights, others by previews or addresses. */
export class SlotFront {
  /** Adds a preview of each slot to the rule's listener, and begins to serve. */
  public static async of(bench: ShiftCommandBench): Promise<SlotFront> {
    await bench.addPreviews(header, values);
    const front = new SlotFront(bench);
    front.forwarder.listenerArn = bench.listenerArn;
    await Promise.all([front.forwarder.start(), ...slots.map((slot) => front.serve(slot))]);
    return front;
  }

  /** What has got to the slots. */
  public readonly seen: SeenRequest[] = [];
  /** The slots' own addresses. */
  public readonly addresses: Record<Slot, string> = { blue: '', green: '' };
  /** What each slot answers, whatever it is asked. */
  public readonly answers: Record<Slot, ReturnType<TargetAnswer>> = { blue: well, green: well };

  private readonly forwarder: RuleForwarder;

  private constructor(bench: ShiftCommandBench) {
    this.forwarder = new RuleForwarder(bench.aws, (arn, request) => {
      const slot = slots.find((each) => bench.targetGroupArns[each] === arn)!;
      return this.answer(slot, request, request.headers[header] === undefined ? 'weights' : 'preview');
    });
  }

  /** Previews for a plan; that of green needs {@link env}. */
  public get previews(): Readonly<Record<Slot, object>> {
    const { url } = this.forwarder;
    return {
      blue: { url, headers: { [header]: values.blue } },
      green: { url, headers: { [header]: { env: 'PREVIEW_GREEN' } } },
    };
  }

  /** Variables that the previews need. */
  public get env(): Readonly<Record<string, string>> {
    return { PREVIEW_GREEN: values.green };
  }

  /** Sends visitors one after another until it is stopped, and answers how many each slot got. */
  public visitors(): { stop(): Promise<Readonly<Record<Slot, number>>> } {
    let isOver = false;
    const first = this.seen.length;
    const run = async (): Promise<void> => {
      while (!isOver) {
        await visit(`${this.forwarder.url}/api/`);
        await sleep(25);
      }
    };
    const running = run();
    onCleanUp(() => {
      isOver = true;
      return running;
    });
    return {
      stop: async () => {
        isOver = true;
        await running;
        const visits = this.seen.slice(first).filter(({ by }) => by === 'weights');
        const of = (slot: Slot): number => visits.filter((each) => each.slot === slot).length;
        return { blue: of('blue'), green: of('green') };
      },
    };
  }

  private answer(slot: Slot, { url: path = '/', headers }: IncomingMessage, by: SeenRequest['by']) {
    this.seen.push({ slot, path, headers, by });
    return this.answers[slot];
  }

  private async serve(slot: Slot): Promise<void> {
    const server = createServer((request, response) => {
      const { status, text } = this.answer(slot, request, 'address');
      response.writeHead(status).end(text);
    });
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    onCleanUp(() => {
      server.closeAllConnections();
      server.close();
    });
    this.addresses[slot] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
}

/** What a slot answers that is well. */
export const well = { status: 200, text: '{ "status": "ok" }' } as const;

/** One visitor, whatever the answer is. */
function visit(url: string): Promise<void> {
  return new Promise((done) => {
    get(url, { headers: { host: 'www.example.com' } }, (response) =>
      response.resume().once('close', done),
    ).once('error', () => done());
  });
}
