import { oneLine } from '../../../core/printable-text';
import type { ObjectIndex } from '../../object-index';
import { Field, groupOf } from '../../object';
import type { ManifestObject } from '../../object';
import type { LiveKind, RawFinding, Rule } from '../../rule';

const definitionKind = 'CustomResourceDefinition';
const definitionGroup = 'apiextensions.k8s.io';

/** @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/ */
export const api03: Rule = {
  id: 'API03',
  severity: 'error',
  title: 'Custom resource in a version that its definition does not serve',
  why: 'the API server refuses the object: it knows no such kind',
  fix: 'use a version that the CustomResourceDefinition serves',
  otherwise: 'warning where the definition serves the version, and says that it is deprecated',
  liveKinds: (objects) => (objects.all.some(mayBeCustom) ? [{ ...definition }] : []),
  *check({ objects, live }) {
    const definitions = objects.view(definedVersions);
    const inCluster = live?.view(definedVersions);
    for (const object of objects.all) {
      const key = keyOf(groupOf(object.apiVersion), object.kind);
      // What is about to be applied replaces what the cluster has.
      const versions = definitions.get(key) ?? inCluster?.get(key);
      if (versions) {
        yield* judged(object, versions);
      }
    }
  },
};

const definition: LiveKind = { apiVersion: `${definitionGroup}/v1`, kind: definitionKind };

/** Groups of custom resources have a domain of somebody's; those of Kubernetes with a dot end in `.k8s.io`. */
function mayBeCustom({ apiVersion }: ManifestObject): boolean {
  return groupOf(apiVersion).includes('.');
}

/** One version of a kind, of all definitions that have it. */
interface DefinedVersion {
  readonly isServed: boolean;
  readonly isDeprecated: boolean;
  /** What the definition says of it. */
  readonly warning?: string;
}

type DefinedVersions = ReadonlyMap<string, DefinedVersion>;

/** Versions by kind. Where several definitions have the same name, what one of them serves is served. */
function definedVersions(objects: ObjectIndex): ReadonlyMap<string, DefinedVersions> {
  const kinds = new Map<string, Map<string, DefinedVersion>>();
  for (const each of objects.ofKind(definitionGroup, definitionKind)) {
    const spec = Field.of(each).get('spec');
    const group = spec.get('group').text;
    const kind = spec.get('names', 'kind').text;
    const found = versionsIn(spec);
    if (group === undefined || kind === undefined || found.length === 0) {
      continue;
    }
    const key = keyOf(group, kind);
    const versions = kinds.get(key) ?? new Map<string, DefinedVersion>();
    kinds.set(key, versions);
    for (const [name, version] of found) {
      const before = versions.get(name);
      versions.set(name, before?.isServed === true && !version.isServed ? before : version);
    }
  }
  return kinds;
}

function versionsIn(spec: Field): readonly (readonly [name: string, version: DefinedVersion])[] {
  const listed = spec.get('versions').items.flatMap((version) => {
    const name = version.get('name').text;
    const warning = oneLine(version.get('deprecationWarning').text ?? '').replace(/[\s.]+$/, '');
    return name === undefined
      ? []
      : [
          [
            name,
            {
              isServed: version.get('served').boolean ?? true,
              isDeprecated: version.get('deprecated').boolean ?? false,
              ...(warning === '' ? {} : { warning }),
            },
          ] as const,
        ];
  });
  // Definitions of v1beta1 could name a single version.
  const single = spec.get('version').text;
  return listed.length === 0 && single !== undefined
    ? [[single, { isServed: true, isDeprecated: false }]]
    : listed;
}

function* judged(object: ManifestObject, versions: DefinedVersions): Iterable<RawFinding> {
  const { apiVersion, kind } = object;
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  const found = versions.get(version);
  const current = [...versions].filter(([, { isServed, isDeprecated }]) => isServed && !isDeprecated);
  const instead = current.map(([name]) => name).join(', ');
  const place = { object, pointer: '/apiVersion', ...(instead === '' ? {} : { fix: `use ${instead}` }) };
  if (found?.isServed !== true) {
    yield {
      ...place,
      message: `${kind} of ${apiVersion} is not served: its CustomResourceDefinition ${found ? 'says served: false' : 'has no such version'}`,
    };
  } else if (found.isDeprecated) {
    yield {
      ...place,
      severity: 'warning',
      message: `${kind} of ${apiVersion} is deprecated by its CustomResourceDefinition`,
      why: found.warning ?? 'a later release of its definition does not serve it any more',
    };
  }
}

function keyOf(group: string, kind: string): string {
  return `${group}/${kind}`;
}
