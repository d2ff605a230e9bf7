import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { createHash } from 'node:crypto';
import { evaluatedNamespace } from '../../core/admission/requests';
import type { AccessRule } from '../../core/kubernetes/api';
import { opaque } from '../../core/validation/arguments';
import { object, optional } from '../../core/validation/collections';
import { dnsLabelUpTo, dnsSubdomain } from '../../core/validation/formats';
import { fits, text } from '../../core/validation/values';
import { yaml } from '../../core/validation/yaml';
import {
  commandPodEntries,
  commandPodSpec,
  commandPodEnvironment,
  roleOf,
  rulesWithin,
  serviceAccount,
} from '../command-pod';
import { labels as labelsSchema, refuseProps, constructSubject } from '../field-schemas';
import { register } from '../objects';
import { ValidatingPolicy } from '../webhooks';
import { withDefaults } from './cluster-set';
import type { ClusterSet } from './cluster-set';
import { clusterSetSchema } from './cluster-set-schema';
import { secretsPolicy } from './secrets-policy';

/** What a `ClusterSetSync` is made of. */
export interface ClusterSetSyncProps {
  /** Name of the objects: a DNS label of at most 43 characters, since a CronJob makes longer names of it. */
  readonly name: string;
  /** Namespace of the pods. @default - that of the set's Secrets */
  readonly namespace?: string;
  /** The set, as its file has it. */
  readonly set: ClusterSet;
  /** Image with the command `cluster-canary`, by its digest: `NAME@sha256:…`. It may write every Secret of Argo CD. */
  readonly image: string;
  /** The command in the image. @default ['cluster-canary'] */
  readonly command?: readonly string[];
  /**
   * Five fields of cron: a CronJob then runs at these times. Between two runs nothing runs.
   * @default - a Deployment looks once in the set's `interval`
   */
  readonly schedule?: string;
  /** Name of the service account, which is created. @default - the name of the objects */
  readonly serviceAccountName?: string;
  /** Environment variables in plain text: `AWS_REGION` where the set names no regions. @default - none */
  readonly env?: Readonly<Record<string, string>>;
  /** Resources of the pod. @default - requests 50m and 128Mi, limit 512Mi of memory: enough for 1,000 clusters */
  readonly resources?: object;
  /** User and group that the pod runs as; never 0. @default 65532 - the user of images without one of their own */
  readonly user?: number;
  /** Further labels of all objects and pods. @default - `app.kubernetes.io/name` and `app.kubernetes.io/instance` alone */
  readonly labels?: Readonly<Record<string, string>>;
  /** Fields of the pod's spec laid over ours, unchecked: `nodeSelector`, say. @default - none */
  readonly podArgs?: object;
}

/** A CronJob's name has at most 52 characters; the ConfigMap's ends in a hash of eight and a dash. */
const longestName = 43;

const clusterSetSyncProps = object<ClusterSetSyncProps>({
  name: fits(dnsLabelUpTo(longestName)),
  namespace: optional(fits(evaluatedNamespace)),
  ...commandPodEntries,
  set: clusterSetSchema,
  schedule: optional(text('five fields of cron, such as "*/5 * * * *"', /^[\d*/,-]+( [\dA-Za-z*/,?-]+){4}$/)),
  serviceAccountName: optional(fits(dnsSubdomain)),
  env: optional(commandPodEnvironment),
  labels: optional(labelsSchema),
  podArgs: optional(opaque("an object with fields of a pod's spec")),
});

const folder = '/etc/cluster-canary';

/** Name of the file in the ConfigMap. */
const setFile = 'clusterset.yaml';

/** A Job that hangs is ended after so many seconds: 1,000 clusters take less than a minute. */
const jobDeadline = 600;

/**
 * What a set needs on the hub. Kubernetes can't limit `list` and `create` to some names, nor any verb to some labels: these
 * rights reach every Secret of the namespace. The policy of `ClusterSetSync` limits its writes to Secrets of its own.
 */
export function clusterSetAccess(namespace: string): readonly AccessRule[] {
  return [
    {
      apiGroups: [''],
      resources: ['secrets'],
      verbs: ['get', 'list', 'create', 'patch', 'delete'],
      namespace,
    },
  ];
}

/** The pod that runs the command. */
function podTemplate(
  props: ClusterSetSyncProps,
  configMap: string,
  serviceAccountName: string,
  labels: Readonly<Record<string, string>>,
): object {
  const { image, command = ['cluster-canary'], env = {}, user = 65_532, schedule } = props;
  const watch = schedule === undefined;
  return {
    metadata: { labels },
    spec: {
      ...commandPodSpec({
        serviceAccountName,
        restartPolicy: watch ? 'Always' : 'Never',
        user,
        files: 'ofGroup',
        container: {
          name: 'sync',
          image,
          command,
          args: ['clusters', 'sync', '--config', `${folder}/${setFile}`, ...(watch ? ['--watch'] : [])],
          env: [
            { name: 'HOME', value: '/tmp' },
            ...Object.entries(env).map(([name, value]) => ({ name, value })),
          ],
          resources: props.resources ?? {
            requests: { cpu: '50m', memory: '128Mi' },
            limits: { memory: '512Mi' },
          },
          volumeMounts: [
            { name: 'set', mountPath: folder, readOnly: true },
            { name: 'temporary', mountPath: '/tmp' },
          ],
        },
        volumes: [
          { name: 'set', configMap: { name: configMap } },
          { name: 'temporary', emptyDir: {} },
        ],
      }),
      ...props.podArgs,
    },
  };
}

