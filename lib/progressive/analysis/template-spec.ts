import { Problems, oneOf } from '../../problems';
import { checkMetadata } from '../object-metadata';
import type { AnalysisMetric } from './analysis-metric';
import { argumentsIn, metricManifest, readMetric } from './metric-manifest';
import type { ReadMetric } from './metric-manifest';
import { checkVariables } from './shared-check';
import type { AnalysisTemplateProps } from './template-props';

/** A template that was made. */
export interface TemplateSpec {
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
export function templateSpec(subject: string, props: AnalysisTemplateProps): TemplateSpec {
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
