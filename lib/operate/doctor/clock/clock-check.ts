import { leaseNamespace } from '../../../core/kubernetes/api';
import { isKubernetesError } from '../../../core/kubernetes/errors';
import { object } from '../../../core/validation/collections';
import { classifySkew, clockMeasurementEntries, measureClocks } from '../../clocks';
import type { ClockMeasurement, ClockMeasurementOptions, ClockVerdict, NodeClock } from '../../clocks';
import type { CheckReport, DoctorCheck, DoctorCheckKind, DoctorContext, DoctorFinding } from '../check';

/** A node whose clock is off, and what that means. */
interface OffClock {
  readonly clock: NodeClock;
  readonly verdict: ClockVerdict;
}

/** The clocks that are off. */
interface OffClocks {
  /** How far nearly all nodes are off in the same way, in seconds: then it is the API server's clock that is. */
  readonly server?: { readonly seconds: number; readonly nodes: number; readonly verdict: ClockVerdict };
  /** Nodes that are off, the worst first; where the API server's clock is off, against the other nodes. */
  readonly nodes: readonly OffClock[];
}

/** Clocks that differ by less than this agree with each other, in seconds. */
const agreement = 2;

/** Two nodes that agree may have been set by the same hand. */
const fewest = 3;

/** How many of the nodes have to agree that the API server is the one that is off. */
const share = 0.8;

/** Sorts out which clocks are off, out of the skew of each node against the API server. */
export function offClocks(clocks: readonly NodeClock[]): OffClocks {
  const common = commonSkew(clocks);
  const nodes = clocks
    .map((clock) => ({ ...clock, seconds: round(clock.seconds - (common?.seconds ?? 0)) }))
    .map((clock) => ({ clock, verdict: classifySkew(clock) }))
    .filter(({ verdict }) => verdict.level !== 'fine')
    .sort((one, other) => Math.abs(other.clock.seconds) - Math.abs(one.clock.seconds));
  if (!common) {
    return { nodes };
  }
  // Nodes that are ahead of the server say that the server is behind.
  const verdict = classifySkew({ seconds: -common.seconds, uncertainty: agreement });
  return { server: { ...common, seconds: -common.seconds, verdict }, nodes };
}

function commonSkew(clocks: readonly NodeClock[]): { seconds: number; nodes: number } | undefined {
  const sorted = clocks.map(({ seconds }) => seconds).sort((one, other) => one - other);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const agreeing = sorted.filter((seconds) => Math.abs(seconds - median) <= agreement).length;
  const isCommon = clocks.length >= fewest && agreeing >= clocks.length * share;
  return isCommon && classifySkew({ seconds: median, uncertainty: 0 }).level !== 'fine'
    ? { seconds: median, nodes: agreeing }
    : undefined;
}

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

/**
 * The findings about clocks that are off.
 *
 * @param measured how many nodes were measured
 * @param pods names of Argo CD's pods by node
 */
export function clockFindings(
  { server, nodes }: OffClocks,
  measured: number,
  pods: ReadonlyMap<string, readonly string[]>,
): readonly DoctorFinding[] {
  const against = server ? 'the other nodes' : 'the API server';
  const findings = nodes.map((each) => nodeFinding(each, against, pods.get(each.clock.node) ?? []));
  return server ? [serverFinding(server, measured), ...findings] : findings;
}

function nodeFinding({ clock, verdict }: OffClock, against: string, pods: readonly string[]): DoctorFinding {
  const { node, uncertainty, median, spread, samples } = clock;
  const { direction, exceeded } = verdict;
  const count = samples === 1 ? '1 heartbeat' : `${samples} heartbeats`;
  return {
    cause: `clock-${direction}`,
    severity: severityOf(verdict),
    likelihood: verdict.certain ? 'certain' : 'likely',
    subject: `Node ${node}`,
    names: [node, ...pods],
    message: `its clock is ${amount(clock.seconds)} ${direction} against ${against}${
      pods.length === 0 ? '' : `, and ${list(pods)} of Argo CD ${pods.length === 1 ? 'runs' : 'run'} there`
    }`,
    evidence: [
      `skew ${signed(clock.seconds)} ± ${amount(uncertainty)}, from ${count} (median ${signed(median)}, spread ${amount(spread)})`,
      ...exceeded.map(
        (each) => `beyond ${each.id} (${boundOf(each[direction], direction)}): ${each.effect[direction]}`,
      ),
    ],
    next:
      'see whether its time daemon runs and has a source: `chronyc tracking` and `chronyc sources` on the node (Bottlerocket: ' +
      '`apiclient get settings.ntp`). On EC2 the source is 169.254.169.123, on IPv6 fd00:ec2::123. Until its clock is right, ' +
      'keep pods of Argo CD off the node',
  };
}

function serverFinding(
  { seconds, nodes, verdict }: NonNullable<OffClocks['server']>,
  measured: number,
): DoctorFinding {
  return {
    cause: `server-clock-${verdict.direction}`,
    severity: severityOf(verdict),
    likelihood: 'likely',
    subject: 'API server',
    message: `${nodes} of ${measured} nodes agree that its clock is ${amount(seconds)} ${verdict.direction}`,
    evidence: [
      `the skew of ${nodes} nodes is within 2 s of ${signed(-seconds)}, by the API server's clock`,
      'nodes seldom go wrong together and by the same time',
    ],
    next: 'see whether time is kept on the machines of the control plane, and compare with a clock that you trust',
  };
}

function severityOf({ level }: ClockVerdict): DoctorFinding['severity'] {
  return level === 'critical' ? 'error' : 'warning';
}

