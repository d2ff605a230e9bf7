import type { ObjectIndex } from '../../object-index';
import type { JudgedPolicy, PolicyBinding } from '../../objects/admission-policies';
import { admissionPolicies, policyBindings } from '../../objects/admission-policies';
import type { RawFinding } from '../../rule';
import { nameInWords, objectInWords, webhookInWords } from './words';

/** Policies and bindings that do nothing without each other. One that is not here may be in the cluster. */
export function* judgeBindings(objects: ObjectIndex): Iterable<RawFinding> {
  const policies = objects.view(admissionPolicies);
  yield* policies.filter(({ bindings }) => bindings.length === 0).map(unbound);
  yield* policies.flatMap((policy) => policy.bindings.flatMap((binding) => withoutParams(policy, binding)));
  const bound = new Set(policies.flatMap(({ bindings }) => bindings));
  yield* objects
    .view(policyBindings)
    .filter((binding) => !bound.has(binding))
    .map(withoutPolicy);
}

function unbound(policy: JudgedPolicy): RawFinding {
  return {
    object: policy.object,
    pointer: '',
    severity: 'info',
    message: `${webhookInWords(policy)} has no binding here`,
    why: 'without a binding, a policy judges nothing',
    fix: `judge it together with its binding, or add one: a ${policy.object.kind}Binding`,
  };
}

function withoutPolicy({ object, spec }: PolicyBinding): RawFinding {
  const name = spec.get('policyName');
  return {
    object,
    pointer: name.pointer,
    severity: 'info',
    message:
      name.text === undefined
        ? `${objectInWords(object)} names no policy`
        : `${objectInWords(object)} binds the policy ${nameInWords(name.text)}, which is not here`,
    why: 'the API server passes over a binding without its policy: nothing is judged',
    fix: 'name the policy that is there, or judge the binding together with it',
  };
}

function withoutParams(policy: JudgedPolicy, { object, spec }: PolicyBinding): RawFinding[] {
  return policy.spec.get('paramKind').exists && !spec.get('paramRef').exists
    ? [
        {
          object,
          pointer: spec.get('paramRef').pointer,
          severity: 'warning',
          message: `${objectInWords(object)} has no paramRef, and ${webhookInWords(policy)} has parameters`,
          why: 'params is null in every expression, and one that reads it fails',
          fix: 'name the parameters in paramRef',
        },
      ]
    : [];
}
