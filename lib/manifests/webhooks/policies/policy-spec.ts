import { intentPolicy } from '../../../core/admission/intent';
import type { FailurePolicy, Intent } from '../../../core/admission/intent';
import { matchConditionKeys } from '../../../core/admission/match-conditions';
import type { MatchCondition } from '../../../core/admission/match-conditions';
import {
  exemptingSelector,
  systemNamespaces,
  webhookRuleKeys,
  withScope,
} from '../../../core/admission/requests';
import type { WebhookRule } from '../../../core/admission/requests';
import { labelSelectorKeys } from '../../../core/kubernetes/label-selector';
import type { LabelSelector, Labels } from '../../../core/kubernetes/label-selector';
import { listOf } from '../../../core/validation/option-keys';
import type { OptionsOf } from '../../../core/validation/option-keys';
import { optInSelector, webhookMetadataKeys } from '../webhook-props';
import type { WebhookMetadata } from '../webhook-props';

/** Which requests a policy evaluates, as Kubernetes has it. */
export interface MatchConstraints {
  readonly matchPolicy: 'Equivalent';
  readonly namespaceSelector: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly resourceRules: readonly WebhookRule[];
}

/** What the specs of policies of both kinds have. */
export interface PolicySpec {
  readonly failurePolicy: FailurePolicy;
  readonly matchConstraints: MatchConstraints;
  readonly [field: string]: unknown;
}

/** Name of the policy and of its binding. */
export function policyName({ metadata, name }: PolicyProps): string {
  return metadata?.name ?? name;
}

/** Namespaces that a policy leaves out, sorted: the system's and those given. */
export function policyNamespaces({ exemptNamespaces = [] }: PolicyProps): string[] {
  return [...new Set([...systemNamespaces, ...exemptNamespaces])].sort();
}

/** The spec of a ValidatingAdmissionPolicy from props in which nothing is wrong. */
export function validatingPolicySpec(props: ValidatingPolicyProps): PolicySpec {
  return {
    ...policySpec(props),
    ...filled('validations', props.validations),
    ...filled('auditAnnotations', props.auditAnnotations),
  };
}

/** The spec of a MutatingAdmissionPolicy from props in which nothing is wrong. */
export function mutatingPolicySpec(props: MutatingPolicyProps): PolicySpec {
  return {
    ...policySpec(props),
    mutations: props.mutations.map(({ applyConfiguration, jsonPatch }) =>
      applyConfiguration === undefined
        ? { patchType: 'JSONPatch', jsonPatch: { expression: jsonPatch } }
        : { patchType: 'ApplyConfiguration', applyConfiguration: { expression: applyConfiguration } },
    ),
    reinvocationPolicy: props.reinvocationPolicy ?? 'Never',
  };
}

/** The spec of the binding that puts a policy into force. */
export function bindingSpec(props: PolicyProps): Readonly<Record<string, unknown>> {
  const { paramRef, intent } = props;
  const parameterNotFoundAction = intentPolicy(intent).failurePolicy === 'Ignore' ? 'Allow' : 'Deny';
  return {
    policyName: policyName(props),
    ...(paramRef ? { paramRef: { parameterNotFoundAction, ...paramRef } } : {}),
  };
}

/** The spec of the binding of a validating policy. */
export function validatingBindingSpec(props: ValidatingPolicyProps): Readonly<Record<string, unknown>> {
  const validationActions = props.validationActions ?? [props.intent === 'convenience' ? 'Warn' : 'Deny'];
  return { ...bindingSpec(props), validationActions };
}

function policySpec(props: PolicyProps): PolicySpec {
  const { failurePolicy, optIn } = intentPolicy(props.intent);
  return {
    failurePolicy,
    matchConstraints: {
      matchPolicy: 'Equivalent',
      namespaceSelector: exemptingSelector(policyNamespaces(props), props.namespaceSelector),
      ...(optIn ? { objectSelector: optInSelector(props) } : {}),
      resourceRules: props.rules.map(withScope),
    },
    ...(props.paramKind ? { paramKind: props.paramKind } : {}),
    ...filled('matchConditions', props.matchConditions),
    ...filled('variables', props.variables),
  };
}