/** `1 min 31 s`, `5.2 s` */
function amount(seconds: number): string {
  const off = Math.abs(seconds);
  const whole = Math.round(off);
  return whole < 60 ? `${Number(off.toFixed(1))} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** `-91.3 s` */
function signed(seconds: number): string {
  return `${seconds < 0 ? '-' : '+'}${Number(Math.abs(seconds).toFixed(1))} s`;
}

function boundOf(seconds: number, direction: string): string {
  return seconds === 0 ? `${direction} at all` : `over ${seconds} s ${direction}`;
}

function list(names: readonly string[]): string {
  const shown = names.slice(0, mostShown);
  const more = names.length - shown.length;
  return more === 0 ? shown.join(', ') : `${shown.join(', ')} and ${more} more`;
}

/** Names in a sentence. */
const mostShown = 5;

/** Lines about nodes whose clock could not be measured. */
function unseenClocks({ nodes, silent, unreadable }: ClockMeasurement): readonly string[] {
  const reasons = new Map<string, string[]>();
  for (const { node, reason } of unreadable) {
    reasons.set(reason, [...(reasons.get(reason) ?? []), node]);
  }
  return [
    ...silent.map(
      ({ node, seconds }) =>
        `Node ${node}: it has not renewed its Lease for ${seconds} s: down, or cut off from the API server; its clock is not known`,
    ),
    ...[...reasons].map(([reason, names]) => `${nodesOf(names)}: ${reason}`),
    ...(nodes.length + silent.length + unreadable.length === 0
      ? [`there are no Leases in the namespace ${leaseNamespace}: do nodes send heartbeats?`]
      : []),
  ];
}

function nodesOf(names: readonly string[]): string {
  const shown = names.slice(0, mostShown).join(', ');
  return names.length > mostShown
    ? `Nodes ${shown} and ${names.length - mostShown} more`
    : `${names.length === 1 ? 'Node' : 'Nodes'} ${shown}`;
}

/** How long and how often the clocks are inspected. */
export type ClockOptions = Pick<
  ClockMeasurementOptions,
  'samples' | 'interval' | 'deadline' | 'wait' | 'elapsed'
>;

const { progress: _progress, signal: _signal, ...entries } = clockMeasurementEntries;

const clockOptions = object<ClockOptions>(entries);

/**
 * Measures the clock of every node from outside, by the heartbeats of its kubelet, and names those that something does not
 * bear, with the pods of Argo CD that run there.
 */
export function clockCheck(options: ClockOptions = {}): DoctorCheck {
  return {
    name: 'clock',
    title: 'clocks of the nodes, against that of the API server',
    layer: 'nodes',
    access,
    examine: (context) => examine(context, options),
  };
}

/** The kind of it. */
export const clock: DoctorCheckKind<ClockOptions> = { options: clockOptions, create: clockCheck };

const access: DoctorCheck['access'] = (namespace) => [
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['list'], namespace: leaseNamespace },
  { apiGroups: [''], resources: ['pods'], verbs: ['list'], namespace },
];

async function examine(context: DoctorContext, options: ClockOptions): Promise<CheckReport> {
  const { api, signal } = context;
  try {
    const measurement = await measureClocks(api, {
      ...options,
      signal,
      progress: (measured, all) => context.progress(`clock: ${figure(measured)} of ${figure(all)} nodes`),
    });
    return await reportOf(measurement, context);
  } catch (error) {
    if (!isKubernetesError(error, 'denied')) {
      throw error;
    }
    return { findings: [], looked: '', notChecked: [(error as Error).message] };
  }
}

async function reportOf(measurement: ClockMeasurement, context: DoctorContext): Promise<CheckReport> {
  const { nodes } = measurement;
  const off = offClocks(nodes);
  const pods = off.nodes.length === 0 ? noPods : await podsByNode(context);
  const samples = Math.max(0, ...nodes.map((node) => node.samples));
  return {
    findings: clockFindings(off, nodes.length, pods.byNode),
    looked: `${figure(nodes.length)} ${nodes.length === 1 ? 'node' : 'nodes'}, up to ${samples} heartbeats each`,
    notChecked: [...unseenClocks(measurement), ...pods.unseen],
    // Nodes come and go: one that is down does not make the others unknown.
    sufficient: nodes.length > 0 && measurement.unreadable.length === 0,
  };
}

interface PodsByNode {
  /** Names of Argo CD's pods by the node that they run on. */
  readonly byNode: ReadonlyMap<string, readonly string[]>;
  readonly unseen: readonly string[];
}

const noPods: PodsByNode = { byNode: new Map(), unseen: [] };

async function podsByNode({ api, namespace, signal }: DoctorContext): Promise<PodsByNode> {
  try {
    const byNode = new Map<string, string[]>();
    for (const { metadata, spec } of await api.list(
      { apiVersion: 'v1', kind: 'Pod' },
      { namespace, signal },
    )) {
      const { nodeName } = (spec ?? {}) as { nodeName?: unknown };
      if (typeof nodeName === 'string') {
        byNode.set(nodeName, [...(byNode.get(nodeName) ?? []), metadata.name]);
      }
    }
    return { byNode, unseen: [] };
  } catch (error) {
    if (!isKubernetesError(error)) {
      throw error;
    }
    return { ...noPods, unseen: [`which pods of Argo CD run on them: ${(error as Error).message}`] };
  }
}

/** `5,000` */
function figure(number: number): string {
  return number.toLocaleString('en-US');
}
