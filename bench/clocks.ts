import { join } from 'node:path';
import { runNode } from './run-node';

/** What one process took. */
interface Taken {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMegabytes: number;
}

/** `doctor clock` for one number of nodes. */
export interface ClockResult {
  readonly nodes: number;
  /** How often it listed the Leases. */
  readonly looks: number;
  /** Size of one list. */
  readonly megabytes: number;
  readonly doctor: Taken;
  /** A program that lists as often without a pause, and parses. */
  readonly bare: Taken;
}

/** Measures `doctor clock` on a server that stands for an API server, in a process of its own. */
export function measureClockChecks(sizes: readonly number[]): ClockResult[] {
  return sizes.map((nodes) => {
    process.stderr.write(`clocks, nodes: ${nodes}\n`);
    const { output } = runNode([join(__dirname, 'clocks', 'measure.mjs'), nodes]);
    const { findings, ...result } = JSON.parse(output) as ClockResult & { findings: number };
    if (findings !== Math.ceil(nodes / 100)) {
      throw new Error(`the doctor found ${findings} clocks off, not ${Math.ceil(nodes / 100)}`);
    }
    return { ...result, nodes };
  });
}
