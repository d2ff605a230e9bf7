/** Flags of `cluster-canary harden`. */
export interface HardenFlags {
  readonly check?: true;
  readonly strict?: true;
  readonly json?: true;
  readonly config?: string;
  readonly beside?: readonly string[];
  /** Clusters by their paths: `NAME=PATH`, or a path alone; `-` is the manifests. @default - folders beside that hold the same object twice */
  readonly cluster?: readonly string[];
}
