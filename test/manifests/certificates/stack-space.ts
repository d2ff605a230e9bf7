import * as fc from 'fast-check';
import { intents } from '../../../lib/core/admission/intent';
import { InvalidInput } from '../../../lib/core/validation';
import {
  mutatingPolicyProblems,
  validatingPolicyProblems,
  webhookProblems,
} from '../../../lib/manifests/webhooks';
import type {
  MutatingPolicyProps,
  MutatingWebhookProps,
  ValidatingPolicyProps,
} from '../../../lib/manifests/webhooks';
import { mutatingPolicies, validatingPolicies } from '../webhooks/policy-space';
import { props } from '../webhooks/webhook-space';
import type { Source, Stack } from './emitted-stacks';
import { emitStack } from './emitted-stacks';

const withoutSource = ({ caInjection: _, ...webhook }: MutatingWebhookProps): MutatingWebhookProps => webhook;

/** What the space of webhooks leaves out, since it changes nothing of whom they are called for. */
const more = fc.record(
  {
    service: fc.record(
      { port: fc.constantFrom(443, 8443), path: fc.constantFrom('/', '/mutate') },
      { requiredKeys: [] },
    ),
    disruptionBudget: fc.constantFrom(
      {},
      { disruptionBudget: 'create' as const },
      { disruptionBudget: 'exists' as const },
    ),
    matchConditions: fc.constantFrom(
      [],
      [{ name: 'named', expression: 'request.name != ""' }],
      [
        {
          name: 'labelled',
          expression: 'object == null || (has(object.metadata.labels) && "a" in object.metadata.labels)',
        },
      ],
    ),
    metadata: fc.constantFrom({}, { labels: { app: 'x' } }, { annotations: { 'example.com/a': 'b' } }),
  },
  { requiredKeys: [] },
);

/** Those that are refused have tests of their own. */
const sound = fc.oneof(
  ...intents.map((intent) =>
    props.filter((each) => each.intent === intent && webhookProblems(each).length === 0),
  ),
);
const soundPolicies = fc.oneof<fc.Arbitrary<ValidatingPolicyProps | MutatingPolicyProps>[]>(
  validatingPolicies.filter((each) => validatingPolicyProblems(each).length === 0),
  mutatingPolicies.filter((each) => mutatingPolicyProblems(each).length === 0),
);

/** Stacks over the whole space of options. Few are refused. */
export const stacks: fc.Arbitrary<Stack> = fc.record({
  source: fc.constantFrom<Source>(
    ...(['elsewhere', 'own', 'Issuer', 'ClusterIssuer', 'publish', 'switch', 'retire'] as const),
  ),
  generation: fc.integer({ min: 2, max: 30 }),
  also: fc.subarray(['conversion', 'api'] as const),
  webhook: fc.tuple(sound, more).map(([each, { service, disruptionBudget, ...rest }]) => ({
    ...withoutSource(each),
    ...rest,
    service: { ...each.service, ...service },
    ...(each.server ? { server: { ...each.server, ...disruptionBudget } } : {}),
  })),
  policies: fc.array(soundPolicies, { maxLength: 1 }),
});

/** The objects of a stack; nothing where the constructs refuse it. */
export function emittedOrRefused(stack: Stack): any[] | undefined {
  try {
    return emitStack(stack);
  } catch (error) {
    if (error instanceof InvalidInput) {
      return undefined;
    }
    throw error;
  }
}
