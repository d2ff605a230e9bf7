import { createHash } from 'node:crypto';
import type { KubernetesObject, ObjectReference } from '../../../core/kubernetes/api';
import { isPlainObject } from '../../../core/validation/problems';
import type { CheckStage } from '../../engine';

/** The variable of a container: a text, or a key of a Secret in the namespace of the Job. */
export type JobVariable =
  | string
  | {
      /** Name of the Secret. */
      readonly secret: string;
      /** Key in the Secret. */
      readonly key: string;
    };

/** What a container asks of its node, in Kubernetes' words: `{ requests: { cpu: '100m' } }`. */
export interface JobResources {
  /** What the scheduler keeps free for it. @default - none */
  readonly requests?: Readonly<Record<string, string>>;
  /** The most that it may use. @default - none */
  readonly limits?: Readonly<Record<string, string>>;
}

/** A Job of one container, which the check makes itself. */
export interface JobContainer {
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, JobVariable>>;
  readonly user?: number;
  readonly serviceAccountName?: string;
  readonly automountServiceAccountToken?: boolean;
  readonly resources?: JobResources;
}

/** Which Job a check wants, and for what. */
export interface WantedJob {
  /** Namespace of the Job. */
  readonly namespace: string;
  /** Name of the check. */
  readonly check: string;
  /** Slot whose cluster it runs in. */
  readonly slot: string;
  readonly stage: CheckStage;
  /** What it is run for: the same for every run of a shift, and another one for the next step. */
  readonly question: unknown;
  /** The `spec` of the Job, without what every Job of a check has. */
  readonly spec: Readonly<Record<string, unknown>>;
  /** In milliseconds. */
  readonly timeoutMs: number;
}

/** The label by which Jobs of checks are known, with {@link managedBy}. */
export const checkLabel = 'cluster-canary/check';

/** Annotation: hash of the `spec` that the check wanted. */
export const specAnnotation = 'cluster-canary/spec-hash';

/** Annotation: when the check wanted it, by the clock of who runs the shift (RFC 3339). */
export const wantedAtAnnotation = 'cluster-canary/wanted-at';

const managedBy = { 'app.kubernetes.io/managed-by': 'cluster-canary' } as const;

/** Until the cluster removes a Job that nobody has removed, in seconds from its end. */
export const leftoverSeconds = 3_600;

/** Enough for a small program; quotas ask for such numbers, and a limit of memory keeps a leak from other pods of the node. */
const defaultResources: JobResources = {
  requests: { cpu: '100m', memory: '128Mi' },
  limits: { memory: '256Mi' },
};

/**
 * The `spec` of a Job whose pod keeps to the Pod Security Standard `restricted`.
 *
 * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted
 * @param retries pods that may fail before the Job has failed
 */
export function containerSpec(
  container: JobContainer,
  retries: number,
  about: Pick<WantedJob, 'slot' | 'stage'>,
): Readonly<Record<string, unknown>> {
  const {
    image,
    command,
    args,
    env = {},
    user,
    serviceAccountName,
    resources = defaultResources,
  } = container;
  const own = { CLUSTER_CANARY_SLOT: about.slot, CLUSTER_CANARY_STAGE: about.stage };
  return {
    backoffLimit: retries,
    template: {
      spec: {
        restartPolicy: 'Never',
        automountServiceAccountToken: container.automountServiceAccountToken ?? false,
        ...(serviceAccountName !== undefined && { serviceAccountName }),
        securityContext: {
          runAsNonRoot: true,
          ...(user !== undefined && { runAsUser: user, runAsGroup: user }),
          seccompProfile: { type: 'RuntimeDefault' },
        },
        containers: [
          {
            name: 'check',
            image,
            ...(command && { command }),
            ...(args && { args }),
            env: Object.entries<JobVariable>({ ...own, ...env }).map(([name, value]) =>
              typeof value === 'string'
                ? { name, value }
                : { name, valueFrom: { secretKeyRef: { name: value.secret, key: value.key } } },
            ),
            resources,
            securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
          },
        ],
      },
    },
  };
}

/** Labels that the Job controller puts on a pod template: a copy with them would be somebody else's. */
const ofController = [
  'controller-uid',
  'job-name',
  'batch.kubernetes.io/controller-uid',
  'batch.kubernetes.io/job-name',
];

