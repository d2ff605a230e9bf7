import type { X509Certificate } from 'node:crypto';
import { trustAnchor } from '../../../core/certificates/x509';
import { Field, groupOf } from '../../object';
import type { ManifestObject } from '../../object';
import type { ObjectIndex } from '../../object-index';
import type { RawFinding, Rule, TemplateFile } from '../../rule';
import { tlsSecrets } from '../../views/secrets';
import type { TlsSecret } from '../../views/secrets';

/** What two sets of manifests differ in beside Secrets. */
export interface Differences {
  /** Texts that a chart makes up at each render: tokens, UUIDs, times. */
  readonly madeUp: readonly { readonly object: ManifestObject; readonly field: Field }[];
  /** Whether there are others: then nothing says that they are of one commit. */
  readonly hasOthers: boolean;
}

/** `randAlphaNum 5`, which rolls pods, is the shortest in use. */
const madeUpToken = /^[A-Za-z0-9+/=_-]{5,}$/;

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const time = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d|^\d{10}$/;

/** Compares objects by their names. Hashes over Secrets and CA bundles differ with them. */
function differencesOf(before: ObjectIndex, objects: ObjectIndex): Differences {
  const [old, now] = [before, objects].map(withoutSecrets) as [ManifestObject[], ManifestObject[]];
  if (old.length !== now.length) {
    return { madeUp: [], hasOthers: true };
  }
  const found: { object: ManifestObject; field: Field }[] = [];
  for (const object of now) {
    const twin = before.find(groupOf(object.apiVersion), object.kind, object.namespace, object.name);
    const fields = twin && differing(Field.of(twin), Field.of(object));
    if (!fields) {
      return { madeUp: [], hasOthers: true };
    }
    found.push(...fields.map((field) => ({ object, field })));
  }
  // Each call makes another one: what is in several places was given, as the hash of a commit is.
  const texts = new Set(found.map(({ field }) => field.text));
  const hasOthers = texts.size < found.length && found.some(({ field }) => !time.test(field.text!));
  return { madeUp: hasOthers ? [] : found, hasOthers };
}

function withoutSecrets(index: ObjectIndex): ManifestObject[] {
  return index.all.filter(({ apiVersion, kind }) => groupOf(apiVersion) !== '' || kind !== 'Secret');
}

/** Made-up texts that are others. @returns nothing where anything else is another */
function differing(before: Field, after: Field): Field[] | undefined {
  const last = after.steps.at(-1) ?? '';
  if (last.startsWith('checksum/') || last === 'caBundle' || Object.is(before.value, after.value)) {
    return [];
  }
  if (before.text !== undefined && after.text !== undefined) {
    return isMadeUp(before.text, after.text) ? [after] : undefined;
  }
  const [old, now] = [before, after].map(partsOf);
  const isSameShape =
    old !== undefined && now !== undefined && old.length === now.length && isList(before) === isList(after);
  if (!isSameShape) {
    return undefined;
  }
  const found: Field[] = [];
  for (const each of now) {
    const key = each.steps.at(-1)!;
    const twin = before.get(key);
    const fields = twin.value === undefined ? undefined : differing(twin, each);
    if (!fields) {
      return undefined;
    }
    found.push(...fields);
  }
  return found;
}

function isMadeUp(before: string, after: string): boolean {
  return [madeUpToken, uuid].some(
    (each) => each.test(before) && each.test(after) && before.length === after.length,
  )
    ? // Words and numbers are none: `debug`, `15000`; nor is what is counted on, `release-12`.
      isMixed(before) && isMixed(after) && differsWidely(before, after)
    : time.test(before) && time.test(after);
}

/** Two of: capital letters, others, digits. */
function isMixed(text: string): boolean {
  return [/[A-Z]/, /[a-z]/, /\d/].filter((kind) => kind.test(text)).length >= 2;
}

/** Whether more than half of the characters are others. */
function differsWidely(one: string, other: string): boolean {
  const others = Array.from(one).filter((character, position) => character !== other[position]).length;
  return others > one.length / 2;
}

function isList({ value }: Field): boolean {
  return Array.isArray(value);
}

function partsOf(field: Field): readonly Field[] | undefined {
  const { value } = field;
  return typeof value === 'object' && value !== null
    ? isList(field)
      ? field.items
      : field.entries.map(([, each]) => each)
    : undefined;
}

/** Shorter values are not made up by a chart: `true`, `5432`. */
const shortestMade = 6;

