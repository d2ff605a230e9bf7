import { dnsSubdomain, Problems } from '../problems';

/**
 * What API servers answer when they could not ask a webhook: its certificate is not trusted, nothing listens, or it does
 * not answer in time. A webhook that says no is answered with other words.
 * @see https://github.com/kubernetes/apiserver/blob/master/pkg/util/webhook/error.go
 */
const notAsked = 'failed calling webhook';

/**
 * What API servers answer to a pod that they will not take, however often it comes: it is malformed, a webhook or a policy
 * has said no, or its namespace takes no such pods.
 * @see https://github.com/kubernetes/apiserver/blob/master/pkg/admission/plugin/webhook/errors/statuserror.go
 * @see https://github.com/kubernetes/apiserver/blob/master/pkg/admission/plugin/policy/validating/dispatcher.go
 * @see https://github.com/kubernetes/pod-security-admission/blob/master/admission/admission.go
 */
export const userErrorPattern = 'is invalid: |denied (the )?request|violates PodSecurity';

/** A variable of a container's environment. */
export interface EnvironmentVariable {
  /** Name of the variable. */
  readonly name: string;
  /** The variable's value. */
  readonly value: string;
}

/**
 * A text for the variable `TRANSIENT_ERROR_PATTERN` of Argo's workflow controller: a regular expression of Go for the
 * answers of an API server that could not ask a webhook.
 *
 * With it the controller asks for a refused pod again and again, without an end and without a `retryStrategy`: the step
 * stays Pending, and no `WorkflowNodeError` tells of it. Set `activeDeadlineSeconds` where that must end. The policy
 * `OnTransientError` looks at the same variable.
 *
 * @param webhooks names of entries of webhook configurations, such as `mpod.elbv2.k8s.aws`; all by default, since a webhook
 * that can't be asked is never the fault of the step
 * @throws InvalidInput where a name is none
 * @see https://argo-workflows.readthedocs.io/en/latest/environment-variables/#controller
 *
 * @example
 * transientErrorPattern(); // failed calling webhook
 */
export function transientErrorPattern(webhooks: readonly string[] = []): string {
  const problems = new Problems('transientErrorPattern');
  webhooks.forEach((name, position) => problems.check(`webhooks[${position}]`, name, dnsSubdomain));
  problems.throwIfAny();
  const names = webhooks.map((name) => name.replaceAll('.', '\\.'));
  return names.length === 0 ? notAsked : `${notAsked} "(${names.join('|')})"`;
}

/**
 * The same as an entry for `env` of the controller's container.
 *
 * @throws InvalidInput where a name is none
 */
export function transientErrorEnv(webhooks: readonly string[] = []): EnvironmentVariable {
  return { name: 'TRANSIENT_ERROR_PATTERN', value: transientErrorPattern(webhooks) };
}
