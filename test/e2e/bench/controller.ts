import type { ControlPlane } from './control-plane';
import { BenchProcess } from './process';

/** A controller beside a control plane. */
export interface Controller {
  /** Its process, for a test that kills it. */
  readonly process: BenchProcess;
  /** Starts it again, after it was killed. */
  start(): Promise<void>;
  /** Kills it and starts it again. */
  restart(): Promise<void>;
}

/** What is started, and how it shows that it runs. */
export interface ControllerOptions {
  /** Name for messages and the log file. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** @default {} */
  readonly env?: Readonly<Record<string, string>>;
  /** Fails, or answers `false`, until it runs. */
  readonly ready: () => Promise<unknown>;
}

/** Starts a controller with its log in the folder of the control plane. */
export async function startController(
  plane: ControlPlane,
  { name, command, args, env, ready }: ControllerOptions,
): Promise<Controller> {
  const process = new BenchProcess({ name, command, args, env, folder: plane.folder });
  const start = async () => void (await process.start(ready));
  await start();
  return {
    process,
    start,
    restart: async () => {
      await process.kill();
      await start();
    },
  };
}

/** Whether an HTTP server answers there. */
export async function answersAt(port: number, path: string, address = '127.0.0.1'): Promise<boolean> {
  return (await fetch(`http://${address}:${port}${path}`, { signal: AbortSignal.timeout(2000) })).ok;
}
