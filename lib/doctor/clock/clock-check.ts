import { isKubernetesError } from '../../kubernetes';
import type { ClockMeasurementOptions } from '../../nodes';
import { measureClocks } from '../../nodes';
import type { OptionsOf } from '../../problems';
import type { CheckReport, DoctorCheck, DoctorContext } from '../doctor-check';
import { clockFindings } from './clock-findings';
import { offClocks } from './off-clocks';
import { unseenClocks } from './unseen-clocks';

/** How long and how often the clocks are looked at. */
export type ClockOptions = Pick<
  ClockMeasurementOptions,
  'samples' | 'interval' | 'deadline' | 'wait' | 'elapsed'
>;

export const clockOptionsKeys: OptionsOf<ClockOptions> = {
  samples: 'plain',
  interval: 'plain',
  deadline: 'plain',
  wait: 'open',
  elapsed: 'open',
};

/**
 * Measures the clock of every node from outside, by the heartbeats of its kubelet, and names those that something does not
 * bear, with the pods of Argo CD that run there.
 */
export function clockCheck(options: ClockOptions = {}): DoctorCheck {
  return {
    name: 'clock',
    title: 'clocks of the nodes, against that of the API server',
    examine: (context) => examine(context, options),
  };
}

async function examine(context: DoctorContext, options: ClockOptions): Promise<CheckReport> {
  const { api, signal } = context;
  const measurement = await measureClocks(api, {
    ...options,
    signal,
    progress: (measured, all) => context.progress(`clock: ${figure(measured)} of ${figure(all)} nodes`),
  });
  const { nodes } = measurement;
  const off = offClocks(nodes);
  const pods = off.nodes.length === 0 ? noPods : await podsByNode(context);
  const samples = Math.max(0, ...nodes.map((node) => node.samples));
  return {
    findings: clockFindings(off, nodes.length, pods.byNode),
    looked: `${figure(nodes.length)} ${nodes.length === 1 ? 'node' : 'nodes'}, up to ${samples} heartbeats each`,
    unseen: [...unseenClocks(measurement), ...pods.unseen],
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