function filled(field: string, list: readonly unknown[] = []): Readonly<Record<string, unknown>> {
  return list.length > 0 ? { [field]: list } : {};
}

/** A value that other expressions of a policy use as `variables.NAME`. */
export interface PolicyVariable {
  /** A CEL identifier, unique in its policy. */
  readonly name: string;
  /** A CEL expression, which may use the variables that are before it. */
  readonly expression: string;
}

const policyVariableKeys: OptionsOf<PolicyVariable> = { name: 'plain', expression: 'plain' };

/** The kind of the objects that parametrize a policy. */
export interface ParamKind {
  /** `v1` for ConfigMaps, `GROUP/VERSION` otherwise. */
  readonly apiVersion: string;
  /** `ConfigMap`, or a kind of a CustomResourceDefinition. */
  readonly kind: string;
}

const paramKindKeys: OptionsOf<ParamKind> = { apiVersion: 'plain', kind: 'plain' };

/** Which objects parametrize a policy: give either `name` or `selector`. */
export interface ParamRef {
  /** Name of the one object. @default - `selector` is given */
  readonly name?: string;
  /** Labels of the objects; every one of them is applied. @default - `name` is given */
  readonly selector?: LabelSelector;
  /**
   * Namespace of the objects. Refused by the API server for a kind of the cluster.
   * @default - the namespace of the object that is evaluated
   */
  readonly namespace?: string;
  /**
   * What happens where there is no such object: `Allow` accepts the request, `Deny` treats it by the failure policy.
   * @default - `Allow` for a convenience, `Deny` otherwise
   */
  readonly parameterNotFoundAction?: 'Allow' | 'Deny';
}

const paramRefKeys: OptionsOf<ParamRef> = {
  name: 'plain',
  selector: labelSelectorKeys,
  namespace: 'plain',
  parameterNotFoundAction: 'plain',
};

/** What policies of both kinds need. */
export interface PolicyProps {
  /** Name of the policy and of its binding. */
  readonly name: string;
  /** Metadata of the policy and of its binding. @default - named after the policy */
  readonly metadata?: WebhookMetadata;
  /** What the policy is for: decides what happens where an expression fails, and who is evaluated. */
  readonly intent: Intent;
  /** The requests that the policy evaluates. */
  readonly rules: readonly WebhookRule[];
  /**
   * The label by which an object opts in to the policy. Required for the intents `convenience` and `required`, refused
   * for `security`, since an author could leave it out.
   * @default - none
   */
  readonly optIn?: Labels;
  /**
   * What an object's labels must fulfil beside `optIn`. Refused for the intent `security`.
   * @default - nothing more
   */
  readonly objectSelector?: LabelSelector;
  /**
   * What a namespace's labels must fulfil. The system namespaces and `exemptNamespaces` are left out in any case.
   * @default - nothing more
   */
  readonly namespaceSelector?: LabelSelector;
  /** Further namespaces that are left out. @default - only the system namespaces */
  readonly exemptNamespaces?: readonly string[];
  /**
   * What happens where an expression fails or parameters are missing. May be given to say it aloud; must be what the
   * intent says.
   * @default - `Ignore` for a convenience, `Fail` otherwise
   */
  readonly failurePolicy?: FailurePolicy;
  /** CEL expressions that must all be true, at most 64. They can't use `variables`. @default - none */
  readonly matchConditions?: readonly MatchCondition[];
  /** Values that the other expressions use. @default - none */
  readonly variables?: readonly PolicyVariable[];
  /** Kind of the objects that expressions use as `params`. Needs `paramRef`. @default - no parameters */
  readonly paramKind?: ParamKind;
  /** Which objects expressions use as `params`. Needs `paramKind`. @default - no parameters */
  readonly paramRef?: ParamRef;
}

const policyPropsKeys: OptionsOf<PolicyProps> = {
  name: 'plain',
  metadata: webhookMetadataKeys,
  intent: 'plain',
  rules: listOf(webhookRuleKeys),
  optIn: 'plain',
  objectSelector: labelSelectorKeys,
  namespaceSelector: labelSelectorKeys,
  exemptNamespaces: 'list',
  failurePolicy: 'plain',
  matchConditions: listOf(matchConditionKeys),
  variables: listOf(policyVariableKeys),
  paramKind: paramKindKeys,
  paramRef: paramRefKeys,
};

