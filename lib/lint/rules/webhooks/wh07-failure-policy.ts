import { intentPolicy, intents } from '../../../core/admission/intent';
import type { Intent } from '../../../core/admission/intent';
import { matchesRequest, operationsOf } from '../../../core/admission/requests';
import { intentAnnotation } from '../../../core/names';
import { setValuePatch } from '../../changes';
import { toJsonPointer } from '../../object';
import type { Field, ManifestObject } from '../../object';
import type { ObjectIndex } from '../../object-index';
import type { RawFinding, Rule } from '../../rule';
import { admissionPolicies, admissionWebhooks, policyBindings } from '../../views/admission';
import type { AdmissionWebhook, AdmissionPolicyView, PolicyBinding } from '../../views/admission';
import { nameInWords, objectInWords, valueInWords, webhookInWords } from './shared/format';
import { conditionsInWords, isOptIn } from './shared/reach';

/** What policies leave open, or say against their declared intent. */
function* evaluatePolicyFailure(objects: ObjectIndex): Iterable<RawFinding> {
  for (const policy of objects.view(admissionPolicies)) {
    yield* evaluateExplicitPolicy(policy);
    yield* evaluatePolicyIntent(policy);
  }
  yield* objects.view(policyBindings).flatMap(withoutActions);
}

/** A server that is down is no matter of a policy, so it is worth less than in a webhook. */
function evaluateExplicitPolicy({ object, spec, name, intent }: AdmissionPolicyView): RawFinding[] {
  return failurePolicyLeftOpen(object, spec.get('failurePolicy'), {
    name: `policy ${nameInWords(name)}`,
    refused: 'the API server refuses the policy',
    open: 'whether requests are refused or pass where an expression fails, or parameters are missing, was not decided',
    isFixed: intent !== 'convenience',
  });
}

/** A failure policy that is none, or that was left out. */
function failurePolicyLeftOpen(
  object: ManifestObject,
  said: Field,
  of: {
    readonly name: string;
    /** Why one that is none matters. */
    readonly refused: string;
    /** Why it matters where it was left out. @default - as the rule says */
    readonly open?: string;
    /** Whether what the API server takes is what should be said. */
    readonly isFixed: boolean;
  },
): RawFinding[] {
  if (said.text === 'Fail' || said.text === 'Ignore') {
    return [];
  }
  if (said.exists) {
    const message = `${of.name} has failurePolicy ${valueInWords(said.value)}`;
    return [{ object, pointer: said.pointer, message, why: of.refused }];
  }
  const patch = of.isFixed ? setValuePatch(object, said.steps, 'Fail') : undefined;
  return [
    {
      object,
      pointer: said.pointer,
      severity: 'warning',
      message: `${of.name} has no failurePolicy: the API server takes Fail`,
      ...(of.open === undefined ? {} : { why: of.open }),
      ...(patch ? { fixPatch: patch } : {}),
    },
  ];
}

function* evaluatePolicyIntent(policy: AdmissionPolicyView): Iterable<RawFinding> {
  const { object, spec, field, intent, failurePolicy, bindings } = policy;
  if (!intent) {
    return;
  }
  const { failurePolicy: wanted, optIn, why } = intentPolicy(intent);
  if (failurePolicy !== wanted) {
    yield {
      object,
      pointer: spec.get('failurePolicy').pointer,
      message: `${webhookInWords(policy)} is declared as ${intent}, which requires ${wanted}`,
      why,
      fix: `set failurePolicy: ${wanted}, or declare another intent`,
    };
  }
  if (optIn && !isOptIn(policy)) {
    const unless = conditionsInWords(policy);
    yield {
      object,
      pointer: field.get('objectSelector').pointer,
      severity: unless.length > 0 ? 'info' : 'warning',
      message: [
        `${webhookInWords(policy)} is declared as ${intent}, and objects do not have to opt in by a label`,
        ...unless.map((each) => `unless ${each}`),
      ].join(', '),
      why: 'objects that do not need the policy are evaluated by it, too',
      fix: 'require a label in objectSelector or namespaceSelector: matchLabels, In or Exists',
    };
  }
  if (intent === 'convenience' && policy.type === 'validating') {
    yield* bindings.filter(({ denies }) => denies).map((binding) => denying(policy, binding, why));
  }
}

function denying(policy: AdmissionPolicyView, { object, spec }: PolicyBinding, why: string): RawFinding {
  return {
    object,
    pointer: spec.get('validationActions').pointer,
    message: `${objectInWords(object)} denies what ${webhookInWords(policy)} finds, which is declared as convenience`,
    why,
    fix: 'set validationActions: [Warn], or declare another intent',
  };
}

