import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from './tools/go-tools';

/** Mount point of the temporary folder; outside the namespaces it stays empty. */
const temporary = join(cacheFolder, 'tmp');

/**
 * What runs here has network, process and mount namespaces of its own: it reaches nothing but its own loopback device,
 * which holds two more addresses for what must not be a loopback address, and of its processes and temporary files
 * nothing outlives the first process there. That one is killed with `unshare`, which is killed with this process.
 */
const command = [
  ...['setpriv', '--pdeathsig', 'KILL', '--'],
  ...['unshare', '--net', '--pid', '--fork', '--kill-child=SIGKILL', '--mount-proc'],
];
const asRoot = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
const inside = [
  'ip link set lo up',
  'ip address add 10.77.0.1/32 dev lo',
  'ip address add 10.77.0.10/32 dev lo',
  'mount -t tmpfs -o size=3g,mode=1777 tmpfs "$TMPDIR"',
  'exec "$@"',
].join(' && ');

/** Runs a command in namespaces of its own, and answers its exit status; an interrupt ends everything in there. */
export function isolated(args: readonly string[], cwd: string): Promise<number> {
  mkdirSync(temporary, { recursive: true });
  const [program, ...options] = [...command, ...asRoot, 'bash', '-c', inside, 'bash', ...args];
  const child = spawn(program!, options, {
    cwd,
    env: { ...process.env, TMPDIR: temporary },
    stdio: 'inherit',
  });
  let interrupted: number | undefined;
  const interrupt = (status: number) => () => {
    interrupted = status;
    // The first process of a namespace does not see signals that it has no handler for, but for this one.
    child.kill('SIGKILL');
  };
  process.once('SIGHUP', interrupt(129)).once('SIGINT', interrupt(130)).once('SIGTERM', interrupt(143));
  return new Promise((done, fail) => {
    child.on('error', (error) => fail(new Error(`${program}: ${error.message}`)));
    child.on('exit', (code) => done(interrupted ?? code ?? 1));
  });
}
