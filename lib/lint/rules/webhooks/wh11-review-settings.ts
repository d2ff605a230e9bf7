import { matchesRequest } from '../../../core/admission/requests';
import { setValuePatch } from '../../changes';
import { Field } from '../../object';
import type { ObjectIndex } from '../../object-index';
import type { RawFinding, Rule } from '../../rule';
import { admissionWebhooks } from '../../views/admission';
import type { AdmissionWebhook } from '../../views/admission';
import { listInWords, nameInWords, valueInWords } from './shared/format';

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
function missedVersions(objects: ObjectIndex, { object, rules }: AdmissionWebhook): readonly string[] {
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

/** @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#webhook-configuration */
export const wh11: Rule = {
  id: 'WH11',
  severity: 'warning',
  title: 'Review settings that miss requests or refuse them',
  why: 'v1 is the version of reviews that lasts, dry runs need webhooks without side effects, and Exact overlooks requests in a version that no rule names',
  fix: 'set admissionReviewVersions: [v1], sideEffects: None or NoneOnDryRun, matchPolicy: Equivalent',
  scope: 'object',
  *check({ objects }) {
    for (const webhook of objects.view(admissionWebhooks)) {
      yield* evaluate(objects, webhook);
    }
  },
};

function* evaluate(objects: ObjectIndex, webhook: AdmissionWebhook): Iterable<RawFinding> {
  const { object, field, name, intent } = webhook;
  const shown = `webhook ${nameInWords(name)}`;
  const versions = field.get('admissionReviewVersions');
  if (!versions.texts.includes('v1')) {
    yield {
      object,
      pointer: versions.pointer,
      message: `${shown} ${said(versions)}: v1 is missing`,
      why: 'v1 is the version that lasts: a server that knows v1beta1 alone fails as soon as the API server does not speak it',
      fix: 'put v1 first in admissionReviewVersions, once the server understands it',
    };
  }
  const sideEffects = field.get('sideEffects');
  if (sideEffects.text !== 'None' && sideEffects.text !== 'NoneOnDryRun') {
    yield {
      object,
      pointer: sideEffects.pointer,
      message: `${shown} ${said(sideEffects)}`,
      why: 'the API server takes only None and NoneOnDryRun in v1, and refuses dry runs otherwise',
      fix: 'set sideEffects: None, or NoneOnDryRun where the server respects dryRun',
    };
  }
  const matchPolicy = field.get('matchPolicy');
  if (matchPolicy.exists && matchPolicy.text !== 'Equivalent' && matchPolicy.text !== 'Exact') {
    yield {
      object,
      pointer: matchPolicy.pointer,
      message: `${shown} ${said(matchPolicy)}`,
      why: 'the API server refuses the configuration',
      fix: 'set matchPolicy: Equivalent',
    };
  }
  const missed = matchPolicy.text === 'Exact' ? missedVersions(objects, webhook) : [];
  if (missed.length > 0) {
    yield {
      object,
      pointer: matchPolicy.pointer,
      message: `${shown} ${said(matchPolicy)}, and no rule names ${listInWords(missed)}`,
      why: 'a request in that version is not sent to the webhook',
      fix: 'set matchPolicy: Equivalent, or name every version that is served',
    };
  }
  if (!matchPolicy.exists && intent && object.apiVersion === 'admissionregistration.k8s.io/v1') {
    // Where an intent is declared, everything is said aloud. Equivalent is what holds anyway.
    const patch = setValuePatch(object, matchPolicy.steps, 'Equivalent');
    yield {
      object,
      pointer: matchPolicy.pointer,
      severity: 'info',
      message: `${shown}, declared as ${intent}, does not set matchPolicy: Equivalent`,
      why: 'the default applies; written out, readers do not have to look it up',
      fix: 'set matchPolicy: Equivalent',
      ...(patch ? { fixPatch: patch } : {}),
    };
  }
}

function said(field: Field): string {
  const name = field.steps.at(-1)!;
  return field.exists ? `has ${name} ${valueInWords(field.value)}` : `has no ${name}`;
}
