import { optional } from '../../../core/validation/collections';
import type { Problems } from '../../../core/validation/problems';
import { text } from '../../../core/validation/values';
import { secretValue } from '../../field-schemas';
import { boundsOf, conditions, isWithin, prometheusCheckQuery } from '../../shift-checks';
import type { AnalysisConditions, PrometheusCheck, Spell } from '../../shift-checks';
import type { MetricProvider } from './provider';

/** One value of a Secret, by its name and key. */
export interface SecretValue {
  /** Name of the Secret. */
  readonly secret: string;
  /** Key in the Secret whose value is used. */
  readonly key: string;
}

/** Settings of a metric of Prometheus. */
export interface PrometheusSettings {
  /** Address of Prometheus as the cluster sees it. @default - the check's own */
  readonly address?: string;
  /**
   * For a check of Prometheus with a token or a password: a Secret beside the Rollout that holds the token, or
   * `USERNAME:PASSWORD` in base64 once more. Where the check reads them from counts for the shift only.
   */
  readonly authorization?: SecretValue;
}

/** Seconds: what a shift's check waits for an answer. */
const timeoutSeconds = 10;

/** Adds what Argo Rollouts can't do, and the secret that is missing. */
function checkPrometheusMetric(
  problems: Problems,
  path: string,
  { kind, args }: PrometheusCheck,
  { authorization }: PrometheusSettings,
): void {
  const { address, auth } = args;
  const wantsSecret = auth !== undefined && !('sigV4' in auth);
  if (wantsSecret && authorization === undefined) {
    problems.require(
      `${path}.authorization`,
      "the Secret with the check's password or token: { secret, key }",
    );
  } else if (!wantsSecret && authorization !== undefined) {
    problems.addSecret(`${path}.authorization`, 'left out: the check has no password and no token');
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
function prometheusMetric(
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

/** Metrics of Prometheus. */
export const prometheusProvider: MetricProvider<'prometheus', PrometheusSettings> = {
  name: 'Prometheus',
  settings: {
    address: optional(text('the address of Prometheus')),
    authorization: optional(secretValue),
  },
  addProblems: checkPrometheusMetric,
  measured: (check, _settings, { spell, secretArgument }) => prometheusMetric(check, spell, secretArgument),
};
