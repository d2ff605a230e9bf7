import { iamRoleArn } from '../../core/aws/arns';
import {
  checkTags,
  hostedZoneId,
  iamPolicyArn,
  kmsKeyArn,
  principalArn,
  securityGroupId,
  subnetId,
  vpcId,
} from '../../core/aws/identifiers';
import { checkLabels, dnsLabel, oneOf, port, wholeNumber } from '../../core/validation/formats';
import { Problems } from '../../core/validation/problems';
import type { Problem, Rule } from '../../core/validation/problems';
import { EksAddon, checkAddonsFit, courierOf, eksKubernetesVersion } from '../addons';
import { checkInput, checkInputs } from '../inputs';
import { checkEksAddonVersions, ownEksAddons } from './eks-addons';
import { endpointProblems } from './endpoint';
import { checkIpFamily } from './ip-family-problems';
import { nodesProblems } from './nodes';
import { controlPlaneLogs, drainArgsProblems } from './slot-args';
import type { FleetWideArgs, Network, SlotArgs } from './slot-args';
import type { Entry } from './slot-ref';
import { nodeGroupsOf } from './wanted-cluster';

const healthPath: Rule = {
  allowed: 'a path that starts with "/", at most 1024 characters',
  accepts: (value) => typeof value === 'string' && /^\/\S{0,1023}$/.test(value),
};

/** Adds what is wrong with an entry. */
function checkEntry(problems: Problems, name: string, entry: Entry): void {
  const path = `entries.${name}`;
  problems.check(path, name, dnsLabel);
  problems.check(`${path}.namespace`, entry.namespace, dnsLabel);
  problems.check(`${path}.service`, entry.service, dnsLabel);
  problems.check(`${path}.port`, entry.port, port);
  problems.checkGiven(path, entry, { targetPort: port });
  const type = entry.targetType ?? 'ip';
  if (problems.check(`${path}.targetType`, type, oneOf('ip', 'instance'))) {
    if (type === 'instance') {
      problems.check(`${path}.nodePort`, entry.nodePort, wholeNumber(30000, 32767));
    } else if (entry.nodePort !== undefined) {
      problems.add(`${path}.nodePort`, entry.nodePort, 'left out with ip targets');
    }
  }
  problems.checkGiven(`${path}.healthCheck`, entry.healthCheck ?? {}, {
    path: healthPath,
    port,
    intervalSeconds: wholeNumber(5, 300),
  });
}

/**
 * Name of an EKS cluster.
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateCluster.html
 */
const clusterNameRule: Rule = {
  allowed: 'letters, digits, "-" and "_", a letter or digit first, at most 100 characters',
  accepts: (value) => typeof value === 'string' && /^[0-9A-Za-z][A-Za-z0-9_-]{0,99}$/.test(value),
};

const nodeGroupName: Rule = {
  allowed: `${dnsLabel.allowed}, and another name than "nodes", which is that of the first`,
  accepts: (value) => dnsLabel.accepts(value) && value !== 'nodes',
};

/** A target group's name has at most 32 characters, of which Pulumi takes 8 to make it unique. */
const longestTargetGroupName = 24;

/** Problems of what all slots have in common. */
export function fleetWideProblems(args: FleetWideArgs): readonly Problem[] {
  const problems = new Problems('fleet');
  problems.addAll(endpointProblems(args.endpoint, 'endpoint'));
  checkLabels(problems, 'labels', args.labels);
  checkTags(problems, 'tags', args.tags);
  checkInputs(problems, 'controlPlaneLogs', args.controlPlaneLogs, oneOf(...controlPlaneLogs));
  problems.checkGiven('', args, {
    deregistrationDelaySeconds: wholeNumber(0, 3600),
    maxLiveTraffic: wholeNumber(0, 100),
  });
  checkInputs(problems, 'hostedZoneIds', args.hostedZoneIds, hostedZoneId);
  problems.addAll(drainArgsProblems(args.drain), 'drain');
  networkProblems(problems, args.network);
  checkInput(problems, 'encryptionKeyArn', args.encryptionKeyArn, kmsKeyArn);
  checkInput(problems, 'permissionsBoundaryArn', args.permissionsBoundaryArn, iamPolicyArn);
  checkInput(problems, 'credentials.roleArn', args.credentials?.roleArn, iamRoleArn);
  for (const [entry, access] of Object.entries(args.access ?? {})) {
    checkInput(problems, `access.${entry}.principalArn`, access.principalArn, principalArn);
  }
  for (const [name, entry] of Object.entries(args.entries ?? {})) {
    checkEntry(problems, name, entry);
  }
  return problems.all;
}

