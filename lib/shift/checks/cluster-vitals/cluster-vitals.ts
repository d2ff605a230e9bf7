import type { AccessRule } from '../../../core/kubernetes/api';
import { parseDuration } from '../../../core/durations';
import { eksResource } from '../../../core/readiness/rights';
import { optional } from '../../../core/validation/collections';
import { dnsLabelText, number, oneOf } from '../../../core/validation/values';
import { SourceError, combinedResult } from '../../engine';
import type { Check, CheckWindow, ShiftSubject } from '../../engine';
import { referenceSlots, slotsToEvaluate } from '../../evaluation';
import { checkArgs, checkKind } from '../check-kind';
import type { CommonCheckArgs, IamStatement } from '../check-kind';
import { askKubernetes } from '../shared/kubernetes-source';
import { line, listOf, share, timeSpan } from '../shared/schemas';
import {
  slotAccess,
  slotServerEntries,
  slotServerProblems,
  slotServers,
  slotServersOfPrograms,
} from '../shared/slot-servers';
import type { SlotServersArgs } from '../shared/slot-servers';
import { coreDns } from './dns';
import { readVitals } from './read-vitals';
import { clusterReader } from './reader';
import { judgeVitals, together } from './verdict';
import type { OldVitals } from './verdict';
import { vitals as allVitals } from './vitals';
import type { ClusterVitals, Vital } from './vitals';

/** What {@link clusterVitals} takes. */
export interface ClusterVitalsArgs extends CommonCheckArgs, SlotServersArgs {
  /**
   * What is looked at.
   *
   * @default - all of it; `eks` where the name of every slot's cluster is known
   */
  readonly vitals?: readonly Vital[];
  /**
   * Namespaces whose pods count. The check is inconclusive where the new cluster has no pods in one of them.
   *
   * @default - all: what harms a whole cluster is anywhere in it
   */
  readonly namespaces?: readonly string[];
  /** Namespaces whose pods don't count, as globs: `ci-*`. @default - none */
  readonly ignore?: readonly string[];
  /**
   * How far back restarts and kills are looked for.
   *
   * @default '10m' - a container that fails again and again is started every five minutes at least
   */
  readonly over?: string;
  /**
   * How long a pod or a new node may take to start. Until then it counts for no failure; where there are too many of them, the
   * shift waits.
   *
   * @default '5m' - a node that an autoscaler orders takes two to three minutes, and images have to come to it
   */
  readonly grace?: string;
  /**
   * By how much more of its pods, workloads or nodes may be affected than of the old cluster's.
   *
   * @default 0.02 - one of fifty
   */
  readonly tolerance?: number;
  /** Chance of a false alarm in a whole shift. @default 0.001 - what harms a whole cluster is no near thing */
  readonly alpha?: number;
}

const defaults = { over: '10m', grace: '5m', tolerance: 0.02, alpha: 0.001 } as const;

/**
 * What harms a whole cluster, in the new slot's beside the old one's: restarts, kills for memory, pods that don't start, images
 * that don't come, pods without a network, workloads that are refused pods, nodes, DNS, and what EKS calls a fault. Before and
 * after every step, so that most of it shows before the first percent.
 *
 * It fails where more is affected than beside it, by more than `tolerance`, and such a difference has hardly a chance in equal
 * clusters. It is inconclusive while pods and nodes may only be starting, where a vital can't be read, and where the new cluster
 * has none of what it counts. Where the old cluster does not answer, it says so, and absolute limits count alone: a shift away
 * from a dead cluster goes on.
 */
