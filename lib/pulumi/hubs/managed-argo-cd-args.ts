import type * as aws from '@pulumi/aws';
import type * as pulumi from '@pulumi/pulumi';
import { App, Chart } from 'cdk8s';
import { Construct } from 'constructs';
import { awsRegion } from '../../core/aws/arns';
import { vpcEndpointId } from '../../core/aws/identifiers';
import { rawArgs, refuseArguments } from '../../core/validation/arguments';
import { across, list, object, optional } from '../../core/validation/collections';
import { dnsLabel } from '../../core/validation/formats';
import { Problems } from '../../core/validation/problems';
import type { PlainObject, Problem } from '../../core/validation/problems';
import type { Schema } from '../../core/validation/schema';
import { following, text } from '../../core/validation/values';
import { ClusterSecret, appProjectEntries } from '../../manifests/argocd';
import type { AppProjectProps, ApplicationSetProps } from '../../manifests/argocd';
import { soundFleet } from '../fleet';
import type { ClusterCredentials, FleetSource } from '../fleet';
import { input, plainList } from '../input-schemas';
import { addonProblems } from './addons';
import { checkChosenSlot, checkManagedFleets, managedClusters } from './clusters';
import type { ManagedCluster } from './clusters';
import { hubEntries } from './hub-args';
import type { HubAwsArgs } from './hub-args';
import { HubObjects, collectProblems, isSound, standIn } from './hub-objects';
import type { HubCredentialTemplate, HubRepository } from './hub-objects';

/** What `ManagedArgoCdObjects` takes. */
export interface ManagedArgoCdObjectsProps {
  readonly args: Partial<ManagedArgoCdArgs>;
  readonly clusters: readonly ManagedCluster[];
  readonly namespace: string;
  /** Makes a text of an output. */
  readonly token: <T>(value: pulumi.Input<T>) => T;
}

/**
 * The same objects as a hub has, with two differences: a cluster is known by its ARN and needs no login, and a project names
 * the namespace of its Applications.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/argocd-register-clusters.html
 * @see https://docs.aws.amazon.com/eks/latest/userguide/argocd-projects.html
 */
export class ManagedArgoCdObjects extends Construct {
  /** @throws InvalidInput with everything that is wrong with the objects */
  public constructor(scope: Construct, id: string, props: ManagedArgoCdObjectsProps) {
    super(scope, id);
    const { args, clusters, namespace, token } = props;
    const problems = new Problems('Argo CD objects');
    collectProblems(problems, '', () => {
      new HubObjects(this, 'objects', {
        namespace,
        clusters: [],
        projects: (args.projects ?? []).map((each) => ({ ...each, sourceNamespaces: [namespace] })),
        repositories: args.repositories ?? [],
        credentialTemplates: args.credentialTemplates ?? [],
        applicationSets: args.applicationSets ?? [],
        targetNamespaces: undefined,
        standby: false,
        token,
      });
    });
    clusters.forEach((cluster, index) => {
      collectProblems(problems, cluster.path, () => {
        new ClusterSecret(this, `manages-${index}`, {
          name: cluster.name,
          namespace,
          labels: cluster.labels,
          server: token(cluster.ref.clusterArn),
          namespaces: args.targetNamespaces,
        });
      });
    });
    problems.throwIfAny();
  }
}

/**
 * What the managed Argo CD of EKS has not, by the settings that would ask for it.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/argocd-comparison.html
 */
const lacking: Readonly<Record<string, string>> = {
  notifications: 'it has no notifications controller; use an ArgoCdHub, or events of CloudWatch',
  sso: 'it logs in by AWS Identity Center alone, see "identityCenter"',
  groups: 'what people may do is said by "people", with identifiers of AWS Identity Center',
  policies: 'what people may do is said by "people", with identifiers of AWS Identity Center',
  resourceCustomizations: 'it has no custom health checks in Lua; use an ArgoCdHub',
  plugins: 'it has no config management plugins; use an ArgoCdHub, or render before Git',
  addonSteps:
    'a RollingSync is followed only where a parameter of Argo CD is on, and AWS gives no access to its parameters',
  values: "it has no chart; AWS gives no access to Argo CD's ConfigMaps and parameters",
  chartVersion: 'it has no chart; AWS chooses the version',
  highAvailability: 'it has no replicas to set; AWS sees to that',
  size: 'it has no replicas to set; AWS sees to that',
  repoCacheExpiration: "AWS gives no access to Argo CD's parameters",
};