/**
 * One pod, and never two: the old one is gone before the next one starts.
 *
 * @param ownLabels labels of the pod that never change: Kubernetes refuses another selector
 */
function deploymentSpec(template: object, ownLabels: Readonly<Record<string, string>>): object {
  return { replicas: 1, strategy: { type: 'Recreate' }, selector: { matchLabels: ownLabels }, template };
}

/** A run that fails shows as a failed Job; the next one tries again. */
function cronJobSpec(schedule: string, template: object): object {
  return {
    schedule,
    concurrencyPolicy: 'Forbid',
    startingDeadlineSeconds: 60,
    successfulJobsHistoryLimit: 1,
    failedJobsHistoryLimit: 3,
    jobTemplate: { spec: { backoffLimit: 0, activeDeadlineSeconds: jobDeadline, template } },
  };
}

/** Eight digits keep two versions of a set apart. */
const hashLength = 8;

/**
 * Keeps Argo CD's cluster Secrets in step with EKS clusters from inside of the hub: a Deployment that looks again and
 * again, or a CronJob.
 *
 * It makes a ConfigMap with the set, a service account, a Role for the Secrets of Argo CD's namespace, and a
 * ValidatingAdmissionPolicy that limits the account's writes to the set's own cluster Secrets. Rights at AWS
 * come to the service account by EKS Pod Identity: `clusterSetRights` says which, and `addons.PodIdentityRole` makes the
 * role. No NetworkPolicy is made: nothing listens in the pod.
 *
 * @example
 * new clusterSync.ClusterSetSync(chart, 'clusters', {
 *   name: 'clusters',
 *   image: 'registry.example.com/cluster-canary@sha256:…',
 *   set: parse(readFileSync('clusterset.yaml', 'utf8')),
 * });
 */
export class ClusterSetSync extends Construct {
  /** The service account that the pods run as. */
  public readonly serviceAccount: {
    /** Its namespace. */
    readonly namespace: string;
    /** Its name. */
    readonly name: string;
  };
  /** What limits its writes to the set's own cluster Secrets. */
  public readonly policy: ValidatingPolicy;
  /** The Deployment or the CronJob. */
  public readonly workload: ApiObject;

  /** @throws InvalidInput with everything that is wrong */
  public constructor(scope: Construct, id: string, props: ClusterSetSyncProps) {
    refuseProps(constructSubject('ClusterSetSync', id, props), clusterSetSyncProps, props);
    super(scope, id);
    const { name } = props;
    const settings = withDefaults(props.set);
    const { namespace: argoNamespace } = settings;
    const namespace = props.namespace ?? argoNamespace;
    const account = props.serviceAccountName ?? name;
    const ownLabels = { 'app.kubernetes.io/name': 'cluster-set-sync', 'app.kubernetes.io/instance': name };
    const labels = { ...ownLabels, ...props.labels };
    this.serviceAccount = { namespace, name: account };
    const text = yaml.stringify(props.set, { aliasDuplicateObjects: false });
    const configMap = `${name}-${createHash('sha256').update(text).digest('hex').slice(0, hashLength)}`;
    const object = (kind: string, apiVersion: string, own: Manifest): ApiObject =>
      new ApiObject(this, kind, {
        apiVersion,
        kind,
        ...own,
        metadata: { namespace, name, ...own.metadata, labels },
      });

    this.policy = new ValidatingPolicy(
      this,
      'Policy',
      secretsPolicy({ name, account: this.serviceAccount, labels, settings }),
    );
    // A new set is a new name, so that pods start anew with it.
    object('ConfigMap', 'v1', { metadata: { name: configMap }, immutable: true, data: { [setFile]: text } });
    // Two of one name in different namespaces may both have a Role here.
    const role = namespace === argoNamespace ? name : `${namespace}-${name}`;
    const rules = rulesWithin(clusterSetAccess(argoNamespace), argoNamespace);
    register(this, [
      serviceAccount(this.serviceAccount, labels),
      ...roleOf(this.serviceAccount, { name: role, namespace: argoNamespace, labels }, rules),
    ]);
    const template = podTemplate(props, configMap, account, { ...labels, ...ownLabels });
    this.workload =
      props.schedule === undefined
        ? object('Deployment', 'apps/v1', { spec: deploymentSpec(template, ownLabels) })
        : object('CronJob', 'batch/v1', { spec: cronJobSpec(props.schedule, template) });
    // Before there is a policy, the account could write any Secret there.
    this.workload.addDependency(this.policy);
  }
}

interface Manifest {
  readonly metadata?: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}
