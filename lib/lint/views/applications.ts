import { Field } from '../object';
import type { ManifestObject } from '../object';
import type { ObjectIndex } from '../object-index';
import { parseYaml } from '../read/yaml';
import { admissionWebhooks } from './admission';
import type { AdmissionWebhook } from './admission';
import { templatePatch } from './template-patch';
import type { TemplatedPatch } from './template-patch';

/** What an Argo CD Application says, or an ApplicationSet of the Applications that one of its generators makes. */
export interface ApplicationSpecView {
  /** The Application or the ApplicationSet. */
  readonly object: ManifestObject;
  /**
   * `spec` of an Application. Of an ApplicationSet `spec.template.spec`, below the generator's own `template`, below its
   * `templatePatch`.
   */
  readonly spec: Field;
  /** The `templatePatch`, where it has templates: it is not in {@link spec}. @default - none */
  readonly templated?: TemplatedPatch;
  /** `source`, and each of `sources`. */
  readonly sources: readonly ApplicationSourceView[];
}

/** Where manifests of an Application come from. */
export interface ApplicationSourceView {
  /** Its place in the object. */
  readonly field: Field;
  /** Address of the repository. @default - it is not said */
  readonly repoUrl: string | undefined;
  /** Name of a Helm chart. @default - it is none of a chart repository */
  readonly chart: string | undefined;
  /** Folder in a Git repository. @default - it is none of Git */
  readonly path: string | undefined;
  /**
   * Values that are given to the chart: `helm.valuesObject`, else the YAML of `helm.values`. Files and parameters are not
   * among them. Its pointers end at `helm.values` where it is text.
   *
   * @default - none, or not readable
   */
  readonly values: Field | undefined;
  /** `helm.parameters`: `--set` by name. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** View of Argo CD's Applications and ApplicationSets: `objects.view(applicationSpecs)`. */
export function applicationSpecs(objects: ObjectIndex): readonly ApplicationSpecView[] {
  return [
    ...objects
      .ofKind('argoproj.io', 'Application')
      .map((object) => specOf(object, Field.of(object).get('spec'))),
    ...objects.ofKind('argoproj.io', 'ApplicationSet').flatMap(specsOfSet),
  ];
}

/**
 * One for each generator with a template of its own, and one for all others. What a matrix or a merge combines has no
 * template of its own.
 */
function specsOfSet(object: ManifestObject): ApplicationSpecView[] {
  const set = Field.of(object).get('spec');
  const patch = templatePatch(set.get('templatePatch'));
  const shared = set.get('template', 'spec');
  const own = set
    .get('generators')
    .items.map(({ entries }) => entries.map(([, each]) => each.get('template')).find(({ exists }) => exists));
  const specs = own.flatMap((template) => template?.get('spec').over(shared) ?? []);
  const all = own.length > 0 && specs.length === own.length ? specs : [...specs, shared];
  return all.map((spec) => ({
    ...specOf(object, patch.spec?.over(spec) ?? spec),
    ...(patch.templated ? { templated: patch.templated } : {}),
  }));
}

function specOf(object: ManifestObject, spec: Field): ApplicationSpecView {
  const single = spec.get('source');
  const fields = [...(single.exists ? [single] : []), ...spec.get('sources').items];
  return { object, spec, sources: fields.map(sourceOf) };
}

function sourceOf(field: Field): ApplicationSourceView {
  const parameters = field.get('helm', 'parameters').items.flatMap((each) => {
    const [name, value] = [each.get('name').text, each.get('value').text];
    return name === undefined || value === undefined ? [] : [[name, value] as const];
  });
  return {
    field,
    repoUrl: field.get('repoURL').text,
    chart: field.get('chart').text,
    path: field.get('path').text,
    values: valuesOf(field.get('helm')),
    parameters: new Map(parameters),
  };
}

/** Argo CD takes `valuesObject` before `values`. */
function valuesOf(helm: Field): Field | undefined {
  const object = helm.get('valuesObject');
  if (object.exists) {
    return object;
  }
  const text = helm.get('values').text;
  if (text === undefined) {
    return undefined;
  }
  try {
    return Field.ofValue(parseYaml(text), helm.get('values').pointer);
  } catch {
    // Values with a template in them, as an ApplicationSet may have.
    return undefined;
  }
}

/** An Application's source that is the chart of the AWS Load Balancer Controller. */
export interface LoadBalancerChart {
  readonly object: ManifestObject;
  readonly source: ApplicationSourceView;
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
function isChart(source: ApplicationSourceView): boolean {
  return (
    source.chart === chart ||
    (repositories.test(source.repoUrl ?? '') && (source.path ?? '').split('/').at(-1) === chart)
  );
}

/** A value of a chart, as an Application sets it. */
export interface ChartValue {
  /** `given`: here. `default`: the chart's own. `unknown`: it may be in a file, or in a template's parameter. */
  readonly by: 'given' | 'default' | 'unknown';
  /** What is given; of parameters, it is text. */
  readonly value?: unknown;
  /** Where it is given, or would be. */
  readonly field: Field;
}

/** Reads a value: parameters win over values, and these over files. @see https://argo-cd.readthedocs.io/en/stable/user-guide/helm/ */
export function chartValue(
  { field, values, parameters }: ApplicationSourceView,
  ...path: readonly string[]
): ChartValue {
  const helm = field.get('helm');
  const name = path.join('.');
  const parameter = [...parameters].find(
    ([key]) => key === name || key.startsWith(`${name}.`) || key.startsWith(`${name}[`),
  );
  if (parameter) {
    return evaluated({ by: 'given', value: parameter[1], field: helm.get('parameters') });
  }
  const text = helm.get('valuesObject').exists ? undefined : helm.get('values');
  const given = values?.get(...path);
  if (given?.exists) {
    return evaluated({ by: 'given', value: given.value, field: text ?? given });
  }
  const hidden =
    helm.get('valueFiles').items.length > 0 ||
    helm.get('fileParameters').items.length > 0 ||
    (values === undefined && text?.exists === true);
  const place = text?.exists ? text : helm.get('valuesObject', ...path);
  return { by: hidden ? 'unknown' : 'default', field: place };
}

/** Text of an ApplicationSet is filled in later. */
function evaluated(value: ChartValue): ChartValue {
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
