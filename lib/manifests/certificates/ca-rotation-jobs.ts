import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import { createHash } from 'node:crypto';
import { bundleKinds, directInjection } from '../../core/certificates/ca-bundles';
import { parseDuration } from '../../core/durations';
import { commandPodSpec, lastWords, roleOf, serviceAccount } from '../command-pod';
import type { AccountName, PolicyRule } from '../command-pod';
import { withoutNamespace } from '../objects';
import type { Manifest } from '../objects';
import type { CaRotationProps, InjectedObject } from './ca-rotation';

const resources: Readonly<
  Record<InjectedObject['kind'], { readonly group: string; readonly resource: string }>
> = {
  MutatingWebhookConfiguration: {
    group: 'admissionregistration.k8s.io',
    resource: 'mutatingwebhookconfigurations',
  },
  ValidatingWebhookConfiguration: {
    group: 'admissionregistration.k8s.io',
    resource: 'validatingwebhookconfigurations',
  },
  CustomResourceDefinition: { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' },
  APIService: { group: 'apiregistration.k8s.io', resource: 'apiservices' },
};

/** `apps/v1` and so on of a kind that is injected into. */
function apiVersionOf(kind: InjectedObject['kind']): string {
  return bundleKinds.find((each) => each.kind === kind)!.apiVersion;
}

/**
 * The service account of a phase's Jobs with what they need, and no more: to write the one Secret (`publish`); to see CA
 * bundles and the Services' endpoints (`switch`, `retire`); to write the CA bundles of the named objects (`retire`).
 */
function rotationAccess(
  account: AccountName,
  { phase, services, injectedInto }: CaRotationProps,
  bundle: string,
): readonly Manifest[] {
  if (phase === 'publish') {
    const writes = { apiGroups: [''], resources: ['secrets'], resourceNames: [bundle], verbs: ['patch'] };
    return [serviceAccount(account), ...role(account, account.namespace, [writes])];
  }
  const namespaces = [...new Set(services.map(({ namespace }) => namespace))];
  const seesBundles = Object.values(resources).map(({ group, resource }) => ({
    apiGroups: [group],
    resources: [resource],
    verbs: ['list'],
  }));
  return [
    serviceAccount(account),
    ...namespaces.flatMap((namespace) =>
      role(account, namespace, [
        {
          apiGroups: [''],
          resources: ['services'],
          resourceNames: services.filter((each) => each.namespace === namespace).map(({ name }) => name),
          verbs: ['get'],
        },
        { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list'] },
      ]),
    ),
    ...role(account, undefined, [
      ...seesBundles,
      ...(phase === 'retire' ? injectedInto.map(writesBundle) : []),
    ]),
  ];
}

function writesBundle({ kind, name }: InjectedObject): PolicyRule {
  const { group, resource } = resources[kind];
  return { apiGroups: [group], resources: [resource], resourceNames: [name], verbs: ['get', 'patch'] };
}

/** A role, of a namespace or of the cluster, and its binding to the account. */
function role(
  account: AccountName,
  namespace: string | undefined,
  rules: readonly PolicyRule[],
): readonly Manifest[] {
  // Names of cluster-wide objects are shared by all namespaces.
  const metadata =
    namespace === undefined
      ? { name: `${account.namespace}-${account.name}` }
      : { name: account.name, namespace };
  return roleOf(account, metadata, rules);
}

/** Folder of the authorities' certificates in a Job's pod. */
const folder = '/authorities';

/** What a Job of a CA rotation is made of. */
export interface CaRotationJobSpec {
  /** What it does: `bundle`, `gate`, `retire`. */
  readonly does: string;
  readonly arguments: readonly string[];
  /** Name of the new generation. */
  readonly name: string;
  readonly namespace: string;
  /** Name of the service account. */
  readonly account: string;
  /** Secrets with the certificates of both generations. */
  readonly secrets: { readonly old: string; readonly renewed: string };
  readonly rotation: CaRotationProps;
  /** Argo CD applies what has a lower number first, and waits for it. */
  readonly wave: number;
}

/**
 * A Job of a CA rotation. Its pod gets the authorities' certificates as files, never their keys, and no right to read Secrets.
 * A Job can't be changed, so another content is another name.
 */
function rotationJob(job: CaRotationJobSpec): {
  readonly [field: string]: unknown;
  readonly apiVersion: string;
  readonly kind: string;
} {
  const spec = jobSpec(job);
  const hash = createHash('sha256').update(JSON.stringify(spec)).digest('hex').slice(0, 8);
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: `${job.name}-${job.does}-${hash}`,
      namespace: job.namespace,
      annotations: {
        // A sync fails where the Job does, and what comes after it is not applied; the next sync tries it again.
        'argocd.argoproj.io/hook': 'Sync',
        'argocd.argoproj.io/hook-delete-policy': 'BeforeHookCreation',
        'argocd.argoproj.io/sync-wave': String(job.wave),
        // Pulumi waits for it, no longer than its deadline; one that failed is made anew by the next `up`.
        'pulumi.com/timeoutSeconds': String(deadlineOf(job.rotation)),
        'pulumi.com/replaceUnready': 'true',
      },
    },
    spec,
  };
}

function waitOf({ wait = '10m' }: CaRotationProps): number {
  return Math.ceil(parseDuration(wait)! / 1000);
}

/** Two tries; pulling the image and mounting the Secrets takes its time, too. In seconds. */
function deadlineOf(rotation: CaRotationProps): number {
  return 2 * (waitOf(rotation) + 300);
}

