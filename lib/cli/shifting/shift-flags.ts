/** What `cluster-canary shift` takes beside the plan. */
export interface ShiftFlags {
  readonly route?: string;
  readonly dryRun?: boolean;
  /** Whether the rights that the plan needs are printed, and nothing else is done. */
  readonly rights?: boolean;
  readonly json?: boolean;
  readonly report?: string;
  readonly resumeFile?: string;
  readonly resumed?: number;
  /** Whether it is success to end at a pause. */
  readonly toPause?: boolean;
  /** Whether a shift that completes leaves the record of where it came from. */
  readonly keepRecord?: boolean;
  /** Why the route is to go back to where it came from, instead of on. */
  readonly rollBack?: string;
  /** Whether it is success that there is no unfinished shift to roll back. */
  readonly ifRecorded?: boolean;
  /** Whether the record is marked as ended, and nothing else done. */
  readonly forget?: boolean;
}
