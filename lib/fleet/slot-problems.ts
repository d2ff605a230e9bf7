import { checkAddonsFit, courierOf, EksAddon } from '../addons';
import type { Problem, Rule } from '../problems';
import { dnsLabel, labelKey, labelValue, oneOf, port, Problems, wholeNumber } from '../problems';
import { isArm } from './ami-type';
import { drainArgsProblems } from './drain-arguments';
import { endpointProblems } from './endpoint';
import type { NodesArgs } from './node-group';
import type { FleetWideArgs, SlotArgs } from './slot-arguments';
import { controlPlaneLogs } from './slot-arguments';
import type { Entry } from './slot-ref';
import { timeServersProblems } from './time-sync';

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

const versionRule: Rule = {
  allowed: 'a Kubernetes minor version, such as "1.35"',
  accepts: (value) => typeof value === 'string' && /^1\.\d+$/.test(value),
};

/** Add-ons of EKS that the slot and its cluster component register. */
const ownEksAddons: readonly string[] = ['coredns', 'eks-pod-identity-agent', 'kube-proxy', 'vpc-cni'];

/** A target group's name has at most 32 characters, of which Pulumi takes 8 to make it unique. */
const longestTargetGroupName = 24;

/** Problems of what all slots have in common. */
export function fleetWideProblems(args: FleetWideArgs): readonly Problem[] {
  const problems = new Problems('fleet');
  problems.addAll(endpointProblems(args.endpoint, 'endpoint'));
  labelProblems(problems, args.labels, 'labels');
  for (const [index, log] of (args.controlPlaneLogs ?? []).entries()) {
    problems.check(`controlPlaneLogs[${index}]`, log, oneOf(...controlPlaneLogs));
  }
  if (args.deregistrationDelaySeconds !== undefined) {
    problems.check('deregistrationDelaySeconds', args.deregistrationDelaySeconds, wholeNumber(0, 3600));
  }
  if (args.maxLiveTraffic !== undefined) {
    problems.check('maxLiveTraffic', args.maxLiveTraffic, wholeNumber(0, 100));
  }
  problems.addAll(drainArgsProblems(args.drain), 'drain');
  for (const [name, entry] of Object.entries(args.entries ?? {})) {
    entryProblems(problems, name, entry);
  }
  return problems.all;
}

function entryProblems(problems: Problems, name: string, entry: Entry): void {
  const path = `entries.${name}`;
  problems.check(path, name, dnsLabel);
  problems.check(`${path}.namespace`, entry.namespace, dnsLabel);
  problems.check(`${path}.service`, entry.service, dnsLabel);
  problems.check(`${path}.port`, entry.port, port);
  if (entry.targetPort !== undefined) {
    problems.check(`${path}.targetPort`, entry.targetPort, port);
  }
  const type = entry.targetType ?? 'ip';
  if (problems.check(`${path}.targetType`, type, oneOf('ip', 'instance'))) {
    if (type === 'instance') {
      problems.check(`${path}.nodePort`, entry.nodePort, wholeNumber(30000, 32767));
    } else if (entry.nodePort !== undefined) {
      problems.add(`${path}.nodePort`, entry.nodePort, 'left out with ip targets');
    }
  }
  const { path: healthPath, port: healthPort, intervalSeconds } = entry.healthCheck ?? {};
  if (healthPath !== undefined && !/^\/\S{0,1023}$/.test(healthPath)) {
    problems.add(
      `${path}.healthCheck.path`,
      healthPath,
      'a path that starts with "/", at most 1024 characters',
    );
  }
  if (healthPort !== undefined) {
    problems.check(`${path}.healthCheck.port`, healthPort, port);
  }
  if (intervalSeconds !== undefined) {
    problems.check(`${path}.healthCheck.intervalSeconds`, intervalSeconds, wholeNumber(5, 300));
  }
}

