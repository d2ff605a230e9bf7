import { parseDuration } from '../../../core/durations';
import { across, either, object, oneKeyOf, optional, record } from '../../../core/validation/collections';
import { dnsSubdomain, imageByDigest, secretKey, variableName } from '../../../core/validation/formats';
import { isPlainObject } from '../../../core/validation/problems';
import { hidden } from '../../../core/validation/schema';
import type { Schema } from '../../../core/validation/schema';
import { holdsLogin, namesSecret, plainSecrets } from '../../../core/validation/secrets';
import { dnsLabelText, fits, flag, oneOf, secret, text, whole } from '../../../core/validation/values';
import { combinedResult } from '../../engine';
import type { Check, CheckResult, CheckStage, CheckWindow, ShiftSubject } from '../../engine';
import { slotsToEvaluate } from '../../evaluation';
import type { CheckContext, JobServer } from '../check-context';
import { checkArgs, checkKind } from '../check-kind';
import type { ClusterAccessRule, CommonCheckArgs } from '../check-kind';
import { askKubernetes } from '../shared/kubernetes-source';
import { listOf, timeSpan } from '../shared/schemas';
import {
  slotAccess,
  slotServerEntries,
  slotServerProblems,
  slotServers,
  slotServersOfPrograms,
} from '../shared/slot-servers';
import type { SlotServersArgs } from '../shared/slot-servers';
import { containerSpec, copiedSpec } from './job';
import type { JobContainer, JobResources, JobVariable } from './job';
import { runJob } from './run-job';
import type { JobMemory } from './run-job';

/** What {@link kubernetesJob} takes: an `image`, or a `template`. */
export interface KubernetesJobArgs extends CommonCheckArgs, SlotServersArgs {
  /** Namespace of the Job, the same in every slot. */
  readonly namespace: string;
  /** Image of the container, by its digest: `registry.example.com/smoke@sha256:…`. @default - a `template` says it */
  readonly image?: string;
  /** The container's command. @default - the image's own */
  readonly command?: readonly string[];
  /** Arguments of the command. @default - the image's own */
  readonly args?: readonly string[];
  /**
   * Variables of the container; a secret is a key of a Secret in the namespace. `CLUSTER_CANARY_SLOT` and
   * `CLUSTER_CANARY_STAGE` are there as well.
   *
   * @default - none
   */
  readonly env?: Readonly<Record<string, JobVariable>>;
  /** User and group that the container runs as, by number; never 0. @default - the image's own, which must not be root */
  readonly user?: number;
  /** Service account of the pod. @default - the namespace's `default` */
  readonly serviceAccountName?: string;
  /** Whether the pod has the token of its service account, to ask the API server. @default false */
  readonly automountServiceAccountToken?: boolean;
  /** What the container asks of its node. @default - requests of 100m CPU and 128Mi, at most 256Mi of memory */
  readonly resources?: JobResources;
  /**
   * A Job (suspended, so that it does not run by itself) or CronJob of the namespace that says what is run.
   *
   * @default - an `image` says it
   */
  readonly template?:
    | {
        /** Name of the Job. */
        readonly job: string;
      }
    | {
        /** Name of the CronJob. */
        readonly cronJob: string;
      };
  /** How long the Job may take; one that has not ended by then fails. @default '5m' */
  readonly timeout?: string;
  /** Pods that may fail before the Job has failed. @default - 0; with a `template` as many as that says */
  readonly retries?: number;
  /**
   * When it runs: before a slot gets its first traffic, once after each step, or both.
   *
   * @default ['before'] - a slot that a test finds bad gets no user
   */
  readonly stages?: readonly CheckStage[];
}

const defaultTimeout = '5m';

/** Text that the API server takes. */
const word = text('text', /^[^\0]*$/);

const objectName = fits(dnsSubdomain, { pattern: '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$' });

/** @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/ */
const quantity = text('a quantity such as 500m or 256Mi', /^\d{1,15}(\.\d{1,9})?(m|k|[KMGTP]i?)?$/);