/**
 * Texts that a chart makes up anew at each render, and Secrets with the same keys, of which some have other values of the
 * same length. Where nothing else differs, it is another render of the same; otherwise somebody may have changed it by
 * hand. No value gets into a message.
 *
 * @param known Secrets about which something is said already
 */
function* evaluateOtherValues(
  before: ObjectIndex,
  objects: ObjectIndex,
  known: ReadonlySet<ManifestObject>,
): Iterable<RawFinding> {
  const changed = objects.ofKind('', 'Secret').flatMap((object) => {
    const other = before.find('', 'Secret', object.namespace, object.name);
    const fields = other && !known.has(object) ? otherValues(other, object) : [];
    return fields.length > 0 ? [{ object, fields }] : [];
  });
  const { madeUp, hasOthers } = differencesOf(before, objects);
  const isSameOtherwise = !hasOthers;
  for (const { object, field } of madeUp) {
    yield {
      object,
      pointer: field.pointer,
      severity: 'warning',
      message: `the other render has another text here, and nothing but such texts${changed.length > 0 ? ' and Secrets' : ''} differs`,
    };
  }
  for (const { object, fields } of changed) {
    const [first, ...others] = fields.map((field) => field.steps.at(-1)!);
    const more = others.length > 0 ? ` and ${others.length} more` : '';
    yield {
      object,
      pointer: fields[0]!.pointer,
      severity: isSameOtherwise ? 'warning' : 'info',
      message: isSameOtherwise
        ? `the other render has another value of the same length under ${JSON.stringify(first)}${more}, and nothing but ${madeUp.length > 0 ? 'made-up texts and ' : ''}Secrets differs`
        : `another value of the same length is at ${JSON.stringify(first)}${more} than before; other objects have changed, too, so it may be meant`,
      ...(isSameOtherwise
        ? {}
        : { fix: 'compare two renders of one commit, to see whether the chart makes it up' }),
    };
  }
}

/** Values that are others, of the same length; none where keys have come or gone, as with a change by hand. */
function otherValues(before: ManifestObject, object: ManifestObject): Field[] {
  const [old, fields] = [before, object].map(valuesOf);
  const was = new Map(old!.map((field) => [field.pointer, field.text]));
  const hasSameKeys = was.size === fields!.length && fields!.every(({ pointer }) => was.has(pointer));
  const other = fields!.filter(({ pointer, text }) => was.get(pointer) !== text);
  const isMadeUp = other.every(
    ({ pointer, text = '' }) =>
      text.length >= shortestMade && was.get(pointer)?.length === text.length && !isCertificate(text),
  );
  return hasSameKeys && isMadeUp ? other : [];
}

/** Certificates and their keys are checked by what they certify: the same key, or other names, are meant. */
function isCertificate(text: string): boolean {
  return [text, Buffer.from(text, 'base64').toString('latin1')].some((each) =>
    each.includes('-----BEGIN CERTIFICATE-----'),
  );
}

function valuesOf(object: ManifestObject): Field[] {
  const secret = Field.of(object);
  return [...secret.get('data').entries, ...secret.get('stringData').entries].map(([, field]) => field);
}

/** @see https://helm.sh/docs/chart_template_guide/function_list/ */
export const tls08: Rule = {
  id: 'TLS08',
  severity: 'error',
  title: 'A render that differs from itself',
  why: 'Argo CD renders a chart again and again, without a cluster to look into: each time there is another CA, key or password, although nothing changed in Git',
  fix: 'let something in the cluster make the secret: cert-manager for certificates, or a Job or an operator for the rest',
  scope: 'files',
  *check({ objects, before, templates }) {
    for (const template of templates) {
      yield* evaluateTemplate(template);
    }
    if (before) {
      yield* evaluateRenders(before, objects);
    }
  },
};

/** Functions whose result is another at each call. */
const made =
  /^(?:genCA|genSignedCert|genSelfSignedCert)(?:WithKey)?$|^genPrivateKey$|^rand(?:AlphaNum|Alpha|Numeric|Ascii|Bytes|Int)$/;

/**
 * Other functions whose result is another at each call or at each time: what they make is no secret, or the salt of one. Not
 * among them is `derivePassword`, which is the same for the same arguments, and what formats a time that it is given.
 *
 * @see https://github.com/Masterminds/sprig/blob/master/functions.go
 */
const varies = /^(?:uuidv4|now|ago|shuffle|bcrypt|htpasswd|encryptAES)$/;

const timed = /^(?:now|ago)$/;