/**
 * Everything that can be evaluated before anything is registered; answers the managed clusters.
 *
 * @throws InvalidInput with every problem of the plain values
 */
export function checkManagedArgoCd(name: string, args: ManagedArgoCdArgs): ManagedCluster[] {
  refuseArguments(`ManagedArgoCd "${name}"`, managedArgoCdArgs, args, (sound) =>
    hubProblems(name, { ...sound, fleet: args.fleet }),
  );
  return managedClusters(args.manages);
}

/** What the schema does not say of the arguments of a managed Argo CD. */
function hubProblems(name: string, args: Partial<ManagedArgoCdArgs>): readonly Problem[] {
  const problems = new Problems('hub');
  const { manages = [], namespace = 'argocd' } = args;
  problems.check('name', name, dnsLabel);
  const fleet = soundFleet(args.fleet);
  if (fleet !== undefined) {
    checkChosenSlot(problems, 'slot', args.slot, Object.keys(fleet.slots));
  }
  checkManagedFleets(problems, manages);
  collectProblems(problems, '', () => {
    const clusters = managedClusters(manages);
    new ManagedArgoCdObjects(new Chart(new App(), 'check'), 'hub', {
      ...{ args, clusters, namespace, token: standIn },
    });
  });
  checkSets(problems, args);
  checkProjects(problems, args);
  problems.addAll(addonProblems({ ...args, manages, steps: false }));
  return problems.all;
}

function checkSets(problems: Problems, { applicationSets = [] }: Partial<ManagedArgoCdArgs>): void {
  applicationSets.forEach((set, index) => {
    const at = `applicationSets[${index}]`;
    if (!isSound(problems, at)) {
      return;
    }
    const { annotations, strategy, template } = set;
    checkSubscriptions(problems, `${at}.annotations`, annotations);
    checkSubscriptions(problems, `${at}.template.metadata.annotations`, template.metadata.annotations);
    const { source, sources = [], destination } = template.spec;
    const all = source ? [source] : sources;
    all.forEach((each, position) => {
      if ('plugin' in each) {
        const path = source ? 'source' : `sources[${position}]`;
        problems.addSecret(`${at}.template.spec.${path}.plugin`, `left out: ${lacking.plugins!}`);
      }
    });
    if (strategy?.type === 'RollingSync') {
      problems.add(
        `${at}.strategy.type`,
        strategy.type,
        '"AllAtOnce", or left out: a RollingSync is followed only where a parameter of Argo CD is on, and AWS gives no ' +
          'access to its parameters',
      );
    }
    checkServer(problems, `${at}.template.spec.destination.server`, destination?.server);
    if (destination?.name === 'in-cluster') {
      problems.add(
        `${at}.template.spec.destination.name`,
        'in-cluster',
        'the name of a managed cluster, FLEET-SLOT: the managed Argo CD does not know the cluster that it belongs to',
      );
    }
  });
}

function checkProjects(problems: Problems, { projects = [] }: Partial<ManagedArgoCdArgs>): void {
  projects.forEach((project, index) => {
    if (!isSound(problems, `projects[${index}]`)) {
      return;
    }
    const { annotations, destinations } = project;
    checkSubscriptions(problems, `projects[${index}].annotations`, annotations);
    destinations.forEach(({ server }, position) => {
      checkServer(problems, `projects[${index}].destinations[${position}].server`, server);
    });
  });
}

/** https://docs.aws.amazon.com/eks/latest/userguide/argocd-register-clusters.html */
function checkServer(problems: Problems, path: string, server: string | undefined): void {
  if (server !== undefined && /^!?https?:/.test(server)) {
    problems.add(path, server, "the cluster's ARN: the managed Argo CD knows clusters by nothing else");
  }
}

function checkSubscriptions(
  problems: Problems,
  path: string,
  annotations: Readonly<Record<string, string>> | undefined,
): void {
  for (const key of Object.keys(annotations ?? {})) {
    if (key.startsWith('notifications.argoproj.io/')) {
      problems.add(path, key, `left out: for EKS's managed Argo CD, ${lacking.notifications!}`);
    }
  }
}

/** People of AWS Identity Center, by what they may do in Argo CD. */
export interface ManagedArgoCdPeople {
  /** Identifiers of groups. @default - none */
  readonly groups?: readonly string[];
  /** Identifiers of users. @default - none */
  readonly users?: readonly string[];
}

