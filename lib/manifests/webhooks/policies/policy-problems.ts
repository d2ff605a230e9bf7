import { intentPolicy, intents } from '../../../core/admission/intent';
import { checkRules } from '../../../core/admission/requests';
import { checkLabelSelector } from '../../../core/kubernetes/label-selector';
import { FieldChecks } from '../../../core/validation/fields';
import { dnsLabel, dnsSubdomain, labelKey, oneOf } from '../../../core/validation/formats';
import { optionKeyProblems } from '../../../core/validation/option-keys';
import { Problems } from '../../../core/validation/problems';
import type { Problem } from '../../../core/validation/problems';
import { checkIntent, checkMetadata, checkNamespaces } from '../matching';
import { checkExpressions } from './expression-problems';
import type { PolicyExpression } from './expression-problems';
import {
  mutatingPolicyPropsKeys,
  policyName,
  policyNamespaces,
  validatingPolicyPropsKeys,
} from './policy-spec';
import type {
  MutatingPolicyProps,
  ParamKind,
  ParamRef,
  PolicyProps,
  ValidatingPolicyProps,
} from './policy-spec';

const pattern = /^v?(\d+)\.(\d+)(\.\d\S*)?$/;

/**
 * Adds a version of Kubernetes that does not have an API.
 *
 * @param version `1.35`, `v1.35.4`, `1.35.4-eks-1234567`
 * @param least minor version of Kubernetes 1 from which on it has the API
 * @param kind what is served from then on
 */
function checkKubernetesVersion(problems: Problems, version: string, least: number, kind: string): void {
  // A number loses its last zero: 1.30 would be 1.3.
  const [, major, minor] = (typeof version === 'string' && pattern.exec(version)) || [];
  if (major === undefined) {
    problems.add('kubernetesVersion', version, 'a version of Kubernetes as a text: "1.36" or "v1.36.1"');
  } else if (Number(major) < 1 || (Number(major) === 1 && Number(minor) < least)) {
    problems.add(
      'kubernetesVersion',
      version,
      `at least 1.${least}: from then on ${kind} is generally available`,
    );
  }
}

/** A name of RFC 1035, as versions and, in lower case, kinds have. */
const label = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Adds what is wrong with the parameters of a policy. */
function checkParams(problems: Problems, { paramKind, paramRef }: PolicyProps): void {
  if ((paramKind === undefined) !== (paramRef === undefined)) {
    problems.addAll([
      paramKind
        ? { path: 'paramRef', allowed: 'given together with paramKind: params would be null' }
        : { path: 'paramKind', allowed: 'given together with paramRef, which is ignored without it' },
    ]);
  }
  if (paramKind) {
    checkParamKind(problems, paramKind);
  }
  if (paramRef) {
    checkParamRef(problems, paramRef);
  }
}

function checkParamKind(problems: Problems, { apiVersion, kind }: ParamKind): void {
  const [version = '', group, ...more] = apiVersion.split('/').reverse();
  if (!label.test(version) || (group !== undefined && !dnsSubdomain.accepts(group)) || more.length > 0) {
    problems.add('paramKind.apiVersion', apiVersion, 'VERSION or GROUP/VERSION: "v1", "example.com/v1"');
  }
  if (!label.test(kind.toLowerCase())) {
    problems.add('paramKind.kind', kind, 'a kind such as "ConfigMap"');
  }
}

function checkParamRef(problems: Problems, ref: ParamRef): void {
  const { name, selector, namespace, parameterNotFoundAction } = ref;
  if ((name === undefined) === (selector === undefined)) {
    problems.add('paramRef', ref, 'one with either name or selector');
  }
  if (name !== undefined) {
    problems.check('paramRef.name', name, dnsSubdomain);
  }
  if (selector) {
    checkLabelSelector(new FieldChecks(problems), 'paramRef.selector', selector);
  }
  if (namespace !== undefined) {
    problems.check('paramRef.namespace', namespace, dnsLabel);
  }
  if (parameterNotFoundAction !== undefined) {
    problems.check('paramRef.parameterNotFoundAction', parameterNotFoundAction, oneOf('Allow', 'Deny'));
  }
}

/** The API server takes no more per policy. */
const mostAuditAnnotations = 20;

const longestValueExpression = 5 * 1024;

/** Minor versions of Kubernetes 1 that made the APIs generally available. */
const since = { validating: 30, mutating: 36 };

