import { secondsText } from './times';

/** Which periods count, by how long ago they began, in milliseconds. */
export interface Begins {
  /** As long ago, or longer. */
  readonly before: number;
  /** Less long ago. */
  readonly notBefore: number;
}

/**
 * The answer to one query, in the words of expr: `result` is the list of `MetricDataResult`.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_MetricDataResult.html
 */
export function seriesOf(id: string): string {
  return `find(result, {.Id == "${id}"})`;
}

/** Values of the periods that count, the newest one first, as CloudWatch answers where it is not told otherwise. */
export function recentPoints(series: string, { before, notBefore }: Begins): string {
  const at = `${series}.Timestamps[#]`;
  const counts = `${at} <= now() - duration("${secondsText(before)}") && ${at} > now() - duration("${secondsText(notBefore)}")`;
  return `map(filter(0..len(${series}.Values) - 1, {${counts}}), {${series}.Values[#]})`;
}

/** Sum of the periods that count; 0 where there are none, since Elastic Load Balancing reports no zeros. */
export function sumOf(id: string, begins: Begins): string {
  return `sum(${recentPoints(seriesOf(id), begins)})`;
}
