/** What checks on metrics take where their settings don't say; times in milliseconds. Each setting has its reason. */
export const metricDefaults = {
  /** How far back a check looks. */
  overMs: 300_000,
  /** How long weights stand before a query of a user is asked first. */
  settleMs: 60_000,
  /** Length of a period in which requests are counted. */
  periodMs: 60_000,
  /** From the end of a period until its figures are taken. */
  delayMs: 30_000,
  /** From one point of a range of Prometheus to the next. */
  stepMs: 15_000,
} as const;
