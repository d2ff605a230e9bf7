import { selects } from '../../core/kubernetes/label-selector';
import { Field, groupOf } from '../object';
import type { ManifestObject } from '../object';
import { NamespacedMap } from '../object-index';
import type { ObjectIndex } from '../object-index';
import { servicesOf } from './trust';
import type { TrustingObject } from './trust';
import { workloads, workloadsBehind } from './workloads';
import type { Workload } from './workloads';

/** Kinds with certificates in them, by the names that rules of a role have for them. */
const resources: Readonly<Record<string, string>> = {
  MutatingWebhookConfiguration: 'mutatingwebhookconfigurations',
  ValidatingWebhookConfiguration: 'validatingwebhookconfigurations',
  CustomResourceDefinition: 'customresourcedefinitions',
  APIService: 'apiservices',
  Secret: 'secrets',
};

/**
 * Whether roles allow an object to be written by what serves: by the pods behind the Services that are called, or by a Job
 * beside them. What a controller makes when it runs is in no manifest, and one that has the right probably uses it.
 *
 * @param object what is written: the object with the CA bundle itself, or a Secret
 */
export function mayBeWrittenByItsServer(
  objects: ObjectIndex,
  trusting: TrustingObject,
  object: ManifestObject,
): boolean {
  const services = servicesOf(trusting);
  const namespaces = new Set(services.map(({ namespace }) => namespace));
  const jobs = objects
    .view(workloads)
    .all.filter(({ object: { kind } }) => kind === 'Job' || kind === 'CronJob')
    .filter((each) => namespaces.has(each.object.namespace ?? '') || each.object.namespace === undefined);
  return [...services.flatMap((service) => workloadsBehind(objects, service) ?? []), ...jobs].some(
    (workload) => mayWrite(objects, workload, object),
  );
}

/** Whether the roles of the pods' ServiceAccount, as far as they are among the objects, let them change an object. */
function mayWrite(objects: ObjectIndex, workload: Workload, object: ManifestObject): boolean {
  const spec = workload.pod.get('spec');
  // The second one is the first one's old name.
  const accounts = ['serviceAccountName', 'serviceAccount'].map((key) => spec.get(key).text ?? '');
  const account = accounts.find((each) => each !== '') ?? 'default';
  const granted = objects.view(grants).get(workload.object.namespace, account);
  const home = object.namespace ?? workload.object.namespace;
  return granted.some(
    ({ rule, binding }) =>
      (binding.kind === 'ClusterRoleBinding' || (object.kind === 'Secret' && isIn(binding, home))) &&
      allows(rule, object),
  );
}

/** What names no namespace is in that of whoever applies it. */
function isIn({ namespace }: ManifestObject, home: string | undefined): boolean {
  return namespace === undefined || home === undefined || namespace === home;
}

function allows(rule: Field, { apiVersion, kind, name }: ManifestObject): boolean {
  const has = (key: string, ...wanted: readonly string[]): boolean =>
    rule.get(key).texts.some((each) => each === '*' || wanted.includes(each));
  const names = rule.get('resourceNames').texts;
  return (
    has('apiGroups', groupOf(apiVersion)) &&
    has('resources', resources[kind] ?? '') &&
    has('verbs', 'update', 'patch') &&
    (names.length === 0 || names.includes(name))
  );
}

/** A rule of a role, and what gives it to an account. */
interface Grant {
  readonly rule: Field;
  readonly binding: ManifestObject;
}

const group = 'rbac.authorization.k8s.io';

/** By namespace and name of the ServiceAccount. @see https://kubernetes.io/docs/reference/access-authn-authz/rbac/ */
function grants(objects: ObjectIndex): NamespacedMap<Grant> {
  const found = new NamespacedMap<Grant>();
  for (const kind of ['ClusterRoleBinding', 'RoleBinding']) {
    for (const binding of objects.ofKind(group, kind)) {
      const rules = rulesOf(objects, binding);
      for (const subject of Field.of(binding).get('subjects').items) {
        if (subject.get('kind').text === 'ServiceAccount') {
          const of = subject.get('namespace').text ?? binding.namespace;
          rules.forEach((rule) => found.add(of, subject.get('name').text ?? '', { rule, binding }));
        }
      }
    }
  }
  return found;
}

function rulesOf(objects: ObjectIndex, binding: ManifestObject): readonly Field[] {
  const reference = Field.of(binding).get('roleRef');
  const [kind, name] = [reference.get('kind').text ?? '', reference.get('name').text ?? ''];
  const role = objects.find(group, kind, kind === 'Role' ? binding.namespace : undefined, name);
  if (!role) {
    return [];
  }
  const selectors = Field.of(role).get('aggregationRule', 'clusterRoleSelectors').items;
  const aggregated = objects.ofKind(group, 'ClusterRole').filter((each) => {
    const { labels } = Field.of(each).get('metadata', 'labels');
    return selectors.some(({ selector }) => selector !== undefined && selects(selector, labels));
  });
  return [role, ...aggregated].flatMap((each) => Field.of(each).get('rules').items);
}
