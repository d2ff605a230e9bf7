import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { list, object, optional, record } from '../../core/validation/collections';
import { dnsSubdomain } from '../../core/validation/formats';
import { Problems } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import { fits, oneOf, text } from '../../core/validation/values';
import { replaceVariables } from '../../shift/checks';
import { namedObject, refuseProps, constructSubject } from '../field-schemas';
import { metadataOf } from '../objects';
import {
  asksPrometheus,
  boundsOf,
  shiftCheckProblems,
  furtherVariable,
  minutesAndSecondsText,
  prometheusCheckQuery,
  readCheck,
  sharedCheck,
  timesOf,
} from '../shift-checks';
import type { PrometheusCheck, ReadCheck, SharedCheck, Spell } from '../shift-checks';
import type { FlaggerMetric } from './metric';

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

const { annotations: _, ...namedTemplate } = namedObject();

const metricTemplateProps = object<MetricTemplateProps>({
  ...namedTemplate,
  check: sharedCheck,
  address: optional(text('the address of Prometheus')),
  secret: optional(fits(dnsSubdomain)),
  variables: optional(list(furtherVariable)),
  filledBy: optional(record(oneOf(...flaggerNames))),
});

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
    refuseProps(constructSubject('MetricTemplate', id, props), metricTemplateProps, props, () =>
      checkedCheck(props),
    );
    super(scope, id);
    const { name, namespace, labels, secret, filledBy = { slot: 'target' } } = props;
    this.check = readCheck(props.check, insteadOf(props)) as PrometheusCheck;
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

/** Another address than the check's may be that of a proxy that signs. */
function insteadOf({ address, check }: MetricTemplateProps): Readonly<Record<string, unknown>> {
  const [args] = Object.values(check ?? {}) as { readonly auth?: unknown }[];
  const isSigned = typeof args?.auth === 'object' && args.auth !== null && 'sigV4' in args.auth;
  return address === undefined ? {} : { address, ...(isSigned && { auth: undefined }) };
}

/** What is wrong with the check, or what Flagger can't ask it for. */
function checkedCheck(props: MetricTemplateProps): readonly Problem[] {
  const { check, secret } = props;
  const variables = Array.isArray(props.variables) ? props.variables.map(String) : [];
  const instead = insteadOf(props);
  const found = shiftCheckProblems('check', check, variables, instead);
  const read = readCheck(check, instead);
  if (found.length > 0 || read === undefined) {
    return found;
  }
  const problems = new Problems('MetricTemplate');
  if (asksPrometheus(read)) {
    checkSecret(problems, read, secret);
  } else {
    const source = read.kind.split('.')[0] as OtherSource;
    problems.add('check', read.kind, `a check of Prometheus: ${otherSources[source]}`);
  }
  return problems.all;
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
    if (secret === undefined) {
      problems.require('secret', "the name of the Secret with the check's password or token");
    }
  } else if (secret !== undefined) {
    problems.add('secret', secret, 'left out: the check has no password and no token');
  }
}
