import type * as eks from '@pulumi/eks';
import type * as pulumi from '@pulumi/pulumi';
import { object, optional } from '../../core/validation/collections';
import type { Problems, Format } from '../../core/validation/problems';
import type { Schema } from '../../core/validation/schema';
import { following } from '../../core/validation/values';

/** Add-ons of EKS that a slot with nodes brings: itself, or by its cluster component. */
export const ownEksAddons = ['coredns', 'eks-pod-identity-agent', 'kube-proxy', 'vpc-cni'] as const;

/** Add-on of EKS that a slot with nodes brings. */
export type OwnEksAddon = (typeof ownEksAddons)[number];

/** Versions that a slot asks for, by the name that EKS knows the add-on by. */
export type EksAddonVersions = Readonly<Partial<Record<OwnEksAddon, string>>>;

/** @see https://docs.aws.amazon.com/eks/latest/APIReference/API_AddonVersionInfo.html */
const exactVersion: Format = {
  allowed: 'an exact version as EKS lists it, such as "v1.20.4-eksbuild.1" (aws eks describe-addon-versions)',
  accepts: (value) =>
    typeof value === 'string' && /^v\d+\.\d+\.\d+-([0-9A-Za-z.-]+-)?eksbuild\.\d+$/.test(value),
};

export const eksAddonVersions: Schema<EksAddonVersions> = object<EksAddonVersions>({
  coredns: optional(following(exactVersion)),
  'eks-pod-identity-agent': optional(following(exactVersion)),
  'kube-proxy': optional(following(exactVersion)),
  'vpc-cni': optional(following(exactVersion)),
});

/** What a slot may say of EKS's own add-ons. */
interface EksAddonArgs {
  readonly eksAddonVersions?: EksAddonVersions;
  readonly autoMode?: boolean;
  readonly clusterArgs?: Partial<eks.ClusterArgs>;
}

/** Adds what does not go with the versions of a slot whose cluster is created. */
export function checkEksAddonVersions(problems: Problems, args: EksAddonArgs): void {
  const { eksAddonVersions: versions = {}, autoMode, clusterArgs = {} } = args;
  if (autoMode && args.eksAddonVersions !== undefined) {
    problems.add('eksAddonVersions', versions, 'left out with autoMode, which brings what they do itself');
    return;
  }
  const absent: readonly OwnEksAddon[] = [
    ...(clusterArgs.kubeProxyAddonOptions?.enabled === false ? (['kube-proxy'] as const) : []),
    ...(clusterArgs.useDefaultVpcCni === true ? (['vpc-cni'] as const) : []),
  ];
  for (const addon of absent.filter((each) => versions[each] !== undefined)) {
    problems.add(
      `eksAddonVersions.${addon}`,
      versions[addon],
      'left out where clusterArgs leave the add-on out',
    );
  }
}

/** The cluster component's arguments with the versions that a slot asks for; its raw ones count more. */
export function withAddonVersions(
  args: eks.ClusterArgs,
  { 'kube-proxy': kubeProxy, 'vpc-cni': vpcCni }: EksAddonVersions = {},
): eks.ClusterArgs {
  return {
    ...args,
    ...(kubeProxy !== undefined && {
      kubeProxyAddonOptions: { version: kubeProxy, ...args.kubeProxyAddonOptions },
    }),
    ...(vpcCni !== undefined && { vpcCniOptions: { addonVersion: vpcCni, ...args.vpcCniOptions } }),
  };
}

/** The versions of the add-ons that the component installs, as far as somebody has asked for one. */
export function askedVersions(args: eks.ClusterArgs): Readonly<Record<string, unknown>> {
  return {
    coredns: args.corednsAddonOptions?.version,
    'kube-proxy': args.kubeProxyAddonOptions?.version,
    'vpc-cni': args.vpcCniOptions?.addonVersion,
  };
}

/**
 * Options of an EKS add-on's resource. Without a version that somebody asks for, it keeps the one that it was installed with:
 * what EKS takes for the newest, or for its default, changes from one day to the next.
 *
 * @param asked version that somebody asks for
 * @see https://www.pulumi.com/docs/iac/concepts/resources/options/ignorechanges/
 */
export function keptVersion(asked: unknown): Pick<pulumi.CustomResourceOptions, 'ignoreChanges'> {
  return asked === undefined ? { ignoreChanges: ['addonVersion'] } : {};
}
