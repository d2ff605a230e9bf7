import { setValuePatch } from '../../changes';
import type { Field } from '../../object';
import type { ObjectIndex } from '../../object-index';
import type { RawFinding, Rule } from '../../rule';
import { applicationSpecs } from '../../views/applications';
import type { ApplicationSpecView } from '../../views/applications';
import { maySet } from '../../views/template-patch';
import { bundleText, isFromCluster, trustingObjects } from '../../views/trust';

const option = 'RespectIgnoreDifferences';

/** Where a kind keeps certificates: positions in lists left out. */
interface CertificatePlace {
  readonly group: string;
  readonly kind: string;
  readonly path: readonly string[];
}

const webhooks = { group: 'admissionregistration.k8s.io', path: ['webhooks', 'clientConfig', 'caBundle'] };

/** Places with certificates: what a sync writes there anew, API servers or pods still have otherwise. */
const certificatePlaces: readonly CertificatePlace[] = [
  { group: '', kind: 'Secret', path: ['data'] },
  { group: '', kind: 'Secret', path: ['stringData'] },
  { ...webhooks, kind: 'MutatingWebhookConfiguration' },
  { ...webhooks, kind: 'ValidatingWebhookConfiguration' },
  {
    group: 'apiextensions.k8s.io',
    kind: 'CustomResourceDefinition',
    path: ['spec', 'conversion', 'webhook', 'clientConfig', 'caBundle'],
  },
  { group: 'apiregistration.k8s.io', kind: 'APIService', path: ['spec', 'caBundle'] },
];

/** @see https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/#respect-ignore-difference-configs */
export const git01: Rule = {
  id: 'GIT01',
  severity: 'error',
  title: 'Ignored differences that a sync writes all the same',
  why: 'ignoreDifferences hides a difference from the comparison only: the next sync still overwrites the field, so a certificate that was made anew replaces the one that is in use',
  fix: 'add RespectIgnoreDifferences=true to spec.syncPolicy.syncOptions',
  otherwise:
    'an error where values of a Secret are ignored, since the next render has other values and the next sync writes them. A warning where only CA bundles are ignored, since the injector writes them again at once. An error for a CA bundle that is rendered among the manifests',
  *check({ objects }) {
    for (const application of objects.view(applicationSpecs)) {
      yield* evaluate(objects, application);
    }
  },
};

function* evaluate(
  objects: ObjectIndex,
  { object, spec, templated }: ApplicationSpecView,
): Iterable<RawFinding> {
  const ignored = spec.get('ignoreDifferences').items;
  const options = spec.get('syncPolicy', 'syncOptions');
  if (ignored.length === 0 || options.texts.includes(`${option}=true`)) {
    return;
  }
  const certificates = ignored.filter((entry) => placesOf(entry).length > 0);
  const named = certificates.length > 0 ? certificates : ignored;
  const said = options.texts.find((each) => each.startsWith(`${option}=`));
  const isOpen = templated !== undefined && maySet(templated, 'syncPolicy', 'syncOptions');
  const unless = isOpen
    ? ', unless templates of its templatePatch, which are not evaluated here, set them'
    : '';
  const isRendered = certificates.some(
    (entry) => placesOf(entry).some(({ kind }) => kind === 'Secret') || rendersBundle(objects, entry),
  );
  yield {
    object,
    pointer: named[0]!.pointer,
    severity: isOpen ? 'info' : isRendered ? 'error' : 'warning',
    message: `differences of ${named.map(kindOf).join(', ')} are ignored, and syncOptions ${said === undefined ? `do not have ${option}=true` : `have ${said}`}${unless}`,
    ...(certificates.length > 0 && !isRendered ? { why: whyInjected } : {}),
    ...(object.kind === 'ApplicationSet' ? { fix: `add ${option}=true to ${options.steps.join('.')}` } : {}),
    // An explicit "false" is somebody's decision.
    ...(said === undefined && !isOpen
      ? { fixPatch: setValuePatch(object, [...options.steps, '-'], `${option}=true`) }
      : {}),
  };
}

const whyInjected =
  'ignoreDifferences hides a difference from the comparison only: where the chart renders a CA bundle, a placeholder too, the next sync writes it over the one that was injected';

/** Places with certificates whose differences an entry ignores. */
function placesOf(entry: Field): readonly CertificatePlace[] {
  const [group, kind] = [entry.get('group').text ?? '', entry.get('kind').text ?? ''];
  const paths = [
    ...entry.get('jsonPointers').texts.map((each) => each.split('/')),
    ...entry.get('jqPathExpressions').texts.map(stepsOfJq),
  ].map((steps) => steps.filter((step) => step !== '' && !/^(?:\d+|-)$/.test(step)));
  const isWhole = paths.length === 0 || entry.get('managedFieldsManagers').items.length > 0;
  return certificatePlaces.filter(
    (place) =>
      fits(group, place.group) &&
      fits(kind, place.kind) &&
      (isWhole || paths.some((steps) => steps.every((step, at) => (place.path[at] ?? step) === step))),
  );
}

/** Names in a path of jq, without those in the conditions of `select`: `webhooks`, `clientConfig`, `caBundle`. */
function stepsOfJq(expression: string): string[] {
  let [path, depth] = ['', 0];
  for (const sign of expression) {
    depth += sign === '(' ? 1 : 0;
    path += depth > 0 ? ' ' : sign;
    depth -= sign === ')' ? 1 : 0;
  }
  return (path.match(/[\w-]+/g) ?? []).filter((step) => step !== 'select');
}

/** Whether an object that an entry is about has a CA bundle in the manifests, and nothing that injects another. */
function rendersBundle(objects: ObjectIndex, entry: Field): boolean {
  const name = entry.get('name').text;
  return objects
    .view(trustingObjects)
    .some(
      ({ object, anchors, sources }) =>
        sources.length === 0 &&
        !isFromCluster(object) &&
        (name === undefined || name === object.name) &&
        placesOf(entry).some(({ kind }) => kind === object.kind) &&
        anchors.some((anchor) => bundleText(anchor) !== undefined),
    );
}

/** Argo CD takes both for patterns, in which `*` means any text. Others of their signs are not read here. */
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
