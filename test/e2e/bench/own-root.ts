import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from './temporary';
import { serviceAddress } from './webhook-server';

/** A program that sees a file system of its own. */
export interface OwnRootOptions {
  /** Name of the folder. */
  readonly name: string;
  /** Path of the program; it is statically linked. */
  readonly program: string;
  readonly args: readonly string[];
  /** Contents of its files by their paths, such as `/etc/hosts`. */
  readonly files: Readonly<Record<string, string>>;
  /**
   * Address of a network namespace of its own, which reaches {@link serviceAddress} and is reached from the suite.
   *
   * @default - it shares the network of the suite
   */
  readonly address?: string;
}

/** Runs inside the new namespaces, and becomes the program. */
const script = `
  set -euo pipefail
  root=$1 program=$2 address=$3 host=$4 service=$5
  shift 5
  if [ -n "$address" ]; then
    link=pod$$
    ip link set lo up
    ip link add eth0 type veth peer name $link netns $host
    ip address add $address/32 dev eth0
    ip link set eth0 up
    ip route add $service/32 dev eth0
    ip route add default via $service dev eth0
    nsenter --target $host --net ip link set $link up
    nsenter --target $host --net ip route add $address/32 dev $link src $service
  fi
  mount --bind "$program" "$root/program"
  mount --rbind /proc "$root/proc"
  cd /
  exec chroot "$root" /program "$@"
`;

/**
 * The command that runs a program in a root folder which holds these files, the program as `/program`, `/proc` and an
 * empty `/tmp`, and nothing else: what it looks for below `/etc` is not the machine's. Nothing of it outlives it.
 */
export function inOwnRoot(options: OwnRootOptions): { readonly command: string; readonly args: string[] } {
  const { name, program, args, files, address } = options;
  const root = temporaryFolder(`${name}-root`);
  ['proc', 'tmp'].forEach((folder) => mkdirSync(join(root, folder)));
  for (const [path, text] of Object.entries({ ...files, '/program': '' })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return {
    command: 'unshare',
    args: [
      ...['--mount', ...(address === undefined ? [] : ['--net'])],
      ...['bash', '-c', script, name, root, program, address ?? '', String(process.pid), serviceAddress],
      ...args,
    ],
  };
}
