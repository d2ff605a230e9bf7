import { Field } from '../field';
import type { JudgedObject } from '../judged-object';
import type { ObjectIndex } from '../object-index';
import type { AdmissionWebhook } from './admission-webhooks';
import { admissionWebhooks } from './admission-webhooks';
import type { ApplicationSource } from './applications';
import { applicationSpecs } from './applications';

/** An Application's source that is the chart of the AWS Load Balancer Controller. */
export interface LoadBalancerChart {
  readonly object: JudgedObject;
  readonly source: ApplicationSource;
  /** Minor version of a chart 1.x. @default - a later one, a range, or not said */
  readonly minorOfOne?: number;
}

const chart = 'aws-load-balancer-controller';
const repositories =
  /(?:^|[/:])(?:kubernetes-sigs\/aws-load-balancer-controller|aws\/eks-charts)(?:\.git)?\/?$/;

/** View of the Applications that install the chart: `objects.view(loadBalancerCharts)`. */
export function loadBalancerCharts(objects: ObjectIndex): readonly LoadBalancerChart[] {
  return objects.view(applicationSpecs).flatMap(({ object, sources }) =>
    sources.filter(isChart).map((source) => {
      const [, minor] = /^v?1\.(\d+)/.exec(source.field.get('targetRevision').text ?? '') ?? [];
      return { object, source, ...(minor === undefined ? {} : { minorOfOne: Number(minor) }) };
    }),
  );
}

/** A folder of the name in another repository may be a chart around it, with other values. */
function isChart(source: ApplicationSource): boolean {
  return (
    source.chart === chart ||
    (repositories.test(source.repoUrl ?? '') && (source.path ?? '').split('/').at(-1) === chart)
  );
}

/** A value of a chart, as an Application sets it. */
export interface ChartValue {
  /** `given`: here. `default`: the chart's own. `unknown`: it may stand in a file, or in a template's parameter. */
  readonly by: 'given' | 'default' | 'unknown';
  /** What is given; of parameters, it is text. */
  readonly value?: unknown;
  /** Where it is given, or would be. */
  readonly field: Field;
}

/** Reads a value: parameters win over values, and these over files. @see https://argo-cd.readthedocs.io/en/stable/user-guide/helm/ */
export function chartValue(
  { field, values, parameters }: ApplicationSource,
  ...path: readonly string[]
): ChartValue {
  const helm = field.get('helm');
  const name = path.join('.');
  const parameter = [...parameters].find(
    ([key]) => key === name || key.startsWith(`${name}.`) || key.startsWith(`${name}[`),
  );
  if (parameter) {
    return judged({ by: 'given', value: parameter[1], field: helm.get('parameters') });
  }
  const text = helm.get('valuesObject').exists ? undefined : helm.get('values');
  const given = values?.get(...path);
  if (given?.exists) {
    return judged({ by: 'given', value: given.value, field: text ?? given });
  }
  const hidden =
    helm.get('valueFiles').items.length > 0 ||
    helm.get('fileParameters').items.length > 0 ||
    (values === undefined && text?.exists === true);
  const place = text?.exists ? text : helm.get('valuesObject', ...path);
  return { by: hidden ? 'unknown' : 'default', field: place };
}

/** Text of an ApplicationSet is filled in later. */
function judged(value: ChartValue): ChartValue {
  return typeof value.value === 'string' && value.value.includes('{{')
    ? { by: 'unknown', field: value.field }
    : value;
}

/** Whether a value is one that a template takes for true, parameters' words included. */
export function isSet(value: unknown): boolean {
  if (typeof value === 'string') {
    return !['', 'false', 'null', '0'].includes(value);
  }
  return typeof value === 'object' && value !== null
    ? Object.values(value).some((each) => each !== undefined)
    : Boolean(value);
}

/** Entries of the chart's webhook configurations that are rendered, by their names: `quicid.elbv2.k8s.aws`. */
export function renderedWebhooks(objects: ObjectIndex): ReadonlyMap<string, readonly AdmissionWebhook[]> {
  const found = new Map<string, AdmissionWebhook[]>();
  for (const webhook of objects.view(admissionWebhooks)) {
    if (/\.(?:elbv2|aga)\.k8s\.aws$/.test(webhook.name)) {
      const known = found.get(webhook.name) ?? [];
      known.push(webhook);
      found.set(webhook.name, known);
    }
  }
  return found;
}

/** Whether a selector of values, a list of requirements or a whole selector, selects less than everything. */
export function narrows(value: unknown): boolean {
  const selector = Field.ofValue(value);
  return (
    selector.items.length > 0 ||
    selector.get('matchLabels').keys.length > 0 ||
    selector.get('matchExpressions').items.length > 0 ||
    (typeof value === 'string' && isSet(value))
  );
}
