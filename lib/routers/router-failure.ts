import { AwsError } from '../aws';
import type { RouterFailure, Weights } from '../shift';
import { describeWeights, RouterError } from '../shift';
import type { Refusal } from './reading';

const failureOf: Readonly<Record<AwsError['failure']['kind'], RouterFailure>> = {
  throttled: 'throttled',
  denied: 'denied',
  credentials: 'denied',
  notFound: 'notFound',
  region: 'unreachable',
  unreachable: 'unreachable',
  cancelled: 'unreachable',
  other: 'unfit',
};

/** What a router throws for an error; the live weights are added where they are known. */
export function routerError(error: unknown, live?: Weights): unknown {
  if (error instanceof RouterError && !error.live && live) {
    return new RouterError(error.failure, error.message + liveWords(live), live, { cause: error });
  }
  if (!(error instanceof AwsError)) {
    return error;
  }
  const failure = failureOf[error.failure.kind];
  return new RouterError(failure, error.message + liveWords(live), live, { cause: error });
}

/** What a router throws where what stands there is nothing to work on. */
export function refused(name: string, { failure, why }: Refusal, live?: Weights): RouterError {
  return new RouterError(failure, `${name}: ${why}${liveWords(live)}`, live);
}

function liveWords(live: Weights | undefined): string {
  return live ? `; the live weights are ${describeWeights(live)}` : '';
}
