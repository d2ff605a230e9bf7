import { Testing } from 'cdk8s';
import * as fc from 'fast-check';
import type { Intent } from '../../../lib/core/admission/intent';
import type { WebhookRule } from '../../../lib/core/admission/requests';
import { systemNamespaces } from '../../../lib/core/admission/requests';
import type { Labels } from '../../../lib/core/kubernetes/label-selector';
import { selects } from '../../../lib/core/kubernetes/label-selector';
import { InvalidInput } from '../../../lib/core/validation';
import type { AdmissionPolicy, PolicyProps } from '../../../lib/manifests/webhooks';
import { MutatingPolicy, ValidatingPolicy } from '../../../lib/manifests/webhooks';
import { validate } from './emitted';
import { mutatingPolicies, validatingPolicies } from './policy-space';
import { asks, critical, matches } from './reach';
import { labels } from './webhook-space';

function build(make: () => AdmissionPolicy): AdmissionPolicy | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof InvalidInput) {
      return undefined;
    }
    throw error;
  }
}

const counts = (): Record<Intent, number> => ({ convenience: 0, required: 0, security: 0 });

/** What must hold for policies of both kinds. */
function keepsTheRules(
  policy: AdmissionPolicy,
  given: PolicyProps,
  objectLabels: Labels,
  namespaceLabels: Labels,
): void {
  const { spec, metadata } = policy.policy.toJson();
  expect(metadata.annotations).toEqual({ 'cluster-canary/intent': given.intent });
  expect(spec.failurePolicy).toBe(given.intent === 'convenience' ? 'Ignore' : 'Fail');
  const { matchConstraints } = spec;
  expect(matchConstraints.matchPolicy).toBe('Equivalent');
  for (const namespace of [...systemNamespaces, ...(given.exemptNamespaces ?? [])]) {
    const inThere = { ...objectLabels, ...given.optIn };
    expect(asks(matchConstraints, namespace, inThere, namespaceLabels)).toBe(false);
  }
  if (given.intent === 'security') {
    expect(matchConstraints.objectSelector).toBeUndefined();
  } else {
    for (const key of Object.keys(given.optIn!)) {
      const { [key]: _, ...without } = { ...objectLabels, ...given.optIn };
      expect(selects(matchConstraints.objectSelector, without)).toBe(false);
    }
  }
  if (spec.failurePolicy === 'Fail') {
    const reached = critical.filter(([group, path]) =>
      matchConstraints.resourceRules.some((each: WebhookRule) => matches(each, group, path)),
    );
    expect(reached).toEqual([]);
  }
  const binding = policy.binding.toJson();
  expect(binding.spec.policyName).toBe(metadata.name);
  expect(binding.spec.paramRef === undefined).toBe(spec.paramKind === undefined);
}

test('whatever validating policies accept is valid, and keeps the rules for webhooks', () => {
  const accepted = counts();
  fc.assert(
    fc.property(validatingPolicies, labels, labels, (given, objectLabels, namespaceLabels) => {
      const policy = build(() => new ValidatingPolicy(Testing.chart(), 'policy', given));
      if (policy) {
        accepted[given.intent] += 1;
        keepsTheRules(policy, given, objectLabels, namespaceLabels);
        const binding = policy.binding.toJson();
        validate(policy.policy.toJson());
        validate(binding);
        const { validationActions: actions } = binding.spec;
        expect(actions.length).toBeGreaterThan(0);
        expect(given.intent === 'convenience' && actions.includes('Deny')).toBe(false);
      }
    }),
    { numRuns: 800, seed: 6 },
  );
  expect(Math.min(...Object.values(accepted))).toBeGreaterThan(20);
});

test('whatever mutating policies accept keeps the rules for webhooks, on Kubernetes 1.36 and later', () => {
  const accepted = counts();
  fc.assert(
    fc.property(mutatingPolicies, labels, labels, (given, objectLabels, namespaceLabels) => {
      const policy = build(() => new MutatingPolicy(Testing.chart(), 'policy', given));
      if (policy) {
        accepted[given.intent] += 1;
        keepsTheRules(policy, given, objectLabels, namespaceLabels);
        expect(given.kubernetesVersion).toMatch(/^(1\.3[67]|2)/);
        const { mutations } = policy.policy.toJson().spec;
        expect(mutations).toHaveLength(given.mutations.length);
        for (const each of mutations) {
          const key = each.patchType === 'JSONPatch' ? 'jsonPatch' : 'applyConfiguration';
          expect(Object.keys(each).sort()).toEqual([key, 'patchType'].sort());
        }
      }
    }),
    { numRuns: 800, seed: 6 },
  );
  expect(Math.min(...Object.values(accepted))).toBeGreaterThan(20);
});
