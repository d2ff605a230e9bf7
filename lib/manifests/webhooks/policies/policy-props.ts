import type { FailurePolicy, Intent } from '../../../core/admission/intent';
import type { MatchCondition } from '../../../core/admission/match-conditions';
import type { WebhookRule } from '../../../core/admission/requests';
import type { LabelSelector, Labels } from '../../../core/kubernetes/label-selector';
import { across, list, object, oneKeyOf, optional } from '../../../core/validation/collections';
import { dnsLabel, dnsSubdomain } from '../../../core/validation/formats';
import type { Entries, Schema } from '../../../core/validation/schema';
import { fits, oneOf, text, that } from '../../../core/validation/values';
import { labelSelector } from '../../field-schemas';
import { celExpression, matchConditions, matchingEntries, webhookMetadata } from '../matching';
import type { WebhookMetadata } from '../matching';

/** A value that other expressions of a policy use as `variables.NAME`. */
export interface PolicyVariable {
  /** A CEL identifier, unique in its policy. */
  readonly name: string;
  /** A CEL expression, which may use the variables that are before it. */
  readonly expression: string;
}

/** The kind of the objects that parametrize a policy. */
export interface ParamKind {
  /** `v1` for ConfigMaps, `GROUP/VERSION` otherwise. */
  readonly apiVersion: string;
  /** `ConfigMap`, or a kind of a CustomResourceDefinition. */
  readonly kind: string;
}

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

/** A value that is written into the audit log, under `POLICY/KEY`. */
export interface AuditAnnotation {
  /** Unique in its policy, at most 63 characters. */
  readonly key: string;
  /** A CEL expression of a string, or of null for no annotation. */
  readonly valueExpression: string;
}

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

/** One change: give exactly one of the two. */
export interface Mutation {
  /** A CEL expression of an object that is applied as by server-side apply: `Object{spec: Object.spec{…}}`. */
  readonly applyConfiguration?: string;
  /** A CEL expression of a list of operations: `[JSONPatch{op: "add", path: "/spec/x", value: 1}]`. */
  readonly jsonPatch?: string;
}

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

const apiVersionText = 'VERSION or GROUP/VERSION: "v1", "example.com/v1"';

/** A name of RFC 1035, as versions and, in lower case, kinds have. */
const label = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;

function isApiVersion(value: string): boolean {
  const [version = '', group, ...more] = value.split('/').reverse();
  return label.test(version) && (group === undefined || dnsSubdomain.accepts(group)) && more.length === 0;
}

/** A CEL identifier that is no reserved word. */
const identifier =
  /^(?!(true|false|null|in|as|break|const|continue|else|for|function|if|import|let|loop|package|namespace|return|var|void|while)$)[_a-zA-Z]\w*$/;

const policyEntries: Entries<PolicyProps> = {
  ...matchingEntries,
  name: fits(dnsSubdomain),
  metadata: optional(object<WebhookMetadata>(webhookMetadata)),
  matchConditions: optional(matchConditions),
  variables: optional(
    list(
      object<PolicyVariable>({
        name: text('a CEL identifier that is no reserved word', identifier),
        expression: celExpression,
      }),
    ),
  ),
  paramKind: optional(
    object<ParamKind>({
      apiVersion: that(text(apiVersionText), apiVersionText, isApiVersion),
      kind: that(text('a kind such as "ConfigMap"'), 'a kind such as "ConfigMap"', (kind) =>
        label.test(kind.toLowerCase()),
      ),
    }),
  ),
  paramRef: optional(
    across(
      object<ParamRef>({
        name: optional(fits(dnsSubdomain)),
        selector: optional(labelSelector()),
        namespace: optional(fits(dnsLabel)),
        parameterNotFoundAction: optional(oneOf('Allow', 'Deny')),
      }),
      ({ name, selector }, { mustBeSecretly }) => {
        if ((name === undefined) === (selector === undefined)) {
          mustBeSecretly([], 'one with either name or selector');
        }
      },
    ),
  ),
};

/**
 * A version of Kubernetes that has an API: `1.35`, `v1.35.4`, `1.35.4-eks-1234567`.
 *
 * @param min minor version of Kubernetes 1 from which on it has the API
 * @param kind what is served from then on
 */
function kubernetesVersion(min: number, kind: string): Schema<string> {
  const pattern = /^v?(\d+)\.(\d+)(\.\d\S*)?$/;
  return that(
    // A number loses its last zero: 1.30 would be 1.3.
    text('a version of Kubernetes as a text: "1.36" or "v1.36.1"', pattern),
    `at least 1.${min}: from then on ${kind} is generally available`,
    (version) => {
      const [, major, minor] = (pattern.exec(version) ?? []).map(Number);
      return major! > 1 || (major === 1 && minor! >= min);
    },
  );
}

/** The API server takes no more per policy. */
const maxAuditAnnotations = 20;

const longestValueExpression = 5 * 1024;

/** Props of a validating policy. */
export const validatingPolicyProps: Schema<ValidatingPolicyProps> = object<ValidatingPolicyProps>({
  ...policyEntries,
  kubernetesVersion: optional(kubernetesVersion(30, 'ValidatingAdmissionPolicy')),
  validations: optional(
    list(
      object<Validation>({
        expression: celExpression,
        message: optional(text('a text of one line', /^\s*\S[^\n\r]*\s*$/)),
        messageExpression: optional(celExpression),
        reason: optional(oneOf('Forbidden', 'Invalid', 'RequestEntityTooLarge')),
      }),
    ),
  ),
  auditAnnotations: optional(
    that(
      list(
        object<AuditAnnotation>({
          key: text('a text'),
          valueExpression: that(
            celExpression,
            `at most ${longestValueExpression} characters`,
            (value) => value.trim().length <= longestValueExpression,
          ),
        }),
      ),
      `at most ${maxAuditAnnotations} annotations`,
      (annotations) => annotations.length <= maxAuditAnnotations,
    ),
  ),
  validationActions: optional(
    that(
      list(oneOf('Deny', 'Warn', 'Audit'), 1, 'at least one action, and each once'),
      'at least one action, and each once',
      (actions) => new Set(actions).size === actions.length,
    ),
  ),
});

/** Props of a mutating policy. */
export const mutatingPolicyProps: Schema<MutatingPolicyProps> = object<MutatingPolicyProps>({
  ...policyEntries,
  kubernetesVersion: kubernetesVersion(36, 'MutatingAdmissionPolicy'),
  mutations: list(
    oneKeyOf<Required<Mutation>>(
      { applyConfiguration: celExpression, jsonPatch: celExpression },
      'one with either applyConfiguration or jsonPatch',
    ),
    1,
    'at least one',
  ),
  reinvocationPolicy: optional(oneOf('Never', 'IfNeeded')),
});
