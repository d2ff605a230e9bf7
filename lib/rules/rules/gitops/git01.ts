import type { Field } from '../../field';
import { settingChanges } from '../../setting-changes';
import type { RawFinding, Rule } from '../../rule';
import type { ApplicationSpec } from '../../objects/applications';
import { applicationSpecs } from '../../objects/applications';
import { maySet } from '../../objects/template-patch';

const option = 'RespectIgnoreDifferences';

/** Kinds with certificates in them, by API group: what a sync writes there anew, API servers or pods still have otherwise. */
const withCertificates = [
  ['', 'Secret'],
  ['admissionregistration.k8s.io', 'MutatingWebhookConfiguration'],
  ['admissionregistration.k8s.io', 'ValidatingWebhookConfiguration'],
  ['apiextensions.k8s.io', 'CustomResourceDefinition'],
  ['apiregistration.k8s.io', 'APIService'],
] as const;

/** @see https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/#respect-ignore-difference-configs */
export const git01: Rule = {
  id: 'GIT01',
  severity: 'error',
  title: 'Ignored differences that a sync writes all the same',
  why: 'ignoreDifferences hides a difference from the comparison only: the next sync still overwrites the field, so a certificate that was made anew replaces the one that is in use',
  fix: 'add RespectIgnoreDifferences=true to spec.syncPolicy.syncOptions',
  *check({ objects }) {
    for (const application of objects.view(applicationSpecs)) {
      yield* judge(application);
    }
  },
};

function* judge({ object, spec, templated }: ApplicationSpec): Iterable<RawFinding> {
  const ignored = spec.get('ignoreDifferences').items;
  const options = spec.get('syncPolicy', 'syncOptions');
  if (ignored.length === 0 || options.texts.includes(`${option}=true`)) {
    return;
  }
  const certificates = ignored.filter(holdsCertificates);
  const named = certificates.length > 0 ? certificates : ignored;
  const said = options.texts.find((each) => each.startsWith(`${option}=`));
  const isOpen = templated !== undefined && maySet(templated, 'syncPolicy', 'syncOptions');
  const unless = isOpen
    ? ', unless templates of its templatePatch, which are not evaluated here, set them'
    : '';
  yield {
    object,
    pointer: named[0]!.pointer,
    severity: certificates.length > 0 ? 'error' : 'warning',
    message: `differences of ${named.map(kindOf).join(', ')} are ignored, and syncOptions ${said === undefined ? `do not have ${option}=true` : `have ${said}`}${unless}`,
    ...(isOpen ? { severity: 'info' } : {}),
    // An explicit "false" is somebody's decision.
    ...(said === undefined && !isOpen
      ? { mend: settingChanges(object, [...options.steps, '-'], `${option}=true`) }
      : {}),
  };
}

function holdsCertificates(entry: Field): boolean {
  const [group, kind] = [entry.get('group').text ?? '', entry.get('kind').text ?? ''];
  return withCertificates.some((each) => fits(group, each[0]) && fits(kind, each[1]));
}

/** Argo CD takes both for patterns, in which `*` stands for any text. Others of their signs are not read here. */
function fits(pattern: string, text: string): boolean {
  const [begin = '', ...ends] = pattern.split('*');
  const end = ends.at(-1);
  return end === undefined
    ? pattern === text
    : text.length >= begin.length + end.length && text.startsWith(begin) && text.endsWith(end);
}

function kindOf(entry: Field): string {
  const [kind, name] = [entry.get('kind').text ?? 'any kind', entry.get('name').text];
  return name === undefined ? kind : `${kind} ${name}`;
}
