import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { createHash } from 'node:crypto';
import { parseDuration } from '../../../core/durations';
import type { AccessRule } from '../../../core/kubernetes/api';
import { labelsBeforeDrainAnnotation, skipReconcileAnnotation } from '../../../core/names';
import { opaque } from '../../../core/validation/arguments';
import { across, either, list, object, optional, record } from '../../../core/validation/collections';
import {
  dnsLabel,
  dnsLabelUpTo,
  dnsSubdomain,
  timeZone,
  variableName,
} from '../../../core/validation/formats';
import { InvalidInput, isPlainObject } from '../../../core/validation/problems';
import { yaml } from '../../../core/validation/yaml';
import { duration, fits, flag, whole } from '../../../core/validation/values';
import { cronSchedule } from '../../cron-schedule';
import { commandPodEntries, commandPodEnvironment, podSecurity, restricted } from '../../command-pod';
import { constructSubject, labels as labelsSchema, refuseProps, secretValue } from '../../field-schemas';
import { withoutNamespace } from '../../objects';
import { ValidatingPolicy } from '../../webhooks';
import { openObject } from '../definition';
import { changesSecrets, labelsPolicy } from '../shift-workflow/labels-policy';
import {
  accessRule,
  environmentOf,
  folder,
  folderMounts,
  folderVolumes,
  keysInBoth,
  notInBoth,
} from '../shift-workflow/pod-props';
import type { EnvironmentSecret } from '../shift-workflow/pod-props';
import { accessObjects, podSpecPatch } from '../shift-workflow/pods';
import { refuseOutsidePod } from './swap-in-pod';

/**
 * A swap as its file has it, as far as a workflow has to know it: the rest is written into the file as it is, and evaluated by
 * the command that reads it.
 */
export type WorkflowSwap = WorkflowFleetSwap | WorkflowFleetsSwap;

/** The swap of one fleet. */
export interface WorkflowFleetSwap {
  /** Name of the fleet. */
  readonly fleet: string;
  /** The program that makes the fleet. Paths in it start from `/etc/cluster-canary`: give absolute ones. */
  readonly program: object;
  readonly [field: string]: unknown;
}

/** The swaps of several fleets, in waves. */
export interface WorkflowFleetsSwap {
  /** The fleets by name, each with its program. Paths start from `/etc/cluster-canary`: give absolute ones. */
  readonly fleets: Readonly<
    Record<
      string,
      {
        /** The program that makes this fleet. */
        readonly program: object;
        readonly [field: string]: unknown;
      }
    >
  >;
  readonly [field: string]: unknown;
}

