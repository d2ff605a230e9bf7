import { isPlainObject } from '../validation/problems';
import { elementsOf } from './set-generator';
import type { SetGenerator } from './set-generator';

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

/** What is not known before it is there. */
const anything: GivenFields = { fields: {}, isOpen: true };

function closed(fields: Readonly<Record<string, GivenFields>>): GivenFields {
  return { fields, isOpen: false };
}

function texts(names: readonly string[]): GivenFields {
  return closed(Object.fromEntries(names.map((name) => [name, text])));
}

/** What a generator gives to templates. */
export interface Given {
  /** The fields that some of its sets of parameters have. */
  readonly some: GivenFields;
  /** The fields that each of them has. */
  readonly every: GivenFields;
}

/** Parameters that the generators of pull requests give. */
const pullRequest = [
  ...['number', 'title', 'branch', 'branch_slug', 'target_branch', 'target_branch_slug'],
  ...['head_sha', 'head_short_sha', 'head_short_sha_7', 'labels', 'author'],
];

/** Parameters that the generators of repositories give. */
const scmProvider = [
  ...['organization', 'repository', 'repository_id', 'url', 'branch', 'branchNormalized'],
  ...['sha', 'short_sha', 'short_sha_7', 'labels'],
];

/**
 * The fields that a generator gives to templates, as Argo CD's controller makes them.
 *
 * @param goTemplate Go templates see lists and maps; plain substitution sees texts with names such as `path.basename`
 * @see https://github.com/argoproj/argo-cd/tree/37ee0097cf851bc2dd7665fc081bbce61a7e836e/applicationset/generators
 */
export function givenBy(generator: SetGenerator, goTemplate: boolean): Given {
  const { some, every } = unfiltered(generator, goTemplate);
  // What lacks a field may be what the selector drops.
  return generator.isFiltered ? { some, every: some } : { some, every };
}

function unfiltered(generator: SetGenerator, goTemplate: boolean): Given {
  const children = generator.generators.map((each) => givenBy(each, goTemplate));
  switch (generator.kind) {
    case 'list': {
      // Of no element no Application is made, whatever the template reads.
      const elements = elementsOf(generator).map(fieldsOf);
      return elements.length === 0 ? always(anything) : { some: union(elements), every: common(elements) };
    }
    case 'matrix':
      return {
        some: union(children.map(({ some }) => some)),
        every: union(children.map(({ every }) => every)),
      };
    case 'merge': {
      // The others may have nothing that belongs to a set of the first.
      const [first, ...others] = children;
      const rest = others.map(({ some }) => some);
      return {
        some: union([...(first ? [first.some] : []), ...rest]),
        every: union([...(first ? [first.every] : []), ...rest]),
      };
    }
    default: {
      const { values } = generator.settings;
      return always(
        union([ownFields(generator, goTemplate), ...(values ? [closed({ values: fieldsOf(values) })] : [])]),
      );
    }
  }
}

function always(fields: GivenFields): Given {
  return { some: fields, every: fields };
}

/** The fields without the further parameters, which are made from them. */
export function ownFields({ kind, settings }: SetGenerator, goTemplate: boolean): GivenFields {
  switch (kind) {
    case 'clusters': {
      const cluster = {
        ...texts(['name', 'nameNormalized', 'server', 'project']).fields,
        metadata: closed({ labels: anything, annotations: anything }),
      };
      return closed(settings['flatList'] === true ? { clusters: text } : cluster);
    }
    case 'git': {
      const isOfFiles = settings['files'] !== undefined && settings['files'] !== null;
      const path = { path: pathFields(isOfFiles, goTemplate) };
      const prefix = settings['pathParamPrefix'];
      return {
        fields: typeof prefix === 'string' && prefix !== '' ? { [prefix]: closed(path) } : path,
        isOpen: isOfFiles,
      };
    }
    case 'scmProvider':
      return texts(scmProvider);
    case 'pullRequest':
      // https://github.com/argoproj/argo-cd/blob/37ee0097cf851bc2dd7665fc081bbce61a7e836e/applicationset/generators/pull_request.go
      return texts(pullRequest.filter((name) => goTemplate || name !== 'labels'));
    default:
      // A plugin's, another controller's, or of a kind that is not known here.
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

/** Fields of plain data. */
export function fieldsOf(value: unknown): GivenFields {
  if (value === null) {
    return anything;
  }
  if (!isPlainObject(value)) {
    return text;
  }
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return {
    fields: Object.fromEntries(entries.map(([key, each]) => [key, fieldsOf(each)])),
    // A name may be made of what another generator gives.
    isOpen: entries.some(([key]) => key.includes('{{')),
  };
}

/** What one of them may have. */
export function union(all: readonly GivenFields[]): GivenFields {
  return joined(all, union, () => true);
}

/** What each of them has. */
function common(all: readonly GivenFields[]): GivenFields {
  const open = all.filter(({ isOpen }) => isOpen).length;
  // Those that are open may have every field.
  const joint = joined(
    all,
    common,
    (given) => given.filter(({ isOpen }) => !isOpen).length === all.length - open,
  );
  return { ...joint, isOpen: open > 0 && open === all.length };
}

function joined(
  all: readonly GivenFields[],
  below: (fields: readonly GivenFields[]) => GivenFields,
  isKept: (parents: readonly GivenFields[]) => boolean,
): GivenFields {
  if (all.length === 1) {
    return all[0]!;
  }
  const record = new Map<string, { fields: GivenFields[]; parents: GivenFields[] }>();
  for (const parent of all) {
    for (const [name, fields] of Object.entries(parent.fields)) {
      const known = record.get(name) ?? { fields: [], parents: [] };
      known.fields.push(fields);
      known.parents.push(parent);
      record.set(name, known);
    }
  }
  const kept = [...record].filter(([, { parents }]) => isKept(parents));
  return {
    fields: Object.fromEntries(kept.map(([name, { fields }]) => [name, below(fields)])),
    isOpen: all.some(({ isOpen }) => isOpen),
    isNumbered: all.some(({ isNumbered }) => isNumbered === true),
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
