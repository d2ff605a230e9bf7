import type { ClockVerdict } from '../../nodes';
import type { Finding } from '../finding';
import type { OffClock, OffClocks } from './off-clocks';

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
): readonly Finding[] {
  const against = server ? 'the other nodes' : 'the API server';
  const findings = nodes.map((each) => nodeFinding(each, against, pods.get(each.clock.node) ?? []));
  return server ? [serverFinding(server, measured), ...findings] : findings;
}

function nodeFinding({ clock, verdict }: OffClock, against: string, pods: readonly string[]): Finding {
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
): Finding {
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

function severityOf({ level }: ClockVerdict): Finding['severity'] {
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