/** Everything that is wrong with the props of a validating policy, evaluated from the props alone. */
export function validatingPolicyProblems(props: ValidatingPolicyProps): readonly Problem[] {
  const unfit = optionKeyProblems(props, validatingPolicyPropsKeys);
  if (unfit.length > 0) {
    return unfit;
  }
  const problems = new Problems('validating policy');
  if (props.kubernetesVersion !== undefined) {
    checkKubernetesVersion(problems, props.kubernetesVersion, since.validating, 'ValidatingAdmissionPolicy');
  }
  const { validations = [], auditAnnotations = [] } = props;
  checkPolicy(problems, props, [
    ...validations.flatMap(({ expression, messageExpression }, position): PolicyExpression[] => {
      const at = `validations[${position}]`;
      return [
        { path: `${at}.expression`, expression },
        ...(messageExpression === undefined
          ? []
          : [{ path: `${at}.messageExpression`, expression: messageExpression, message: true }]),
      ];
    }),
    ...auditAnnotations.map(({ valueExpression }, position) => ({
      path: `auditAnnotations[${position}].valueExpression`,
      expression: valueExpression,
    })),
  ]);
  if (validations.length === 0 && auditAnnotations.length === 0) {
    problems.add('validations', validations, 'at least one, or an audit annotation');
  }
  validations.forEach(({ message, reason }, position) => {
    if (message !== undefined && (message.trim() === '' || /[\n\r]/.test(message.trim()))) {
      problems.add(`validations[${position}].message`, message, 'a text of one line');
    }
    if (reason !== undefined) {
      const reasons = oneOf('Forbidden', 'Invalid', 'RequestEntityTooLarge');
      problems.check(`validations[${position}].reason`, reason, reasons);
    }
  });
  checkAuditAnnotations(problems, props);
  checkActions(problems, props);
  return problems.all;
}

/** Everything that is wrong with the props of a mutating policy, evaluated from the props alone. */
export function mutatingPolicyProblems(props: MutatingPolicyProps): readonly Problem[] {
  const unfit = optionKeyProblems(props, mutatingPolicyPropsKeys);
  if (unfit.length > 0) {
    return unfit;
  }
  const problems = new Problems('mutating policy');
  const { kubernetesVersion, mutations, reinvocationPolicy } = props;
  checkKubernetesVersion(problems, kubernetesVersion, since.mutating, 'MutatingAdmissionPolicy');
  checkPolicy(
    problems,
    props,
    mutations.flatMap((mutation, position) =>
      (['applyConfiguration', 'jsonPatch'] as const)
        .filter((each) => mutation[each] !== undefined)
        .map((each) => ({ path: `mutations[${position}].${each}`, expression: mutation[each]! })),
    ),
  );
  if (mutations.length === 0) {
    problems.add('mutations', mutations, 'at least one');
  }
  mutations.forEach((mutation, position) => {
    if ((mutation.applyConfiguration === undefined) === (mutation.jsonPatch === undefined)) {
      problems.add(`mutations[${position}]`, mutation, 'one with either applyConfiguration or jsonPatch');
    }
  });
  props.rules.forEach(({ operations }, position) => {
    if (operations.includes('DELETE')) {
      problems.add(
        `rules[${position}].operations`,
        operations,
        'without DELETE: nothing is left to be changed',
      );
    }
  });
  if (reinvocationPolicy !== undefined) {
    problems.check('reinvocationPolicy', reinvocationPolicy, oneOf('Never', 'IfNeeded'));
  }
  return problems.all;
}

function checkPolicy(problems: Problems, props: PolicyProps, expressions: readonly PolicyExpression[]): void {
  problems.check('name', props.name, dnsSubdomain);
  checkMetadata(problems, props.metadata);
  checkRules(problems, 'rules', props.rules);
  checkNamespaces(problems, props, policyNamespaces(props));
  checkParams(problems, props);
  checkExpressions(problems, props, expressions);
  if (problems.check('intent', props.intent, oneOf(...intents))) {
    const evaluate = { called: 'policy', fails: 'an expression fails' } as const;
    checkIntent(problems, props, intentPolicy(props.intent), evaluate);
  }
}

function checkAuditAnnotations(problems: Problems, props: ValidatingPolicyProps): void {
  const { auditAnnotations = [] } = props;
  if (auditAnnotations.length > mostAuditAnnotations) {
    problems.add(
      'auditAnnotations',
      `${auditAnnotations.length} annotations`,
      `at most ${mostAuditAnnotations} annotations`,
    );
  }
  auditAnnotations.forEach(({ key, valueExpression }, position) => {
    const at = `auditAnnotations[${position}]`;
    problems.check(`${at}.key`, `${policyName(props)}/${key}`, labelKey);
    if (auditAnnotations.findIndex((other) => other.key === key) < position) {
      problems.add(`${at}.key`, key, 'a key that no other annotation has');
    }
    if (valueExpression.trim().length > longestValueExpression) {
      problems.add(
        `${at}.valueExpression`,
        `${valueExpression.length} characters`,
        `at most ${longestValueExpression} characters`,
      );
    }
  });
}

function checkActions(
  problems: Problems,
  { validationActions: actions, intent }: ValidatingPolicyProps,
): void {
  if (!actions) {
    return;
  }
  actions.forEach((action, position) =>
    problems.check(`validationActions[${position}]`, action, oneOf('Deny', 'Warn', 'Audit')),
  );
  if (actions.length === 0 || new Set(actions).size < actions.length) {
    problems.add('validationActions', actions, 'at least one action, and each once');
  }
  if (actions.includes('Deny') && actions.includes('Warn')) {
    problems.add(
      'validationActions',
      actions,
      'without either Deny or Warn: both send the same to the client',
    );
  }
  if (intent === 'convenience' && actions.includes('Deny')) {
    problems.add(
      'validationActions',
      actions,
      `without Deny with the intent convenience: ${intentPolicy(intent).why}`,
    );
  }
}
