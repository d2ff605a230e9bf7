import { Field } from '../field';
import type { JudgedObject } from '../judged-object';
import type { ObjectIndex } from '../object-index';
import { parseYaml } from '../reading/parse-yaml';
import type { TemplatedPatch } from './template-patch';
import { templatePatch } from './template-patch';

/** What an Argo CD Application says, or an ApplicationSet of the Applications that one of its generators makes. */
export interface ApplicationSpec {
  /** The Application or the ApplicationSet. */
  readonly object: JudgedObject;
  /**
   * `spec` of an Application. Of an ApplicationSet `spec.template.spec`, below the generator's own `template`, below its
   * `templatePatch`.
   */
  readonly spec: Field;
  /** The `templatePatch`, where it has templates: it is not in {@link spec}. @default - none */
  readonly templated?: TemplatedPatch;
  /** `source`, and each of `sources`. */
  readonly sources: readonly ApplicationSource[];
}

/** Where manifests of an Application come from. */
export interface ApplicationSource {
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
export function applicationSpecs(objects: ObjectIndex): readonly ApplicationSpec[] {
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
function specsOfSet(object: JudgedObject): ApplicationSpec[] {
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

function specOf(object: JudgedObject, spec: Field): ApplicationSpec {
  const single = spec.get('source');
  const fields = [...(single.exists ? [single] : []), ...spec.get('sources').items];
  return { object, spec, sources: fields.map(sourceOf) };
}

function sourceOf(field: Field): ApplicationSource {
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