/** Problems of what a slot of a fleet says in the fleet's place, or beside it. */
export function ownSlotProblems({ endpoint, labels, drain, network }: SlotArgs): readonly Problem[] {
  const problems = new Problems('slot');
  if (endpoint !== undefined) {
    problems.addAll(endpointProblems(endpoint, 'endpoint'));
  }
  checkLabels(problems, 'labels', labels);
  problems.addAll(drainArgsProblems(drain), 'drain');
  networkProblems(problems, network);
  return problems.all;
}

function networkProblems(problems: Problems, network: Network | undefined): void {
  checkInput(problems, 'network.vpcId', network?.vpcId, vpcId);
  checkInputs(problems, 'network.privateSubnetIds', network?.privateSubnetIds, subnetId);
}

/**
 * Problems of one slot, with the fleet's arguments behind its own.
 *
 * @param name name of the slot's component, which those of its target groups begin with
 * @param clusterName what its cluster is called where nothing else is said: FLEET-SLOT
 */
export function slotProblems(
  name: string,
  clusterName: string,
  args: FleetWideArgs & SlotArgs,
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
    problems.check('adopt.clusterName', args.adopt.clusterName, clusterNameRule);
    checkInput(problems, 'adopt.nodeSecurityGroupId', args.adopt.nodeSecurityGroupId, securityGroupId);
    for (const field of [
      'version',
      'nodes',
      'moreNodes',
      'autoMode',
      'clusterName',
      'eksAddonVersions',
    ] as const) {
      if (args[field] !== undefined) {
        problems.add(field, args[field], 'left out where the cluster is adopted: it is made elsewhere');
      }
    }
  } else {
    createdProblems(problems, clusterName, args);
  }
  if (args.podReadinessGates && (args.autoMode ?? args.adopt?.autoMode)) {
    problems.add(
      'podReadinessGates',
      true,
      'left out with autoMode: EKS itself binds target groups there, and not the AWS Load Balancer Controller',
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

function createdProblems(problems: Problems, clusterName: string, args: FleetWideArgs & SlotArgs): void {
  problems.check('clusterName', args.clusterName ?? clusterName, clusterNameRule);
  if (args.clusterArgs?.name !== undefined) {
    problems.add(
      'clusterArgs.name',
      args.clusterArgs.name,
      'left out: clusterName says it, for all that looks for the cluster',
    );
  }
  problems.check('version', args.version, eksKubernetesVersion);
  if (!args.network) {
    problems.add('network', args.network, '{ vpcId, privateSubnetIds } where a cluster is created');
  }
  if (!args.nodes && !args.autoMode) {
    problems.add('nodes', args.nodes, '{ instanceTypes, min, max }, or autoMode: true in its place');
  }
  for (const field of ['nodes', 'moreNodes'] as const) {
    if (args.autoMode && args[field] !== undefined) {
      problems.add(field, args[field], 'left out with autoMode, which brings nodes of its own');
    }
  }
  if (!args.autoMode) {
    (args.addons ?? []).forEach((addon, position) => {
      if (addon instanceof EksAddon && (ownEksAddons as readonly string[]).includes(addon.addonName)) {
        problems.add(
          `addons[${position}]`,
          addon.addonName,
          'left out: a slot with nodes brings it (eksAddonVersions has its version; kube-proxy and vpc-cni are set by clusterArgs)',
        );
      }
    });
  }
  checkEksAddonVersions(problems, args);
  if (args.nodes) {
    problems.addAll(nodesProblems(args.nodes), 'nodes');
  }
  for (const [group, nodes] of Object.entries(args.moreNodes ?? {})) {
    problems.check(`moreNodes.${group}`, group, nodeGroupName);
    problems.addAll(nodesProblems(nodes), `moreNodes.${group}`);
  }
}

/** Something must register pods in the target groups. */
function bindingProblems(problems: Problems, args: FleetWideArgs & SlotArgs): void {
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
  } else if (courierOf(list[position]!) !== 'pulumi') {
    problems.add(
      `addons[${position}].deliveredBy`,
      list[position]!.deliveredBy,
      `"pulumi": the bindings of ${entries} are made during "up", and need its definitions`,
    );
  }
}
