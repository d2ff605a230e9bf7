import { ElasticLoadBalancingV2 } from '@aws-sdk/client-elastic-load-balancing-v2';
import { EventBridge } from '@aws-sdk/client-eventbridge';
import { Route53 } from '@aws-sdk/client-route-53';
import { S3 } from '@aws-sdk/client-s3';
import { SNS } from '@aws-sdk/client-sns';
import { SSM } from '@aws-sdk/client-ssm';
import type { AwsClients } from '../../../lib/core/aws/clients';

/** One command as it was sent. */
export interface SentCommand {
  /** `DescribeRules` */
  readonly name: string;
  readonly input: any;
  readonly signal?: AbortSignal;
}

/** Answers by command; a function is called with the input, and what it throws is the answer's error. */
export type Answers = Readonly<Record<string, (input: any, signal?: AbortSignal) => unknown>>;

/** Clients of the SDK whose `send` writes down what is sent and answers from a table. */
export class RecordingClients implements AwsClients {
  public readonly region = 'eu-west-1';
  public readonly sent: SentCommand[] = [];

  public constructor(private readonly answers: Answers) {}

  public elasticLoadBalancing = () => Promise.resolve(this.record(new ElasticLoadBalancingV2({})));
  public route53 = () => Promise.resolve(this.record(new Route53({})));
  public sns = () => Promise.resolve(this.record(new SNS({})));
  public eventBridge = () => Promise.resolve(this.record(new EventBridge({})));
  public s3 = () => Promise.resolve(this.record(new S3({})));
  public ssm = () => Promise.resolve(this.record(new SSM({})));
  public cloudWatch = () => Promise.reject(new Error('not recorded'));
  public eks = () => Promise.reject(new Error('not recorded'));
  public ec2 = () => Promise.reject(new Error('not recorded'));
  public serviceQuotas = () => Promise.reject(new Error('not recorded'));
  public sts = () => Promise.reject(new Error('not recorded'));
  public close = () => undefined;

  /** Names of the commands, in order. */
  public get names(): string[] {
    return this.sent.map(({ name }) => name);
  }

  /** Inputs of one command. */
  public inputs(name: string): any[] {
    return this.sent.filter((sent) => sent.name === name).map(({ input }) => input);
  }

  private record<Client extends object>(client: Client): Client {
    const send = (
      { constructor, input }: { constructor: { name: string }; input: object },
      options: { abortSignal?: AbortSignal } = {},
    ): Promise<unknown> => {
      const name = constructor.name.replace(/Command$/, '');
      // As it is now: whoever changes it later changes only its own.
      this.sent.push({ name, input: structuredClone(input), signal: options.abortSignal });
      const answer = this.answers[name];
      return answer
        ? Promise.resolve().then(() => answer(input, options.abortSignal))
        : Promise.reject(new Error(`${name} was not expected`));
    };
    return Object.assign(client, { send });
  }
}

/** An error as the SDK throws it. */
export function sdkError(
  name: string,
  message = name,
  more: { status?: number; code?: string; hostname?: string; cause?: unknown } = {},
): Error {
  const { status, ...rest } = more;
  return Object.assign(new Error(message), { name, ...rest, $metadata: { httpStatusCode: status } });
}

/**
 * A client of the SDK itself, which its paginators want, that answers by methods.
 *
 * @param methods by name: `describeRules`
 */
export function balancingClient(methods: object): ElasticLoadBalancingV2 {
  const send = (
    { constructor, input }: { readonly constructor: { readonly name: string }; readonly input: object },
    options?: object,
  ): Promise<unknown> => {
    const name = constructor.name.replace(/Command$/, '');
    const method = `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
    const answers = methods as Readonly<Record<string, (input: object, options?: object) => unknown>>;
    // A paginator changes its input from page to page.
    return Promise.resolve().then(() => answers[method]!({ ...input }, options));
  };
  return Object.assign(new ElasticLoadBalancingV2({}), { send }) as ElasticLoadBalancingV2;
}
