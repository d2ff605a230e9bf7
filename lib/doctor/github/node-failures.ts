import type { MeasuredClock } from './clock-verdict';
import type { ReadPod } from './repo-server-pods';

/** What the repo-servers of one node wrote. */
export interface NodeFailures {
  readonly node: string;
  readonly pods: readonly ReadPod[];
  /** Lines with 401. */
  readonly refused: number;
  readonly certificate: number;
  readonly proxy: number;
  readonly unreachable: number;
  readonly git: number;
  /** @default - not known */
  readonly clock?: MeasuredClock;
}

/** Puts logs and clocks together by node. */
export function failuresByNode(
  pods: readonly ReadPod[],
  clocks: readonly MeasuredClock[],
): readonly NodeFailures[] {
  const clockOf = new Map(clocks.map((clock) => [clock.node, clock]));
  const nodes = [...new Set(pods.map(({ node }) => node))].sort();
  return nodes.map((node) => {
    const own = pods.filter((pod) => pod.node === node);
    const sum = (count: 'refused' | 'certificate' | 'proxy' | 'unreachable' | 'git'): number =>
      own.reduce((total, { failures }) => total + failures[count], 0);
    const clock = clockOf.get(node);
    return {
      node,
      pods: own,
      refused: sum('refused'),
      certificate: sum('certificate'),
      proxy: sum('proxy'),
      unreachable: sum('unreachable'),
      git: sum('git'),
      ...(clock ? { clock } : {}),
    };
  });
}
