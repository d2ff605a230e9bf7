import type { KubernetesError } from '../../kubernetes/errors';
import { oneLine } from '../../printable-text';
import { shortMessage, withoutSecrets } from '../../redaction';

/** Why a pod was not taken by a dry run. */
export interface Refusal {
  /**
   * `refused`: it would be for real. `namespace`: there is no such namespace, so that nothing is known. `untried`: the dry run
   * itself could not be made.
   */
  readonly what: 'refused' | 'namespace' | 'untried';
  /** One line, for the report. */
  readonly message: string;
  /** How to fix it: one line. */
  readonly fix: string;
}

interface Pattern {
  readonly expression: RegExp;
  readonly what: Refusal['what'];
  /** @param by what the expression has found; rest: what follows it */
  readonly message: (by: string, rest: string) => string;
  readonly fix: string;
}

/**
 * What API servers say, the most particular first.
 *
 * @see kubernetes v1.35.4 plugin/pkg/admission/{serviceaccount,priority,runtimeclass}/admission.go
 * @see k8s.io/apiserver v0.35.4 pkg/admission/plugin/webhook/errors/statuserror.go, plugin/resourcequota/controller.go,
 *   plugin/policy/validating/dispatcher.go, pkg/endpoints/handlers/responsewriters/errors.go
 */
const patterns: readonly Pattern[] = [
  {
    expression: /admission webhook "([^"]{1,253})" does not support dry run/,
    what: 'untried',
    message: (by) =>
      `webhook ${by} says that it has side effects: the API server asks it nothing in a dry run`,
    fix: 'set sideEffects: None or NoneOnDryRun on the webhook, if that is true',
  },
  {
    expression: /is forbidden: User "[^"]{0,500}" cannot (\w+) resource/,
    what: 'untried',
    message: (by) => `not allowed to ${by} pods there, which a dry run takes as well`,
    fix: 'allow it by a role',
  },
  {
    expression: /^namespaces "([^"]{1,253})" not found/,
    what: 'namespace',
    message: (by) => `namespace ${by} is missing`,
    fix: 'create the namespace, and look again',
  },
  {
    expression: /unable to create new content in namespace (\S{1,253}) because it is being terminated/,
    what: 'namespace',
    message: (by) => `namespace ${by} is being deleted`,
    fix: 'create the namespace anew, and look again',
  },
  {
    expression: /error looking up service account \S{1,300}: serviceaccounts? "([^"]{1,253})" not found/,
    what: 'refused',
    message: (by) => `ServiceAccount ${by} is missing`,
    fix: 'create the ServiceAccount there before the workload',
  },
  {
    expression: /no PriorityClass with name (\S{1,253}) was found/,
    what: 'refused',
    message: (by) => `PriorityClass ${by} is missing`,
    fix: 'create the PriorityClass there before the workload',
  },
  {
    expression: /RuntimeClass "([^"]{1,253})" not found/,
    what: 'refused',
    message: (by) => `RuntimeClass ${by} is missing`,
    fix: 'create the RuntimeClass there before the workload',
  },
  {
    expression: /(?:exceeded|failed) quota: ([^\s,:]{1,253})/,
    what: 'refused',
    message: (by, rest) => `ResourceQuota ${by} has no room or wants more of the pod: ${rest}`,
    fix: 'raise the quota there, or set the requests and limits that it asks for',
  },
  {
    expression: /violates PodSecurity "([^"]{1,100})"/,
    what: 'refused',
    message: (by, rest) => `Pod Security ${by} refuses it: ${rest}`,
    fix: 'change what it names in the pod template, or the labels pod-security.kubernetes.io of the namespace',
  },
  {
    expression: /admission webhook "([^"]{1,253})" denied the request/,
    what: 'refused',
    message: (by, rest) => `webhook ${by} refuses it: ${rest}`,
    fix: 'change what it names in the pod template, or the policy behind the webhook',
  },
  {
    expression: /failed calling webhook "([^"]{1,253})"/,
    what: 'refused',
    message: (by, rest) => `webhook ${by} does not answer, and its failurePolicy is Fail: ${rest}`,
    fix: 'start what serves the webhook, and see `cluster-canary doctor webhooks`',
  },
  {
    expression: /[Pp]olicy '([^']{1,253})'(?: with binding '[^']{1,253}')? denied request/,
    what: 'refused',
    message: (by, rest) => `policy ${by} refuses it: ${rest}`,
    fix: 'change what it names in the pod template, or the policy',
  },
];

/**
 * What the error of a dry run means.
 *
 * @param secrets texts of the pod that are not repeated
 */
export function refusalOf(error: KubernetesError, secrets: readonly string[] = []): Refusal {
  const shown = (text: string): string => oneLine(shortMessage(withoutSecrets(text, secrets), 300));
  for (const { expression, what, message, fix } of patterns) {
    const match = expression.exec(error.told);
    if (match !== null) {
      const [whole, by = ''] = match;
      const rest = error.told.slice(match.index + whole.length).replace(/^[\s:,]+/, '');
      return { what, message: message(oneLine(by), shown(rest)), fix };
    }
  }
  const isAnswer = error.reason === 'denied' || error.reason === 'invalid';
  return isAnswer && error.told !== ''
    ? {
        what: 'refused',
        message: shown(error.told),
        fix: 'change what it names, in the pod template or in the cluster',
      }
    : {
        what: 'untried',
        message: shown(error.message),
        fix: 'look again',
      };
}
