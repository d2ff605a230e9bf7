import type { KubernetesObject } from '../../../core/kubernetes/api';
import { Field } from '../../../lint';
import type { MessagePlace } from './patterns/pattern';

/** Something in an Application that has failed, with the message that tells of it. */
export interface Failure {
  /** `argocd/podinfo` */
  readonly application: string;
  readonly place: MessagePlace;
  /** What it is: `Deployment podinfo/podinfo`, `condition ComparisonError`. */
  readonly what: string;
  readonly message: string;
  /** Whether Argo CD itself only warns. */
  readonly warning: boolean;
  /** Whether the message may quote a Secret. */
  readonly secret: boolean;
  /** Since when the condition is there. @default - the Application does not say */
  readonly since?: Date;
}

/** Conditions by what they mean; others are errors. */
const warnings = [
  'SharedResourceWarning',
  'RepeatedResourceWarning',
  'ExcludedResourceWarning',
  'OrphanedResourceWarning',
];

/** Conditions that show what was configured, and nothing that failed. */
const informative = ['ExcludedResourceWarning', 'OrphanedResourceWarning'];

/**
 * Everything in an Application that has failed, each once: where the message of the operation or a condition only repeats
 * what resources say, the resources speak.
 *
 * @see https://github.com/argoproj/argo-cd/blob/v3.3.4/pkg/apis/application/v1alpha1/types.go
 */
export function applicationFailures(application: KubernetesObject): readonly Failure[] {
  const { namespace, name } = application.metadata;
  const status = Field.ofValue(application.status);
  const of = { application: namespace === undefined ? name : `${namespace}/${name}` };
  const resources = failedResources(status).map((each) => ({ ...of, ...each }));
  const conditions = failedConditions(status, resources.length > 0).map((each) => ({ ...of, ...each }));
  const health = unhealthy(status, resources).map((each) => ({ ...of, ...each }));
  const operation = failedOperation(status, [...resources, ...conditions]).map((each) => ({
    ...of,
    ...each,
  }));
  return [...resources, ...operation, ...conditions, ...health];
}

type Found = Omit<Failure, 'application'>;

function failedResources(status: Field): readonly Found[] {
  return status.get('operationState', 'syncResult', 'resources').items.flatMap((resource) => {
    const failed =
      resource.get('status').text === 'SyncFailed' ||
      ['Failed', 'Error'].includes(resource.get('hookPhase').text ?? '');
    return failed
      ? [
          {
            place: 'resource' as const,
            what: named(resource),
            message: resource.get('message').text ?? '',
            warning: false,
            secret: resource.get('kind').text === 'Secret',
          },
        ]
      : [];
  });
}

function failedConditions(status: Field, resourcesSpeak: boolean): readonly Found[] {
  const operation = status.get('operationState', 'message').text ?? '';
  const operationFailed = ['Failed', 'Error'].includes(status.get('operationState', 'phase').text ?? '');
  return status.get('conditions').items.flatMap((condition) => {
    const [type = '', message = ''] = [condition.get('type').text, condition.get('message').text];
    // "Failed last sync attempt to [REVISION]: " and the message of the operation.
    const repeats = type === 'SyncError' && operationFailed && message.startsWith('Failed last sync attempt');
    if (informative.includes(type) || (repeats && (resourcesSpeak || message.includes(operation)))) {
      return [];
    }
    const since = dateOf(condition.get('lastTransitionTime').text);
    return [
      {
        place: 'condition' as const,
        what: `condition ${type || 'without a type'}`,
        message,
        warning: warnings.includes(type),
        secret: false,
        ...(since ? { since } : {}),
      },
    ];
  });
}

function failedOperation(status: Field, others: readonly Found[]): readonly Found[] {
  const state = status.get('operationState');
  const [phase = '', message = ''] = [state.get('phase').text, state.get('message').text];
  // A running operation that has an end is one that waits for its next try.
  const failed =
    phase === 'Failed' || phase === 'Error' || (phase === 'Running' && state.get('finishedAt').exists);
  const told = others.some(
    ({ place, message: other }) => place === 'resource' || (other !== '' && message.includes(other)),
  );
  return failed && !told
    ? [{ place: 'operation', what: 'the operation', message, warning: false, secret: false }]
    : [];
}

function unhealthy(status: Field, failed: readonly Found[]): readonly Found[] {
  const already = new Set(failed.map(({ what }) => what));
  return status.get('resources').items.flatMap((resource) => {
    const [health, message] = [resource.get('health', 'status').text, resource.get('health', 'message').text];
    const what = named(resource);
    return health === 'Degraded' && message && !already.has(what)
      ? [
          {
            place: 'health' as const,
            what,
            message,
            warning: false,
            secret: resource.get('kind').text === 'Secret',
          },
        ]
      : [];
  });
}

function named(resource: Field): string {
  const [kind = 'object', namespace, name = ''] = ['kind', 'namespace', 'name'].map(
    (key) => resource.get(key).text,
  );
  return `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
}

/** A time as Kubernetes writes it; undefined for anything else. */
export function dateOf(text: string | undefined): Date | undefined {
  const date = new Date(text ?? NaN);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
