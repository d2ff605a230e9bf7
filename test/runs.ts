/** Whether all runs are asked for: `ALL_RUNS=1` as in the part `properties` of the end-to-end suite, or `FUZZ`. */
const isWhole = (process.env['ALL_RUNS'] ?? process.env['FUZZ']) !== undefined;

/**
 * How often a property or a simulation runs: a tenth of `all`, so that `npm test` stays quick, but not below `least`, with which
 * it still finds mistakes.
 */
export function scaled(all: number, least = 20): number {
  return isWhole ? all : Math.max(Math.ceil(all / 10), Math.min(all, least));
}