const looked = 'lookup';

/**
 * What is in an action of a template: its end, a text, a comment, or a name with what it is of. What is not closed goes on
 * to the end, so that each character is read once.
 */
const token = /\}\}|"(?:[^"\\\n]|\\.)*"?|`[^`]*`?|\/\*(?:[\s\S]*?\*\/|[\s\S]*)|[.$]?\w+/g;

const whyVaries =
  'Argo CD renders a chart again and again: what has the value is out of sync each time, and pods with it start again';

const fixVaries =
  'take a value that changes only with its source: a version, or a checksum of the configuration';

function* evaluateTemplate({ chart, file, text }: TemplateFile): Iterable<RawFinding> {
  const uses = usesIn(text);
  const generates = [...uses.keys()].some((name) => made.test(name));
  for (const [name, lines] of uses) {
    const more = lines.length > 1 ? `, and ${lines.length - 1} more times` : '';
    yield {
      object: chart,
      pointer: '',
      line: lines[0]!,
      // By itself it makes nothing new, but finds nothing either where there is no cluster.
      ...(varies.test(name) || (name === looked && !generates) ? { severity: 'warning' } : {}),
      ...(varies.test(name) ? { why: whyVaries, fix: fixVaries } : {}),
      message: `${file} calls ${name}${more}: ${
        name === looked
          ? 'it finds nothing under helm template'
          : timed.test(name)
            ? 'every render has another time'
            : 'every call makes another value'
      }`,
    };
  }
}

/** Lines of each function that makes or looks up something, by its name. */
function usesIn(text: string): ReadonlyMap<string, readonly number[]> {
  const uses = new Map<string, number[]>();
  let [line, counted] = [1, 0];
  for (const { name, position } of namesIn(text)) {
    if (made.test(name) || varies.test(name) || name === looked) {
      line += text.slice(counted, position).split('\n').length - 1;
      counted = position;
      const lines = uses.get(name) ?? [];
      lines.push(line);
      uses.set(name, lines);
    }
  }
  return uses;
}

/** Names that stand by themselves in the actions of a template: functions, and words of the language. */
function* namesIn(text: string): Iterable<Name> {
  for (const names of actionsIn(text)) {
    // A digest without a salt.
    const isSha = names.some(({ name }) => name === '"sha"' || name === '`sha`');
    yield* names.filter(({ name }) => !(name === 'htpasswd' && isSha));
  }
}

interface Name {
  readonly name: string;
  readonly position: number;
}

function* actionsIn(text: string): Iterable<readonly Name[]> {
  let opening = text.indexOf('{{');
  while (opening >= 0) {
    let end = text.length;
    const names: Name[] = [];
    token.lastIndex = opening + 2;
    for (let found = token.exec(text); found; found = token.exec(text)) {
      const [name] = found;
      if (name === '}}') {
        end = found.index + 2;
        break;
      }
      names.push({ name, position: found.index });
    }
    yield names;
    opening = text.indexOf('{{', end);
  }
}

function* evaluateRenders(before: ObjectIndex, objects: ObjectIndex): Iterable<RawFinding> {
  const again = new Set<ManifestObject>();
  for (const finding of evaluateCertificates(before, objects)) {
    again.add(finding.object);
    yield finding;
  }
  yield* evaluateOtherValues(before, objects, again);
}

/** Certificates of one name and subject with another key: made anew, since a wanted change changes more than that. */
function* evaluateCertificates(before: ObjectIndex, objects: ObjectIndex): Iterable<RawFinding> {
  for (const secret of objects.view(tlsSecrets).all) {
    const { object, leaf, leafField } = secret;
    const other = before
      .view(tlsSecrets)
      .named(object.namespace, object.name)
      .find((each) => each.leafField?.steps.at(-1) === leafField?.steps.at(-1));
    if (leaf && leafField && other?.leaf && sameButForKey(secret, other, leaf, other.leaf)) {
      yield {
        object,
        pointer: leafField.pointer,
        message: 'the other render has a certificate with the same names and another key',
      };
    }
  }
}

function sameButForKey(
  one: TlsSecret,
  other: TlsSecret,
  leaf: X509Certificate,
  otherLeaf: X509Certificate,
): boolean {
  return (
    leaf.subject === otherLeaf.subject &&
    leaf.subjectAltName === otherLeaf.subjectAltName &&
    one.key !== other.key &&
    trustAnchor(leaf).key !== trustAnchor(otherLeaf).key
  );
}
