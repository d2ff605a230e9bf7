import { allowAnnotation } from '../engine/suppressions';
import type { EngineRule } from '../engine/suppression-rules';
import { suppressionRules } from '../engine/suppression-rules';

const needs = {
  before: 'It runs only where the objects before the change are known: --against.',
  live: 'It runs only where the objects of the cluster are known: --kubeconfig.',
} as const;

/** What there is to know of a rule, a paragraph each, without a page to open. */
export function ruleHelp(rule: EngineRule): readonly string[] {
  const { id, why, fix, otherwise } = rule;
  const maySuppress = !suppressionRules.some((own) => own.id === id);
  return [
    `Why it hurts: ${why}.`,
    `How to fix it: ${fix}.`,
    ...(otherwise === undefined ? [] : [`Severity: ${otherwise}.`]),
    ...(rule.needs ? [needs[rule.needs]] : []),
    ...(maySuppress
      ? [
          `To suppress it for one object, annotate that with ${allowAnnotation}${id} and the reason; for more, list ` +
            'it with the reason under "suppress" in cluster-canary.yaml.',
        ]
      : []),
  ];
}
