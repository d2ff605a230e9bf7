import { join } from 'node:path';
import { runNode } from './run-node';

/** What one `clusters sync` took and asked. */
export interface ClusterSetRun {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMegabytes: number;
  readonly calls: Readonly<Record<'list' | 'describe' | 'assumeRole' | 'hubReads' | 'hubWrites', number>>;
  readonly created: number;
  readonly kept: number;
  readonly problems: readonly string[];
  readonly written: number;
}

/** Two runs after each other for one number of clusters. */
export interface ClusterSetResult {
  readonly clusters: number;
  readonly places: number;
  readonly first: ClusterSetRun;
  /** Nothing has changed since the first. */
  readonly second: ClusterSetRun;
}

/** Ten places: five accounts in two regions. */
const accounts = 5;
const regions = ['eu-west-1', 'us-east-1'];

/**
 * Measures the command on servers that stand for EKS (which takes 30 ms for an answer), STS and the hub, in a process of
 * their own.
 *
 * @param sizes clusters in each of ten places
 */
export function measureClusterSets(sizes: readonly number[]): ClusterSetResult[] {
  return sizes.map((size) => {
    const places = accounts * regions.length;
    process.stderr.write(`cluster sets, clusters: ${size * places}\n`);
    const { output } = runNode([join(__dirname, 'clusterset', 'measure.mjs'), size, accounts, ...regions]);
    const [first, second] = JSON.parse(output) as [ClusterSetRun, ClusterSetRun];
    if (first.written !== size * places || second.written !== 0) {
      throw new Error(
        `the runs wrote ${first.written} and ${second.written} Secrets, not ${size * places} and 0`,
      );
    }
    return { clusters: size * places, places, first, second };
  });
}