/**
 * The `spec` of a Job like one in the cluster.
 *
 * @param from a Job, suspended as a rule, or a CronJob
 * @param retries pods that may fail; @default - as the other one says
 */
export function copiedSpec(
  from: KubernetesObject,
  retries: number | undefined,
): Readonly<Record<string, unknown>> {
  const whole = objectOf(from.spec);
  const spec = from.kind === 'CronJob' ? objectOf(objectOf(whole.jobTemplate).spec) : whole;
  const { selector: _selector, manualSelector: _manual, suspend: _suspend, template, ...rest } = spec;
  const { metadata, ...pod } = objectOf(template);
  const { labels, annotations } = objectOf(metadata);
  const kept = Object.entries(objectOf(labels)).filter(([key]) => !ofController.includes(key));
  return {
    ...rest,
    ...(retries !== undefined && { backoffLimit: retries }),
    template: {
      ...pod,
      metadata: {
        ...(kept.length > 0 && { labels: Object.fromEntries(kept) }),
        ...(annotations !== undefined && { annotations }),
      },
    },
  };
}

/** The Job of a check. Its name says what it is for, so that a run that goes on finds the one of the run that was killed. */
export function jobObject(wanted: WantedJob, at: number): KubernetesObject {
  const { namespace, check, timeoutMs } = wanted;
  return {
    ...jobReference(wanted),
    metadata: {
      name: jobName(wanted),
      namespace,
      labels: { ...managedBy, [checkLabel]: wordOf(check, 63) || 'check' },
      annotations: {
        [specAnnotation]: specHash(wanted),
        [wantedAtAnnotation]: new Date(at).toISOString(),
      },
    },
    spec: {
      ...wanted.spec,
      activeDeadlineSeconds: Math.max(1, Math.ceil(timeoutMs / 1000)),
      ttlSecondsAfterFinished: leftoverSeconds,
    },
  };
}

/** Names the Job of a check. */
export function jobReference(wanted: WantedJob): ObjectReference {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: jobName(wanted), namespace: wanted.namespace },
  };
}

/** The name of a pod adds six characters to it; a label takes 63. */
function jobName({ check, slot, stage, question, namespace }: WantedJob): string {
  const words = ['canary', wordOf(check, 20), wordOf(slot, 12)].filter(Boolean);
  return [...words, hashOf([namespace, check, slot, stage, question]).slice(0, 12)].join('-');
}

function specHash({ spec, timeoutMs }: WantedJob): string {
  return hashOf([spec, timeoutMs]).slice(0, 40);
}

/** Letters of a name that a name in Kubernetes may have. */
function wordOf(text: string, longest: number): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, longest)
    .replace(/^-+|-+$/g, '');
}

function hashOf(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(value)))
    .digest('hex');
}

/** The same with keys in the order of the alphabet: an API server answers them in its own. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(sorted);
  }
  return isPlainObject(value)
    ? Object.fromEntries(
        Object.keys(value)
          .sort()
          .map((key) => [key, sorted(value[key])]),
      )
    : value;
}

/** Whose a Job is that has the name of a wanted one. */
export type Ownership = 'same' | 'otherSpec' | 'foreign';

/** Whether a Job that is there is the wanted one, one of this check with other settings, or of somebody else. */
export function ownershipOf({ metadata }: KubernetesObject, wanted: WantedJob): Ownership {
  const { labels = {}, annotations = {} } = metadata;
  const expected = jobObject(wanted, 0).metadata.labels!;
  const isOwn = Object.entries(expected).every(([key, value]) => labels[key] === value);
  if (!isOwn || annotations[specAnnotation] === undefined) {
    return 'foreign';
  }
  return annotations[specAnnotation] === specHash(wanted) ? 'same' : 'otherSpec';
}

/** When the check wanted it, in milliseconds since 1970; when the API server made it, where that is not said. */
export function wantedAt({ metadata }: KubernetesObject): number {
  const said = Date.parse(metadata.annotations?.[wantedAtAnnotation] ?? '');
  return Number.isNaN(said) ? Date.parse(metadata.creationTimestamp ?? '') || 0 : said;
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isPlainObject(value) ? value : {};
}