export const clusterVitals = checkKind('clusterVitals', {
  asks: "Each slot's API server, and EKS: is the new cluster as well as the old one?",
  stages: ['before', 'after'],
  perRouter: false,
  beforeTraffic: true,
  needs: 'nothing',
  args: checkArgs<ClusterVitalsArgs>({
    ...slotServerEntries,
    vitals: optional(listOf(oneOf(...allVitals))),
    namespaces: optional(listOf(dnsLabelText)),
    ignore: optional(listOf(line)),
    over: optional(timeSpan),
    grace: optional(timeSpan),
    tolerance: optional(share),
    alpha: optional(number('a chance above 0 and below 0.5', { above: 0, below: 0.5 })),
  }),
  programOnly: slotServersOfPrograms,
  problems: slotServerProblems,
  create: (name, settings, context): Check => {
    const { subject, kubernetes, aws, clock } = context;
    const servers = slotServers(settings, subject);
    const { tolerance = defaults.tolerance, alpha = defaults.alpha, namespaces, ignore = [] } = settings;
    const read = (slot: string, window: CheckWindow, signal?: AbortSignal): Promise<ClusterVitals> =>
      askKubernetes(kubernetes, servers[slot]!, (api) => {
        const clusterName = subject.slots[slot]?.clusterName;
        const reader = clusterReader(api, { clients: () => aws(), clusterName }, signal);
        const question = {
          ...{ vitals: vitalsOf(settings, subject), ignore, times: timesOf(settings, window) },
          ...(namespaces === undefined ? {} : { namespaces }),
        };
        return readVitals(reader, question, clock, signal);
      });
    return {
      name,
      stages: ['before', 'after'],
      evaluate: async (window, signal) => {
        const [gaining, old] = await Promise.all([
          Promise.all(
            slotsToEvaluate(window).map(async (slot) => ({ slot, vitals: await read(slot, window, signal) })),
          ),
          readOld(referenceSlots(window), (slot) => read(slot, window, signal), signal),
        ]);
        return combinedResult(gaining.map((each) => judgeVitals(each, old, { tolerance, alpha })));
      },
    };
  },
  permissions: (settings, subject) =>
    vitalsOf(settings, subject).includes('eks') ? eksPermissions(subject) : [],
  access: (settings, subject) =>
    accessRules(settings, vitalsOf(settings, subject)).map((rule) => slotAccess(settings, subject, rule)),
  simulated: (settings) => {
    const { tolerance = defaults.tolerance, alpha = defaults.alpha, vitals = allVitals } = settings;
    return { vitals: { tolerance, alpha, looked: vitals } };
  },
});

/** The old slots; of those that don't answer nothing is known. */
async function readOld(
  slots: readonly string[],
  read: (slot: string) => Promise<ClusterVitals>,
  signal: AbortSignal | undefined,
): Promise<OldVitals | undefined> {
  if (slots.length === 0) {
    return undefined;
  }
  const name = slots.join(' and ');
  try {
    return { name, vitals: together(await Promise.all(slots.map(read))) };
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof SourceError)) {
      throw error;
    }
    return { name, vitals: undefined, why: error.message };
  }
}

function timesOf({ over = defaults.over, grace = defaults.grace }: ClusterVitalsArgs, { to }: CheckWindow) {
  return { to, since: to - parseDuration(over)!, grace: parseDuration(grace)! };
}

function vitalsOf({ vitals }: ClusterVitalsArgs, { slots }: ShiftSubject): readonly Vital[] {
  const isEks = Object.values(slots).every(({ clusterName }) => clusterName !== undefined);
  return vitals ?? allVitals.filter((each) => each !== 'eks' || isEks);
}

/**
 * The rights of the vitals on an API server. CoreDNS is asked by way of it: so the check needs no Prometheus, and no way into the
 * cluster's network. Names of pods change, so that the right can't be narrower than a namespace.
 */
function accessRules({ namespaces }: ClusterVitalsArgs, wanted: readonly Vital[]): readonly AccessRule[] {
  const wants = (...any: readonly Vital[]): boolean => any.some((each) => wanted.includes(each));
  const may = (verb: string, resource: string, namespace?: string): AccessRule => ({
    ...{ apiGroups: [''], resources: [resource], verbs: [verb] },
    ...(namespace === undefined ? {} : { namespace }),
  });
  const inEach = (resource: string): readonly AccessRule[] =>
    (namespaces ?? [undefined]).map((namespace) => may('list', resource, namespace));
  const ofPods = wants('restarts', 'oomKills', 'pendingPods', 'imagePulls', 'podNetworks', 'refusedPods');
  const isCovered = ofPods && (namespaces === undefined || namespaces.includes(coreDns.namespace));
  return [
    ...(ofPods ? inEach('pods') : []),
    ...(wants('podNetworks', 'refusedPods') ? inEach('events') : []),
    ...(wants('nodes', 'dns') ? [may('list', 'nodes')] : []),
    ...(wants('dns', 'dnsAnswers') && !isCovered ? [may('list', 'pods', coreDns.namespace)] : []),
    ...(wants('dnsAnswers') ? [may('get', 'pods/proxy', coreDns.namespace)] : []),
  ];
}

function eksPermissions({ slots, region }: ShiftSubject): readonly IamStatement[] {
  const names = Object.values(slots).flatMap(({ clusterName }) => clusterName ?? []);
  const arns = (kind: 'cluster' | 'nodegroup' | 'addon'): readonly string[] =>
    (names.length === 0 ? [undefined] : names).map((clusterName) =>
      eksResource(kind, { clusterName, region }),
    );
  return [
    { actions: ['eks:DescribeCluster', 'eks:ListNodegroups', 'eks:ListAddons'], resources: arns('cluster') },
    { actions: ['eks:DescribeNodegroup'], resources: arns('nodegroup') },
    { actions: ['eks:DescribeAddon'], resources: arns('addon') },
  ];
}
