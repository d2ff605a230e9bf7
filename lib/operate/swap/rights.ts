import { partitionOf } from '../../core/aws/partitions';
import { unitedStatements, withOwnSids } from '../../core/aws/iam';
import type { AllowStatement } from '../../core/aws/iam';
import type { KubernetesSettings } from '../../core/kubernetes/access';
import type { AccessRule } from '../../core/kubernetes/api';
import { readinessAccess, readinessPermissions, readinessSubjects } from '../../core/readiness';
import { checkAccess, checkRights } from '../../shift/checks';
import { routerPermissions, subjectOf as subjectOfRoute } from '../../shift/routers';
import type { ShiftSubject } from '../../shift/engine';
import { drainAccess, listLeftovers, sweepLeftovers } from '../drain';
import { historyAccess, historyOfLease, historyPermissions } from '../history';
import { answerAccess, answerPermissions } from './answers/answers';
import type { CheckedSwapFile } from './file/swap-file';
import { swapStoreAccess, swapStorePermissions } from './store/rights';

/** Rights on the API server of a cluster. */
export interface SwapClusterAccess {
  /** As the file names it; `clusterName` of a slot's cluster, which is opened by what EKS says of it. */
  readonly cluster: Pick<KubernetesSettings, 'kubeconfig' | 'context'> & { readonly clusterName?: string };
  /** Region of a slot's cluster, where several swaps are meant. @default - the file names the cluster, or one swap is meant */
  readonly region?: string;
  readonly rules: readonly AccessRule[];
}

/**
 * The least rights at AWS that a swap itself needs: lease, answers, history, what there is, readiness, checks, drain. The
 * program's deployment needs its own, and so does the shift that runs in it.
 *
 * @param region of the fleet
 * @param role of the lease or of the route, for its rights. @default - the identity that runs the swap
 */
export function swapPermissions(
  swap: CheckedSwapFile,
  region: string,
  role?: string,
): readonly AllowStatement[] {
  return withOwnSids(statementsOf({ swap, region }, role));
}

/** A swap, and the region of its fleet. */
export interface PlacedSwap {
  readonly swap: CheckedSwapFile;
  readonly region: string;
}

/**
 * The least rights at AWS that several swaps need together. Statements that differ in their resources alone are one.
 *
 * @param role of leases and routes, for its rights. @default - the identity that runs the swaps
 */
export function swapWavesPermissions(swaps: readonly PlacedSwap[], role?: string): readonly AllowStatement[] {
  return withOwnSids(unitedStatements(swaps.flatMap((each) => statementsOf(each, role))));
}

function statementsOf({ swap, region }: PlacedSwap, role: string | undefined): readonly AllowStatement[] {
  const { fleet, lease, phases, slots } = swap;
  const place = { fleet, region };
  const history = historyOfLease(lease, { region });
  const kept = [
    ...swapStorePermissions(lease, place),
    ...answerPermissions(lease, place),
    ...(history ? historyPermissions(history, { use: 'add', fleet }) : []),
  ];
  const { leaseRole, routeRole } = rolesOf(swap);
  if (role !== undefined) {
    return [...(role === leaseRole ? kept : []), ...(role === routeRole ? routeStatements(swap) : [])];
  }
  const others = swapRoles(swap);
  const partition = partitionOf(region).id;
  const names = slots.map((slot) => `${fleet}-${slot}`);
  const clusters = names.map((name) => `arn:${partition}:eks:${region}:*:cluster/${name}`);
  const takeOn: readonly AllowStatement[] =
    others.length === 0
      ? []
      : [
          {
            ...{ Sid: 'TakeOnRoles', Effect: 'Allow', Resource: others },
            // The tags of a session by EKS Pod Identity go with it.
            Action: ['sts:AssumeRole', 'sts:TagSession'],
          },
        ];
  return [
    ...takeOn,
    ...(leaseRole === undefined ? kept : []),
    { Sid: 'ListClusters', Effect: 'Allow', Action: ['eks:ListClusters'], Resource: '*' },
    { Sid: 'DescribeClusters', Effect: 'Allow', Action: ['eks:DescribeCluster'], Resource: clusters },
    ...trafficStatements(swap),
    ...(routeRole === undefined ? routeStatements(swap) : []),
    ...(phases.ready?.skip === true ? [] : readyStatements(swap, region)),
    ...checkRights(askedChecks(swap), subjectOf(swap)).map(({ actions, resources }): AllowStatement => ({
      ...{ Sid: 'RunChecks', Effect: 'Allow', Action: actions, Resource: resources },
    })),
    listLeftovers,
    ...(phases.drain?.sweep === false ? [] : sweepLeftovers(names, phases.drain ?? {})),
  ];
}