/** What a `SwapWorkflow` is made of. */
export interface SwapWorkflowProps {
  /** Name of the objects: a DNS label of at most 40 characters, since Argo Workflows makes longer names of it. */
  readonly name: string;
  /** Namespace of all objects; Argo Workflows has to watch it. */
  readonly namespace: string;
  /**
   * The swap, as a swap file has it. `readSwapFile` of `cluster-canary/swap` refuses what is wrong in a file; the command does, too,
   * before it changes anything.
   */
  readonly swap: WorkflowSwap;
  /**
   * Image with the command `cluster-canary` and with what its program needs: `git`, or `pulumi` and the program's own folder. By
   * its digest, `NAME@sha256:…`: a tag may be another image in the middle of a swap.
   */
  readonly image: string;
  /**
   * The command in the image. It is needed even where the image says it: else Argo Workflows asks the registry.
   *
   * @default ['cluster-canary']
   */
  readonly command?: readonly string[];
  /**
   * When it runs: five cron fields. Each run goes on where the one before stopped, or says that nothing is to be done.
   *
   * @default - every 15 minutes: a window, an answer or the end of a soak is not waited for longer
   */
  readonly schedule?: string;
  /** Time zone of the schedule. @default 'UTC' */
  readonly timeZone?: string;
  /** Whether it is paused: the objects are there, and nothing runs. @default false */
  readonly suspend?: boolean;
  /** Name of the service account, which is created. @default - the name of the workflow */
  readonly serviceAccountName?: string;
  /**
   * How long one run may take. Then its pod is interrupted, and the next run goes on. Waits are not part of it.
   *
   * @default '12h' - the default times of `create`, `shift`, `drain` and `delete` together; with pull requests on GitHub '84h', since
   * a run waits for their merges, for which each of three phases has a day
   */
  readonly deadline?: string;
  /** How long a run that succeeded is kept. @default '1h' - most of them had nothing to do */
  readonly keepSucceeded?: string;
  /** How long one that failed is kept. @default '168h' */
  readonly keepFailed?: string;
  /**
   * Rights on the API server of this cluster: of `cluster-canary swap --rights`, those of the cluster that the workflow runs in.
   * They are granted in their own namespaces. Where they hold `patch` of Secrets, a policy lets the account change the traffic
   * labels and the annotations `argocd.argoproj.io/skip-reconcile` and `cluster-canary/labels-before-drain` of Argo CD's cluster
   * Secrets alone.
   *
   * @default - none but what Argo's executor needs
   */
  readonly access?: readonly AccessRule[];
  /** Environment variables in plain text. @default - none */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Environment variables whose values are kept in Secrets: `GITHUB_TOKEN`, `PULUMI_CONFIG_PASSPHRASE`. Those that `program.git` and
   * checks of the swap name for secrets are required.
   *
   * @default - none
   */
  readonly secrets?: Readonly<Record<string, EnvironmentSecret>>;
  /** Secrets that are mounted, by the path of the folder: kubeconfigs. @default - none */
  readonly secretFolders?: Readonly<Record<string, string>>;
  /**
   * Persistent volume claims that are mounted, by the path of the folder: the checkout of a program of `pulumi`, whose
   * `Pulumi.STACK.yaml` the swap writes and the next run reads.
   *
   * @default - none
   */
  readonly claimFolders?: Readonly<Record<string, string>>;
  /** Resources of the pods. @default - requests 100m and 256Mi, limit 1Gi of memory, since Pulumi runs in them */
  readonly resources?: object;
  /** User and group that the pods run as; never 0. @default 65532 - the user of images without one of their own */
  readonly user?: number;
  /** Whether a NetworkPolicy refuses all connections to the pods. They connect out to wherever the swap asks. @default true */
  readonly networkPolicy?: boolean;
  /** Labels of all objects and pods. @default - `app.kubernetes.io/name` and `app.kubernetes.io/instance` */
  readonly labels?: Readonly<Record<string, string>>;
  /** Fields of the container laid over ours, unchecked. @default - none */
  readonly containerArgs?: object;
  /** Fields of the workflow's spec laid over ours, unchecked: `nodeSelector`, say. @default - none */
  readonly specArgs?: object;
}

/** A CronWorkflow's name has at most 52 characters, and twelve are ours. */
const longestName = 40;

const program = opaque('a mapping');

const swapAllowed = 'a swap: a mapping with fleet, program, or with fleets';

const workflowSwap = either<WorkflowSwap>(
  swapAllowed,
  {
    when: (value) => isPlainObject(value) && value.fleets !== undefined,
    schema: openObject(() => ({
      fleets: record(
        openObject(() => ({ program })),
        fits(dnsLabel),
        'a mapping of fleets by name',
      ),
    })),
  },
  { when: () => true, schema: openObject(() => ({ fleet: fits(dnsLabel), program }), swapAllowed) },
);

const swapWorkflowProps = across(
  object<SwapWorkflowProps>({
    name: fits(dnsLabelUpTo(longestName)),
    namespace: fits(dnsLabel),
    ...commandPodEntries,
    swap: workflowSwap,
    schedule: optional(fits(cronSchedule)),
    timeZone: optional(fits(timeZone)),
    suspend: optional(flag),
    serviceAccountName: optional(fits(dnsSubdomain)),
    deadline: optional(duration),
    keepSucceeded: optional(duration),
    keepFailed: optional(duration),
    access: optional(list(accessRule)),
    env: optional(commandPodEnvironment),
    secrets: optional(record(secretValue, fits(variableName))),
    secretFolders: optional(record(fits(dnsSubdomain), fits(folder))),
    claimFolders: optional(record(fits(dnsSubdomain), fits(folder))),
    user: optional(whole(1, 2_147_483_647)),
    networkPolicy: optional(flag),
    labels: optional(labelsSchema),
    containerArgs: optional(opaque('an object with fields of a container')),
    specArgs: optional(opaque("an object with fields of a workflow's spec")),
  }),
  (props, objections) => {
    notInBoth(props, objections);
    const { swap, env, secrets, secretFolders, claimFolders, containerArgs } = props;
    const folders = [secretFolders, claimFolders];
    refuseOutsidePod(swap, { env, secrets, containerArgs, folders }, objections);
    for (const path of keysInBoth(secretFolders, claimFolders)) {
      objections.mustBe(
        ['claimFolders', path],
        'left out of "claimFolders" or of "secretFolders": it is in both',
      );
    }
  },
);