/** @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/#validation-actions */
function withoutActions({ object, spec, type }: PolicyBinding): RawFinding[] {
  const actions = spec.get('validationActions');
  return type === 'mutating' || actions.texts.length > 0
    ? []
    : [
        {
          object,
          pointer: actions.pointer,
          message: `${objectInWords(object)} has no validationActions`,
          why: 'the API server refuses the binding, and without it the policy is never evaluated',
          fix: 'set validationActions: [Deny], or [Warn] or [Audit] for a trial',
        },
      ];
}

/** View of the ValidatingAdmissionPolicies that refuse something: those with a binding that denies. */
function denyingPolicies(objects: ObjectIndex): readonly AdmissionPolicyView[] {
  return objects
    .view(admissionPolicies)
    .filter(({ type, bindings }) => type === 'validating' && bindings.some(({ denies }) => denies));
}

/** Whether a policy of the API server checks whatever a webhook is called for, by resources and operations. */
function isBackedByPolicy(objects: ObjectIndex, webhook: AdmissionWebhook): boolean {
  const policies = objects.view(denyingPolicies);
  return webhook.rules.every((rule) =>
    [...operationsOf([rule])].every((operation) =>
      rule.apiGroups.every((apiGroup) =>
        rule.resources.every((resource) =>
          policies.some(({ rules }) =>
            rules.some((each) =>
              matchesRequest(
                { ...each, scope: '*' },
                { operation, group: apiGroup, resource, namespaced: true },
              ),
            ),
          ),
        ),
      ),
    ),
  );
}

/** @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#failure-policy */
export const wh07: Rule = {
  id: 'WH07',
  severity: 'error',
  title: 'Failure policy left open, or against the intent',
  why: 'whether requests are refused or pass while the webhook cannot be called is the most important setting of a webhook, and it is not set',
  fix: 'set failurePolicy: Fail or Ignore',
  *check({ objects }) {
    const annotated = new Set<ManifestObject>();
    for (const each of [...objects.view(admissionWebhooks), ...objects.view(admissionPolicies)]) {
      const declared = each.annotations[intentAnnotation];
      if (declared !== undefined && !each.intent && !annotated.has(each.object)) {
        annotated.add(each.object);
        yield unknownIntent(each.object, declared);
      }
    }
    yield* evaluatePolicyFailure(objects);
    for (const webhook of objects.view(admissionWebhooks)) {
      yield* evaluateExplicit(webhook);
      if (webhook.intent) {
        yield* evaluateIntent(objects, webhook, webhook.intent);
      }
    }
  },
};

function unknownIntent(object: ManifestObject, declared: string): RawFinding {
  return {
    object,
    pointer: toJsonPointer('metadata', 'annotations', intentAnnotation),
    severity: 'warning',
    message: `${intentAnnotation} declares ${valueInWords(declared)}, which is no intent`,
    why: 'it is evaluated as if nothing were declared',
    fix: `declare one of ${intents.join(', ')}`,
  };
}

function evaluateExplicit({ object, field, name, intent }: AdmissionWebhook): RawFinding[] {
  return failurePolicyLeftOpen(object, field.get('failurePolicy'), {
    name: `webhook ${nameInWords(name)}`,
    refused: 'the API server refuses the configuration',
    // In v1beta1 it would have been Ignore.
    isFixed: object.apiVersion === 'admissionregistration.k8s.io/v1' && intent !== 'convenience',
  });
}

function* evaluateIntent(
  objects: ObjectIndex,
  webhook: AdmissionWebhook,
  intent: Intent,
): Iterable<RawFinding> {
  const { object, field, failurePolicy } = webhook;
  const { failurePolicy: wanted, optIn, why } = intentPolicy(intent);
  const asBacked = intent === 'security' && isBackedByPolicy(objects, webhook);
  if (failurePolicy !== wanted && !asBacked) {
    yield {
      object,
      pointer: field.get('failurePolicy').pointer,
      message: `${webhookInWords(webhook)} is declared as ${intent}, which requires ${wanted}`,
      why,
      fix:
        intent === 'security'
          ? 'set failurePolicy: Fail, or put a ValidatingAdmissionPolicy with a binding that denies as well'
          : `set failurePolicy: ${wanted}, or declare another intent`,
    };
  }
  if (optIn && !isOptIn(webhook)) {
    const unless = conditionsInWords(webhook);
    yield {
      object,
      pointer: field.get('objectSelector').pointer,
      severity: unless.length > 0 ? 'info' : intent === 'required' ? 'error' : 'warning',
      message: [
        `${webhookInWords(webhook)} is declared as ${intent}, and objects do not have to opt in by a label`,
        ...unless.map((each) => `unless ${each}`),
      ].join(', '),
      why:
        intent === 'required'
          ? 'objects that do not need the webhook are refused while it cannot be called'
          : 'objects that do not need the webhook wait for its timeout while it cannot be called',
      fix: 'require a label in objectSelector or namespaceSelector: matchLabels, In or Exists',
    };
  }
}
