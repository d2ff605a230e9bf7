import { Field } from '../../field';
import type { JudgedObject } from '../../judged-object';
import type { ObjectIndex } from '../../object-index';
import { workloads } from '../../objects/workloads';

/** Labels that name an application. @see https://kubernetes.io/docs/concepts/overview/working-with-objects/common-labels/ */
const nameLabels = ['app.kubernetes.io/name', 'app', 'k8s-app', 'helm.sh/chart'];

/** Workloads and Services by namespace; what names none may be anywhere. */
function byNamespace(objects: ObjectIndex): ReadonlyMap<string | undefined, readonly JudgedObject[]> {
  const found = new Map<string | undefined, JudgedObject[]>();
  const services = objects.ofKind('', 'Service');
  for (const object of [...objects.view(workloads).all.map((workload) => workload.object), ...services]) {
    const same = found.get(object.namespace) ?? [];
    found.set(object.namespace, same);
    same.push(object);
  }
  return found;
}

/**
 * Workloads and Services of a namespace that belong to the same application as another object: by a label that names it,
 * or since the name of one starts with that of the other. Where one of them is among the objects, the rest of the
 * application should be too.
 *
 * @param names of objects of the application
 * @param members objects of the application
 */
export function relativesIn(
  objects: ObjectIndex,
  namespace: string,
  names: readonly string[],
  members: readonly JudgedObject[],
): readonly JudgedObject[] {
  const near = objects.view(byNamespace);
  const wanted = new Set(members.flatMap(applicationsOf));
  return [...(near.get(namespace) ?? []), ...(near.get(undefined) ?? [])].filter(
    (object) =>
      applicationsOf(object).some((each) => wanted.has(each)) ||
      names.some((name) => startsAlike(name, object.name)),
  );
}

function applicationsOf(object: JudgedObject): string[] {
  const { labels } = Field.of(object).get('metadata', 'labels');
  return nameLabels
    .filter((key) => Object.hasOwn(labels, key) && labels[key] !== '')
    .map((key) => `${key}=${labels[key]!}`);
}

function startsAlike(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  return short !== '' && (long === short || long.startsWith(`${short}-`));
}