/** A CEL expression that must be true, and what is said where it is not. */
export interface Validation {
  /**
   * A CEL expression over `object`, `oldObject`, `request`, `params`, `namespaceObject`, `variables` and `authorizer`.
   * One that fails (an absent label, for example) refuses the request or lets it pass, as the failure policy says.
   */
  readonly expression: string;
  /** One line for the author of the object. @default - Kubernetes' own, which cites the expression */
  readonly message?: string;
  /** A CEL expression for the message, a string; without `authorizer`. @default - `message` */
  readonly messageExpression?: string;
  /** Status of the answer. @default - `Invalid`, as Kubernetes has it */
  readonly reason?: 'Forbidden' | 'Invalid' | 'RequestEntityTooLarge';
}

const validationKeys: OptionsOf<Validation> = {
  expression: 'plain',
  message: 'plain',
  messageExpression: 'plain',
  reason: 'plain',
};

/** A value that is written into the audit log, under `POLICY/KEY`. */
export interface AuditAnnotation {
  /** Unique in its policy, at most 63 characters. */
  readonly key: string;
  /** A CEL expression of a string, or of null for no annotation. */
  readonly valueExpression: string;
}

const auditAnnotationKeys: OptionsOf<AuditAnnotation> = { key: 'plain', valueExpression: 'plain' };

/** What happens where a validation is false. `Warn` tells the client, `Audit` the audit log. */
export type ValidationAction = 'Deny' | 'Warn' | 'Audit';

/** What a validating policy needs. */
export interface ValidatingPolicyProps extends PolicyProps {
  /**
   * The oldest Kubernetes version that gets the policy, such as `1.35`: at least 1.30.
   * @default - not checked: every version that Kubernetes still maintains has the API
   */
  readonly kubernetesVersion?: string;
  /** What must be true. At least one, or an audit annotation. @default - none */
  readonly validations?: readonly Validation[];
  /** What is written into the audit log, at most 20. @default - none */
  readonly auditAnnotations?: readonly AuditAnnotation[];
  /**
   * What happens where a validation is false. `Deny` is refused for the intent `convenience`, which must never stop an
   * object. Start with `['Audit']` or `['Warn']` to see what a policy would refuse.
   * @default - `['Warn']` for a convenience, `['Deny']` otherwise
   */
  readonly validationActions?: readonly ValidationAction[];
}

export const validatingPolicyPropsKeys: OptionsOf<ValidatingPolicyProps> = {
  ...policyPropsKeys,
  kubernetesVersion: 'plain',
  validations: listOf(validationKeys),
  auditAnnotations: listOf(auditAnnotationKeys),
  validationActions: 'list',
};

/** One change: give exactly one of the two. */
export interface Mutation {
  /** A CEL expression of an object that is applied as by server-side apply: `Object{spec: Object.spec{…}}`. */
  readonly applyConfiguration?: string;
  /** A CEL expression of a list of operations: `[JSONPatch{op: "add", path: "/spec/x", value: 1}]`. */
  readonly jsonPatch?: string;
}

const mutationKeys: OptionsOf<Mutation> = { applyConfiguration: 'plain', jsonPatch: 'plain' };

/** What a mutating policy needs. */
export interface MutatingPolicyProps extends PolicyProps {
  /**
   * The oldest Kubernetes version that gets the policy, such as `1.36`: at least 1.36, the first one where
   * MutatingAdmissionPolicy is generally available. An older API server does not know the object.
   */
  readonly kubernetesVersion: string;
  /** The changes, in order: at least one. */
  readonly mutations: readonly Mutation[];
  /**
   * Whether the changes are made again when something else changed the object after them.
   * @default 'Never' - not every mutation accepts its own output
   */
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded';
}

export const mutatingPolicyPropsKeys: OptionsOf<MutatingPolicyProps> = {
  ...policyPropsKeys,
  kubernetesVersion: 'plain',
  mutations: listOf(mutationKeys),
  reinvocationPolicy: 'plain',
};