/** Roles of their own that the lease is written with, and the route. */
export function swapRoles(swap: CheckedSwapFile): readonly string[] {
  const { leaseRole, routeRole } = rolesOf(swap);
  return [...new Set([leaseRole, routeRole].filter((role) => role !== undefined))];
}

function rolesOf({ lease, route }: CheckedSwapFile): {
  readonly leaseRole: string | undefined;
  readonly routeRole: string | undefined;
} {
  return {
    leaseRole: 'ssm' in lease ? lease.ssm?.roleArn : undefined,
    routeRole: route && subjectOfRoute(route).roleArn,
  };
}

/** The route of the file is read, its targets are counted, and where the swap moves the traffic it is written. */
function routeStatements({ route, phases }: CheckedSwapFile): readonly AllowStatement[] {
  if (!route) {
    return [];
  }
  const health: AllowStatement = {
    Sid: 'CountTargets',
    Effect: 'Allow',
    Action: ['elasticloadbalancing:DescribeTargetHealth'],
    Resource: '*',
  };
  const isWritten = phases.shift?.plan !== undefined;
  const own = routerPermissions(route.router).flatMap((statement): AllowStatement[] => {
    const Action = statement.Action.filter((action) => isWritten || /:(?:Get|List|Describe)/.test(action));
    return Action.length === 0 ? [] : [{ ...statement, Action }];
  });
  return [...own, ...(phases.prescale?.skip === true ? [] : [health])];
}

/** Where live traffic goes: by a route, or by whatever has target groups of the fleet. Argo CD's user interface has some, too. */
function trafficStatements({ phases }: CheckedSwapFile): readonly AllowStatement[] {
  const found: AllowStatement = {
    Sid: 'FindTraffic',
    Effect: 'Allow',
    Action: [
      'elasticloadbalancing:DescribeTargetGroups',
      'elasticloadbalancing:DescribeTags',
      'elasticloadbalancing:DescribeListeners',
      'elasticloadbalancing:DescribeRules',
      'route53:ListHostedZones',
      'route53:ListResourceRecordSets',
      ...(phases.prescale?.skip === true ? [] : ['elasticloadbalancing:DescribeTargetHealth']),
      // Stickiness keeps visitors with the old slot: the drain waits for them.
      'cloudwatch:GetMetricData',
    ],
    Resource: '*',
  };
  // Rules of the fleet are known by their target groups alone.
  const taken: AllowStatement = {
    Sid: 'TakeSlotsOff',
    Effect: 'Allow',
    Action: ['elasticloadbalancing:ModifyRule', 'elasticloadbalancing:ModifyListener'],
    Resource: '*',
  };
  return [found, ...(phases.shift?.plan === undefined ? [] : [taken])];
}

/** The same statements for each slot's cluster. */
function readyStatements(swap: CheckedSwapFile, region: string): readonly AllowStatement[] {
  const [first = [], ...rest] = swap.slots.map((slot) =>
    readinessPermissions(readySubjects(swap), { clusterName: `${swap.fleet}-${slot}`, region }),
  );
  return first.map((statement, index) => {
    const resources = [statement, ...rest.map((others) => others[index]!)].flatMap(
      ({ Resource }) => Resource,
    );
    return { ...statement, Resource: [...new Set(resources)] };
  });
}

function readySubjects({ phases }: CheckedSwapFile): typeof readinessSubjects {
  const { subjects } = phases.ready ?? {};
  return readinessSubjects.filter(
    ({ name, needs, optional }) =>
      needs !== 'newKubernetes' && (subjects?.includes(name) ?? optional === undefined),
  );
}

