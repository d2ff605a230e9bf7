import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Spread } from './measure';
import { quotients, rounds, spread } from './measure';
import { root, runNode } from './run-node';

/** What was measured for one import of the package. */
export interface ImportResult {
  /** `cluster-canary/argocd` */
  readonly name: string;
  /** Milliseconds. */
  readonly time: Spread;
  /** To `cdk8s-plus-28` alone. */
  readonly toCdk8sPlus: Spread;
  /** Peer packages that it loads. */
  readonly peers: readonly string[];
  /** To these alone; nothing where it loads none. */
  readonly toPeers: Spread | undefined;
  /** Whether it must load about as fast as `cdk8s-plus-28` alone: it loads nothing of Pulumi's. */
  readonly isLimited: boolean;
}

/** What was measured for all of them. */
export interface ImportResults {
  readonly cdk8sPlus: Spread;
  readonly imports: readonly ImportResult[];
}

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** The design's limit for what loads without Pulumi, as a multiple of `cdk8s-plus-28` alone. */
export const importLimit = 1.3;

const cdk8sPlus = 'cdk8s-plus-28';
const program = join(__dirname, 'imports', 'sample.mjs');

/** Measures each import of the package beside what it builds on. */
export function measureImports(times: number): ImportResults {
  const { name, exports, peerDependencies } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  ) as Manifest;
  const imports = Object.entries(exports)
    .filter(([, target]) => typeof target === 'object' && target.default.endsWith('.js'))
    .map(([path]) => {
      const loaded = load([`${name}${path.slice(1)}`]).packages;
      const peers = Object.keys(peerDependencies).filter((peer) => loaded.includes(peer));
      const isLimited = !peers.some((peer) => peer.startsWith('@pulumi/'));
      return { name: `${name}${path.slice(1)}`, peers, isLimited };
    });
  const contenders = [[cdk8sPlus], ...imports.flatMap((each) => [[each.name], each.peers])];
  const samples = rounds(
    'imports',
    times,
    Object.fromEntries(contenders.map((names) => [names.join(), () => load(names).milliseconds])),
  );
  const ratio = (of: string, to: string) => spread(quotients(samples[of]!, samples[to]!));
  return {
    cdk8sPlus: spread(samples[cdk8sPlus]!),
    imports: imports.map((each) => ({
      ...each,
      time: spread(samples[each.name]!),
      toCdk8sPlus: ratio(each.name, cdk8sPlus),
      toPeers: each.peers.length > 0 ? ratio(each.name, each.peers.join()) : undefined,
    })),
  };
}

function load(names: readonly string[]): { milliseconds: number; packages: string[] } {
  return JSON.parse(runNode([program, ...names]).output) as { milliseconds: number; packages: string[] };
}
