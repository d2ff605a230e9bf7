import type { ReadinessFinding, ReadinessQuestion, ReadinessReport } from '../report';
import { counted, listed, said } from '../words';
import type { Definition } from './definitions';
import { countedDefinitions, readDefinitions } from './definitions';
import type { LiveReader, Read } from './reader';
import { liveSubject, placeOf, readerOf } from './subject';
import type { SeenObject, SeenVersion } from './written-versions';
import { countKey, writtenVersions } from './written-versions';

const reads = [
  { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: ['get', 'list'] },
];

/**
 * Custom resource definitions: versions that go, and those that the new cluster lacks. Objects of one cluster are compared
 * with definitions of the other, since a manifest is applied there in the version that it says.
 */
export const customResources = liveSubject({
  name: 'custom-resources',
  title: 'versions of custom resources, here and in the new cluster',
  access: [
    ...reads,
    { apiGroups: ['*'], resources: ['*'], verbs: ['list'] },
    { apiGroups: [''], resources: ['services'], verbs: ['get'] },
    ...reads.map((rule) => ({ ...rule, at: 'newKubernetes' as const })),
  ],
  look,
});

async function look(reader: LiveReader, question: ReadinessQuestion): Promise<ReadinessReport> {
  const fresh = question.newKubernetes === undefined ? undefined : readerOf(question, 'newKubernetes');
  const [here, there, written] = await Promise.all([
    readDefinitions(reader),
    fresh === undefined || typeof fresh === 'string' ? undefined : readDefinitions(fresh),
    writtenVersions(reader, question),
  ]);
  const definitions = here.value ?? [];
  const [services, served] = await Promise.all([missingServices(reader, definitions), reader.served()]);
  const groups = new Set(definitions.map(({ group }) => group));
  return {
    findings: [
      ...definitions.flatMap((each) => judgeDefinition(each, written.versions)),
      ...definitions.flatMap((each) => judgeConverter(each, services.value)),
      ...judgeWritten(definitions, there?.value, written),
    ],
    looked: countedDefinitions(definitions.length),
    untried: [
      ...here.untried,
      ...(there?.untried ?? []).map((line) => `new cluster: ${line}`),
      ...(typeof fresh === 'string' ? [fresh] : []),
      ...services.untried,
      // Without the kinds there is no object that was looked at.
      ...served.untried,
      // Other kinds are not told here.
      ...written.untried.filter((line) => [...groups].some((group) => line.includes(group))),
    ],
  };
}

async function missingServices(
  reader: LiveReader,
  definitions: readonly Definition[],
): Promise<Read<ReadonlySet<string>>> {
  const converters = new Map(
    definitions.flatMap(({ converter }) => (converter ? [[placeOf(converter), converter] as const] : [])),
  );
  const looks = await Promise.all(
    [...converters].map(async ([place, { namespace, name }]) => ({
      place,
      ...(await reader.get(`Service ${place}`, {
        ...{ apiVersion: 'v1', kind: 'Service', metadata: { namespace, name } },
      })),
    })),
  );
  return {
    value: new Set(looks.filter(({ value }) => value === 'missing').map(({ place }) => place)),
    untried: looks.flatMap(({ untried }) => untried),
  };
}

/** A definition as the object of a finding. */
const objectOf = ({ name }: Definition) => ({
  object: { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name },
});

const guide =
  'https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/';

/** What a definition says of its own versions. */
export function judgeDefinition(
  definition: Definition,
  versions: readonly SeenVersion[],
): readonly ReadinessFinding[] {
  const { name, group, kind, storedVersions } = definition;
  const subject = `CustomResourceDefinition ${said(name)}`;
  const findings: ReadinessFinding[] = [];
  for (const stored of storedVersions) {
    const version = definition.versions.find((each) => each.name === stored);
    const fix = `write all objects anew, then take ${said(stored)} out of status.storedVersions: ${guide}`;
    if (version === undefined) {
      findings.push({
        id: 'CRD01',
        severity: 'error',
        message: `${subject} has objects stored in ${said(stored)}, which it does not define any more`,
        why: 'the API server can neither read objects in that version, nor take changes of the definition',
        fix: `define ${said(stored)} again; ${fix}`,
        ...objectOf(definition),
      });
    } else if (!version.served) {
      findings.push({
        id: 'CRD02',
        severity: 'warning',
        message: `${subject} may have objects stored in ${said(stored)}, which it does not serve any more`,
        why: 'a release that does not define the version is refused as long as objects may be stored in it',
        fix,
        ...objectOf(definition),
      });
    }
  }
  for (const version of definition.versions.filter(({ served, deprecated }) => served && deprecated)) {
    const seen = versions.find(
      (each) => each.apiVersion === `${group}/${version.name}` && each.kind === kind,
    );
    const objects = [...(seen?.declared.first ?? []), ...(seen?.written.first ?? [])];
    const count = (seen?.declared.count ?? 0) + (seen?.written.count ?? 0);
    findings.push({
      id: 'CRD03',
      severity: count > 0 ? 'warning' : 'info',
      message: `${subject} deprecates ${said(version.name)}${count > 0 ? `, which ${count === 1 ? '1 object was' : `${count} objects were`} written by: ${listed(objects.map(nameOf))}` : ''}`,
      why: 'a newer release of whoever brings the definition may not serve the version any more',
      fix: 'write manifests in a version that is not deprecated',
      ...objectOf(definition),
    });
  }
  return findings;
}