const argo = 'argoproj.io/v1alpha1';

const swapFolder = '/etc/cluster-canary';

const swapFile = 'swap.yaml';

/** A ConfigMap holds a mebibyte; the object around it needs some of that. */
const longestSwap = 1_000_000;

/**
 * A swap that runs by itself, in the hub: a CronWorkflow that runs `cluster-canary swap --no-wait` on a schedule. No pod waits
 * for a window, a person or a soak: a run ends there, and a later one goes on. Two runs exclude each other.
 *
 * It makes a ConfigMap with the swap file, a service account with the rights of Argo's executor and of `access`, a
 * NetworkPolicy and the CronWorkflow; where `access` reaches Secrets, a ValidatingAdmissionPolicy. Rights at AWS come to the
 * service account by EKS Pod Identity: those of `cluster-canary swap --rights`, and those of the program's deployment. A run
 * that rolls back, is aborted or is held by a failure has failed; {@link WorkflowAlerts} tells of it.
 *
 * @example
 * readSwapFile('swap.yaml'); // of `cluster-canary/swap`: throws with everything that is wrong in it
 * new workflows.SwapWorkflow(chart, 'swap', {
 *   name: 'swap-apps',
 *   namespace: 'shifts',
 *   image: 'registry.example.com/cluster-canary@sha256:…',
 *   swap: parse(readFileSync('swap.yaml', 'utf8'), { merge: true }),
 *   secrets: { GITHUB_TOKEN: { secret: 'github', key: 'token' } },
 *   access: rules, // of the Role that `swap --rights` prints for the cluster of the workflow
 * });
 */
export class SwapWorkflow extends Construct {
  /** The service account that the pods run as. */
  public readonly serviceAccount: {
    /** Its namespace. */
    readonly namespace: string;
    /** Its name. */
    readonly name: string;
  };
  /** The CronWorkflow. */
  public readonly cronWorkflow: ApiObject;