const variable: Schema<JobVariable> = secret(
  either<JobVariable>(
    'a text, or { secret: NAME, key: KEY } of a Secret',
    { when: (value) => typeof value === 'string', schema: word },
    {
      when: isPlainObject,
      schema: object<Exclude<JobVariable, string>>({
        secret: objectName,
        key: fits(secretKey, { pattern: '^[-\\w.]{1,253}$' }),
      }),
    },
  ),
);

/** What only a Job of one's own has. */
const ofImage = [
  'command',
  'args',
  'env',
  'user',
  'serviceAccountName',
  'automountServiceAccountToken',
  'resources',
] as const;

/**
 * Runs a Job in the cluster of each slot that gains weight, and takes its verdict: complete passes, failed fails with the last
 * lines of its log. While it runs, the check is inconclusive. What keeps it from running is named, and fails after a few
 * seconds where waiting is of no use: an image that can't be pulled, a quota, a webhook that refuses its pod. That says
 * nothing against the slot, so that traffic stays where it is.
 *
 * A Job is created once for each question, by a name that says which. A run that goes on after a kill or an interrupt finds it
 * and starts no second one; a Job that ended longer than `timeout` before that run began is removed, and run anew. A Job of
 * somebody else is left alone. Once its verdict is taken it is removed; the cluster removes one that is left after an hour.
 */
export const kubernetesJob = checkKind('kubernetesJob', {
  asks: "Each slot's cluster: does a Job, such as a smoke test, succeed there?",
  stages: ['before', 'after'],
  perRouter: false,
  beforeTraffic: true,
  needs: 'nothing',
  args: across(
    checkArgs<KubernetesJobArgs>({
      ...slotServerEntries,
      namespace: dnsLabelText,
      image: optional(fits(imageByDigest, { pattern: '^[a-z0-9][\\w.:/-]{0,440}@sha256:[0-9a-f]{64}$' })),
      command: optional(listOf(word)),
      args: optional(listOf(word)),
      env: optional(record(variable, fits(variableName, { pattern: '^[A-Za-z_]\\w*$' }))),
      user: optional(whole(1, 2_147_483_647)),
      serviceAccountName: optional(objectName),
      automountServiceAccountToken: optional(flag),
      resources: optional(
        object<JobResources>({ requests: optional(record(quantity)), limits: optional(record(quantity)) }),
      ),
      template: optional(
        oneKeyOf<{ readonly job: string; readonly cronJob: string }>(
          { job: objectName, cronJob: objectName },
          'the name of one in the namespace, { job: NAME } or { cronJob: NAME }',
        ),
      ),
      timeout: optional(timeSpan),
      retries: optional(whole(0, 10)),
      stages: optional(listOf(oneOf('before', 'after'))),
    }),
    (args, { mustBe, mustBeSecretly, conflicts }) => {
      if (args.image === undefined && args.template === undefined) {
        mustBe(['image'], 'there, or "template": one of them says what is run');
      }
      const { template } = args;
      const beside = template === undefined ? [] : (['image', ...ofImage] as const);
      beside.filter((key) => args[key] !== undefined).forEach((key) => conflicts([key], 'template'));
      for (const key of ['command', 'args'] as const) {
        const words: readonly unknown[] = Array.isArray(args[key]) ? args[key] : [];
        if (words.every((each) => typeof each === 'string')) {
          const allowed = 'a text without a login or a secret in it: whoever may read the Job would see it';
          plainSecrets(words).forEach((position) => mustBe([key, position], allowed, hidden));
        }
      }
      for (const [name, value] of Object.entries(isPlainObject(args.env) ? args.env : {})) {
        if (typeof value === 'string' && (namesSecret(name) || holdsLogin(value))) {
          mustBeSecretly(
            ['env', name],
            '{ secret: NAME, key: KEY } of a Secret: whoever may read the Job would see it',
          );
        }
      }
    },
  ),
  programOnly: slotServersOfPrograms,
  problems: slotServerProblems,
  create: (name, settings, context): Check => {
    const servers = slotServers(settings, context.subject);
    const memory: JobMemory = { verdicts: new Map(), seen: new Map() };
    return {
      name,
      stages: settings.stages ?? ['before'],
      evaluate: async (window, signal) => {
        const slots = slotsToEvaluate(window).filter(
          (slot) => window.stage === 'after' || (window.live[slot] ?? 0) === 0,
        );
        if (slots.length === 0) {
          return { status: 'pass', reason: 'runs before a slot gets its first traffic', figures: [] };
        }
        const results = await Promise.all(
          slots.map((slot) =>
            askKubernetes(context.kubernetesJobs, servers[slot]!, (server) =>
              evaluate(settings, { name, slot, window, server, memory, signal }, context),
            ),
          ),
        );
        return together(results);
      },
    };
  },
  access: (settings, subject) => accessOf(settings, subject),
});

