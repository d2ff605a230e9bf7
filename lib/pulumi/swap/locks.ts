import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync, rmSync } from 'node:fs';
import { homedir, hostname, uptime, userInfo } from 'node:os';
import { join } from 'node:path';
import { readBounded, utf8Text } from '../../core/files/read';
import { writeBelow } from '../../core/files/write';

/** A lock of a backend of one's own (a folder, a bucket), as Pulumi's error tells it. */
export interface StackLock {
  readonly user: string;
  readonly host: string;
  readonly pid: number;
  /** When it was made, in milliseconds since 1970, a whole second. */
  readonly at: number;
}

/** Where a process runs: its number means something only there. */
export interface Machine {
  readonly host: string;
  readonly user: string;
  /** Processes of another container have other numbers. @default - the system does not say */
  readonly processes?: string;
}

/** That a run of ours began a deployment. It is taken away when the deployment has ended, so one that is there was killed. */
export interface RunMark extends Machine {
  /** In milliseconds since 1970. */
  readonly at: number;
}

/** This machine, and when it was started, in milliseconds since 1970. */
export interface Here extends Machine {
  readonly startedAt: number;
}

/**
 * The locks that an error of Pulumi tells. Pulumi Cloud's leases are not told, and end by themselves.
 *
 * @see https://github.com/pulumi/pulumi/blob/master/pkg/backend/diy/lock.go
 */
export function locksIn(message: string): readonly StackLock[] {
  const found = message.matchAll(
    /: created by (\S{1,200})@([^\s@]{1,300}) \(pid (\d{1,10})\) at (\S{1,40})/g,
  );
  // A command's error holds what it wrote, and all of that once more.
  const each = new Map([...found].map((match) => [match[0], match]));
  return [...each.values()].map(([, user, host, pid, at]) => ({
    ...{ user: user!, host: host!, pid: Number(pid), at: Date.parse(at!) },
  }));
}

/** A clock that is set by the network after a start differs by less. In milliseconds. */
const clockDifference = 60_000;

/**
 * Whether all locks are left over of a run of ours that was killed: made on this machine, by this user, after that run began,
 * by a process that is not there any more. Of a lock from elsewhere nobody here can know whether its process lives.
 */
export function areLeftOver(
  locks: readonly StackLock[],
  mark: RunMark | undefined,
  here: Here,
  isAlive: (pid: number) => boolean,
): boolean {
  return (
    mark !== undefined &&
    locks.length > 0 &&
    isSameUser(mark, here) &&
    locks.every(
      (lock) =>
        isSameUser(lock, here) &&
        // The lock's time has no parts of a second.
        lock.at >= mark.at - 1_000 &&
        // All processes end with the machine.
        (lock.at < here.startedAt - clockDifference ||
          (mark.processes === here.processes && !isAlive(lock.pid))),
    )
  );
}

/**
 * The mark of a run that begins, beside that of one that was killed: whose lock may still be there, so it goes back to its time.
 *
 * @returns nothing where the mark is that of another container, whose processes can't be seen from here
 */
export function nextMark(mark: RunMark | undefined, here: Here, now: number): RunMark | undefined {
  const { startedAt, ...machine } = here;
  if (mark === undefined || !isSameUser(mark, here)) {
    return { ...machine, at: now };
  }
  return mark.processes === here.processes || mark.at < startedAt - clockDifference
    ? { ...machine, at: Math.min(mark.at, now) }
    : undefined;
}

function isSameUser(one: Pick<Machine, 'host' | 'user'>, other: Machine): boolean {
  return one.host === other.host && one.user === other.user;
}

/** This machine. */
export function thisMachine(): Here {
  const processes = orNothing(() => readlinkSync('/proc/self/ns/pid'));
  return {
    host: hostname(),
    user: userInfo().username,
    ...(processes !== undefined && { processes }),
    startedAt: Date.now() - uptime() * 1_000,
  };
}

/** Whether a process is there and runs. One of another user's is, too. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0) && !hasEnded(pid);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/**
 * Whether a process has ended and its parent has not asked how: in a container without an init process it stays in the table.
 *
 * @see https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
 */
function hasEnded(pid: number): boolean {
  const stat = orNothing(() => readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? '';
  // Its name is in parentheses, and may have some.
  return /^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
}

/** Remembers on this machine that a deployment was begun. */
export interface RunMarks {
  /** The mark of a run that was killed. @returns nothing where there is none */
  read(): RunMark | undefined;
  /** Writes the mark of this run. */
  write(mark: RunMark): void;
  /** Takes it away once the deployment has ended. */
  remove(): void;
}

/**
 * In a file of this user's, beside no project: a commit would take it along.
 *
 * @param folder of the program
 */
export function runMarks(
  folder: string,
  stack: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): RunMarks {
  const state = env.XDG_STATE_HOME || join(homedir(), '.local', 'state');
  const below = join(state, 'cluster-canary');
  const name = `pulumi-${createHash('sha256')
    .update(JSON.stringify([folder, stack]))
    .digest('hex')
    .slice(0, 32)}.json`;
  const file = join(below, name);
  return {
    read: () => orNothing(() => markIn(JSON.parse(utf8Text(readBounded(file), file)))),
    // Where it can't be written, a lock that is left over waits for a person.
    write: (mark) =>
      void orNothing(() => writeBelow(below, [{ path: name, text: JSON.stringify(mark), mode: 0o600 }])),
    remove: () => void orNothing(() => rmSync(file, { force: true })),
  };
}

function markIn(content: unknown): RunMark | undefined {
  const { host, user, processes, at } = (content ?? {}) as Partial<RunMark>;
  return typeof at === 'number' && typeof host === 'string' && typeof user === 'string'
    ? { host, user, at, ...(typeof processes === 'string' && { processes }) }
    : undefined;
}

function orNothing<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch {
    return undefined;
  }
}
