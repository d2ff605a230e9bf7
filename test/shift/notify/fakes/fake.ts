import { awsClients } from '../../../../lib/core/aws/clients';
import type { HttpClient } from '../../../../lib/core/http';
import type { FleetEvent, SinkContext } from '../../../../lib/shift/notify';
import { Receiver } from '../receiver';
import type { Answer } from '../receiver';

/** What the contract of sinks tries a kind with. */
export interface SinkFake {
  /** Settings that are just enough. */
  readonly least: object;
  /** Settings with every key that changes rights. @default - the least */
  readonly whole?: object;
  /** Keys that say where a secret is read from; a text in place of that is refused. */
  readonly secretKeys: readonly string[];
  /** Starts what the sink tells. */
  start(): Promise<SinkWorld>;
}

/** A receiver, and a sink that finds it. */
export interface SinkWorld {
  readonly settings: object;
  readonly context: SinkContext;
  /** Over HTTP. @default - the sink has no receiver: others ask it */
  readonly receiver?: Receiver;
  /** How it answers where all is well; by now it does. */
  readonly well?: Answer;
  /** Whether it reads what a success says: then it notices what is no answer of its service. @default false */
  readonly readsAnswers?: boolean;
  /** Whether status 410 ends the tries. @default true */
  readonly goneIsFinal?: boolean;
  /** An event that is sent at once. @default - the start of a shift */
  readonly event?: FleetEvent;
  /** What no error may have. */
  readonly secrets: readonly string[];
  /** Ends what the world has started beside the receiver. @default - nothing is left */
  readonly stop?: () => void;
}

/** A context in which only what is given can be reached. */
export function contextWith(given: Partial<SinkContext>): SinkContext {
  return {
    env: {},
    readFile: () => Promise.reject(new Error('no file')),
    http: { send: () => Promise.reject(new Error('no HTTP')) } satisfies HttpClient,
    aws: () => {
      throw new Error('no AWS');
    },
    kubernetes: () => Promise.reject(new Error('no cluster')),
    base: '.',
    ...given,
  };
}

const secretAccessKey = 'aws-secret-access-key-0123456789';

/** A sink of AWS, whose SDK asks a receiver. */
export async function awsWorld(settings: object, well: Answer): Promise<SinkWorld> {
  const receiver = await Receiver.start(well);
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey };
  const clients = awsClients({
    ...{ region: 'eu-west-1', endpoint: receiver.url, credentials, maxAttempts: 1, retryMode: 'standard' },
  });
  const context = contextWith({ aws: () => clients });
  const stop = (): void => clients.close();
  return {
    ...{ settings, context, receiver, well, stop },
    secrets: [secretAccessKey],
    readsAnswers: true,
    goneIsFinal: false,
  };
}
