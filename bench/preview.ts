import { join } from 'node:path';
import type { Spread } from './measure';
import { median, quotients, rounds, spread } from './measure';
import type { Finished } from './run-node';
import { root, runNode } from './run-node';

/** What one program took. */
export interface RunResult {
  readonly seconds: Spread;
  readonly cpuSeconds: Spread;
  /** Median. */
  readonly peakMegabytes: number;
}

/** What was measured for one number of clusters. */
export interface PreviewResult {
  readonly clusters: number;
  readonly registrations: number;
  readonly preview: RunResult;
  readonly bare: RunResult;
  readonly ratio: Spread;
}

const commandLine = join(root, 'dist', 'cli', 'main.js');
const flags = ['--json', '--timeout', '1800'];
const fleets = join(__dirname, 'preview', 'fleets');
const bareProgram = join(__dirname, 'preview', 'bare.mjs');

/** Megabytes of heap for the bare program, which needs more than Node's default for the largest fleet. */
export const bareHeap = 12288;

/** Measures the preview of fleets beside a bare Pulumi program on mocks. */
export function measurePreviews(sizes: readonly { clusters: number; times: number }[]): PreviewResult[] {
  return sizes.map(({ clusters, times }) => {
    let registrations = 0;
    const samples = rounds(`preview, clusters: ${clusters}`, times, {
      preview: () => {
        const finished = runNode([commandLine, 'preview', fleets, '--stack', clusters, ...flags]);
        const { summary } = JSON.parse(finished.output) as { summary: { resources: number } };
        registrations = summary.resources;
        return { ...finished, output: '' };
      },
      bare: () => {
        const finished = runNode([`--max-old-space-size=${bareHeap}`, bareProgram, registrations]);
        if (Number(finished.output) !== registrations) {
          throw new Error(`the bare program registered ${finished.output} resources, not ${registrations}`);
        }
        return finished;
      },
    });
    const seconds = (finished: readonly Finished[]) => finished.map((each) => each.seconds);
    return {
      clusters,
      registrations,
      preview: summarize(samples.preview),
      bare: summarize(samples.bare),
      ratio: spread(quotients(seconds(samples.preview), seconds(samples.bare))),
    };
  });
}

function summarize(samples: readonly Finished[]): RunResult {
  return {
    seconds: spread(samples.map(({ seconds }) => seconds)),
    cpuSeconds: spread(samples.map(({ cpuSeconds }) => cpuSeconds)),
    peakMegabytes: median(samples.map(({ peakMegabytes }) => peakMegabytes)),
  };
}
