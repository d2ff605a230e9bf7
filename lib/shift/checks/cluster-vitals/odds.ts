/** Units of a cluster, and how many of them are affected. */
export interface Affected {
  readonly affected: number;
  readonly of: number;
}

/** How many units of another cluster the usual share is worth. */
const weightOfUsual = 20;

/**
 * The chance that as many units of a cluster are affected, or more, where each has the same chance as in the other cluster:
 * exact, by the beta-binomial distribution. What is not known of the other cluster is what is usual of any: without a unit of
 * it, this is an absolute limit; with many, they count alone. Where the other cluster has affected units, the usual share may
 * be too small for these two: then what nothing is known of (Jeffreys' prior) has to say the same.
 *
 * @param beside the other cluster; without units, where nothing is known of it
 * @param usual share that is affected in a cluster of which nothing is known
 */
export function chanceOfSoMany(now: Affected, beside: Affected, usual: number): number {
  const byUsual = betaBinomialTail(now, usual * weightOfUsual + beside.affected, {
    of: weightOfUsual + beside.of,
  });
  return beside.affected === 0
    ? byUsual
    : Math.max(byUsual, betaBinomialTail(now, 0.5 + beside.affected, { of: 1 + beside.of }));
}

/** @param alpha units that were affected, of those that were seen */
function betaBinomialTail({ affected, of }: Affected, alpha: number, seen: { readonly of: number }): number {
  const beta = seen.of - alpha;
  // The chance of none is a product; the chance of each further one follows from the one before.
  let logTerm = 0;
  for (let unit = 0; unit < of; unit += 1) {
    logTerm += Math.log((beta + unit) / (alpha + beta + unit));
  }
  let chance = 0;
  for (let count = 0; count <= of; count += 1) {
    const term = count < affected ? 0 : Math.exp(logTerm);
    chance += term;
    // From twice the mean on, terms fall faster than they could add up to anything.
    if (count > affected && count * seen.of > 2 * of * alpha && term <= chance * 1e-12) {
      break;
    }
    logTerm += Math.log(((of - count) * (alpha + count)) / ((count + 1) * (beta + of - count - 1)));
  }
  return Math.min(1, chance);
}
