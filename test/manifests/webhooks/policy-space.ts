import * as fc from 'fast-check';
import type { Intent } from '../../../lib/core/admission/intent';
import type { MutatingPolicyProps, ValidatingPolicyProps } from '../../../lib/manifests/webhooks';
import { labels, name, rule, seldom, selector, usually } from './webhook-space';

/** An odd value is enough for a refusal, and a policy has many values. */
const nearly = (sound: readonly string[], odd: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 40, arbitrary: fc.constantFrom(...sound) },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
  );

const sound = [
  'true',
  'request.name != ""',
  'has(object.metadata.labels) && "a" in object.metadata.labels && object.metadata.labels["a"] != ""',
  'object == null || has(object.metadata.annotations)',
];
const odd = ['object.metadata.labels.a != ""', 'variables.later == 1', 'params.x == 1', ''];
const expression = nearly(sound, odd);
const oneOf = <T>(...values: T[]) => fc.constantFrom(...values);
const intents = oneOf<Intent>('convenience', 'required', 'security');
const matching = {
  name: nearly(['a', 'a.b.example.com'], ['A']),
  rules: fc.array(rule, { minLength: 1, maxLength: 2 }),
  namespaceSelector: seldom(selector),
  exemptNamespaces: seldom(fc.array(name, { maxLength: 2 })),
  failurePolicy: seldom(nearly(['Fail'], ['Ignore'])),
  matchConditions: seldom(fc.array(fc.record({ name: oneOf('a', 'b', 'c'), expression }), { maxLength: 2 })),
  variables: seldom(fc.array(fc.record({ name: nearly(['a', 'b'], ['in']), expression }), { maxLength: 2 })),
};
const params = {
  paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
  paramRef: oneOf(
    { name: 'a' },
    { name: 'b', namespace: 'x' },
    { selector: {}, parameterNotFoundAction: 'Allow' },
    {},
  ),
};
const asked = intents.chain((intent) =>
  fc.record({
    intent: fc.constant(intent),
    optIn: intent === 'security' ? seldom(labels) : usually(labels),
    objectSelector: intent === 'security' ? fc.constant(undefined) : seldom(selector),
  }),
);
const parametrized = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.record(
      { paramKind: fc.constant(params.paramKind), paramRef: params.paramRef },
      { requiredKeys: ['paramKind', 'paramRef'] },
    ),
  },
);
const merged = (parts: readonly fc.Arbitrary<object>[]): fc.Arbitrary<object> =>
  fc.tuple(...parts).map((each) => Object.assign({}, ...each));

/** Props of validating policies, some of them wrong. */
export const validatingPolicies = merged([
  fc.record({
    ...matching,
    kubernetesVersion: seldom(nearly(['1.30', 'v1.36.2'], ['1.29'])),
    validations: fc.array(
      fc.record(
        {
          expression,
          message: nearly(['no'], ['a\nb']),
          messageExpression: nearly(['"no"'], ['string(authorizer)']),
          reason: oneOf('Invalid', 'Forbidden'),
        },
        { requiredKeys: ['expression'] },
      ),
      { minLength: 1, maxLength: 2 },
    ),
    auditAnnotations: seldom(
      fc.array(fc.record({ key: nearly(['a'], ['a b']), valueExpression: fc.constant('"x"') }), {
        maxLength: 2,
      }),
    ),
    validationActions: seldom(fc.uniqueArray(oneOf('Deny', 'Warn', 'Audit'), { minLength: 1, maxLength: 2 })),
  }),
  asked,
  parametrized,
]) as fc.Arbitrary<ValidatingPolicyProps>;

/** Props of mutating policies, some of them wrong. */
export const mutatingPolicies = merged([
  fc.record({
    ...matching,
    kubernetesVersion: nearly(['1.36', '1.37.0', '2.0'], ['1.35', '1.9', 'new']),
    mutations: fc.array(
      fc.oneof(
        fc.record({ applyConfiguration: nearly(['Object{}'], ['', 'params']) }),
        fc.record({ jsonPatch: nearly(['[]'], ['[object.metadata.labels["a"]]']) }),
      ),
      { minLength: 1, maxLength: 2 },
    ),
    reinvocationPolicy: seldom(oneOf('Never', 'IfNeeded')),
  }),
  asked,
  parametrized,
]) as fc.Arbitrary<MutatingPolicyProps>;
