import type * as aws from '@pulumi/aws';
import type * as pulumi from '@pulumi/pulumi';
import { App, Chart } from 'cdk8s';
import { iamPolicyArn } from '../../core/aws/identifiers';
import { hubTag } from '../../core/names';
import { rawArgs, refuseArguments } from '../../core/validation/arguments';
import { list, object, optional } from '../../core/validation/collections';
import { dnsLabel, oneOfWords as isOneOf } from '../../core/validation/formats';
import { Problems } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import type { Entries, Schema } from '../../core/validation/schema';
import { flag, following, oneOf, text } from '../../core/validation/values';
import { appProjectEntries, applicationSetEntries } from '../../manifests/argocd';
import type { AppProjectProps, ApplicationSetProps } from '../../manifests/argocd';
import type { AwsSettings } from '../aws-settings';
import { ClusterFleet, clusterCredentials, fleetSource, soundFleet } from '../fleet';
import type { ClusterCredentials, FleetSource } from '../fleet';
import { awsTags, input, plainList } from '../input-schemas';
import { addonProblems, deliveredAddons } from './addons';
import { installationEntries, withDomain } from './argo-cd/chart';
import type { ArgoCdInstallation } from './argo-cd/chart';
import { hubSize } from './argo-cd/sharding';
import type { HubSize } from './argo-cd/sharding';
import { checkChosenSlot, checkManagedFleets, managedClusters } from './clusters';
import type { ManagedCluster } from './clusters';
import { handoverSettings } from './handover/dependencies';
import type { HandoverSettings } from './handover/dependencies';
import {
  HubObjects,
  collectProblems,
  isSound,
  hubCredentialTemplates,
  hubRepositories,
  standIn,
} from './hub-objects';
import type { HubCredentialTemplate, HubObjectsProps, HubRepository } from './hub-objects';

/** What `ArgoCdHub` takes. */
export interface ArgoCdHubArgs<Slot extends string = string>
  extends Omit<ArgoCdInstallation, 'size'>, HubAwsArgs {
  /** The clusters that Argo CD runs on: a fleet of this program, or plain values of another stack's. */
  readonly fleet: FleetSource<Slot>;
  /**
   * The slot whose Argo CD writes. The others stand by: they compare, and may only read in the managed clusters. Another
   * one is a handover, see `handover`.
   * @default - the only slot; to be named where there are several
   */
  readonly active?: NoInfer<Slot>;
  /** How one hub takes over from another. @default - each setting's own */
  readonly handover?: HandoverSettings;
  /**
   * Slots whose API server is gone. What is installed there is left as it is, and nothing is asked of it; its rights in the
   * managed clusters end all the same.
   *
   * Not with `identity: 'shared'`, and only where `fleet` is a `FleetRef`: a slot that this program makes is taken out of
   * its fleet instead, since all that it holds goes with its cluster.
   * @default - none
   */
  readonly lost?: readonly NoInfer<Slot>[];
  /** The fleets that Argo CD manages. */
  readonly manages: readonly FleetSource[];
  /** How many clusters and Applications it has to look after, see `argoCdSizing`. @default - the chart's own replicas */
  readonly size?: HubSize;
  /** Projects. @default - none but Argo CD's own */
  readonly projects?: readonly Omit<AppProjectProps, 'namespace'>[];
  /** Repositories. @default - none */
  readonly repositories?: readonly HubRepository[];
  /** Credentials for several repositories each. @default - none */
  readonly credentialTemplates?: readonly HubCredentialTemplate[];
  /** ApplicationSets. @default - none */
  readonly applicationSets?: readonly Omit<ApplicationSetProps, 'namespace'>[];
  /**
   * Whether an add-on that Argo CD delivers is synchronised only when all that it requires is healthy, by a RollingSync. Argo
   * CD then takes back no change that somebody makes in the cluster, and does not see a change of values alone.
   * @default false - each synchronises by itself, and is tried again until what it requires is there
   * @see https://github.com/argoproj/argo-cd/issues/27949
   */
  readonly addonSteps?: boolean;
  /**
   * Whether each hub slot has an IAM role of its own, or all share one. With a shared role the clusters can't tell
   * the hubs apart, so a standby's controllers do not run at all.
   * @default 'perSlot' - a standby is fenced off at every managed cluster
   */
  readonly identity?: 'perSlot' | 'shared';
  /** Namespaces of the managed clusters that Argo CD is limited to. @default - everything, cluster-wide objects too */
  readonly targetNamespaces?: readonly string[];
  /**
   * How Argo CD reaches the managed clusters' API servers: by a security group rule that lets the hub's nodes in on
   * port 443, or in a way of one's own.
   * @default 'securityGroup' - needed for private endpoints in the same or a peered VPC
   */
  readonly reach?: 'securityGroup' | 'own';
  /** Namespace of Argo CD. @default 'argocd' */
  readonly namespace?: string;
  /** Raw arguments of the IAM roles. @default - none */
  readonly roleArgs?: Partial<aws.iam.RoleArgs>;
  /** How this program gets a token for a hub cluster of another stack. @default - the environment's */
  readonly credentials?: ClusterCredentials;
}