function jobSpec({ name, account, secrets, rotation, does, ...job }: CaRotationJobSpec): object {
  const labels = { 'app.kubernetes.io/name': 'rekey', 'app.kubernetes.io/instance': name };
  const certificate = (secret: string, path: string): object => ({
    secret: { name: secret, items: [{ key: 'tls.crt', path }] },
  });
  return {
    backoffLimit: 1,
    activeDeadlineSeconds: deadlineOf(rotation),
    template: {
      metadata: { labels },
      spec: commandPodSpec({
        restartPolicy: 'Never',
        serviceAccountName: account,
        user: 65_532,
        container: {
          name: does,
          image: rotation.image,
          command: ['cluster-canary'],
          args: [
            ...[...job.arguments, '--authorities', folder, '--wait', String(waitOf(rotation))],
            ...['--message', lastWords, '--json'],
          ],
          leavesWords: true,
          resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '512Mi' } },
          volumeMounts: [{ name: 'authorities', mountPath: folder, readOnly: true }],
        },
        volumes: [
          {
            name: 'authorities',
            projected: {
              sources: [certificate(secrets.old, 'old.crt'), certificate(secrets.renewed, 'renewed.crt')],
            },
          },
        ],
      }),
    },
  };
}

/** Which CA rotation it is. */
export interface RotationNames {
  /** Name of the authority, without a generation. */
  readonly authority: string;
  readonly namespace: string;
  /** The new generation. */
  readonly generation: number;
  /** Names of the generations' objects and Secrets. */
  readonly old: string;
  readonly renewed: string;
}

/** Secret that both generations are injected from. */
export function bundleSecretName(renewed: string): string {
  return `${renewed}-bundle`;
}

/** What a phase needs beside the two generations. */
export interface RotationObjects {
  /** The Job that must succeed before what the phase changes may be applied. */
  readonly gate: ApiObject;
  /** The Secret with both generations, in the phases that inject from it. */
  readonly bundle?: ApiObject;
}

/**
 * Makes the Jobs of a phase, with their rights. `publish` writes the Secret with both generations, before anything is
 * injected from it. `switch` and `retire` wait until the phase before is over. `retire` also writes the CA bundles.
 *
 * @param certificates that the Jobs read
 */
export function rotationObjects(
  scope: Construct,
  rotation: CaRotationProps,
  names: RotationNames,
  certificates: readonly ApiObject[],
): RotationObjects {
  const { namespace, renewed } = names;
  const account = { name: `${renewed}-rekey`, namespace };
  const early = { 'argocd.argoproj.io/sync-wave': '-2' };
  const access = rotationAccess(account, rotation, bundleSecretName(renewed)).map((manifest) => {
    const { kind, metadata } = manifest;
    const object = new ApiObject(scope, `Rekey${kind}${metadata.namespace ?? ''}`, {
      ...manifest,
      metadata: { ...metadata, annotations: early },
    });
    return metadata.namespace === undefined ? withoutNamespace(object) : object;
  });
  const bundle =
    rotation.phase === 'retire'
      ? undefined
      : new ApiObject(scope, 'RekeyBundle', {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: {
            name: bundleSecretName(renewed),
            namespace,
            annotations: { ...early, [directInjection]: 'true' },
          },
        });
  const needed = [...access, ...certificates, ...(bundle ? [bundle] : [])];
  const job = (id: string, does: string, args: readonly string[], wave: number): ApiObject => {
    const created = new ApiObject(
      scope,
      id,
      rotationJob({
        ...{ does, rotation, namespace, wave },
        arguments: ['ca-rotation', ...args, ...identity(names)],
        name: renewed,
        account: account.name,
        secrets: { old: names.old, renewed },
      }),
    );
    created.addDependency(...needed);
    return created;
  };
  const places = serviceArguments(rotation);
  switch (rotation.phase) {
    case 'publish':
      return { gate: job('RekeyWriteBundle', 'bundle', ['bundle'], -1), bundle: bundle! };
    case 'switch':
      return {
        gate: job(
          'RekeyGate',
          'gate',
          ['check', 'publish', ...places, '--settle-time', rotation.settle ?? '1h'],
          -1,
        ),
        bundle: bundle!,
      };
    case 'retire': {
      const gate = job('RekeyGate', 'gate', ['check', 'switch', ...places], -1);
      const objects = rotation.injectedInto.flatMap(({ kind, name }) => ['--injected', `${kind}/${name}`]);
      job('RekeyRetire', 'retire', ['retire', ...places, ...objects], 1).addDependency(gate);
      return { gate };
    }
  }
}

function identity({ namespace, authority, generation }: RotationNames): string[] {
  return ['--namespace', namespace, '--name', authority, '--generation', String(generation)];
}

function serviceArguments({ services }: CaRotationProps): string[] {
  return services.flatMap(({ namespace, name, port }) => [
    '--service',
    `${namespace}/${name}${port === undefined ? '' : `:${port}`}`,
  ]);
}

/** The objects that are injected into, as the API names them. */
export function injectedObjects(objects: CaRotationProps['injectedInto']): {
  /** API version of the kind. */
  apiVersion: string;
  /** Kind of the object. */
  kind: string;
  /** What names it. */
  metadata: {
    /** Name of the object. */
    name: string;
  };
}[] {
  return objects.map(({ kind, name }) => ({ apiVersion: apiVersionOf(kind), kind, metadata: { name } }));
}
