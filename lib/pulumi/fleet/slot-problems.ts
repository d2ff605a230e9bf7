import { Problems } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import { problemsOf } from '../../core/validation/schema';
import { EksAddon, checkAddonsFit, deliveryOf, eksKubernetesVersion } from '../addons';
import { checkEksAddonVersions, ownEksAddons } from './eks-addons';
import { checkIpFamily } from './ip-family-problems';
import type { FleetWideArgs, SlotArgs } from './slot-args';
import { clusterName as clusterNameSchema } from './slot-schema';
import { nodeGroupsOf } from './wanted-cluster';

/** A target group's name has at most 32 characters, of which Pulumi takes 8 to make it unique. */
const longestTargetGroupName = 24;

/**
 * Problems of one slot, with the fleet's arguments behind its own.
 *
 * @param name name of the slot's component, which those of its target groups begin with
 * @param clusterName what its cluster is called where nothing else is said: FLEET-SLOT
 */
export function slotProblems(
  name: string,
  clusterName: string,
  args: Partial<FleetWideArgs> & SlotArgs,
): readonly Problem[] {
  const problems = new Problems(name);
  for (const [entry, { targetType }] of Object.entries(args.entries ?? {})) {
    const longest = `${name}-${entry}`;
    if (longest.length > longestTargetGroupName && args.targetGroupArgs?.name === undefined) {
      problems.add(
        `entries.${entry}`,
        longest,
        `at most ${longestTargetGroupName} characters together with the name of the slot: AWS allows 32 in a target group's name, of which Pulumi adds 8`,
      );
    }
    if (targetType === 'instance' && !args.nodes) {
      problems.add(
        `entries.${entry}.targetType`,
        targetType,
        'ip where the slot has no managed node group of its own',
      );
    }
  }
  if (args.adopt) {
    for (const field of [
      'version',
      'nodes',
      'moreNodes',
      'autoMode',
      'clusterName',
      'eksAddonVersions',
    ] as const) {
      if (args[field] !== undefined) {
        problems.conflicts(field, 'adopt: the cluster is made elsewhere');
      }
    }
  } else {
    createdProblems(problems, clusterName, args);
  }
  if (args.podReadinessGates && (args.autoMode ?? args.adopt?.autoMode)) {
    problems.conflicts(
      'podReadinessGates',
      'autoMode: EKS itself binds target groups there, and not the AWS Load Balancer Controller',
    );
  }
  checkIpFamily(problems, args, nodeGroupsOf(args));
  bindingProblems(problems, args);
  problems.addAll(
    checkAddonsFit(args.addons ?? [], {
      autoMode: args.autoMode ?? args.adopt?.autoMode ?? false,
      kubernetesVersion: args.version,
    }),
  );
  return problems.all;
}

function createdProblems(
  problems: Problems,
  clusterName: string,
  args: Partial<FleetWideArgs> & SlotArgs,
): void {
  if (args.clusterName === undefined) {
    for (const { allowed } of problemsOf(clusterNameSchema, clusterName)) {
      problems.add('clusterName', clusterName, allowed);
    }
  }
  if (args.clusterArgs?.name !== undefined) {
    problems.add(
      'clusterArgs.name',
      args.clusterArgs.name,
      'left out: clusterName says it, for all that looks for the cluster',
    );
  }
  if (args.version === undefined) {
    problems.require('version', eksKubernetesVersion.allowed);
  }
  if (!args.network) {
    problems.require('network', '{ vpcId, privateSubnetIds } where a cluster is created');
  }
  if (!args.nodes && !args.autoMode) {
    problems.require('nodes', '{ instanceTypes, min, max }, or autoMode: true in its place');
  }
  for (const field of ['nodes', 'moreNodes'] as const) {
    if (args.autoMode && args[field] !== undefined) {
      problems.conflicts(field, 'autoMode, which brings nodes of its own');
    }
  }
  if (!args.autoMode) {
    const own: readonly unknown[] = ownEksAddons;
    (args.addons ?? []).forEach((addon, position) => {
      if (addon instanceof EksAddon && own.includes(addon.addonName)) {
        problems.add(
          `addons[${position}]`,
          addon.addonName,
          'left out: a slot with nodes brings it (eksAddonVersions has its version; kube-proxy and vpc-cni are set by clusterArgs)',
        );
      }
    });
  }
  checkEksAddonVersions(problems, args);
}

/** Something must register pods in the target groups. */
function bindingProblems(problems: Problems, args: Partial<FleetWideArgs> & SlotArgs): void {
  const list = args.addons ?? [];
  const position = list.findIndex(({ name }) => name === 'aws-load-balancer-controller');
  const unbound = Object.entries(args.entries ?? {}).filter(
    ([, { targetType = 'ip' }]) => targetType === 'ip',
  );
  if ((args.autoMode ?? args.adopt?.autoMode ?? false) || unbound.length === 0) {
    return;
  }
  const entries = unbound.map(([entry]) => `entries.${entry}`).join(', ');
  if (position < 0) {
    problems.add(
      'addons',
      list.map(({ name }) => name),
      `a list with addons.awsLoadBalancerController(), or existingAddon('aws-load-balancer-controller') where it runs already: it registers the pods of ${entries}`,
    );
  } else if (deliveryOf(list[position]!) !== 'pulumi') {
    problems.add(
      `addons[${position}].deliveredBy`,
      list[position]!.deliveredBy,
      `"pulumi": the bindings of ${entries} are made during "up", and need its definitions`,
    );
  }
}
