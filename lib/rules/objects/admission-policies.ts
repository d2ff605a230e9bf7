import { intentAnnotation, intents } from '../../admission';
import { Field } from '../field';
import type { JudgedObject } from '../judged-object';
import type { ObjectIndex } from '../object-index';
import type { AdmissionWebhook } from './admission-webhooks';
import { admissionRule } from './admission-webhooks';

/**
 * A ValidatingAdmissionPolicy or a MutatingAdmissionPolicy, in the form of the entry of a webhook configuration: both say
 * in the same words which requests they see. `field` is its `matchConstraints`.
 */
export interface JudgedPolicy extends Omit<AdmissionWebhook, 'service'> {
  /** Its `spec`. */
  readonly spec: Field;
  /** CEL expressions that are evaluated after the match conditions, variables first; each by its place. */
  readonly variables: readonly Field[];
  /** CEL expressions of what it checks, notes in the audit log, or changes; each by its place. */
  readonly expressions: readonly Field[];
  /** What puts it into force: without one it does nothing. */
  readonly bindings: readonly PolicyBinding[];
}

/** What puts a policy into force. */
export interface PolicyBinding {
  /** The binding. */
  readonly object: JudgedObject;
  /** Its `spec`. */
  readonly spec: Field;
  /** What kind of policy it binds. */
  readonly type: AdmissionWebhook['type'];
  /** Whether what fails is refused. A mutating policy knows nothing else. */
  readonly denies: boolean;
  /** Whether it sees only some of what the policy matches. */
  readonly isNarrowed: boolean;
}

const group = 'admissionregistration.k8s.io';
const kinds = { validating: 'ValidatingAdmissionPolicy', mutating: 'MutatingAdmissionPolicy' } as const;
const types = ['validating', 'mutating'] as const;

/**
 * View of every policy: `objects.view(admissionPolicies)`.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */
export function admissionPolicies(objects: ObjectIndex): readonly JudgedPolicy[] {
  return types.flatMap((type) => {
    const byPolicy = new Map<string, PolicyBinding[]>();
    for (const binding of objects.view(policyBindings).filter((each) => each.type === type)) {
      const policy = binding.spec.get('policyName').text ?? '';
      byPolicy.set(policy, [...(byPolicy.get(policy) ?? []), binding]);
    }
    return objects
      .ofKind(group, kinds[type])
      .map((object) => policyOf(object, type, byPolicy.get(object.name) ?? []));
  });
}

/** View of the bindings of policies, whether the policy is there or not. */
export function policyBindings(objects: ObjectIndex): readonly PolicyBinding[] {
  return types.flatMap((type) =>
    objects.ofKind(group, `${kinds[type]}Binding`).map((object) => {
      const spec = Field.of(object).get('spec');
      return {
        object,
        spec,
        type,
        denies: type === 'mutating' || spec.get('validationActions').texts.includes('Deny'),
        isNarrowed: spec.get('matchResources').keys.some((key) => key !== 'matchPolicy'),
      };
    }),
  );
}

function policyOf(
  object: JudgedObject,
  type: AdmissionWebhook['type'],
  bindings: readonly PolicyBinding[],
): JudgedPolicy {
  const spec = Field.of(object).get('spec');
  const field = spec.get('matchConstraints');
  const annotations = Field.of(object).get('metadata', 'annotations').labels;
  const intent = intents.find((each) => each === annotations[intentAnnotation]);
  const each = (list: string, ...steps: readonly string[]): Field[] =>
    spec
      .get(list)
      .items.map((item) => item.get(...steps))
      .filter(({ text }) => text !== undefined);
  return {
    object,
    type,
    field,
    spec,
    name: object.name,
    failurePolicy: spec.get('failurePolicy').text === 'Ignore' ? 'Ignore' : 'Fail',
    rules: field.get('resourceRules').items.map(admissionRule),
    namespaceSelector: field.get('namespaceSelector').selector,
    objectSelector: field.get('objectSelector').selector,
    matchConditions: spec.get('matchConditions').items.map((condition) => ({
      field: condition,
      name: condition.get('name').text ?? '',
      expression: condition.get('expression').text ?? '',
    })),
    variables: each('variables', 'expression'),
    expressions: [
      ...each('validations', 'expression'),
      ...each('auditAnnotations', 'valueExpression'),
      ...each('mutations', 'applyConfiguration', 'expression'),
      ...each('mutations', 'jsonPatch', 'expression'),
    ],
    annotations,
    ...(intent ? { intent } : {}),
    bindings,
  };
}
