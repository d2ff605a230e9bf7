import type { CheckResult, Figure } from '../../engine';
import { SourceError, combinedResult, worstStatus } from '../../engine';
import type { ProbeResult } from '../../probes';
import { wrongWith } from './expectation';
import type { Expectation } from './expectation';

/** What has come of the requests to one path. */
export interface PathResults {
  /** `GET /healthz`, without a query. */
  readonly what: string;
  readonly results: readonly ProbeResult[];
}

/** What the answers of a slot are held against. */
export interface HttpBounds extends Expectation {
  /** The share of requests that may fail. */
  readonly maxFailed: number;
  /** Answers that take longer are slow, in milliseconds. @default - none is */
  readonly slowAboveMs?: number | undefined;
  /** The share of answers that may be slow. */
  readonly maxSlow: number;
}

/** What requests to a slot amount to. */
export interface HttpVerdict {
  readonly result: CheckResult;
  /**
   * Why some requests have never reached the slot: then nothing is known, unless others have failed.
   * @default - all have, or it makes no difference
   */
  readonly source?: string;
}

/**
 * The verdict on all slots. Where one has failed, the reason also names those of which nothing is known.
 *
 * @throws SourceError where none has failed, and of some nothing is known; it names each of them
 */
export function combinedVerdict(verdicts: readonly Partial<HttpVerdict>[]): CheckResult {
  const result = combinedResult(verdicts.flatMap((each) => each.result ?? []));
  const unknown = verdicts.flatMap(({ source }) => source ?? []);
  if (unknown.length > 0 && result.status !== 'fail') {
    throw new SourceError(unknown.join('; '));
  }
  return { ...result, reason: [result.reason, ...unknown].join('; ') };
}

/** Evaluates the answers of a slot; each path has bounds of its own. */
export function evaluateAnswers(
  slot: string,
  paths: readonly PathResults[],
  bounds: HttpBounds,
): HttpVerdict {
  const found = paths.map((each) => evaluatePath(each, bounds));
  const all = paths.flatMap(({ results }) => results).filter((each) => !isOurs(each));
  const source = found.map((each) => each.source).find((each) => each !== undefined);
  const wrong = found.flatMap((each) => each.wrong);
  const status = worstStatus(
    found.map((each) => (each.wrong.length > 0 ? 'fail' : 'pass')),
    'inconclusive',
  );
  const most = slowestOf(all);
  const summary = `${all.length} requests as expected${most === undefined ? '' : `, the slowest in ${Math.round(most)} ms`}`;
  return {
    result: {
      status,
      reason: `${slot}: ${few(wrong).join('; ') || summary}`,
      figures: figuresOf(slot, all, bounds, found),
    },
    ...(status !== 'fail' && source !== undefined && { source: `${slot}: ${source}` }),
  };
}

interface PathVerdict {
  readonly wrong: readonly string[];
  /** What is wrong with most of the requests that failed, where too many have. */
  readonly failure?: string;
  /** Where too many answers were slow. */
  readonly slow?: string;
  readonly source?: string;
}

function evaluatePath({ what, results }: PathResults, bounds: HttpBounds): PathVerdict {
  const ours = results.find(isOurs);
  const sent = results.filter((each) => !isOurs(each));
  const wrong = sent.flatMap((each) => wrongWith(each, bounds) ?? []);
  const isFailed = wrong.length > bounds.maxFailed * sent.length;
  const slow = sent.filter((each) => isSlow(each, bounds)).length;
  const isTooSlow = slow > bounds.maxSlow * sent.length;
  const count = (number: number): string => `(${number} of ${sent.length})`;
  const few = isTooSlow ? [`${what}: slower than ${bounds.slowAboveMs} ms ${count(slow)}`] : [];
  const failure = isFailed ? `${what}: ${mostCommon(wrong)}` : undefined;
  return {
    wrong: [...(failure === undefined ? [] : [`${failure} ${count(wrong.length)}`]), ...few],
    ...(failure !== undefined && { failure }),
    ...(isTooSlow && { slow: what }),
    ...(ours && 'failure' in ours && { source: `${what}: ${ours.failure}` }),
  };
}

/** Whether it says nothing of the slot. */
function isOurs(result: ProbeResult): boolean {
  return 'failure' in result && result.ours === true;
}

function isSlow(result: ProbeResult, { slowAboveMs }: HttpBounds): boolean {
  return slowAboveMs !== undefined && !('failure' in result) && result.milliseconds > slowAboveMs;
}

function figuresOf(
  slot: string,
  sent: readonly ProbeResult[],
  bounds: HttpBounds,
  found: readonly PathVerdict[],
): readonly Figure[] {
  const { maxFailed, maxSlow, slowAboveMs } = bounds;
  const of = sent.length;
  const share = (
    name: string,
    counted: number,
    max: number,
    what: string,
    causes: readonly string[],
  ): Figure => ({
    ...{ name, slot, value: of > 0 ? counted / of : null, unit: 'share', max },
    ...(of > 0 && {
      counts: { counted, of, what, ...(causes.length > 0 && { cause: few(causes).join('; ') }) },
    }),
    ...(causes.length > 0 && { failed: true }),
  });
  const failed = sent.filter((each) => wrongWith(each, bounds) !== undefined).length;
  const failures = found.flatMap(({ failure }) => failure ?? []);
  const slow = sent.filter((each) => isSlow(each, bounds)).length;
  const slowPaths = found.flatMap((each) => each.slow ?? []);
  const slowest = slowestOf(sent);
  return [
    share('failed requests', failed, maxFailed, 'requests failed', failures),
    ...(slowAboveMs === undefined
      ? []
      : [share('slow requests', slow, maxSlow, `requests took more than ${slowAboveMs} ms`, slowPaths)]),
    { name: 'slowest answer', slot, value: slowest === undefined ? null : slowest / 1000, unit: 'seconds' },
  ];
}

function slowestOf(results: readonly ProbeResult[]): number | undefined {
  const times = results.flatMap((each) => ('failure' in each ? [] : [each.milliseconds]));
  return times.length > 0 ? Math.max(...times) : undefined;
}

/** Of several reasons the one that is there most, the first of those. */
function mostCommon(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  texts.forEach((each) => counts.set(each, (counts.get(each) ?? 0) + 1));
  const most = Math.max(...counts.values());
  return texts.find((each) => counts.get(each) === most) ?? '';
}

/** A reason is one line: three paths, and how many more there are. */
function few(all: readonly string[]): readonly string[] {
  return all.length <= 3 ? all : [...all.slice(0, 3), `${all.length - 3} more`];
}
