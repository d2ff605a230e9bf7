import type { Point } from './aggregate';

/** A metric service of the kind that takes queries as text. */
export interface MetricService {
  /**
   * The series of a query between two times, each a list of points.
   *
   * @param stepMs from one point to the next, where the service lets one choose
   * @throws SourceError
   */
  series(
    query: string,
    from: number,
    to: number,
    stepMs: number,
    signal?: AbortSignal,
  ): Promise<readonly (readonly Point[])[]>;
  /** From the start of what a point of {@link series} covers to its time; 0 where its time is the start. */
  readonly pointCovers: (stepMs: number) => number;
}
