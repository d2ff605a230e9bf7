import { intents } from '../../core/admission/intent';
import type { FailurePolicy, Intent } from '../../core/admission/intent';
import type { MatchCondition } from '../../core/admission/match-conditions';
import type { WebhookRule } from '../../core/admission/requests';
import type { LabelSelector, Labels } from '../../core/kubernetes/label-selector';
import { intentAnnotation } from '../../core/names';
import { Field } from '../object';
import type { ManifestObject } from '../object';
import type { ObjectIndex } from '../object-index';

/** A Service that the API server calls. */
export interface CalledServiceView {
  /** Namespace of the Service. */
  readonly namespace: string;
  /** Name of the Service. */
  readonly name: string;
  /** Port of the Service. @default 443 */
  readonly port: number;
  /** Path of the URL, as it is written. @default - not said */
  readonly path?: string;
  /** Where it is said. */
  readonly field: Field;
}

/**
 * The Service of a `clientConfig`, or of an APIService's `spec`.
 *
 * @returns nothing where there is none, or where it has no name or no namespace
 */
export function calledService(config: Field): CalledServiceView | undefined {
  const field = config.get('service');
  const [namespace, name, path] = ['namespace', 'name', 'path'].map((key) => field.get(key).text);
  return namespace === undefined || name === undefined
    ? undefined
    : {
        namespace,
        name,
        port: field.get('port').number ?? 443,
        ...(path === undefined ? {} : { path }),
        field,
      };
}

/** One webhook of a webhook configuration. */
export interface AdmissionWebhook {
  /** The configuration. */
  readonly object: ManifestObject;
  /** Whether it may change what it is called for. */
  readonly type: 'mutating' | 'validating';
  /** Its place: `/webhooks/0`. */
  readonly field: Field;
  /** Its name: `pods.example.com`. */
  readonly name: string;
  /** What holds: `Fail` where nothing is said, as in `v1`. */
  readonly failurePolicy: FailurePolicy;
  /** As far as they are of the right types; what is no list of texts counts as empty. */
  readonly rules: readonly WebhookRuleView[];
  /** None selects everything. */
  readonly namespaceSelector: LabelSelector | undefined;
  /** None selects everything. */
  readonly objectSelector: LabelSelector | undefined;
  /** CEL conditions, all of which a request has to fulfil. */
  readonly matchConditions: readonly MatchConditionView[];
  /** The Service that is called. @default - a URL is, or nothing is said */
  readonly service?: CalledServiceView;
  /** Annotations of the configuration. */
  readonly annotations: Labels;
  /** What the annotation `cluster-canary/intent` declares. @default - nothing */
  readonly intent?: Intent;
}

/** A rule of an entry. */
export interface WebhookRuleView extends WebhookRule {
  /** The rule's place. */
  readonly field: Field;
}

/** A match condition of an entry. */
export interface MatchConditionView extends MatchCondition {
  /** The condition's place. */
  readonly field: Field;
}

const group = 'admissionregistration.k8s.io';

/** View of every webhook of every webhook configuration: `objects.view(admissionWebhooks)`. */
export function admissionWebhooks(objects: ObjectIndex): readonly AdmissionWebhook[] {
  const entries = (type: AdmissionWebhook['type'], kind: string): AdmissionWebhook[] =>
    objects.ofKind(group, kind).flatMap((object) =>
      Field.of(object)
        .get('webhooks')
        .items.map((field) => webhookOf(object, type, field)),
    );
  return [
    ...entries('mutating', 'MutatingWebhookConfiguration'),
    ...entries('validating', 'ValidatingWebhookConfiguration'),
  ];
}

function webhookOf(object: ManifestObject, type: AdmissionWebhook['type'], field: Field): AdmissionWebhook {
  const annotations = Field.of(object).get('metadata', 'annotations').labels;
  const declared = annotations[intentAnnotation];
  const intent = intents.find((each) => each === declared);
  const service = calledService(field.get('clientConfig'));
  return {
    object,
    type,
    field,
    name: field.get('name').text ?? '',
    failurePolicy: field.get('failurePolicy').text === 'Ignore' ? 'Ignore' : 'Fail',
    rules: field.get('rules').items.map(admissionRule),
    namespaceSelector: field.get('namespaceSelector').selector,
    objectSelector: field.get('objectSelector').selector,
    matchConditions: field.get('matchConditions').items.map((each) => ({
      field: each,
      name: each.get('name').text ?? '',
      expression: each.get('expression').text ?? '',
    })),
    ...(service ? { service } : {}),
    annotations,
    ...(intent ? { intent } : {}),
  };
}

