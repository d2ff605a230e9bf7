/**
 * When a pod of a shift is tried again: when it was lost, killed or interrupted, or could not run (status 2: the API
 * could not be reached, or the lease of a pod that was killed has not expired yet). A shift that goes on where it stopped
 * makes that safe. Status 1 is a verdict and stays: nobody wants a shift again that was just rolled back.
 *
 * The policy is not `OnError`: Argo Workflows calls a pod that was evicted, ran out of memory or was killed by a signal
 * failed, and keeps "error" for what went wrong beside the main container.
 *
 * @param verdicts exit statuses that are not tried again
 * @see https://argo-workflows.readthedocs.io/en/latest/retries/
 */
export function podRetry(limit: number, verdicts: readonly number[]): object {
  return {
    limit,
    retryPolicy: 'Always',
    expression: verdicts.map((status) => `lastRetry.exitCode != "${status}"`).join(' && '),
    // A lease lasts for two minutes; the traffic of a shift that was killed is watched by nobody until then.
    backoff: { duration: '30', factor: 2, cap: '120' },
  };
}