/** What `ManagedArgoCd` takes. */
export interface ManagedArgoCdArgs<Slot extends string = string> extends HubAwsArgs {
  /** The fleet in which the capability is made: a fleet of this program, or plain values of another stack's. */
  readonly fleet: FleetSource<Slot>;
  /** The slot whose cluster gets the capability. @default - the only slot; to be named where there are several */
  readonly slot?: NoInfer<Slot>;
  /** The fleets that Argo CD manages. */
  readonly manages: readonly FleetSource[];
  /** AWS Identity Center, which is the only login of the managed Argo CD. */
  readonly identityCenter: {
    /** ARN of the instance. */
    readonly instanceArn: pulumi.Input<string>;
    /** Its region. @default - that of the cluster */
    readonly region?: pulumi.Input<string>;
  };
  /**
   * Who may do what in Argo CD itself. Applications are seen by those who have a role of the project.
   * @default - nobody may do anything
   */
  readonly people?: {
    /** May do everything. */
    readonly admins?: ManagedArgoCdPeople;
    /** May make Applications. */
    readonly editors?: ManagedArgoCdPeople;
    /** May look. */
    readonly viewers?: ManagedArgoCdPeople;
  };
  /** VPC endpoints through which alone Argo CD's server is reached. @default - its public address */
  readonly vpcEndpointIds?: readonly pulumi.Input<string>[];
  /** Projects. @default - none but Argo CD's own */
  readonly projects?: readonly Omit<AppProjectProps, 'namespace' | 'sourceNamespaces'>[];
  /** Repositories. @default - none */
  readonly repositories?: readonly HubRepository[];
  /** Credentials for several repositories each. @default - none */
  readonly credentialTemplates?: readonly HubCredentialTemplate[];
  /** ApplicationSets. @default - none */
  readonly applicationSets?: readonly Omit<ApplicationSetProps, 'namespace'>[];
  /** Namespaces of the managed clusters that Argo CD is limited to. @default - everything, cluster-wide objects too */
  readonly targetNamespaces?: readonly string[];
  /** Namespace of Argo CD's objects: the only one that the managed Argo CD looks at. @default 'argocd' */
  readonly namespace?: string;
  /** Name of the capability. @default 'argocd' */
  readonly capabilityName?: string;
  /** Raw arguments of the capability. @default - none */
  readonly capabilityArgs?: Partial<aws.eks.CapabilityArgs>;
  /** Raw arguments of the capability's role. @default - none */
  readonly roleArgs?: Partial<aws.iam.RoleArgs>;
  /** How this program gets a token for a cluster of another stack. @default - the environment's */
  readonly credentials?: ClusterCredentials;
}

// Of every project, the hub says the namespaces.
const { namespace: _, sourceNamespaces: __, ...projectEntries } = appProjectEntries;

const people = object<ManagedArgoCdPeople>({
  groups: optional(plainList(text('the identifier of a group'))),
  users: optional(plainList(text('the identifier of a user'))),
});

const managedArgoCdArgs: Schema<ManagedArgoCdArgs> = across(
  object<ManagedArgoCdArgs>(
    {
      ...hubEntries,
      slot: optional(text('the name of a slot of the fleet')),
      identityCenter: object<ManagedArgoCdArgs['identityCenter']>({
        instanceArn: input({
          allowed: 'the ARN of an instance of AWS Identity Center',
          accepts: (value) => typeof value === 'string' && /^arn:aws[a-z-]*:sso:::instance\/\S+$/.test(value),
        }),
        region: optional(input(awsRegion)),
      }),
      people: optional(
        object<NonNullable<ManagedArgoCdArgs['people']>>({
          admins: optional(people),
          editors: optional(people),
          viewers: optional(people),
        }),
      ),
      vpcEndpointIds: optional(plainList(input(vpcEndpointId))),
      projects: optional(
        list(object<Omit<AppProjectProps, 'namespace' | 'sourceNamespaces'>>(projectEntries)),
      ),
      capabilityName: optional(following(dnsLabel)),
      capabilityArgs: optional(rawArgs),
    },
    undefined,
    Object.keys(lacking),
  ),
  (args, { mustBeSecretly }) => {
    for (const [option, reason] of Object.entries(lacking)) {
      if ((args as PlainObject)[option] !== undefined) {
        mustBeSecretly([option], `left out: for EKS's managed Argo CD, ${reason}`);
      }
    }
  },
);
