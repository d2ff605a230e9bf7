/** What keeps restarts from becoming a loop, and from taking a Rollout away. */
export interface RestartLimits {
  /**
   * Time between two restarts of a Rollout, in milliseconds.
   *
   * @default 1800000 - half an hour: three times the progress deadline that Argo Rollouts has by itself
   */
  readonly coolDown: number;
  /** How often a Rollout is restarted within 24 hours. @default 3 - what does not help three times does not help */
  readonly perDay: number;
  /**
   * How many pods a Rollout must want. With one, it has none while that one is replaced.
   *
   * @default 2 - no restart takes the last pod away
   */
  readonly leastReplicas: number;
}

/** The limits where nobody says others. */
export const usualLimits: RestartLimits = { coolDown: 30 * 60 * 1000, perDay: 3, leastReplicas: 2 };
