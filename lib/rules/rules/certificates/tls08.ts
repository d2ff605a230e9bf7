import type { X509Certificate } from 'node:crypto';
import { anchorOf } from '../../../certificates';
import type { TlsSecret } from '../../objects/tls-secrets';
import { tlsSecrets } from '../../objects/tls-secrets';
import type { JudgedObject } from '../../judged-object';
import type { ObjectIndex } from '../../object-index';
import type { RawFinding, Rule } from '../../rule';
import type { TemplateFile } from '../../template-file';
import { judgeOtherValues } from './other-values';

/** @see https://helm.sh/docs/chart_template_guide/function_list/ */
export const tls08: Rule = {
  id: 'TLS08',
  severity: 'error',
  title: 'A render that differs from itself',
  why: 'Argo CD renders a chart again and again, without a cluster to look into: each time there is another CA, key or password, although nothing changed in Git',
  fix: 'let something in the cluster make the secret: cert-manager for certificates, or a Job or an operator for the rest',
  *check({ objects, before, templates }) {
    for (const template of templates) {
      yield* judgeTemplate(template);
    }
    if (before) {
      yield* judgeRenders(before, objects);
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
 * What stands in an action of a template: its end, a text, a comment, or a name with what it is of. What is not closed goes on
 * to the end, so that each character is read once.
 */
const token = /\}\}|"(?:[^"\\\n]|\\.)*"?|`[^`]*`?|\/\*(?:[\s\S]*?\*\/|[\s\S]*)|[.$]?\w+/g;

const whyVaries =
  'Argo CD renders a chart again and again: what has the value is out of sync each time, and pods with it start again';
const fixVaries =
  'take a value that changes with what it stands for: a version, or a checksum of the configuration';

function* judgeTemplate({ chart, file, text }: TemplateFile): Iterable<RawFinding> {
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

function* judgeRenders(before: ObjectIndex, objects: ObjectIndex): Iterable<RawFinding> {
  const again = new Set<JudgedObject>();
  for (const finding of judgeCertificates(before, objects)) {
    again.add(finding.object);
    yield finding;
  }
  yield* judgeOtherValues(before, objects, again);
}

/** Certificates of one name and subject with another key: made anew, since a wanted change changes more than that. */
function* judgeCertificates(before: ObjectIndex, objects: ObjectIndex): Iterable<RawFinding> {
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
    anchorOf(leaf).key !== anchorOf(otherLeaf).key
  );
}
