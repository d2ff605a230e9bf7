import { guardMetrics } from '../../manifests/clock-guard';
import type { ClockMeasurement } from './measure';

/** What the guard has seen and done. */
export interface GuardState {
  /** What was measured last. @default - nothing was measured yet */
  readonly measurement?: ClockMeasurement;
  /** Nodes that may not take pods yet, and why. */
  readonly waiting: ReadonlyMap<string, string>;
  /** When Leases were read last, in milliseconds since 1970. @default - never */
  readonly lookedAt?: number;
  /** Looks that came to nothing. */
  readonly failedLooks: number;
  /** Nodes that were opened. */
  readonly opened: number;
}

/**
 * The guard's metrics, in Prometheus' text format.
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function metricsText({ measurement, waiting, lookedAt, failedLooks, opened }: GuardState): string {
  const { nodes, silent, unreadable } = measurement ?? { nodes: [], silent: [], unreadable: [] };
  const families: readonly Family[] = [
    {
      name: guardMetrics.skew,
      type: 'gauge',
      help: "How far a node's clock is ahead of the API server's; below zero it is slow.",
      samples: nodes.map(({ node, seconds }) => [node, seconds]),
    },
    {
      name: guardMetrics.uncertainty,
      type: 'gauge',
      help: 'How far off the estimate of the skew may be.',
      samples: nodes.map(({ node, uncertainty }) => [node, uncertainty]),
    },
    {
      name: guardMetrics.silent,
      type: 'gauge',
      help: 'For how long a node has not renewed its Lease, where that is longer than the Lease holds.',
      samples: silent.map(({ node, seconds }) => [node, seconds]),
    },
    {
      name: guardMetrics.unreadable,
      type: 'gauge',
      help: 'A node whose Lease does not show how far its clock is off.',
      samples: unreadable.map(({ node }) => [node, 1]),
    },
    {
      name: guardMetrics.waiting,
      type: 'gauge',
      help: 'A node that takes no pods until its clock is right.',
      samples: [...waiting.keys()].map((node) => [node, 1]),
    },
    {
      name: guardMetrics.opened,
      type: 'counter',
      help: 'Nodes whose startup taint was taken away.',
      samples: [[undefined, opened]],
    },
    {
      name: guardMetrics.looked,
      type: 'gauge',
      help: 'When Leases were read last.',
      samples: lookedAt === undefined ? [] : [[undefined, Math.floor(lookedAt / 1000)]],
    },
    {
      name: guardMetrics.failed,
      type: 'counter',
      help: 'Reads of Leases that failed.',
      samples: [[undefined, failedLooks]],
    },
  ];
  return families.flatMap(lines).join('\n').concat('\n');
}

interface Family {
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  readonly help: string;
  /** A node, or none, and the value. */
  readonly samples: readonly (readonly [string | undefined, number])[];
}

function lines({ name, type, help, samples }: Family): string[] {
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(
      ([node, value]) => `${name}${node === undefined ? '' : `{node="${escaped(node)}"}`} ${value}`,
    ),
  ];
}

function escaped(text: string): string {
  return text.replace(/[\\"\n]/g, (each) => (each === '\n' ? '\\n' : `\\${each}`));
}
