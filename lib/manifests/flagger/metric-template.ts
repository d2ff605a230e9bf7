import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { dnsSubdomain, oneOf } from '../../core/validation/formats';
import { refuseOptions } from '../../core/validation/option-keys';
import type { OptionsOf } from '../../core/validation/option-keys';
import { Problems } from '../../core/validation/problems';
import { replaceVariables } from '../../shift/checks';
import { checkMetadata, metadataOf } from '../objects';
import {
  asksPrometheus,
  boundsOf,
  checkTimes,
  checkVariables,
  minutesAndSecondsText,
  prometheusCheckQuery,
  readCheck,
  timesOf,
} from '../shift-checks';
import type { PrometheusCheck, ReadCheck, SharedCheck, Spell } from '../shift-checks';

/** A metric of a Flagger Canary, as it is in `spec.analysis.metrics`. */
export interface FlaggerMetric {
  /** Name in Flagger's events and metrics. */
  readonly name: string;
  /** How far back Flagger looks: `1m`. Sources other than Prometheus are asked for ten times that. */
  readonly interval?: string;
  /** It halts the canary outside of these bounds, which are allowed themselves. */
  readonly thresholdRange: {
    /** The least value that is allowed. @default - no lower bound */
    readonly min?: number;
    /** The largest value that is allowed. @default - no upper bound */
    readonly max?: number;
  };
  /** The MetricTemplate with the query. @default - one of Flagger's own metrics: `request-success-rate`, `request-duration` */
  readonly templateRef?: {
    /** Name of the MetricTemplate. */
    readonly name: string;
    /** Its namespace. @default - the Canary's */
    readonly namespace?: string;
  };
  /** Values of `{{ variables.NAME }}` in the query. */
  readonly templateVariables?: Readonly<Record<string, string>>;
}

export const flaggerMetricKeys: OptionsOf<FlaggerMetric> = {
  name: 'plain',
  interval: 'plain',
  thresholdRange: { min: 'plain', max: 'plain' },
  templateRef: { name: 'plain', namespace: 'plain' },
  templateVariables: 'plain',
};

/** What Flagger itself knows of a canary. */
const flaggerNames = ['name', 'namespace', 'target', 'service', 'ingress', 'route'] as const;

/** A name that Flagger puts into a query. */
export type FlaggerName = (typeof flaggerNames)[number];

/** What a MetricTemplate of Flagger is made of. */
export interface MetricTemplateProps {
  /** Name of the Kubernetes object. */
  readonly name: string;
  /** Namespace of the object. @default - the chart's */
  readonly namespace?: string;
  /** Labels of the object. @default - none of its own; labels of the chart are added by cdk8s */
  readonly labels?: Readonly<Record<string, string>>;
  /** The check, as a shift has it: `checks.prometheus.errorShare({ … })`. Flagger can ask Prometheus for it. */
  readonly check: SharedCheck;
  /** Address of Prometheus as the cluster sees it. @default - the check's own */
  readonly address?: string;
  /**
   * Name of the Secret beside the template with `token`, or with `username` and `password`, for a check with a token or a
   * password. Where the check reads them from counts for the shift only.
   */
  readonly secret?: string;
  /** Further variables of the query, beside those that a shift has. @default - none */
  readonly variables?: readonly string[];
  /**
   * Variables that Flagger fills itself: `{ slot: 'target' }` puts the name of the canary's target in place of
   * `{{slot}}`.
   *
   * @default - `{ slot: 'target' }`: pods of the new version have the target's name, and the others that of the target
   *   and `-primary`
   */
  readonly filledBy?: Readonly<Record<string, FlaggerName>>;
}

const metricTemplatePropsKeys: OptionsOf<MetricTemplateProps> = {
  name: 'plain',
  namespace: 'plain',
  labels: 'plain',
  check: 'plain',
  address: 'plain',
  secret: 'plain',
  variables: 'list',
  filledBy: 'plain',
};

/**
 * A MetricTemplate of Flagger whose metric is a check of a cluster's shift.
 *
 * Flagger knows no inconclusive: without figures, or with too few requests, the canary is halted, which counts as a
 * failed check, as often as the Canary's `analysis.threshold` allows.
 *
 * @see https://docs.flagger.app/usage/metrics#custom-metrics
 *
 * @example
 * const template = new flagger.MetricTemplate(chart, 'errors', { name: 'errors', check: errors });
 * const metrics = [template.metric()];
 */
export class MetricTemplate extends Construct {
  /** The Kubernetes object. */
  public readonly apiObject: ApiObject;
  private readonly check: PrometheusCheck;
  private readonly asked: readonly string[];

