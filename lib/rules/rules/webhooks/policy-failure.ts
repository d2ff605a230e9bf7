import { intentPolicy } from '../../../admission';
import type { ObjectIndex } from '../../object-index';
import type { JudgedPolicy, PolicyBinding } from '../../objects/admission-policies';
import { admissionPolicies, policyBindings } from '../../objects/admission-policies';
import type { RawFinding } from '../../rule';
import { settingChanges } from '../../setting-changes';
import { isOptIn } from './opt-in';
import { conditionsInWords } from './reach';
import { nameInWords, objectInWords, valueInWords, webhookInWords } from './words';

/** What policies leave open, or say against their declared intent. */
export function* judgePolicyFailure(objects: ObjectIndex): Iterable<RawFinding> {
  for (const policy of objects.view(admissionPolicies)) {
    yield* judgeExplicit(policy);
    yield* judgeIntent(policy);
  }
  yield* objects.view(policyBindings).flatMap(withoutActions);
}

/** A server that is down is no matter of a policy, so it is worth less than in a webhook. */
function* judgeExplicit({ object, spec, name, intent }: JudgedPolicy): Iterable<RawFinding> {
  const said = spec.get('failurePolicy');
  if (said.text === 'Fail' || said.text === 'Ignore') {
    return;
  }
  if (said.exists) {
    yield {
      object,
      pointer: said.pointer,
      message: `policy ${nameInWords(name)} has failurePolicy ${valueInWords(said.value)}`,
      why: 'the API server refuses the policy',
    };
    return;
  }
  const mend = intent === 'convenience' ? undefined : settingChanges(object, said.steps, 'Fail');
  yield {
    object,
    pointer: said.pointer,
    severity: 'warning',
    message: `policy ${nameInWords(name)} has no failurePolicy: the API server takes Fail`,
    why: 'whether requests are refused or pass where an expression fails, or parameters are missing, was decided by nobody',
    ...(mend ? { fixPatch: mend } : {}),
  };
}

function* judgeIntent(policy: JudgedPolicy): Iterable<RawFinding> {
  const { object, spec, field, intent, failurePolicy, bindings } = policy;
  if (!intent) {
    return;
  }
  const { failurePolicy: wanted, optIn, why } = intentPolicy(intent);
  if (failurePolicy !== wanted) {
    yield {
      object,
      pointer: spec.get('failurePolicy').pointer,
      message: `${webhookInWords(policy)} is declared as ${intent}, which asks for ${wanted}`,
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
        `${webhookInWords(policy)} is declared as ${intent}, and objects do not have to ask for it by a label`,
        ...unless.map((each) => `unless ${each}`),
      ].join(', '),
      why: 'objects that do not need the policy are judged by it, too',
      fix: 'ask for a label in objectSelector or namespaceSelector: matchLabels, In or Exists',
    };
  }
  if (intent === 'convenience' && policy.type === 'validating') {
    yield* bindings.filter(({ denies }) => denies).map((binding) => denying(policy, binding, why));
  }
}

function denying(policy: JudgedPolicy, { object, spec }: PolicyBinding, why: string): RawFinding {
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
          why: 'the API server refuses the binding, and without it the policy judges nothing',
          fix: 'set validationActions: [Deny], or [Warn] or [Audit] for a trial',
        },
      ];
}
