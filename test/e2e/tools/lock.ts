import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

/** A lock that is held. The commands that are given it keep it as long as they run, whatever becomes of this process. */
export interface Lock {
  readonly descriptor: number;
}

/**
 * Does something while no other process does what has the same lock file. The kernel frees the lock with the last process
 * that has it, however that ends, so the file stays and says nothing by being there.
 *
 * @param onWait called once where another process holds it
 */
export async function locked<T>(
  file: string,
  work: (lock: Lock) => Promise<T>,
  onWait: () => void = () => undefined,
): Promise<T> {
  mkdirSync(dirname(file), { recursive: true });
  const descriptor = openSync(file, 'a');
  try {
    if (!(await flock(descriptor, '--nonblock'))) {
      onWait();
      await flock(descriptor);
    }
    return await work({ descriptor });
  } finally {
    closeSync(descriptor);
  }
}

/** The status of flock where another process has the lock. */
const taken = 1;

/** Locks the open file, which this process shares with the program. @returns whether it is locked */
function flock(descriptor: number, ...options: readonly string[]): Promise<boolean> {
  return new Promise((done, fail) => {
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', 'flock', '--exclusive', ...options, '3'], {
      stdio: ['ignore', 'ignore', 'pipe', descriptor],
    });
    let errors = '';
    child.stderr!.on('data', (data: Buffer) => (errors += data.toString()));
    child.on('error', (error) => fail(new Error(`flock: ${error.message}`)));
    child.on('close', (code) => {
      if (code === 0 || (code === taken && options.length > 0)) {
        done(code === 0);
      } else {
        fail(new Error(`flock: ${errors.trim() || `status ${code}`}`));
      }
    });
  });
}
