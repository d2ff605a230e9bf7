import type { ChildProcess } from 'node:child_process';

/** Windows has no process groups. */
const hasGroups = process.platform !== 'win32';

/** How a program is started so that it leads a group. */
export const asLeader = { detached: hasGroups, windowsHide: true };

const running = new Set<ChildProcess>();

/** Signals that end a process which does not listen, without an `exit` that it would hear. */
const ending = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Takes care that the group does not outlive this process: in a group of its own, it hears no interrupt of the terminal. */
export function watchGroup(leader: ChildProcess): void {
  if (running.size === 0) {
    process.on('exit', endAll);
    ending.forEach((signal) => process.on(signal, endWithThis));
  }
  running.add(leader);
}

/** Ends what is left of a group, such as processes in the background. */
export function endGroup(leader: ChildProcess): void {
  signalGroup(leader, 'SIGKILL');
  running.delete(leader);
  if (running.size === 0) {
    process.off('exit', endAll);
    ending.forEach((signal) => process.off(signal, endWithThis));
  }
}

/** Sends a signal to the leader and all that it has started, except for what has left the group. */
export function signalGroup(leader: ChildProcess, signal: NodeJS.Signals): void {
  send(leader, signal);
}

/** Whether the group has no process any more. One that its parent has not taken note of still counts. */
export function isEmptyGroup(leader: ChildProcess): boolean {
  return !send(leader, 0);
}

function send(leader: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (leader.pid === undefined) {
    return false;
  }
  try {
    return hasGroups ? process.kill(-leader.pid, signal) : leader.kill(signal);
  } catch (error) {
    // EPERM: it is there, as another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Where nothing else listens, the signal ends this process, as it would without a program. */
function endWithThis(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) === 1) {
    endAll();
    process.off(signal, endWithThis);
    process.kill(process.pid, signal);
  }
}

function endAll(): void {
  running.forEach((leader) => signalGroup(leader, 'SIGKILL'));
}
