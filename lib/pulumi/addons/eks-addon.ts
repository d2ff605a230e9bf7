import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import { rawArgs } from '../../core/validation/arguments';
import { object, optional } from '../../core/validation/collections';
import type { Problem, Format } from '../../core/validation/problems';
import { anything, following, oneOf, text } from '../../core/validation/values';
import { addonSubject, evaluatedWithList, optionsProblems, requires } from './addon';
import type { Addon, AddonResources, AddonState, AddonTarget } from './addon';
import type { HelmValues } from './helm-values';
import { addonIdentity, identityRole } from './pod-identity';
import type { AddonIdentity, PodIdentityRole } from './pod-identity';

/** Which version of an add-on of EKS: the default one for the cluster's Kubernetes version, the newest for it, or this one. */
export type EksAddonVersion = 'default' | 'latest' | (string & {});

/**
 * What a version may be. Those of EKS say which build: `v1.20.4-eksbuild.1`.
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_AddonVersionInfo.html
 */
const eksAddonVersion: Format = {
  allowed: '"default", "latest" or an exact version, such as "v1.20.4-eksbuild.1"',
  accepts: (value) =>
    value === 'default' ||
    value === 'latest' ||
    (typeof value === 'string' && /^v?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(value)),
};

/** Whether a version is one and the same on every day. */
function isExact(version: unknown): boolean {
  return version !== 'default' && version !== 'latest';
}

/**
 * The exact version that is installed: EKS is asked for those that go with the cluster's Kubernetes version.
 *
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_DescribeAddonVersions.html
 */
function resolvedVersion(
  addonName: string,
  version: EksAddonVersion,
  target: AddonTarget,
): pulumi.Input<string> {
  if (isExact(version)) {
    return version;
  }
  const opts = { parent: target.parent };
  const kubernetesVersion =
    target.kubernetesVersion ??
    aws.eks.getClusterOutput({ name: target.clusterName, region: target.region }, opts).version;
  const { version: resolved } = aws.eks.getAddonVersionOutput(
    { addonName, kubernetesVersion, mostRecent: version === 'latest', region: target.region },
    opts,
  );
  return resolved;
}

/** Options of an add-on that EKS manages. */
export interface EksAddonOptions<EksName extends string = string, Name extends string = EksName> {
  /** Name that EKS knows it by: `aws-ebs-csi-driver`, `vpc-cni`, `metrics-server`. */
  readonly addonName: EksName;
  /** Name in the list of add-ons: a DNS label. @default - `addonName` */
  readonly name?: Name;
  /**
   * Version. The default one is what AWS recommends for the slot's Kubernetes version, and `latest` the newest that goes with
   * it, on the day of the installation: it stays, since both change from one day to the next, until an exact version is
   * given here.
   * @default 'default'
   * @see https://docs.aws.amazon.com/eks/latest/userguide/updating-an-add-on.html
   */
  readonly version?: EksAddonVersion;
  /**
   * Values of the add-on, by its own schema (`aws eks describe-addon-configuration`), with outputs as leaves.
   * @default - the add-on's own
   */
  readonly configuration?: HelmValues;
  /** An IAM role for service accounts of the add-on. @default - none */
  readonly identity?: AddonIdentity;
  /**
   * What becomes of fields that somebody has changed in the cluster when the add-on is updated. Where it is installed over
   * what is there already, EKS always writes its own values: with anything else the creation fails.
   * @default 'preserve' - what scales or fixes the add-on in the cluster goes on doing so
   * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_UpdateAddon.html
   */
  readonly conflicts?: 'preserve' | 'overwrite';
  /** Names of the add-ons that must be ready before. @default - none */
  readonly requires?: readonly string[];
  /**
   * `absent` lets EKS delete what it has installed: the next `up` says so to EKS, and the one after the add-on has left the
   * list deletes it. One that only leaves the list goes on running, without EKS.
   * @default 'present'
   */
  readonly state?: AddonState;
  /** Arguments of the add-on laid over ours, say `tags` or `namespaceConfig`. @default - none */
  readonly addonArgs?: Partial<aws.eks.AddonArgs>;
}

