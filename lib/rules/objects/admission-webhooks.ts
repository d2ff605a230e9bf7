import type {
  FailurePolicy,
  Intent,
  Labels,
  LabelSelector,
  MatchCondition,
  WebhookRule,
} from '../../admission';
import { intentAnnotation, intents } from '../../admission';
import { Field } from '../field';
import type { JudgedObject } from '../judged-object';
import type { ObjectIndex } from '../object-index';
import type { CalledService } from './called-service';
import { calledService } from './called-service';

/** One webhook of a webhook configuration. */
export interface AdmissionWebhook {
  /** The configuration. */
  readonly object: JudgedObject;
  /** Whether it may change what it is asked about. */
  readonly type: 'mutating' | 'validating';
  /** Its place: `/webhooks/0`. */
  readonly field: Field;
  /** Its name: `pods.example.com`. */
  readonly name: string;
  /** What holds: `Fail` where nothing is said, as in `v1`. */
  readonly failurePolicy: FailurePolicy;
  /** As far as they are of the right types; what is no list of texts counts as empty. */
  readonly rules: readonly JudgedWebhookRule[];
  /** None selects everything. */
  readonly namespaceSelector: LabelSelector | undefined;
  /** None selects everything. */
  readonly objectSelector: LabelSelector | undefined;
  /** CEL conditions, all of which a request has to fulfil. */
  readonly matchConditions: readonly JudgedMatchCondition[];
  /** The Service that is called. @default - a URL is, or nothing is said */
  readonly service?: CalledService;
  /** Annotations of the configuration. */
  readonly annotations: Labels;
  /** What the annotation `cluster-canary/intent` declares. @default - nothing */
  readonly intent?: Intent;
}

/** A rule of an entry. */
export interface JudgedWebhookRule extends WebhookRule {
  /** The rule's place. */
  readonly field: Field;
}

/** A match condition of an entry. */
export interface JudgedMatchCondition extends MatchCondition {
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

function webhookOf(object: JudgedObject, type: AdmissionWebhook['type'], field: Field): AdmissionWebhook {
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
export function admissionRule(field: Field): JudgedWebhookRule {
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