function askedChecks({ phases }: CheckedSwapFile): Parameters<typeof checkRights>[0] {
  return (['deliver', 'try', 'soak'] as const).flatMap((phase) =>
    phases[phase]?.skip === true ? [] : (phases[phase]?.checks ?? []),
  );
}

function subjectOf({ fleet, slots, region }: CheckedSwapFile): ShiftSubject {
  const named = slots.map((slot) => [slot, { clusterName: `${fleet}-${slot}` }]);
  return {
    layer: 'http',
    slots: Object.fromEntries(named) as ShiftSubject['slots'],
    ...(region !== undefined && { region }),
  };
}

/**
 * The rights that a swap itself needs on API servers.
 *
 * @param region of the fleet, which is in the names of Leases
 */
export function swapAccess(swap: CheckedSwapFile, region: string): readonly SwapClusterAccess[] {
  const { fleet, lease, phases, slots } = swap;
  const place = { fleet, region };
  const history = historyOfLease(lease, { region });
  const clusters = new Map<
    string,
    { cluster: SwapClusterAccess['cluster']; rules: Map<string, AccessRule> }
  >();
  const add = (cluster: SwapClusterAccess['cluster'], rules: readonly AccessRule[]): void => {
    const { kubeconfig, context, clusterName } = cluster;
    const named = {
      ...(kubeconfig !== undefined && { kubeconfig }),
      ...(context !== undefined && { context }),
      ...(clusterName !== undefined && { clusterName }),
    };
    const key = JSON.stringify(named);
    const known = clusters.get(key) ?? { cluster: named, rules: new Map<string, AccessRule>() };
    rules.forEach((rule) => known.rules.set(JSON.stringify(rule), rule));
    clusters.set(key, known);
  };
  // A context that is a slot's, and is of no file, is opened by what EKS says of its cluster.
  const ofSlot = (each: SwapClusterAccess['cluster']): SwapClusterAccess['cluster'] =>
    each.kubeconfig === undefined && slots.some((slot) => each.context === `${fleet}-${slot}`)
      ? { clusterName: each.context! }
      : each;
  if ('kubernetes' in lease) {
    add(lease.kubernetes, [
      ...swapStoreAccess(lease, place),
      ...answerAccess(lease, place),
      ...(history ? historyAccess(history, { use: 'add' }) : []),
    ]);
  }
  for (const { at, rule } of checkAccess(askedChecks(swap), subjectOf(swap))) {
    at.forEach((each) => add(ofSlot(each), [rule]));
  }
  for (const slot of slots) {
    add({ clusterName: `${fleet}-${slot}` }, [
      ...(phases.ready?.skip === true ? [] : readinessAccess(readySubjects(swap), 'kubernetes')),
      ...drainAccess(phases.drain ?? {}),
    ]);
  }
  for (const hub of phases.drain?.hubs ?? []) {
    const namespace = hub.namespace ?? 'argocd';
    add(hub, [{ apiGroups: [''], resources: ['secrets'], verbs: ['list', 'patch'], namespace }]);
  }
  return [...clusters.values()]
    .map(({ cluster, rules }) => ({ cluster, rules: [...rules.values()] }))
    .filter(({ rules }) => rules.length > 0);
}

/** The rights that several swaps together need on API servers. */
export function swapWavesAccess(swaps: readonly PlacedSwap[]): readonly SwapClusterAccess[] {
  const found = new Map<string, SwapClusterAccess>();
  for (const { swap, region } of swaps) {
    for (const { cluster, rules } of swapAccess(swap, region)) {
      const place = { cluster, ...(cluster.clusterName !== undefined && { region }) };
      const key = JSON.stringify(place);
      const all = [...(found.get(key)?.rules ?? []), ...rules];
      const distinct = new Map(all.map((rule) => [JSON.stringify(rule), rule]));
      found.set(key, { ...place, rules: [...distinct.values()] });
    }
  }
  return [...found.values()];
}
