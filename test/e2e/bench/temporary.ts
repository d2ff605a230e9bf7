import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onCleanUp } from './clean-up';

/** A folder that is gone when the test file ends. */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  onCleanUp(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Ports below those that the kernel gives to outgoing connections, which could take one between its choice and its use;
 * each of Jest's workers has a part of its own.
 */
const ports = { first: 12_000, perWorker: 2_000, workers: 10 };
const worker = Number(process.env.JEST_WORKER_ID ?? process.pid) % ports.workers;
let next = 0;

/** A loopback port that nothing listens on, and that no other caller of the suite was given. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = ports.first + worker * ports.perWorker + (next % ports.perWorker);
    next += 1;
    if (await isFree(port)) {
      return port;
    }
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().on('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