  /** @throws InvalidInput with everything that is wrong */
  public constructor(
    scope: Construct,
    id: string,
    private readonly props: MetricTemplateProps,
  ) {
    refuseOptions(`MetricTemplate "${id}"`, props, metricTemplatePropsKeys);
    super(scope, id);
    const { name, namespace, labels, secret, filledBy = { slot: 'target' } } = props;
    this.check = checkedProps(props);
    const asked = new Set<string>();
    const spell: Spell = (query, own) =>
      replaceVariables(query, (variable) => {
        const filled = filledBy[variable];
        if (own[variable] === undefined && filled === undefined) {
          asked.add(variable);
        }
        return own[variable] ?? `{{ ${filled ?? `variables.${variable}`} }}`;
      });
    const query = prometheusCheckQuery(this.check, spell);
    const { onNoData, address } = this.check.args;
    // A value within the bounds: they are allowed themselves.
    const { min = 0, max = min } = boundsOf(this.check);
    this.asked = [...asked];
    this.apiObject = new ApiObject(this, 'Resource', {
      apiVersion: 'flagger.app/v1beta1',
      kind: 'MetricTemplate',
      metadata: metadataOf({ name, namespace, labels }),
      spec: {
        provider: {
          type: 'prometheus',
          address,
          ...(secret !== undefined && { secretRef: { name: secret } }),
        },
        query: onNoData === 'pass' ? `(${query}) or vector(${max})` : query,
      },
    });
  }

  /**
   * The metric for a Canary.
   *
   * @param values of the query's variables that Flagger does not fill itself
   * @throws InvalidInput where one has no value, or there is none of that name
   */
  public metric(values: Readonly<Record<string, string>> = {}): FlaggerMetric {
    const { name, namespace } = this.props;
    const problems = new Problems(`metric by MetricTemplate "${name}"`);
    for (const [variable, value] of Object.entries(values)) {
      if (!this.asked.includes(variable)) {
        problems.add(`values.${variable}`, value, `left out; there are: ${this.asked.join(', ') || 'none'}`);
      } else if (typeof value !== 'string' || value === '') {
        problems.add(`values.${variable}`, value, 'text');
      }
    }
    for (const variable of this.asked.filter((each) => !(each in values))) {
      problems.add(`values.${variable}`, undefined, 'given: the query has that variable');
    }
    problems.throwIfAny();
    return {
      name: this.check.args.name ?? name,
      interval: minutesAndSecondsText(timesOf(this.check).overMs),
      thresholdRange: boundsOf(this.check),
      templateRef: { name, ...(namespace === undefined ? {} : { namespace }) },
      ...(this.asked.length > 0 && { templateVariables: { ...values } }),
    };
  }
}

/** @throws InvalidInput with everything that is wrong */
function checkedProps(props: MetricTemplateProps): PrometheusCheck {
  const { name, namespace, labels = {}, secret, variables = [], filledBy = {} } = props;
  const problems = new Problems(`MetricTemplate "${name}"`);
  checkMetadata(problems, { name, namespace, labels });
  checkVariables(problems, 'variables', variables);
  for (const [variable, by] of Object.entries(filledBy)) {
    problems.check(`filledBy.${variable}`, by, oneOf(...flaggerNames));
  }
  const check = readCheck(problems, 'check', props.check, variables, insteadOf(props));
  const asked = check && askedOfPrometheus(problems, check);
  if (asked) {
    checkTimes(problems, 'check', asked);
    checkSecret(problems, asked, secret);
  }
  problems.throwIfAny();
  return asked!;
}

/** Another address than the check's may be that of a proxy that signs. */
function insteadOf({ address, check }: MetricTemplateProps): Readonly<Record<string, unknown>> {
  const [args] = Object.values(check ?? {}) as { readonly auth?: unknown }[];
  const isSigned = typeof args?.auth === 'object' && args.auth !== null && 'sigV4' in args.auth;
  return address === undefined ? {} : { address, ...(isSigned && { auth: undefined }) };
}

function askedOfPrometheus(problems: Problems, check: ReadCheck): PrometheusCheck | undefined {
  if (asksPrometheus(check)) {
    return check;
  }
  const source = check.kind.split('.')[0] as OtherSource;
  problems.add('check', check.kind, `a check of Prometheus: ${otherSources[source]}`);
  return undefined;
}

type OtherSource = Exclude<ReadCheck, PrometheusCheck>['kind'] extends `${infer Source}.${string}`
  ? Source
  : never;

/** Why Flagger can't ask the other sources of metrics. */
const otherSources: Readonly<Record<OtherSource, string>> = {
  cloudWatch:
    'of CloudWatch, Flagger takes the newest minute, which is still being counted. An AnalysisTemplate can query CloudWatch',
  datadog:
    'of Datadog, Flagger takes the oldest point of ten intervals, and a missing value for 0. An AnalysisTemplate can query Datadog',
};

function checkSecret(problems: Problems, { kind, args }: PrometheusCheck, secret: string | undefined): void {
  const { auth } = args;
  if (auth !== undefined && 'sigV4' in auth) {
    problems.add(
      `check.${kind}.auth`,
      'sigV4',
      'together with an "address" here, that of a proxy that signs: Flagger signs no requests',
    );
  } else if (auth !== undefined) {
    problems.check('secret', secret, dnsSubdomain);
  } else if (secret !== undefined) {
    problems.add('secret', secret, 'left out: the check has no password and no token');
  }
}