function labelProblems(
  problems: Problems,
  labels: Readonly<Record<string, string>> | undefined,
  path: string,
): void {
  for (const [key, value] of Object.entries(labels ?? {})) {
    problems.check(`${path}.${key}`, key, labelKey);
    problems.check(`${path}.${key}`, value, labelValue);
  }
}

/**
 * Problems of one slot, with the fleet's arguments behind its own.
 *
 * @param name the slot's whole name, FLEET-SLOT
 */
export function slotProblems(name: string, args: FleetWideArgs & SlotArgs): readonly Problem[] {
  const problems = new Problems(name);
  labelProblems(problems, args.labels, 'labels');
  for (const [entry, { targetType }] of Object.entries(args.entries ?? {})) {
    const longest = `${name}-${entry}`;
    if (longest.length > longestTargetGroupName && args.targetGroupArgs?.name === undefined) {
      problems.add(
        `entries.${entry}`,
        longest,
        `at most ${longestTargetGroupName} characters together with fleet and slot: AWS allows 32 in a target group's name, of which Pulumi adds 8`,
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
    for (const field of ['version', 'nodes', 'moreNodes', 'autoMode', 'clusterName'] as const) {
      if (args[field] !== undefined) {
        problems.add(field, args[field], 'left out where the cluster is adopted: it is made elsewhere');
      }
    }
  } else {
    createdProblems(problems, name, args);
  }
  bindingProblems(problems, args);
  problems.addAll(
    checkAddonsFit(args.addons ?? [], {
      autoMode: args.autoMode ?? args.adopt?.autoMode ?? false,
      kubernetesVersion: args.version,
    }),
  );
  return problems.all;
}

function createdProblems(problems: Problems, name: string, args: FleetWideArgs & SlotArgs): void {
  problems.check('clusterName', args.clusterName ?? name, clusterNameRule);
  problems.check('version', args.version, versionRule);
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
      if (addon instanceof EksAddon && ownEksAddons.includes(addon.addonName)) {
        problems.add(
          `addons[${position}]`,
          addon.addonName,
          'left out: a slot with nodes brings it (kube-proxy and vpc-cni are set by clusterArgs)',
        );
      }
    });
  }
  if (args.nodes) {
    nodesProblems(problems, 'nodes', args.nodes);
  }
  for (const [group, nodes] of Object.entries(args.moreNodes ?? {})) {
    problems.check(`moreNodes.${group}`, group, nodeGroupName);
    nodesProblems(problems, `moreNodes.${group}`, nodes);
  }
}

function nodesProblems(problems: Problems, path: string, nodes: NodesArgs): void {
  if (!Array.isArray(nodes.instanceTypes) || nodes.instanceTypes.length === 0) {
    problems.add(`${path}.instanceTypes`, nodes.instanceTypes, 'at least one EC2 instance type');
  } else {
    if (new Set(nodes.instanceTypes.map(isArm)).size > 1 && nodes.amiType === undefined) {
      problems.add(
        `${path}.instanceTypes`,
        nodes.instanceTypes,
        'all x86-64 or all Graviton: one node group has one AMI',
      );
    }
    problems.addAll(timeServersProblems(nodes), path);
  }
  const whole = wholeNumber(0, 1000);
  const bounds =
    problems.check(`${path}.min`, nodes.min, whole) &&
    problems.check(`${path}.max`, nodes.max, wholeNumber(1, 1000));
  if (bounds && nodes.min > nodes.max) {
    problems.add(`${path}.min`, nodes.min, `at most max, ${nodes.max}`);
  }
  if (bounds && nodes.desired !== undefined && !(nodes.desired >= nodes.min && nodes.desired <= nodes.max)) {
    problems.add(`${path}.desired`, nodes.desired, `from min to max, ${nodes.min} to ${nodes.max}`);
  }
  if (nodes.diskGiB !== undefined) {
    problems.check(`${path}.diskGiB`, nodes.diskGiB, wholeNumber(20, 16384));
  }
  labelProblems(problems, nodes.labels, `${path}.labels`);
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