/** What an `EksAddon` has registered. */
export interface EksAddonResources extends AddonResources {
  /** The add-on. */
  readonly addon: aws.eks.Addon;
  /** Its IAM role. */
  readonly identity?: PodIdentityRole;
}

/** @see https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateAddon.html */
const addonNameRule: Format = {
  allowed: 'the name of an add-on as EKS lists it: letters, digits, "-" and "_"',
  accepts: (value) => typeof value === 'string' && /^[0-9A-Za-z][0-9A-Za-z_-]*$/.test(value),
};

const eksAddonOptions = object<EksAddonOptions>({
  addonName: following(addonNameRule),
  name: optional(text('a text')),
  version: optional(following(eksAddonVersion)),
  configuration: optional(anything),
  identity: optional(addonIdentity),
  conflicts: optional(oneOf('preserve', 'overwrite')),
  requires,
  state: evaluatedWithList,
  addonArgs: optional(rawArgs),
});

/**
 * An add-on that EKS installs and keeps: delivered by Pulumi, in the version that went with the cluster's Kubernetes version
 * when it was installed, or in the one that is named.
 *
 * @example
 * new addons.EksAddon({
 *   addonName: 'aws-ebs-csi-driver',
 *   identity: {
 *     serviceAccounts: ['ebs-csi-controller-sa'],
 *     policyArns: ['arn:aws:iam::aws:policy/service-role/AmazonEBSCSIDriverPolicy'],
 *   },
 * });
 */
export class EksAddon<
  const EksName extends string = string,
  const Name extends string = EksName,
> implements Addon<EksAddonResources, Name> {
  public readonly name: Name;
  /** Name that EKS knows it by. */
  public readonly addonName: EksName;
  public readonly requires: readonly string[];
  public readonly state: AddonState;
  public readonly problems: readonly Problem[];

  /** @param options what to install; wrong ones are told by `problems`, and so by `checkAddons` */
  public constructor(private readonly options: EksAddonOptions<EksName, Name>) {
    this.problems = optionsProblems(
      addonSubject('EksAddon', options?.name ?? options?.addonName),
      eksAddonOptions,
      options,
    );
    this.addonName = options.addonName;
    // A name that is left out is that of EKS, and so is its type.
    this.name = (options.name ?? options.addonName) as Name;
    this.requires = options.requires ?? [];
    this.state = options.state ?? 'present';
  }

  public install(target: AddonTarget): EksAddonResources {
    const { addonName } = this;
    const { version = 'default', configuration, conflicts = 'preserve', addonArgs = {} } = this.options;
    const name = `${target.name}-${this.name}`;
    const { identity: wanted } = this.options;
    const identity = wanted && identityRole(name, 'kube-system', wanted, target);
    const addon = new aws.eks.Addon(
      name,
      {
        clusterName: target.clusterName,
        addonName,
        addonVersion: resolvedVersion(addonName, version, target),
        ...(configuration === undefined ? {} : { configurationValues: pulumi.jsonStringify(configuration) }),
        resolveConflictsOnCreate: 'OVERWRITE',
        resolveConflictsOnUpdate: conflicts === 'preserve' ? 'PRESERVE' : 'OVERWRITE',
        preserve: this.state === 'present',
        ...addonArgs,
      },
      {
        parent: target.parent,
        // Only pods that start after the association get the role.
        dependsOn: [...target.dependsOn, ...(identity?.associations ?? [])],
        deletedWith: target.cluster,
        ignoreChanges: isExact(addonArgs.addonVersion ?? version) ? undefined : ['addonVersion'],
      },
    );
    return { addon, identity, resources: [addon] };
  }
}
