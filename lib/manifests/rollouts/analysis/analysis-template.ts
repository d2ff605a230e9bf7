import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { oneOf } from '../../../core/validation/formats';
import { listOf, refuseOptions } from '../../../core/validation/option-keys';
import type { OptionsOf } from '../../../core/validation/option-keys';
import { Problems } from '../../../core/validation/problems';
import { checkMetadata, metadataOf, withoutNamespace } from '../../objects';
import { checkVariables } from '../../shift-checks';
import type { Analysis, AnalysisEnd } from './analysis';
import { argumentsIn, metricManifest, readMetric } from './metric';
import type { ReadMetric } from './metric';
import { analysisMetricKeys } from './metric-props';
import type { AnalysisMetric } from './metric-props';

/** A template that was made. */
interface TemplateSpec {
  readonly spec: object;
  /** Variables of its queries. */
  readonly asked: readonly string[];
  /** Those of them that have a value in the template. */
  readonly preset: readonly string[];
}

/**
 * The spec of a template.
 *
 * @throws InvalidInput with everything that is wrong
 */
function templateSpec(subject: string, props: AnalysisTemplateProps): TemplateSpec {
  const problems = new Problems(subject);
  checkMetadata(problems, props);
  const { metrics, variables = [], values = {}, dryRun = [], until = 'answered' } = props;
  problems.check('until', until, oneOf('answered', 'end'));
  checkVariables(problems, 'variables', variables);
  if (!Array.isArray(metrics) || metrics.length === 0) {
    problems.add('metrics', metrics, 'a list with at least one metric');
    problems.throwIfAny();
  }
  const read = (metrics as readonly AnalysisMetric[]).map((metric, position) =>
    readMetric(
      problems,
      `metrics[${position}]`,
      metric,
      variables,
      metrics.length === 1 ? props.name : undefined,
    ),
  );
  const known = read.flatMap((each) => each ?? []);
  checkMetricNames(problems, read, dryRun);
  const secrets = secretArguments(known);
  const manifests = known.map((each) => metricManifest(each, until, secretNameOf(each, secrets)));
  const asked = argumentsIn(manifests).filter((name) => !secrets.some((each) => each.name === name));
  for (const name of Object.keys(values)) {
    const isKnown = asked.includes(name) || known.length < read.length;
    if (!isKnown) {
      problems.add(
        `values.${name}`,
        values[name],
        `left out; the queries have: ${asked.join(', ') || 'none'}`,
      );
    } else if (typeof values[name] !== 'string' || values[name] === '') {
      problems.add(`values.${name}`, values[name], 'text');
    }
  }
  problems.throwIfAny();
  const args = [
    ...asked.map((name) => ({ name, ...(name in values && { value: values[name] }) })),
    ...secrets.map(({ name, secret, key }) => ({
      name,
      valueFrom: { secretKeyRef: { name: secret, key } },
    })),
  ];
  return {
    spec: {
      ...(args.length > 0 && { args }),
      metrics: manifests,
      ...(dryRun.length > 0 && { dryRun: dryRun.map((metricName) => ({ metricName })) }),
    },
    asked,
    preset: Object.keys(values),
  };
}

function checkMetricNames(
  problems: Problems,
  read: readonly (ReadMetric | undefined)[],
  dryRun: readonly string[],
): void {
  const names = read.map((each) => each?.name);
  names.forEach((name, position) => {
    if (name !== undefined && names.indexOf(name) < position) {
      problems.add(`metrics[${position}].name`, name, 'another one than that of the metrics before it');
    }
  });
  dryRun.forEach((name, position) => {
    if (name !== '*' && !names.includes(name) && !names.includes(undefined)) {
      problems.add(`dryRun[${position}]`, name, `the name of a metric (${names.join(', ')}), or *`);
    }
  });
}

interface SecretArgument {
  readonly name: string;
  readonly secret: string;
  readonly key: string;
}