/** What all AWS resources of a hub get. */
export interface HubAwsArgs {
  /**
   * AWS tags of everything that can be tagged: roles, Pod Identity associations, access entries, security group rules.
   * @default - the hub's name as `cluster-canary/hub`, which is there in any case
   */
  readonly tags?: Readonly<Record<string, string>>;
  /**
   * ARN of the permissions boundary of every IAM role. A role's own (`roleArgs`) comes before it.
   * @default - none
   * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_boundaries.html
   */
  readonly permissionsBoundaryArn?: pulumi.Input<string>;
}

// Of every project and set, the hub says the namespace.
const { namespace: _, ...projectEntries } = appProjectEntries;

const { namespace: __, ...setEntries } = applicationSetEntries;

/** A schema for each argument that an EKS-managed Argo CD has, too. */
export const hubEntries: Entries<
  HubAwsArgs &
    Pick<
      ArgoCdHubArgs,
      | 'fleet'
      | 'manages'
      | 'repositories'
      | 'credentialTemplates'
      | 'applicationSets'
      | 'targetNamespaces'
      | 'namespace'
      | 'roleArgs'
      | 'credentials'
    >
> = {
  fleet: fleetSource,
  manages: list<FleetSource>(fleetSource, 0, 'a list of fleets; empty for none'),
  repositories: optional(hubRepositories),
  credentialTemplates: optional(hubCredentialTemplates),
  applicationSets: optional(list(object<Omit<ApplicationSetProps, 'namespace'>>(setEntries))),
  targetNamespaces: optional(
    list<string>(following(dnsLabel), 1, 'a list with at least one namespace, or left out'),
  ),
  namespace: optional(following(dnsLabel)),
  tags: optional(awsTags),
  permissionsBoundaryArn: optional(input(iamPolicyArn)),
  roleArgs: optional(rawArgs),
  credentials: optional(clusterCredentials),
};

const argoCdHubArgs: Schema<ArgoCdHubArgs> = withDomain(
  object<ArgoCdHubArgs>({
    ...hubEntries,
    ...installationEntries,
    size: optional(hubSize),
    active: optional(text('the name of a slot of the fleet')),
    handover: optional(handoverSettings),
    lost: optional(plainList(text('the name of a slot of the fleet'))),
    projects: optional(list(object<Omit<AppProjectProps, 'namespace'>>(projectEntries))),
    addonSteps: optional(flag),
    identity: optional(oneOf('perSlot', 'shared')),
    reach: optional(oneOf('securityGroup', 'own')),
  }),
);

/** The settings of a hub's resources. */
export function hubSettings(name: string, { tags, permissionsBoundaryArn }: HubAwsArgs): AwsSettings {
  return { tags: { [hubTag]: name, ...tags }, permissionsBoundaryArn };
}

/**
 * How Argo CD is installed on a hub.
 *
 * @param clusters how many the hub manages
 */
export function installationOf(
  { size, ...installation }: ArgoCdHubArgs,
  clusters: number,
): ArgoCdInstallation {
  return size === undefined
    ? installation
    : { ...installation, size: { ...size, clusters: size.clusters ?? clusters } };
}

/** Whether an ApplicationSet has a strategy that the controller only follows when it is told to. */
export function stepsThroughApplications(args: ArgoCdHubArgs): boolean {
  const { applicationSets = [], addonSteps } = args;
  const { fleets } = deliveredAddons({ ...args, steps: addonSteps }, standIn);
  return [...applicationSets, ...[...fleets.values()].map(({ applicationSet }) => applicationSet)].some(
    ({ strategy }) => strategy?.type === 'RollingSync',
  );
}

