import * as pulumi from '@pulumi/pulumi';
import { Construct } from 'constructs';
import { marker } from '../../core/tokens';
import { refuseArguments } from '../../core/validation/arguments';
import { list, object, optional, record } from '../../core/validation/collections';
import { dnsSubdomain, goDuration, nonEmptyText } from '../../core/validation/formats';
import { InvalidInput, Problems } from '../../core/validation/problems';
import type { Entries, Schema } from '../../core/validation/schema';
import { anything, flag, oneOf, secret, text } from '../../core/validation/values';
import {
  AppProject,
  ApplicationSet,
  ClusterSecret,
  Repository,
  RepositoryCredentials,
  applicationSetEntries,
} from '../../manifests/argocd';
import type {
  AppProjectProps,
  ApplicationSetProps,
  BearerCredential,
  GitHubAppCredential,
  PasswordCredential,
  RepositoryCredential,
  RepositoryProps,
  SshCredential,
} from '../../manifests/argocd';
import { comparingPatch } from '../addons';
import type { ManagedCluster } from './clusters';

/** Argo CD deletes what an Application deployed when the Application goes, where it has this finalizer. */
const deletesResources = 'resources-finalizer.argocd.argoproj.io';

/**
 * An ApplicationSet for a hub that stands by: its Applications are compared, but nothing is synchronised by itself.
 * A strategy is left out as well, since the controller synchronises the Applications that a strategy steps through,
 * and so is a patch, which could switch on what the template switches off. (Add-ons keep their values, without which the
 * hub would compare with something else.)
 *
 * What is deployed stays when an Application goes, whatever the set says: without a right to write, the hub could not
 * delete it, and the Application would wait for that for ever.
 */
export function standbyApplicationSet(props: ApplicationSetProps): ApplicationSetProps {
  refuseArguments('standbyApplicationSet', object<ApplicationSetProps>(applicationSetEntries), props);
  const { strategy: _, templatePatch, ...rest } = props;
  const patch = comparingPatch(templatePatch);
  const { syncPolicy, ...spec } = props.template.spec;
  const { automated: __, ...manual } = syncPolicy ?? {};
  const { finalizers, ...metadata } = props.template.metadata;
  const kept = finalizers?.filter((each) => !each.startsWith(deletesResources));
  return {
    ...rest,
    ...(patch === undefined ? {} : { templatePatch: patch }),
    syncPolicy: { ...props.syncPolicy, preserveResourcesOnDeletion: true },
    template: {
      ...props.template,
      metadata: kept?.length ? { ...metadata, finalizers: kept } : metadata,
      spec: { ...spec, syncPolicy: manual },
    },
  };
}

type WithInputs<C> = C extends unknown ? { readonly [K in keyof C]: pulumi.Input<NonNullable<C[K]>> } : never;

/**
 * What Argo CD logs in to a repository with. The secret part must be an output (`config.requireSecret(…)`, or of a
 * secret store); it stays a Pulumi secret. Plain text is refused.
 */
export type HubCredential = WithInputs<
  PasswordCredential | BearerCredential | SshCredential | GitHubAppCredential
>;

/** A repository that Argo CD knows. */
export interface HubRepository extends Omit<RepositoryProps, 'credential' | 'namespace'> {
  /** What Argo CD logs in with. @default - none: the repository is public, or a credential template fits it */
  readonly credential?: HubCredential;
}

/** One credential for every repository whose URL begins with `url`. */
export interface HubCredentialTemplate extends Omit<
  HubRepository,
  'repositoryName' | 'project' | 'credential'
> {
  /** What Argo CD logs in with. */
  readonly credential: HubCredential;
}

type KeyOf<T> = T extends unknown ? keyof T : never;

/** Which of them go together, and that what is secret is no plain text, is evaluated with the object that they are of. */
const hubCredential = object<{ readonly [K in KeyOf<HubCredential>]?: unknown }>({
  username: optional(anything),
  password: optional(anything),
  bearerToken: optional(anything),
  sshPrivateKey: optional(anything),
  githubAppID: optional(anything),
  githubAppInstallationID: optional(anything),
  githubAppPrivateKey: optional(anything),
  githubAppEnterpriseBaseUrl: optional(anything),
}) as Schema as Schema<never>;

/** Of these only the types are evaluated here: formats, and what goes together, are evaluated with the objects. */
const locationEntries: Entries<Omit<HubCredentialTemplate, 'credential'>> = {
  name: text(dnsSubdomain.allowed),
  url: text(nonEmptyText.allowed),
  type: optional(oneOf('git', 'helm')),
  enableOCI: optional(flag),
  refreshInterval: optional(text(goDuration.allowed)),
  labels: optional(record(text('a text'))),
  annotations: optional(record(text('a text'))),
};

/** Credentials for several repositories each. In a wrong place a credential may be anywhere, so nothing is shown. */
export const hubCredentialTemplates: Schema<readonly HubCredentialTemplate[]> = secret(
  list(object<HubCredentialTemplate>({ ...locationEntries, credential: hubCredential })),
);

