import { intentPolicy } from '../../../core/admission/intent';
import type { FailurePolicy } from '../../../core/admission/intent';
import { exemptingSelector, systemNamespaces, withScope } from '../../../core/admission/requests';
import type { WebhookRule } from '../../../core/admission/requests';
import type { LabelSelector } from '../../../core/kubernetes/label-selector';
import { optInSelector } from '../webhook-props';
import type { MutatingPolicyProps, PolicyProps, ValidatingPolicyProps } from './policy-props';

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
export function policyName({ metadata, name }: Pick<PolicyProps, 'metadata' | 'name'>): string {
  return metadata?.name ?? name;
}

/** Namespaces that a policy leaves out, sorted: the system's and those given. */
export function policyNamespaces({ exemptNamespaces = [] }: Partial<PolicyProps>): string[] {
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