/** A rule, as webhook configurations and policies have it. */
function admissionRule(field: Field): WebhookRuleView {
  const scope = field.get('scope').text;
  return {
    field,
    operations: field.get('operations').texts as WebhookRule['operations'],
    apiGroups: field.get('apiGroups').texts,
    apiVersions: field.get('apiVersions').texts,
    resources: field.get('resources').texts,
    scope: scope === 'Cluster' || scope === 'Namespaced' ? scope : '*',
  };
}

/**
 * A ValidatingAdmissionPolicy or a MutatingAdmissionPolicy, in the form of the entry of a webhook configuration: both say
 * in the same words which requests they see. `field` is its `matchConstraints`.
 */
export interface AdmissionPolicyView extends Omit<AdmissionWebhook, 'service'> {
  /** Its `spec`. */
  readonly spec: Field;
  /** CEL expressions that are evaluated after the match conditions, variables first; each by its place. */
  readonly variables: readonly Field[];
  /** CEL expressions of what it checks, notes in the audit log, or changes; each by its place. */
  readonly expressions: readonly Field[];
  /** What puts it into force: without one it does nothing. */
  readonly bindings: readonly PolicyBinding[];
}

/** What puts a policy into force. */
export interface PolicyBinding {
  /** The binding. */
  readonly object: ManifestObject;
  /** Its `spec`. */
  readonly spec: Field;
  /** What kind of policy it binds. */
  readonly type: AdmissionWebhook['type'];
  /** Whether what fails is refused. A mutating policy knows nothing else. */
  readonly denies: boolean;
  /** Whether it sees only some of what the policy matches. */
  readonly isNarrowed: boolean;
}

const kinds = { validating: 'ValidatingAdmissionPolicy', mutating: 'MutatingAdmissionPolicy' } as const;

const types = ['validating', 'mutating'] as const;

/**
 * View of every policy: `objects.view(admissionPolicies)`.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */
export function admissionPolicies(objects: ObjectIndex): readonly AdmissionPolicyView[] {
  return types.flatMap((type) => {
    const byPolicy = new Map<string, PolicyBinding[]>();
    for (const binding of objects.view(policyBindings).filter((each) => each.type === type)) {
      const policy = binding.spec.get('policyName').text ?? '';
      byPolicy.set(policy, [...(byPolicy.get(policy) ?? []), binding]);
    }
    return objects
      .ofKind(group, kinds[type])
      .map((object) => policyOf(object, type, byPolicy.get(object.name) ?? []));
  });
}

/** View of the bindings of policies, whether the policy is there or not. */
export function policyBindings(objects: ObjectIndex): readonly PolicyBinding[] {
  return types.flatMap((type) =>
    objects.ofKind(group, `${kinds[type]}Binding`).map((object) => {
      const spec = Field.of(object).get('spec');
      return {
        object,
        spec,
        type,
        denies: type === 'mutating' || spec.get('validationActions').texts.includes('Deny'),
        isNarrowed: spec.get('matchResources').keys.some((key) => key !== 'matchPolicy'),
      };
    }),
  );
}

function policyOf(
  object: ManifestObject,
  type: AdmissionWebhook['type'],
  bindings: readonly PolicyBinding[],
): AdmissionPolicyView {
  const spec = Field.of(object).get('spec');
  const field = spec.get('matchConstraints');
  const annotations = Field.of(object).get('metadata', 'annotations').labels;
  const intent = intents.find((each) => each === annotations[intentAnnotation]);
  const each = (list: string, ...steps: readonly string[]): Field[] =>
    spec
      .get(list)
      .items.map((item) => item.get(...steps))
      .filter(({ text }) => text !== undefined);
  return {
    object,
    type,
    field,
    spec,
    name: object.name,
    failurePolicy: spec.get('failurePolicy').text === 'Ignore' ? 'Ignore' : 'Fail',
    rules: field.get('resourceRules').items.map(admissionRule),
    namespaceSelector: field.get('namespaceSelector').selector,
    objectSelector: field.get('objectSelector').selector,
    matchConditions: spec.get('matchConditions').items.map((condition) => ({
      field: condition,
      name: condition.get('name').text ?? '',
      expression: condition.get('expression').text ?? '',
    })),
    variables: each('variables', 'expression'),
    expressions: [
      ...each('validations', 'expression'),
      ...each('auditAnnotations', 'valueExpression'),
      ...each('mutations', 'applyConfiguration', 'expression'),
      ...each('mutations', 'jsonPatch', 'expression'),
    ],
    annotations,
    ...(intent ? { intent } : {}),
    bindings,
  };
}
