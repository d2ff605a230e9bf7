/** What `cluster-canary simulate` takes beside the plan. */
export interface SimulateFlags {
  readonly scenario: string;
  readonly seed: number;
  readonly runs: number;
  readonly json?: boolean;
  readonly report?: string;
}