/** One argument for each value of a Secret, however many metrics use it. */
function secretArguments(metrics: readonly ReadMetric[]): readonly SecretArgument[] {
  const found: SecretArgument[] = [];
  for (const { metric } of metrics) {
    const { secret, key } = metric.authorization ?? {};
    if (
      secret !== undefined &&
      key !== undefined &&
      !found.some((each) => each.secret === secret && each.key === key)
    ) {
      found.push({ name: `${secret}/${key}`, secret, key });
    }
  }
  return found;
}

function secretNameOf({ metric }: ReadMetric, secrets: readonly SecretArgument[]): string {
  const { secret, key } = metric.authorization ?? {};
  return secrets.find((each) => each.secret === secret && each.key === key)?.name ?? '';
}

/**
 * A value that an analysis is given: text; the hash of the new or the stable pods, their label
 * `rollouts-pod-template-hash`; or a field of the Rollout, such as `metadata.labels['region']`.
 * @see https://argo-rollouts.readthedocs.io/en/stable/features/analysis/#analysis-template-arguments
 */
export type AnalysisArgument =
  | string
  | {
      /** Hash of the new version's pods (`Latest`) or of the stable one's (`Stable`). */
      readonly podTemplateHash: 'Latest' | 'Stable';
    }
  | {
      /** Path of a field of the Rollout: `metadata.labels['app']`. */
      readonly field: string;
    };

/** What an analysis is given, by the names of the queries' variables. */
export type AnalysisArguments = Readonly<Record<string, AnalysisArgument>>;

/** Adds what is wrong with arguments. */
function checkAnalysisArguments(problems: Problems, path: string, given: AnalysisArguments): void {
  for (const [name, value] of Object.entries(given)) {
    if (!isArgument(value)) {
      problems.add(
        `${path}.${name}`,
        value,
        'text, { podTemplateHash } with Latest or Stable, or { field } with a path in the Rollout',
      );
    }
  }
}

function isArgument(value: unknown): value is AnalysisArgument {
  if (typeof value === 'string') {
    return value !== '';
  }
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const [key, of] = entries[0] ?? [];
  return (
    entries.length === 1 &&
    ((key === 'podTemplateHash' && (of === 'Latest' || of === 'Stable')) ||
      (key === 'field' && typeof of === 'string' && of !== ''))
  );
}

/** The argument in Argo's words. */
function argumentManifest(name: string, value: AnalysisArgument): object {
  if (typeof value === 'string') {
    return { name, value };
  }
  return 'field' in value
    ? { name, valueFrom: { fieldRef: { fieldPath: value.field } } }
    : { name, valueFrom: { podTemplateHashValue: value.podTemplateHash } };
}

/** What a ClusterAnalysisTemplate is made of. */
export interface ClusterAnalysisTemplateProps {
  /** Name of the Kubernetes object, to which Rollouts refer. */
  readonly name: string;
  /** Labels of the object. @default - none of its own; labels of the chart are added by cdk8s */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations of the object. @default - none */
  readonly annotations?: Readonly<Record<string, string>>;
  /** All of them have to pass. */
  readonly metrics: readonly AnalysisMetric[];
  /**
   * Until when the metrics are measured: each to its first measurement that passes or fails, for a step and before or after
   * a promotion; or as long as the update goes on, in the background.
   *
   * @default 'answered'
   */
  readonly until?: AnalysisEnd;
  /**
   * Further variables of the queries, beside those that a shift has (`slot`, `cluster`, …): `['service']` allows
   * `{{service}}`. A shift refuses a query with one.
   *
   * @default - none
   */
  readonly variables?: readonly string[];
  /** Values of variables, where a Rollout gives none. @default - none */
  readonly values?: Readonly<Record<string, string>>;
  /** Names of metrics that are measured and don't count. @default - all count */
  readonly dryRun?: readonly string[];
}

const clusterAnalysisTemplatePropsKeys: OptionsOf<ClusterAnalysisTemplateProps> = {
  name: 'plain',
  labels: 'plain',
  annotations: 'plain',
  metrics: listOf(analysisMetricKeys),
  until: 'plain',
  variables: 'list',
  values: 'plain',
  dryRun: 'list',
};