interface Asked {
  readonly name: string;
  readonly slot: string;
  readonly window: CheckWindow;
  readonly server: JobServer;
  readonly memory: JobMemory;
  readonly signal: AbortSignal | undefined;
}

async function evaluate(
  settings: KubernetesJobArgs,
  { name, slot, window, server, memory, signal }: Asked,
  { clock, subject }: CheckContext,
): Promise<CheckResult> {
  const { namespace, template, image = '', retries, timeout = defaultTimeout } = settings;
  const { stage, live, wanted, startedAt } = window;
  const about = { slot, stage };
  const spec =
    template === undefined
      ? containerSpec({ ...(settings satisfies Omit<JobContainer, 'image'>), image }, retries ?? 0, about)
      : copiedSpec(await server.get(templateReference(template, namespace), signal), retries);
  const timeoutMs = parseDuration(timeout)!;
  const question = { live, wanted, of: placesOf(subject) };
  return runJob(
    { namespace, check: name, ...about, question, spec, timeoutMs },
    { server, clock, memory, startedAt, signal },
  );
}

function templateReference(template: NonNullable<KubernetesJobArgs['template']>, namespace: string) {
  const [kind, name] = 'job' in template ? ['Job', template.job] : ['CronJob', template.cronJob];
  return { apiVersion: 'batch/v1', kind, metadata: { name, namespace } };
}

/** What is shifted: other shifts of the same clusters have Jobs of their own. */
function placesOf({ loadBalancerArn, slots }: ShiftSubject): unknown {
  const groups = Object.entries(slots).map(([slot, { targetGroupArn }]) => [slot, targetGroupArn ?? '']);
  return [loadBalancerArn ?? '', groups];
}

/** Jobs that do not run hold the shift; one that has failed takes it back. */
function together(results: readonly CheckResult[]): CheckResult {
  const failed = results.filter(({ status }) => status === 'fail');
  const holds = failed.length > 0 && failed.every((each) => each.holds === true);
  return { ...combinedResult(results), ...(holds && { holds }) };
}

function accessOf(settings: KubernetesJobArgs, subject: ShiftSubject): readonly ClusterAccessRule[] {
  const { namespace, template } = settings;
  const cronJob = template !== undefined && 'cronJob' in template ? [template.cronJob] : [];
  return [
    { apiGroups: ['batch'], resources: ['jobs'], verbs: ['get', 'create', 'delete'], namespace },
    ...cronJob.map((name) => ({
      apiGroups: ['batch'],
      resources: ['cronjobs'],
      verbs: ['get'],
      resourceNames: [name],
      namespace,
    })),
    // What keeps a pod from running, and from being created.
    { apiGroups: [''], resources: ['pods', 'events'], verbs: ['list'], namespace },
    { apiGroups: [''], resources: ['pods/log'], verbs: ['get'], namespace },
  ].map((rule) => slotAccess(settings, subject, rule));
}
