import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { motoServerPath } from '../tools/other-tools';
import { onCleanUp } from './clean-up';
import type { CommandResult } from './command';
import { main } from './command';
import { temporaryFolder } from './temporary';

/** A command whose streams are not those of a test. */
export interface RedirectedCommand {
  /** Sends a signal to it. */
  signal(signal: NodeJS.Signals): void;
  /** On a terminal: closes it. */
  closeTerminal(): void;
  /** On a terminal: reads all that the command has written, as ctrl-Q makes it. */
  readTerminal(): void;
  readonly result: Promise<CommandResult>;
}

/** The reader of a pipe is gone before the command begins. */
const intoNobody = (redirections: string): string =>
  `{ sleep 0.3; exec "$@"; } ${redirections} | true; exit "\${PIPESTATUS[0]}"`;

/** Scripts of bash that redirect what a command writes; `$OUT` and `$ERR` are files. */
export const redirections = {
  good: 'exec "$@" >"$OUT" 2>"$ERR"',
  'a closed stderr': 'exec "$@" >"$OUT" 2>&-',
  'a full disk for stderr': 'exec "$@" >"$OUT" 2>/dev/full',
  'a stderr that nobody reads': intoNobody('2>&1 >"$OUT"'),
  'a full disk for all': 'exec "$@" >/dev/full 2>&1',
  'a pipe for all, that nobody reads': intoNobody('2>&1'),
} as const;

/**
 * Runs the command on a terminal, with stdout in a file. Nobody reads what the terminal is told, so that this takes some
 * kilobytes and then nothing more, until the input of this program ends: it then reads, or closes the terminal. It ends
 * with the command's status.
 */
const terminal = `
import fcntl, os, pty, sys, termios
ours, its = pty.openpty()
pid = os.fork()
if pid == 0:
    os.setsid()
    fcntl.ioctl(its, termios.TIOCSCTTY, 0)
    os.dup2(its, 0)
    os.dup2(its, 2)
    os.dup2(os.open(os.environ['OUT'], os.O_WRONLY | os.O_CREAT), 1)
    os.close(ours)
    os.close(its)
    os.execvp(sys.argv[1], sys.argv[1:])
os.close(its)
if sys.stdin.read() == 'read':
    try:
        while os.read(ours, 65536):
            pass
    except OSError:
        pass
os.close(ours)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 255)
`;

/** Starts the real `cluster-canary` by a script that redirects its streams. */
export function startRedirected(
  script: string,
  env: Readonly<Record<string, string | undefined>>,
  ...args: string[]
): RedirectedCommand {
  return start(['bash', '-c', script, 'bash'], env, args);
}

/** Starts the real `cluster-canary` on a terminal. */
export function startOnTerminal(
  env: Readonly<Record<string, string | undefined>>,
  ...args: string[]
): RedirectedCommand {
  return start([join(dirname(motoServerPath()), 'python3'), '-c', terminal], env, args);
}

function start(
  [program = '', ...before]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  args: readonly string[],
): RedirectedCommand {
  const folder = temporaryFolder('redirected');
  const [out, err] = [join(folder, 'out'), join(folder, 'err')];
  const child = spawn(program, [...before, process.execPath, main, ...args], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { ...process.env, ...env, OUT: out, ERR: err, _: '' },
  });
  onCleanUp(() => void child.kill('SIGKILL'));
  const written = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');
  return {
    signal: (signal) => void child.kill(signal),
    closeTerminal: () => void child.stdin.end(),
    readTerminal: () => void child.stdin.end('read'),
    result: new Promise((resolve) => {
      child.on('close', (status) => resolve({ status, stdout: written(out), stderr: written(err) }));
    }),
  };
}