const nameOf = ({ object, seenIn }: SeenObject): string => `${placeOf(object)} (${seenIn})`;

/** @param missing Services that are not there: `NAMESPACE/NAME` */
export function judgeConverter(
  definition: Definition,
  missing: ReadonlySet<string>,
): readonly ReadinessFinding[] {
  const { name, converter, versions } = definition;
  return converter !== undefined && versions.length > 1 && missing.has(placeOf(converter))
    ? [
        {
          id: 'CRD04',
          severity: 'error',
          message: `CustomResourceDefinition ${said(name)} is converted by Service ${said(placeOf(converter))}, which is missing`,
          why: 'objects that are stored in another version than the one asked for can neither be read nor changed, and their namespace can not be deleted',
          fix: 'install what serves the webhook, or set spec.conversion.strategy to None where versions differ in nothing',
          ...objectOf(definition),
        },
      ]
    : [];
}

/**
 * Versions that objects were written by and that are not served: by the definition of the new cluster where there is one.
 * What a manifest says is an error. By which version a program once wrote is a warning where the new cluster differs, and
 * nothing where this cluster itself has ceased to serve it: then nobody writes so any more.
 *
 * @param there definitions of the new cluster, where they could be read
 */
export function judgeWritten(
  here: readonly Definition[],
  there: readonly Definition[] | undefined,
  {
    versions,
    counts,
  }: { readonly versions: readonly SeenVersion[]; readonly counts: ReadonlyMap<string, number> },
): readonly ReadinessFinding[] {
  const others = new Map(there?.map((each) => [each.name, each]));
  return here.flatMap((definition) => {
    const other = others.get(definition.name);
    if (there !== undefined && other === undefined) {
      return [
        missing(definition, counts.get(countKey({ apiVersion: `${definition.group}/`, ...definition }))),
      ];
    }
    const served = servedBy(other ?? definition);
    const before = servedBy(definition);
    return versions
      .filter(({ apiVersion, kind }) => kind === definition.kind && isOf(definition, apiVersion))
      .filter(({ apiVersion }) => !served.has(versionOf(apiVersion)))
      .flatMap((version) => unserved(definition, version, other !== undefined, before));
  });
}

const servedBy = ({ versions }: Definition): ReadonlySet<string> =>
  new Set(versions.filter(({ served }) => served).map(({ name }) => name));
const versionOf = (apiVersion: string): string => apiVersion.slice(apiVersion.indexOf('/') + 1);
const isOf = ({ group }: Definition, apiVersion: string): boolean => apiVersion.startsWith(`${group}/`);

function missing(definition: Definition, count: number | undefined): ReadinessFinding {
  return {
    id: 'API03',
    severity: count === undefined ? 'warning' : count > 0 ? 'error' : 'info',
    message: `CustomResourceDefinition ${said(definition.name)} is missing in the new cluster; ${count === undefined ? 'how many objects this one has could not be read' : `this one has ${counted(count, 'object')} of it`}`,
    why: 'the new cluster takes no object of this kind',
    fix: 'install what brings the definition in the new cluster first, or leave its objects behind',
    ...objectOf(definition),
  };
}

function unserved(
  definition: Definition,
  { apiVersion, declared, written }: SeenVersion,
  isNew: boolean,
  before: ReadonlySet<string>,
): readonly ReadinessFinding[] {
  const where = isNew ? 'in the new cluster' : 'here';
  const isStale = !before.has(versionOf(apiVersion));
  const findingOf = (
    severity: 'error' | 'warning',
    { count, first }: SeenVersion['declared'],
  ): readonly ReadinessFinding[] =>
    count === 0
      ? []
      : [
          {
            id: 'API03',
            severity,
            message: `${said(definition.kind)} of ${said(apiVersion)} is not served ${where}, and ${count === 1 ? '1 object was' : `${count} objects were`} written by it: ${listed(first.map(nameOf))}`,
            why:
              severity === 'error'
                ? 'manifests in this version are refused'
                : 'whoever wrote so is refused there, unless it has learned another version since',
            fix: isNew
              ? 'write manifests in a version that both clusters serve, and update what writes by the old one'
              : 'write manifests in a version that is served',
            ...objectOf(definition),
          },
        ];
  return [...findingOf('error', declared), ...(isStale ? [] : findingOf('warning', written))];
}
