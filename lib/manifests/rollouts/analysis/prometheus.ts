import type { Problems } from '../../../core/validation/problems';
import { boundsOf, conditions, isWithin, prometheusCheckQuery } from '../../shift-checks';
import type { AnalysisConditions, PrometheusCheck, Spell } from '../../shift-checks';
import { checkSecretValue } from './metric-props';
import type { AnalysisMetric } from './metric-props';

/** Seconds: what a shift's check waits for an answer. */
const timeoutSeconds = 10;

/** Adds what Argo Rollouts can't do, and the secrets that are missing. */
export function checkPrometheusMetric(
  problems: Problems,
  path: string,
  { kind, args }: PrometheusCheck,
  { authorization }: AnalysisMetric,
): void {
  const { address, auth } = args;
  const wantsSecret = auth !== undefined && !('sigV4' in auth);
  if (wantsSecret) {
    checkSecretValue(problems, `${path}.authorization`, authorization);
  } else if (authorization !== undefined) {
    problems.add(`${path}.authorization`, authorization, 'left out: the check has no password and no token');
  }
  if (auth !== undefined && 'sigV4' in auth && !address.includes('aps-workspaces')) {
    problems.add(
      `${path}.check.${kind}.address`,
      address,
      'an address with "aps-workspaces": Argo Rollouts signs no other requests',
    );
  }
}

/**
 * A metric of Prometheus for Argo Rollouts.
 *
 * @param secretArgument argument of the template that holds the password or the token
 * @see https://argo-rollouts.readthedocs.io/en/stable/analysis/prometheus/
 */
export function prometheusMetric(
  check: PrometheusCheck,
  spell: Spell,
  secretArgument: string,
): AnalysisConditions & { readonly provider: object } {
  const { auth, address, onNoData } = check.args;
  const scheme = auth !== undefined && 'basic' in auth ? 'Basic' : 'Bearer';
  return {
    ...conditions('len(result) > 0 && !isNaN(result[0])', isWithin('result[0]', boundsOf(check)), onNoData),
    provider: {
      prometheus: {
        address,
        query: prometheusCheckQuery(check, spell),
        timeout: timeoutSeconds,
        ...(auth !== undefined && 'sigV4' in auth
          ? { authentication: { sigv4: { region: auth.sigV4.region } } }
          : {}),
        ...(auth !== undefined && !('sigV4' in auth)
          ? { headers: [{ key: 'Authorization', value: `${scheme} {{args.${secretArgument}}}` }] }
          : {}),
      },
    },
  };
}