/** What an AnalysisTemplate is made of. */
export interface AnalysisTemplateProps extends ClusterAnalysisTemplateProps {
  /** Namespace of the Rollouts. @default - the chart's */
  readonly namespace?: string;
}

const analysisTemplatePropsKeys: OptionsOf<AnalysisTemplateProps> = {
  ...clusterAnalysisTemplatePropsKeys,
  namespace: 'plain',
};

/** What both kinds of templates have in common. */
abstract class Template extends Construct {
  /** The Kubernetes object. */
  public readonly apiObject: ApiObject;
  private readonly made: TemplateSpec;

  protected constructor(
    scope: Construct,
    id: string,
    private readonly kind: 'AnalysisTemplate' | 'ClusterAnalysisTemplate',
    private readonly props: AnalysisTemplateProps,
  ) {
    super(scope, id);
    this.made = templateSpec(`${kind} "${props.name}"`, props);
    this.apiObject = new ApiObject(this, 'Resource', {
      apiVersion: 'argoproj.io/v1alpha1',
      kind,
      metadata: metadataOf(props),
      spec: this.made.spec,
    });
    if (kind === 'ClusterAnalysisTemplate') {
      withoutNamespace(this.apiObject);
    }
  }

  /**
   * An analysis by this template, for a Rollout.
   *
   * @param given values of the queries' variables. `slot` is by default the hash of the new pods, so that a query evaluates
   *   the new version alone
   * @throws InvalidInput where a variable has no value, or there is none of that name
   */
  public analysis(given: AnalysisArguments = {}): Analysis {
    const { asked, preset } = this.made;
    const problems = new Problems(`analysis by ${this.kind} "${this.props.name}"`);
    checkAnalysisArguments(problems, 'arguments', given);
    const values: AnalysisArguments = {
      ...(asked.includes('slot') && !preset.includes('slot') && { slot: { podTemplateHash: 'Latest' } }),
      ...given,
    };
    for (const name of Object.keys(given).filter((each) => !asked.includes(each))) {
      const allowed = asked.length > 0 ? `there are: ${asked.join(', ')}` : 'the template has no variable';
      problems.add(`arguments.${name}`, given[name], `left out; ${allowed}`);
    }
    for (const name of asked.filter((each) => !(each in values) && !preset.includes(each))) {
      problems.add(`arguments.${name}`, undefined, `given, here or in the template's "values"`);
    }
    problems.throwIfAny();
    return {
      templates: [
        {
          templateName: this.props.name,
          ...(this.kind === 'ClusterAnalysisTemplate' && { clusterScope: true }),
        },
      ],
      until: this.props.until ?? 'answered',
      args: Object.entries(values).map(([name, value]) => argumentManifest(name, value)),
    };
  }
}

/**
 * An AnalysisTemplate of Argo Rollouts whose metrics are checks of a cluster's shift: a metric means the same for an
 * application and for a cluster.
 *
 * @see https://argo-rollouts.readthedocs.io/en/stable/features/analysis/
 *
 * @example
 * const errors = checks.prometheus.errorShare({ address, requests, errors: failed, max: 0.02 });
 * const template = new rollouts.AnalysisTemplate(chart, 'errors', { name: 'errors', metrics: [{ check: errors }] });
 * const steps = [{ setWeight: 10 }, { analysis: template.analysis() }];
 */
export class AnalysisTemplate extends Template {
  /** @throws InvalidInput with everything that is wrong */
  public constructor(scope: Construct, id: string, props: AnalysisTemplateProps) {
    refuseOptions(`AnalysisTemplate "${id}"`, props, analysisTemplatePropsKeys);
    super(scope, id, 'AnalysisTemplate', props);
  }
}

/** The same for the Rollouts of all namespaces. Secrets are read beside each Rollout. */
export class ClusterAnalysisTemplate extends Template {
  /** @throws InvalidInput with everything that is wrong */
  public constructor(scope: Construct, id: string, props: ClusterAnalysisTemplateProps) {
    refuseOptions(`ClusterAnalysisTemplate "${id}"`, props, clusterAnalysisTemplatePropsKeys);
    super(scope, id, 'ClusterAnalysisTemplate', props);
  }
}
