import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { namesIn } from '../../../core/validation/arguments';
import { either, list, object, oneKeyOf, optional, record } from '../../../core/validation/collections';
import { isPlainObject, Problems } from '../../../core/validation/problems';
import type { Entries, Schema } from '../../../core/validation/schema';
import { oneOf, text } from '../../../core/validation/values';
import { namedObject, propsProblems, constructSubject } from '../../field-schemas';
import { metadataOf, withoutNamespace } from '../../objects';
import { furtherVariable } from '../../shift-checks';
import type { Analysis, AnalysisEnd } from './analysis';
import { analysisMetric, argumentsIn, metricManifest, readMetric } from './metric';
import type { AnalysisMetric, ReadMetric } from './metric';

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
function templateSpec<T extends AnalysisTemplateProps>(
  subject: string,
  schema: Schema<T>,
  props: T,
): TemplateSpec {
  const problems = new Problems(subject);
  problems.addAll(propsProblems(schema, props));
  const {
    metrics,
    variables,
    values = {},
    dryRun = [],
    until = 'answered',
  } = isPlainObject(props) ? props : {};
  const given = listOf(metrics);
  const further = listOf(variables).filter((each) => typeof each === 'string');
  const only = given.length === 1 ? props.name : undefined;
  const read = given.map((metric, position) =>
    isPlainObject(metric)
      ? readMetric(problems, `metrics[${position}]`, metric as unknown as AnalysisMetric, further, only)
      : undefined,
  );
  const known = read.flatMap((each) => each ?? []);
  checkMetricNames(problems, read, listOf(dryRun));
  const secrets = secretArguments(known);
  const manifests = known.map((each) => metricManifest(each, until, secretNameOf(each, secrets)));
  const asked = argumentsIn(manifests).filter((name) => !secrets.some((each) => each.name === name));
  const unasked = namesIn(values).filter((name) => !asked.includes(name));
  for (const name of known.length < read.length ? [] : unasked) {
    problems.add(`values.${name}`, values[name], `left out; the queries have: ${asked.join(', ') || 'none'}`);
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

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function checkMetricNames(
  problems: Problems,
  read: readonly (ReadMetric | undefined)[],
  dryRun: readonly unknown[],
): void {
  const names = read.map((each) => each?.name);
  names.forEach((name, position) => {
    if (name !== undefined && names.indexOf(name) < position) {
      problems.add(`metrics[${position}].name`, name, 'another one than that of the metrics before it');
    }
  });
  dryRun.forEach((name, position) => {
    const isName = typeof name === 'string' && name !== '*';
    if (isName && !names.includes(name) && !names.includes(undefined)) {
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

const filledText = text('a text that is not empty', /./s);

const analysisArguments = record(
  either<AnalysisArgument>(
    'text, { podTemplateHash } with Latest or Stable, or { field } with a path in the Rollout',
    { when: (value) => typeof value === 'string', schema: filledText },
    {
      when: isPlainObject,
      schema: oneKeyOf<{ readonly podTemplateHash: 'Latest' | 'Stable'; readonly field: string }>({
        podTemplateHash: oneOf('Latest', 'Stable'),
        field: filledText,
      }),
    },
  ),
);

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

const { namespace: namespaceEntry, ...clusterObject } = namedObject();

const templateEntries: Entries<ClusterAnalysisTemplateProps> = {
  ...clusterObject,
  metrics: list(analysisMetric, 1, 'a list with at least one metric'),
  until: optional(oneOf('answered', 'end')),
  variables: optional(list(furtherVariable)),
  values: optional(record(filledText)),
  dryRun: optional(list(filledText)),
};

const clusterTemplateProps = object<ClusterAnalysisTemplateProps>(templateEntries);

/** What an AnalysisTemplate is made of. */
export interface AnalysisTemplateProps extends ClusterAnalysisTemplateProps {
  /** Namespace of the Rollouts. @default - the chart's */
  readonly namespace?: string;
}

const templateProps = object<AnalysisTemplateProps>({ ...templateEntries, namespace: namespaceEntry });

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
    const schema = kind === 'AnalysisTemplate' ? templateProps : clusterTemplateProps;
    const made = templateSpec(constructSubject(kind, id, props), schema, props);
    super(scope, id);
    this.made = made;
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
    problems.addAll(propsProblems(analysisArguments, given), 'arguments');
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
    super(scope, id, 'AnalysisTemplate', props);
  }
}

/** The same for the Rollouts of all namespaces. Secrets are read beside each Rollout. */
export class ClusterAnalysisTemplate extends Template {
  /** @throws InvalidInput with everything that is wrong */
  public constructor(scope: Construct, id: string, props: ClusterAnalysisTemplateProps) {
    super(scope, id, 'ClusterAnalysisTemplate', props);
  }
}
