import type { KubernetesObject } from '../../kubernetes';

/** Annotation of a Rollout with the times of its latest restarts, RFC 3339, joined by commas. */
export const historyAnnotation = 'cluster-canary/restarts';

/** Annotation of a Rollout with the number of all of its restarts, for metrics. */
export const totalAnnotation = 'cluster-canary/restarts-total';

/** A day in milliseconds. */
export const day = 24 * 60 * 60 * 1000;

/** The earlier restarts of a Rollout. */
export interface RestartHistory {
  /** Times of those of about the last day, the oldest first. */
  readonly times: readonly Date[];
  /** How many there were in all. */
  readonly total: number;
}

const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;

/** What the annotations say; `undefined` where they can't be read, so that nobody counts from nothing again. */
export function restartHistory({ metadata }: KubernetesObject): RestartHistory | undefined {
  const { [historyAnnotation]: text = '', [totalAnnotation]: count } = metadata.annotations ?? {};
  const texts = text === '' ? [] : text.split(',');
  const times = texts.filter((each) => time.test(each)).map((each) => new Date(each));
  const total = Number(count ?? times.length);
  if (
    times.length < texts.length ||
    times.some((each) => Number.isNaN(each.getTime())) ||
    !Number.isSafeInteger(total) ||
    total < 0
  ) {
    return undefined;
  }
  return { times: times.sort((one, other) => one.getTime() - other.getTime()), total };
}

/** The annotations after one more restart. What is older than a day is left out. */
export function withRestart(history: RestartHistory, now: Date): Record<string, string> {
  const times = [...history.times.filter((each) => now.getTime() - each.getTime() < day), now];
  return {
    [historyAnnotation]: times.map(rfc3339).join(),
    [totalAnnotation]: String(history.total + 1),
  };
}

/** A time as Kubernetes writes it, in whole seconds. */
export function rfc3339(at: Date): string {
  return at.toISOString().replace(/\.\d+Z$/, 'Z');
}
