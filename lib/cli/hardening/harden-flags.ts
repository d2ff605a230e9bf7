/** Flags of `cluster-canary harden`. */
export interface HardenFlags {
  readonly check?: true;
  readonly strict?: true;
  readonly json?: true;
  readonly config?: string;
  readonly beside?: readonly string[];
}
