import type { ClockMeasurement } from '../../nodes';
import { leaseNamespace } from '../../nodes';

/** Lines about nodes whose clock could not be measured. */
export function unseenClocks({ nodes, silent, unreadable }: ClockMeasurement): readonly string[] {
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

/** Names in a line. */
const mostShown = 5;
