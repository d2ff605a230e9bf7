import { dnsSubdomain, secretKey } from '../../../core/validation/formats';
import type { OptionsOf } from '../../../core/validation/option-keys';
import type { Problems } from '../../../core/validation/problems';
import type { SharedCheck } from '../../shift-checks';

/** One value of a Secret, by its name and key. */
export interface SecretValue {
  /** Name of the Secret. */
  readonly secret: string;
  /** Key in the Secret whose value is used. */
  readonly key: string;
}

const secretValueKeys: OptionsOf<SecretValue> = { secret: 'plain', key: 'plain' };

/** Adds what is wrong with the name of a value in a Secret. */
export function checkSecretValue(problems: Problems, path: string, value: SecretValue | undefined): void {
  problems.check(`${path}.secret`, value?.secret, dnsSubdomain);
  problems.check(`${path}.key`, value?.key, secretKey);
}

/** One metric of an analysis: a check, and how often it runs. */
export interface AnalysisMetric {
  /** The check, as a shift has it: `checks.prometheus.errorShare({ … })`. */
  readonly check: SharedCheck;
  /**
   * Name of the metric; all metrics of an analysis need another one.
   *
   * @default - the check's name; else the template's where it has one metric, and the kind of check where it has several
   */
  readonly name?: string;
  /** How often it runs. @default '15s' - a bad version is found soon; a shift runs its checks as often */
  readonly checkEvery?: string;
  /**
   * How long it may say nothing; the Rollout then waits for a person. In the background all such measurements of a run
   * are added up.
   *
   * @default '10m' - as in a shift
   */
  readonly inconclusiveLimit?: string;
  /** Address of Prometheus as the cluster sees it. @default - the check's own */
  readonly address?: string;
  /**
   * For a check of Prometheus with a token or a password: a Secret beside the Rollout that holds the token, or
   * `USERNAME:PASSWORD` in base64 once more. Where the check reads them from counts for the shift only.
   */
  readonly authorization?: SecretValue;
  /**
   * Secret with `api-key`, `app-key` and, for a site other than datadoghq.com, `address` (`https://api.datadoghq.eu`). It
   * is in the controller's namespace, or with `namespaced` beside the Rollout.
   *
   * @default - the Secret `datadog` in the controller's namespace
   */
  readonly datadogSecret?: {
    /** Name of the Secret. */
    readonly name: string;
    /** Whether it is in the analysis's namespace instead of the controller's. */
    readonly namespaced?: boolean;
  };
}

export const analysisMetricKeys: OptionsOf<AnalysisMetric> = {
  check: 'plain',
  name: 'plain',
  checkEvery: 'plain',
  inconclusiveLimit: 'plain',
  address: 'plain',
  authorization: secretValueKeys,
  datadogSecret: { name: 'plain', namespaced: 'plain' },
};
