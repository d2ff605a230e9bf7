import type { JsonValue } from '../argo-object';
import type { Generator } from './generators';
import { pullRequestParameters } from './pull-request';
import { scmProviderParameters } from './scm-provider';

/** Fields of what a generator gives. */
export interface GivenFields {
  /** The fields that are known, each with those below it. */
  readonly fields: Readonly<Record<string, GivenFields>>;
  /** Whether there may be others. */
  readonly isOpen: boolean;
  /** Whether it has numbered parts, as `path[0]` without Go templates. */
  readonly isNumbered?: boolean;
}

const text: GivenFields = { fields: {}, isOpen: false };

/** What nobody knows before it is there. */
const anything: GivenFields = { fields: {}, isOpen: true };

function closed(fields: Readonly<Record<string, GivenFields>>): GivenFields {
  return { fields, isOpen: false };
}

function texts(names: readonly string[]): GivenFields {
  return closed(Object.fromEntries(names.map((name) => [name, text])));
}

/**
 * The fields that a generator gives to templates, as Argo CD's controller makes them.
 *
 * @param goTemplate Go templates see lists and maps; plain substitution sees texts with names such as `path.basename`
 * @see https://github.com/argoproj/argo-cd/tree/37ee0097cf851bc2dd7665fc081bbce61a7e836e/applicationset/generators
 */
export function givenFields(generator: Generator, goTemplate: boolean): GivenFields {
  const values = 'values' in generator ? generator.values : undefined;
  return both(ownFields(generator, goTemplate), closed(values ? { values: mapping(values) } : {}));
}

/** The fields without the further parameters, which are made from them. */
export function ownFields(generator: Generator, goTemplate: boolean): GivenFields {
  switch (generator.kind) {
    case 'list':
      // Of no element no Application is made, whatever the template reads.
      return generator.elementsYaml === undefined && generator.elements?.length
        ? generator.elements.map(fieldsOf).reduce(both)
        : anything;
    case 'clusters': {
      const cluster = {
        ...texts(['name', 'nameNormalized', 'server', 'project']).fields,
        metadata: closed({ labels: anything, annotations: anything }),
      };
      return closed(generator.flatList === true ? { clusters: text } : cluster);
    }
    case 'git': {
      const path = { path: pathFields(generator.files !== undefined, goTemplate) };
      const { pathParamPrefix: prefix } = generator;
      return {
        fields: prefix === undefined ? path : { [prefix]: closed(path) },
        isOpen: generator.files !== undefined,
      };
    }
    case 'scmProvider':
      return texts(scmProviderParameters);
    case 'pullRequest':
      // https://github.com/argoproj/argo-cd/blob/37ee0097cf851bc2dd7665fc081bbce61a7e836e/applicationset/generators/pull_request.go
      return texts(pullRequestParameters.filter((name) => goTemplate || name !== 'labels'));
    case 'plugin':
    case 'clusterDecisionResource':
      return anything;
    case 'matrix':
    case 'merge':
      return (generator.generators as readonly Generator[])
        .map((each) => givenFields(each, goTemplate))
        .reduce(both, closed({}));
    default:
      // Of no known kind, which is refused elsewhere.
      return anything;
  }
}

function pathFields(isOfFiles: boolean, goTemplate: boolean): GivenFields {
  const names = [
    'basename',
    'basenameNormalized',
    ...(isOfFiles ? ['filename', 'filenameNormalized'] : []),
    ...(goTemplate ? ['path', 'segments'] : []),
  ];
  return { ...texts(names), isNumbered: !goTemplate };
}

function mapping(values: Readonly<Record<string, JsonValue | undefined>>): GivenFields {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return {
    fields: Object.fromEntries(entries.map(([key, value]) => [key, fieldsOf(value!)])),
    // A name may be made of what another generator gives.
    isOpen: entries.some(([key]) => key.includes('{{')),
  };
}

function fieldsOf(value: JsonValue): GivenFields {
  if (value === null) {
    return anything;
  }
  return typeof value === 'object' && !Array.isArray(value)
    ? mapping(value as Readonly<Record<string, JsonValue>>)
    : text;
}

/** What one of the two may have. */
export function both(one: GivenFields, other: GivenFields): GivenFields {
  const names = new Set([...Object.keys(one.fields), ...Object.keys(other.fields)]);
  const fields = [...names].map((name) => {
    const [first, second] = [own(one.fields, name), own(other.fields, name)];
    return [name, first && second ? both(first, second) : (first ?? second)!] as const;
  });
  return {
    fields: Object.fromEntries(fields),
    isOpen: one.isOpen || other.isOpen,
    isNumbered: one.isNumbered === true || other.isNumbered === true,
  };
}

/** What a name lacks: where the way ends, and which names would go on. */
export interface Lacking {
  /** The names up to the one that is not given. */
  readonly way: readonly string[];
  /** The names that are. */
  readonly given: readonly string[];
}

/** Where a way of names leaves what is given; nothing where it does not. */
export function lackingIn(given: GivenFields, names: readonly string[]): Lacking | undefined {
  let at = given;
  for (const [position, name] of names.entries()) {
    const below = own(at.fields, name);
    if (below === undefined) {
      return at.isOpen ? undefined : { way: names.slice(0, position + 1), given: Object.keys(at.fields) };
    }
    at = below;
  }
  return undefined;
}

/**
 * The same for a name of plain substitution, whose parts may have dots in them: `metadata.labels.example.com/zone`,
 * `path[0]`.
 */
export function lackingInPlain(given: GivenFields, tag: string): Lacking | undefined {
  const [, plain = tag, number] = /^(.*?)(\[\d+\])?$/.exec(tag) ?? [];
  let [at, rest, way] = [given, plain, [] as string[]];
  for (;;) {
    const found = Object.keys(at.fields)
      .filter((name) => rest === name || rest.startsWith(`${name}.`))
      .sort((one, other) => other.length - one.length)[0];
    if (found === undefined) {
      return at.isOpen ? undefined : { way: [...way, rest], given: Object.keys(at.fields) };
    }
    at = at.fields[found]!;
    way = [...way, found];
    if (rest === found) {
      return number === undefined || at.isNumbered === true || at.isOpen
        ? undefined
        : { way: [...way.slice(0, -1), `${found}${number}`], given: [] };
    }
    rest = rest.slice(found.length + 1);
  }
}

function own(fields: Readonly<Record<string, GivenFields>>, name: string): GivenFields | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}