  /** @throws InvalidInput with everything that is wrong */
  public constructor(scope: Construct, id: string, props: SwapWorkflowProps) {
    refuseProps(constructSubject('SwapWorkflow', id, props), swapWorkflowProps, props);
    super(scope, id);
    const { name, namespace, access = [] } = props;
    const text = swapText(props);
    const labels = {
      'app.kubernetes.io/name': 'cluster-swap',
      'app.kubernetes.io/instance': name,
      ...props.labels,
    };
    this.serviceAccount = { namespace, name: props.serviceAccountName ?? name };
    const configMap = `${name}-${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
    const make = (key: string, manifest: Manifest): ApiObject =>
      new ApiObject(this, key, { ...manifest, metadata: { namespace, ...manifest.metadata, labels } });

    make('Swap', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: configMap },
      immutable: true,
      data: { [swapFile]: text },
    });
    for (const manifest of accessObjects(name, this.serviceAccount, access, labels)) {
      const { kind, metadata } = manifest;
      const made = new ApiObject(
        this,
        kind === 'ServiceAccount' ? kind : `${kind} ${metadata.namespace ?? ''}`,
        manifest,
      );
      if (metadata.namespace === undefined) {
        withoutNamespace(made);
      }
    }
    const policies = changesSecrets(access)
      ? [
          new ValidatingPolicy(
            this,
            'Policy',
            labelsPolicy(name, this.serviceAccount, labels, [
              skipReconcileAnnotation,
              labelsBeforeDrainAnnotation,
            ]),
          ),
        ]
      : [];
    if (props.networkPolicy !== false) {
      make('NetworkPolicy', {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata: { name },
        spec: { podSelector: { matchLabels: labels }, policyTypes: ['Ingress'], ingress: [] },
      });
    }
    this.cronWorkflow = make('CronWorkflow', {
      apiVersion: argo,
      kind: 'CronWorkflow',
      metadata: { name },
      spec: {
        schedules: [props.schedule ?? '*/15 * * * *'],
        timezone: props.timeZone ?? 'UTC',
        concurrencyPolicy: 'Forbid',
        suspend: props.suspend ?? false,
        workflowMetadata: { labels },
        workflowSpec: {
          ...specOf(props, configMap, labels, this.serviceAccount.name),
          ...props.specArgs,
        },
      },
    });
    // Before there is a policy, the account could change any Secret there.
    this.cronWorkflow.addDependency(...policies);
  }
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly [field: string]: unknown;
}

function swapText({ name, swap }: SwapWorkflowProps): string {
  // Data of a program may name one object twice: the file says it twice, too.
  const text = yaml.stringify(swap, { aliasDuplicateObjects: false });
  const bytes = Buffer.byteLength(text);
  if (bytes > longestSwap) {
    const allowed = `at most ${longestSwap} bytes, as a ConfigMap holds`;
    throw new InvalidInput(`SwapWorkflow "${name}"`, [
      { path: 'swap', value: `${bytes} bytes of YAML`, allowed },
    ]);
  }
  return text;
}

/** Whether a person merges what a swap deploys. */
function isMerged(swap: WorkflowSwap): boolean {
  const holders: readonly unknown[] = isPlainObject(swap.fleets) ? Object.values(swap.fleets) : [swap];
  return holders.some((holder) => {
    const program = isPlainObject(holder) ? holder.program : undefined;
    const git = isPlainObject(program) ? program.git : undefined;
    return isPlainObject(git) && git.github !== undefined;
  });
}

/**
 * A workflow of one pod. One that was lost is tried once its lease has expired; a verdict is not: the next run asks again.
 *
 * @see https://argo-workflows.readthedocs.io/en/latest/fields/#workflowspec
 */
function specOf(
  props: SwapWorkflowProps,
  configMap: string,
  podLabels: Readonly<Record<string, string>>,
  serviceAccountName: string,
): object {
  const { image, command = ['cluster-canary'], user = 65_532 } = props;
  return {
    entrypoint: 'swap',
    serviceAccountName,
    activeDeadlineSeconds: seconds(props.deadline ?? (isMerged(props.swap) ? '84h' : '12h')),
    ttlStrategy: {
      secondsAfterSuccess: seconds(props.keepSucceeded ?? '1h'),
      secondsAfterFailure: seconds(props.keepFailed ?? '168h'),
    },
    podGC: { strategy: 'OnPodSuccess' },
    podMetadata: { labels: podLabels },
    securityContext: podSecurity(user, 'ofGroup'),
    podSpecPatch,
    volumes: [
      { name: 'swap', configMap: { name: configMap } },
      { name: 'temporary', emptyDir: {} },
      ...folderVolumes(props),
    ],
    templates: [
      {
        name: 'swap',
        retryStrategy: {
          limit: 2,
          retryPolicy: 'Always',
          expression: ['1', '2'].map((status) => `lastRetry.exitCode != "${status}"`).join(' && '),
          // A lease lasts for two minutes.
          backoff: { duration: '150' },
        },
        container: {
          image,
          command,
          args: ['swap', `${swapFolder}/${swapFile}`, '--no-wait'],
          env: [{ name: 'HOME', value: '/tmp' }, ...environmentOf(props)],
          resources: props.resources ?? {
            requests: { cpu: '100m', memory: '256Mi' },
            limits: { memory: '1Gi' },
          },
          securityContext: { ...restricted, readOnlyRootFilesystem: true },
          volumeMounts: [
            { name: 'swap', mountPath: swapFolder, readOnly: true },
            { name: 'temporary', mountPath: '/tmp' },
            ...folderMounts(props),
          ],
          ...props.containerArgs,
        },
      },
    ],
  };
}

function seconds(text: string): number {
  return Math.ceil(parseDuration(text)! / 1000);
}
