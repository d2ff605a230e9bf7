import { matchesRequest } from '../../../admission';
import { Field } from '../../field';
import type { AdmissionWebhook } from '../../objects/admission-webhooks';
import { admissionWebhooks } from '../../objects/admission-webhooks';
import type { ObjectIndex } from '../../object-index';

/**
 * Built-in resources that API servers serve in several versions.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/horizontal-pod-autoscaler-v1/
 */
const builtIn: readonly (readonly [key: string, versions: readonly string[]])[] = [
  ['autoscaling/horizontalpodautoscalers', ['v1', 'v2']],
];

/** Versions of each resource, `GROUP/RESOURCE`, as far as the objects say. */
function servedVersions(objects: ObjectIndex): ReadonlyMap<string, readonly string[]> {
  const custom = objects.ofKind('apiextensions.k8s.io', 'CustomResourceDefinition').map((object) => {
    const spec = Field.of(object).get('spec');
    const served = spec.get('versions').items.filter((each) => each.get('served').boolean !== false);
    const names = served.flatMap((each) => each.get('name').text ?? []);
    return [`${spec.get('group').text}/${spec.get('names', 'plural').text}`, names] as const;
  });
  return new Map([...builtIn, ...custom]);
}

/** Whether a rule names a version; one that no rule names is undefined. */
export function namesVersion(
  { apiVersions }: AdmissionWebhook['rules'][number],
  version: string | undefined,
): boolean {
  return apiVersions.some((each) => each === '*' || each === version);
}

/**
 * Versions of the resources of a webhook's rules that no rule of its configuration names: with `matchPolicy: Exact` it is
 * not asked about them. Some configurations have an entry for each version, on purpose.
 *
 * @returns `GROUP/VERSION RESOURCE`
 */
export function missedVersions(objects: ObjectIndex, { object, rules }: AdmissionWebhook): readonly string[] {
  const served = objects.view(servedVersions);
  const beside = objects.view(rulesByObject).get(object) ?? [];
  const missed = new Set<string>();
  for (const group of new Set(rules.flatMap(({ apiGroups }) => apiGroups))) {
    for (const resource of new Set(rules.flatMap(({ resources }) => resources))) {
      const isNamed = rules.some(
        (rule) => rule.apiGroups.includes(group) && rule.resources.includes(resource),
      );
      const [plural] = resource.split('/');
      for (const version of isNamed ? (served.get(`${group}/${plural}`) ?? []) : []) {
        const request = { operation: 'CREATE', group, resource, namespaced: true } as const;
        const named = beside.some(
          (rule) =>
            matchesRequest({ ...rule, operations: ['*'], scope: '*' }, request) &&
            namesVersion(rule, version),
        );
        if (!named) {
          missed.add(`${group}/${version} ${resource}`);
        }
      }
    }
  }
  return [...missed];
}

function rulesByObject(
  objects: ObjectIndex,
): ReadonlyMap<AdmissionWebhook['object'], readonly AdmissionWebhook['rules'][number][]> {
  const found = new Map<AdmissionWebhook['object'], AdmissionWebhook['rules'][number][]>();
  for (const { object, rules } of objects.view(admissionWebhooks)) {
    const known = found.get(object) ?? [];
    found.set(object, known);
    known.push(...rules);
  }
  return found;
}
