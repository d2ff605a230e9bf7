import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** State of a listening socket in the kernel's tables. */
const listening = '0A';

/** The IP addresses on which a process listens, as the kernel writes them: IPv4 dotted, IPv6 as its 32 digits. */
export function listenAddresses(pid: number): string[] {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return [/^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? ''];
      } catch {
        // Closed in the meantime.
        return [];
      }
    }),
  );
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === listening && sockets.has(fields[9]!))
      .map((fields) => addressText(fields[1]!.split(':')[0]!)),
  );
}

function addressText(digits: string): string {
  return digits.length === 8 ? [...Buffer.from(digits, 'hex')].reverse().join('.') : digits;
}

/** A process as `/proc` shows it. */
export interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** All processes that can be seen. */
export function runningProcesses(): RunningProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        return state === 'Z' ? [] : [{ pid: Number(name), parent: Number(parent), command }];
      } catch {
        // Ended in the meantime.
        return [];
      }
    });
}

/** The processes below one, in any depth. */
export function descendants(pid: number, all: readonly RunningProcess[]): RunningProcess[] {
  return all.filter(({ parent }) => parent === pid).flatMap((each) => [each, ...descendants(each.pid, all)]);
}
