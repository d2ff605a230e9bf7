import type { AwsClients } from '../../aws/clients';
import { AwsError, callAws } from '../../aws/errors';
import { everyPage } from '../../aws/pages';
import type { Page } from '../../aws/pages';
import { inTurn, Limiter } from '../../async';
import { oneLine } from '../../printable-text';

/** Which cluster AWS is asked about, and how. */
export interface EksQuestion<Client extends keyof AwsClients = keyof AwsClients> {
  /** Name of the cluster. */
  readonly clusterName: string;
  /** Clients in its region. */
  readonly clients: Pick<AwsClients, Client | 'region'>;
  /** Calls that may be under way at once. */
  readonly concurrency: number;
  /** Ends it early. */
  readonly signal: AbortSignal;
}

/** What was read, and what was not. */
export interface Read<Value> {
  readonly value: Value;
  /** Which calls came to nothing, a line each, with the right that is missing: what they would have said has not passed. */
  readonly untried: readonly string[];
}

/** One call, for errors and for what is untried. */
export interface EksCall {
  /** As IAM names it: `eks:DescribeNodegroup`. */
  readonly action: string;
  /** What it is about: `node group web of EKS cluster apps`. */
  readonly subject: string;
}

/** What each call of the SDK takes beside its input. */
export interface CallOptions {
  readonly abortSignal: AbortSignal;
}

/** Of one kind: EKS lets an account have some hundred, and what answers may be a stand-in. */
const mostDescribed = 1_000;

/**
 * Asks AWS about one cluster: so many calls at once, lists to their end, and each answer once, however many subjects want it.
 * A call that is denied, throttled to the end or not answered is said as untried.
 */
export class EksReader<Client extends keyof AwsClients = keyof AwsClients> {
  private readonly limiter: Limiter;
  private readonly kept = new Map<string, Promise<unknown>>();

  public constructor(public readonly question: EksQuestion<Client>) {
    this.limiter = new Limiter(Math.max(question.concurrency, 1));
  }

  /** Clients in the cluster's region. */
  public get clients(): EksQuestion<Client>['clients'] {
    return this.question.clients;
  }

  /** `EKS cluster apps in eu-west-1` */
  public get place(): string {
    const { clusterName, clients } = this.question;
    return oneLine(
      `EKS cluster ${clusterName}${clients.region === undefined ? '' : ` in ${clients.region}`}`,
    );
  }

  /** What was asked under this name, or is asked now. */
  public once<Value>(name: string, read: () => Promise<Value>): Promise<Value> {
    const found = (this.kept.get(name) as Promise<Value> | undefined) ?? read();
    this.kept.set(name, found);
    return found;
  }

  /**
   * One call.
   *
   * @throws AwsError where nothing else can be asked either: there are no credentials, no region, or the thing is not there
   */
  public async one<Answer>(
    call: EksCall,
    ask: (options: CallOptions) => Promise<Answer>,
  ): Promise<Read<Answer | undefined>> {
    try {
      return { value: await this.ask(call, ask), untried: [] };
    } catch (error) {
      return { value: undefined, untried: [untriedLine(this.tolerated(error))] };
    }
  }

  /**
   * A list to its end. Where a page comes to nothing, what the pages before have named counts all the same.
   *
   * @throws AwsError as {@link one}
   */
  public async list<Item>(
    call: EksCall,
    ask: (token: string | undefined, options: CallOptions) => Promise<Page<Item, string>>,
  ): Promise<Read<readonly Item[]>> {
    const value: Item[] = [];
    try {
      await everyPage<never>({ ...call, ...this.region }, async (token) => {
        const { items, next } = await this.ask(call, (options) => ask(token, options));
        items.forEach((item) => value.push(item));
        return { items: [], next };
      });
      return { value, untried: [] };
    } catch (error) {
      return { value, untried: [untriedLine(this.tolerated(error))] };
    }
  }

  /** Describes each of a list; what went meanwhile is left out. */
  public async each<Answer>(
    names: readonly string[],
    call: (name: string) => EksCall,
    ask: (name: string, options: CallOptions) => Promise<Answer>,
  ): Promise<Read<readonly Answer[]>> {
    const { concurrency, signal } = this.question;
    const failed: AwsError[] = [];
    const answers = await inTurn(
      names.slice(0, mostDescribed),
      concurrency,
      async (name): Promise<readonly Answer[]> => {
        try {
          return [await this.ask(call(name), (options) => ask(name, options))];
        } catch (error) {
          if (error instanceof AwsError && error.failure.kind === 'notFound') {
            return [];
          }
          failed.push(this.tolerated(error));
          return [];
        }
      },
      signal,
    );
    const left = names.length - mostDescribed;
    return {
      value: answers.flat(),
      untried: [
        ...grouped(failed),
        ...(left > 0 ? [`${this.place}: ${left} of ${names.length} were not read, they are too many`] : []),
      ],
    };
  }

  private get region(): { readonly region?: string } {
    const { region } = this.question.clients;
    return region === undefined ? {} : { region };
  }

  private ask<Answer>(call: EksCall, ask: (options: CallOptions) => Promise<Answer>): Promise<Answer> {
    const { signal } = this.question;
    return this.limiter.run(() => {
      signal.throwIfAborted();
      return callAws({ ...call, ...this.region }, () => ask({ abortSignal: signal }));
    });
  }

  /** A failure that leaves other calls their chance; every other one is thrown. */
  private tolerated(error: unknown): AwsError {
    this.question.signal.throwIfAborted();
    if (!(error instanceof AwsError) || /^(credentials|region|notFound)$/.test(error.failure.kind)) {
      throw error;
    }
    return error;
  }
}

/** One line a right or reason, however many things it is about. */
function grouped(failed: readonly AwsError[]): readonly string[] {
  const groups = new Map<string, AwsError[]>();
  for (const error of failed) {
    const key = `${error.call.action} ${error.failure.kind}`;
    groups.set(key, [...(groups.get(key) ?? []), error]);
  }
  return [...groups.values()].map((errors) => untriedLine(errors[0]!, errors.length - 1));
}

function untriedLine({ call, failure, message }: AwsError, more = 0): string {
  const subject = more === 0 ? call.subject : `${call.subject} and ${more} more`;
  const why =
    failure.kind === 'denied'
      ? `not allowed to call ${failure.action ?? call.action}`
      : message.slice(oneLine(`${call.subject}: `).length);
  return oneLine(`${subject}: ${why}`);
}