/** What of a hub's arguments becomes objects. */
export function objectProps(
  args: Partial<ArgoCdHubArgs>,
  clusters: readonly ManagedCluster[],
  namespace: string,
): Omit<HubObjectsProps, 'standby' | 'token'> {
  return {
    namespace,
    clusters,
    projects: args.projects ?? [],
    repositories: args.repositories ?? [],
    credentialTemplates: args.credentialTemplates ?? [],
    applicationSets: args.applicationSets ?? [],
    targetNamespaces: args.targetNamespaces,
  };
}

/** Names of every ApplicationSet that a hub makes. */
export function setNames(args: ArgoCdHubArgs): readonly string[] {
  const { fleets } = deliveredAddons(args, standIn);
  const ofAddons = [...fleets.values()].map(({ applicationSet }) => applicationSet);
  return [...(args.applicationSets ?? []), ...ofAddons].map(({ name }) => name);
}

/**
 * Everything that can be evaluated before anything is registered; answers the managed clusters.
 *
 * @throws InvalidInput with every problem of the plain values
 */
export function checkHub(name: string, args: ArgoCdHubArgs): ManagedCluster[] {
  refuseArguments(`ArgoCdHub "${name}"`, argoCdHubArgs, args, (sound) =>
    hubProblems(name, { ...sound, fleet: args.fleet }),
  );
  return managedClusters(args.manages);
}

/** What the schema does not say of the arguments of a hub. */
function hubProblems(name: string, args: Partial<ArgoCdHubArgs>): readonly Problem[] {
  const problems = new Problems('hub');
  const { fleet: source, manages = [], namespace = 'argocd', addonSteps } = args;
  problems.check('name', name, dnsLabel);
  const fleet = soundFleet(source);
  const slots = Object.keys(fleet?.slots ?? {});
  if (fleet !== undefined) {
    checkChosenSlot(problems, 'active', args.active, slots);
    checkLost(problems, args, slots);
  }
  checkManagedFleets(problems, manages);
  collectProblems(problems, '', () => {
    new HubObjects(new Chart(new App(), 'check'), 'hub', {
      ...objectProps(args, managedClusters(manages), namespace),
      standby: false,
      token: standIn,
    });
  });
  problems.addAll(addonProblems({ ...args, manages, steps: addonSteps }));
  if (slots.length > 1) {
    checkSwitchable(problems, args);
  }
  return problems.all;
}

function checkLost(problems: Problems, args: Partial<ArgoCdHubArgs>, slots: readonly string[]): void {
  const { lost = [], active, identity, fleet } = args;
  lost.forEach((slot, index) => {
    const path = `lost[${index}]`;
    if (!slots.includes(slot)) {
      problems.check(path, slot, isOneOf(...slots));
    } else if (slot === (active ?? slots[0])) {
      problems.add(path, slot, 'another slot than "active": what is lost can\'t write');
    } else if (identity === 'shared') {
      problems.add(
        path,
        slot,
        "left out: with a shared identity the clusters can't tell the hubs apart, so a hub that can't be reached " +
          'could go on writing; end its cluster first',
      );
    } else if (fleet instanceof ClusterFleet) {
      problems.add(
        path,
        slot,
        'left out: this program makes the slot; take it out of its fleet, and what it holds goes with its cluster',
      );
    }
  });
}

/** Automated sync of the Applications is switched on and off by their ApplicationSet. */
function checkSwitchable(problems: Problems, { applicationSets = [] }: Partial<ArgoCdHubArgs>): void {
  applicationSets.forEach(({ syncPolicy, template }, index) => {
    const policy = syncPolicy?.applicationsSync;
    const fixed = policy === 'create-only' || policy === 'create-delete';
    if (
      fixed &&
      isSound(problems, `applicationSets[${index}]`) &&
      template.spec.syncPolicy?.automated !== undefined
    ) {
      problems.add(
        `applicationSets[${index}].syncPolicy.applicationsSync`,
        policy,
        '"create-update" or "sync": with several hub slots, the set switches the automated sync of its Applications',
      );
    }
  });
}