/** Repositories. In a wrong place a credential may be anywhere, so nothing is shown. */
export const hubRepositories: Schema<readonly HubRepository[]> = secret(
  list(
    object<HubRepository>({
      ...locationEntries,
      credential: optional(hubCredential),
      repositoryName: optional(text(nonEmptyText.allowed)),
      project: optional(text(dnsSubdomain.allowed)),
    }),
  ),
);

/** What Argo CD is told: the objects in its own namespace. */
export interface HubObjectsProps {
  /** Namespace of Argo CD. */
  readonly namespace: string;
  readonly projects: readonly Omit<AppProjectProps, 'namespace'>[];
  readonly repositories: readonly HubRepository[];
  readonly credentialTemplates: readonly HubCredentialTemplate[];
  readonly applicationSets: readonly Omit<ApplicationSetProps, 'namespace'>[];
  readonly clusters: readonly ManagedCluster[];
  /** Namespaces of the managed clusters that Argo CD is limited to. */
  readonly targetNamespaces?: readonly string[];
  /** Whether nothing may be synchronised by itself. */
  readonly standby: boolean;
  /** Makes text of an output. */
  readonly token: <T>(value: pulumi.Input<T>) => T;
}

/**
 * The objects that make an Argo CD a hub: projects, repositories, a cluster Secret per managed cluster, and
 * ApplicationSets.
 *
 * @throws InvalidInput with every problem of every object
 */
export class HubObjects extends Construct {
  public constructor(scope: Construct, id: string, props: HubObjectsProps) {
    super(scope, id);
    const problems = new Problems('Argo CD objects');
    const { namespace } = props;
    const each = <T extends { readonly name: string }>(
      path: string,
      items: readonly T[],
      make: (item: T, id: string) => Construct,
    ) =>
      items.forEach((item, index) => {
        collectProblems(problems, `${path}[${index}]`, () => make(item, `${path}-${index}`));
      });
    each('projects', props.projects, (item, key) => new AppProject(this, key, { ...item, namespace }));
    each('repositories', props.repositories, (item, key) => {
      const credential = item.credential && plainCredential(item.credential, props.token);
      return new Repository(this, key, { ...item, credential, namespace });
    });
    each('credentialTemplates', props.credentialTemplates, (item, key) => {
      const credential = plainCredential(item.credential, props.token);
      return new RepositoryCredentials(this, key, { ...item, credential, namespace });
    });
    props.clusters.forEach((cluster, index) => {
      collectProblems(problems, cluster.path, () => clusterSecret(this, `manages-${index}`, cluster, props));
    });
    each('applicationSets', props.applicationSets, (item, key) => {
      const wanted = { ...item, namespace };
      // Evaluated as it is wanted, also where the hub stands by: the other hub gets it so.
      const set = new ApplicationSet(this, key, wanted);
      if (!props.standby) {
        return set;
      }
      this.node.tryRemoveChild(key);
      return new ApplicationSet(this, key, standbyApplicationSet(wanted));
    });
    problems.throwIfAny();
  }
}

/** Whether nothing is wrong with what is at a place, so that it can be looked into. */
export function isSound(problems: Problems, path: string): boolean {
  return !problems.all.some((each) => each.path.startsWith(path));
}

/** Takes over what is wrong with an object that is made. */
export function collectProblems(problems: Problems, path: string, make: () => void): void {
  try {
    make();
  } catch (error) {
    if (!(error instanceof InvalidInput)) {
      throw error;
    }
    problems.addAll(error.problems, path);
  }
}

function plainCredential(credential: HubCredential, token: HubObjectsProps['token']): RepositoryCredential {
  return Object.fromEntries(
    Object.entries(credential).map(([key, value]: [string, pulumi.Input<unknown>]) => [
      key,
      pulumi.Output.isInstance(value) || value instanceof Promise ? token(pulumi.secret(value)) : value,
    ]),
  ) as unknown as RepositoryCredential;
}

function clusterSecret(
  scope: Construct,
  id: string,
  cluster: ManagedCluster,
  props: HubObjectsProps,
): ClusterSecret {
  const { token, targetNamespaces } = props;
  return new ClusterSecret(scope, id, {
    name: cluster.name,
    namespace: props.namespace,
    labels: cluster.labels,
    server: token(cluster.ref.endpoint),
    config: {
      awsAuthConfig: { clusterName: token(cluster.ref.clusterName) },
      tlsClientConfig: { caData: token(cluster.ref.certificateAuthority) },
    },
    namespaces: targetNamespaces,
  });
}

/**
 * A marker in place of an output, which has no value yet when arguments are evaluated. What is no output stays what it is, so
 * plain text in the place of a secret is seen.
 */
export function standIn<T>(value: pulumi.Input<T>): T {
  return (pulumi.Output.isInstance(value) || value instanceof Promise ? marker(0) : value) as T;
}
