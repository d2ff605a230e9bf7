import * as fc from 'fast-check';
import type { Intent } from '../../../lib/core/admission/intent';
import { systemNamespaces } from '../../../lib/core/admission/requests';
import { selects } from '../../../lib/core/kubernetes/label-selector';
import type { Labels } from '../../../lib/core/kubernetes/label-selector';
import type { MutatingWebhookProps } from '../../../lib/manifests/webhooks';
import { configurationOf, validate } from './emitted';
import { asks, critical, matches } from './reach';
import { build, injection, labels, props } from './webhook-space';

test('whatever the constructs accept is valid, and keeps the rules for webhooks', () => {
  const accepted: Record<Intent, number> = { convenience: 0, required: 0, security: 0 };
  const check = (given: MutatingWebhookProps, objectLabels: Labels, namespaceLabels: Labels): void => {
    const webhook = build(given);
    if (!webhook) {
      return;
    }
    accepted[given.intent] += 1;
    const configuration = configurationOf(webhook);
    validate(configuration);
    expect(webhook.node.validate()).toEqual([]);
    const [entry] = configuration.webhooks;

    expect(JSON.stringify(configuration)).not.toContain('caBundle');
    expect(configuration.metadata.annotations).toMatchObject(injection.annotations);
    expect([1, 2, 3, 4, 5]).toContain(entry.timeoutSeconds);
    expect(entry.admissionReviewVersions).toEqual(['v1']);
    expect(entry.matchPolicy).toBe('Equivalent');
    expect(['None', 'NoneOnDryRun']).toContain(entry.sideEffects);
    expect(entry.failurePolicy).toBe(given.intent === 'convenience' ? 'Ignore' : 'Fail');

    const never = [
      ...systemNamespaces,
      'cert-manager',
      given.service.namespace,
      ...(given.exemptNamespaces ?? []),
    ];
    for (const namespace of never) {
      expect(asks(entry, namespace, { ...objectLabels, ...given.optIn }, namespaceLabels)).toBe(false);
    }
    if (given.intent === 'security') {
      expect(entry.objectSelector).toBeUndefined();
      expect(given.server!.replicas).toBeGreaterThanOrEqual(2);
      const budget = webhook.disruptionBudget!.toJson() as { kind: string; spec: { selector: object } };
      validate(budget);
      expect(selects(budget.spec.selector, given.server!.podLabels)).toBe(true);
      expect(selects(budget.spec.selector, {})).toBe(false);
    } else {
      expect(Object.keys(given.optIn!)).not.toEqual([]);
      for (const key of Object.keys(given.optIn!)) {
        const { [key]: _, ...without } = { ...objectLabels, ...given.optIn };
        expect(selects(entry.objectSelector, without)).toBe(false);
      }
    }
    if (entry.failurePolicy === 'Fail') {
      const reached = critical.filter(([group, path]) =>
        entry.rules.some((each) => matches(each, group, path)),
      );
      expect(reached).toEqual([]);
    }
  };
  fc.assert(fc.property(props, labels, labels, check), { numRuns: 1_200, seed: 20 });
  expect(Math.min(...Object.values(accepted))).toBeGreaterThan(30);
});
