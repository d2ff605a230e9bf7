import type { CaRotationObservation, TrustState } from '../../../lib/core/certificates/ca-rotation';
import type { TrustAnchor, AuthorityKey, ServerCertificate } from '../../../lib/core/certificates/x509';

/**
 * Everything that matters of a cluster: what is stored, and what two API servers and two pods have of it by now. Bundles and
 * leaves are names: `g1` is a certificate of the authority g1, `g1'` the one after its renewal under the same key.
 */
export interface World {
  /** The CA bundle, as the webhook configuration has it. */
  readonly bundle: readonly string[];
  /** The authority that signed the certificate in the server's Secret. */
  readonly leaf: string;
  readonly apiServers: readonly (readonly string[])[];
  readonly pods: readonly string[];
  /** Whether an hour went by since the bundle was written. */
  readonly settled: boolean;
  /** How far each writer is. */
  readonly done: readonly number[];
}

/** A write, or a rule of when it may happen. */
export interface Write {
  readonly name: string;
  /** @default - at any time after the one before */
  readonly when?: (world: World) => boolean;
  readonly bundle?: (bundle: readonly string[]) => readonly string[];
  readonly leaf?: string;
}

/** A way to keep certificates: writers that write in their own order, and in any order between them. */
export interface Design {
  readonly bundle: readonly string[];
  readonly leaf: string;
  readonly writers: readonly (readonly Write[])[];
}

/** What a search found. */
export interface Search {
  /** Worlds that can come about. */
  readonly worlds: readonly World[];
  /** The shortest way to a world in which a call can be refused. @default - there is none */
  readonly unsafe?: readonly string[];
}

/** Every world that can come about, in any order of writes and of learning about them. */
export function search({ bundle, leaf, writers }: Design, isSafe: (state: TrustState) => boolean): Search {
  const start: World = {
    bundle,
    leaf,
    apiServers: [bundle, bundle],
    pods: [leaf, leaf],
    settled: true,
    done: writers.map(() => 0),
  };
  const seen = new Map([[JSON.stringify(start), start]]);
  let level: { world: World; way: string[] }[] = [{ world: start, way: [] }];
  let unsafe: readonly string[] | undefined;
  while (level.length > 0) {
    unsafe ??= level.find(({ world }) => !isSafe(trustOf(world)))?.way;
    level = level.flatMap(({ world, way }) =>
      eventsOf(world, writers).flatMap(([name, next]) => {
        const key = JSON.stringify(next);
        if (seen.has(key)) {
          return [];
        }
        seen.set(key, next);
        return [{ world: next, way: [...way, name] }];
      }),
    );
  }
  return { worlds: [...seen.values()], ...(unsafe ? { unsafe } : {}) };
}

function eventsOf(world: World, writers: Design['writers']): [name: string, next: World][] {
  const writes = writers.flatMap((writer, index): [string, World][] => {
    const write = writer[world.done[index]!];
    return write && (write.when?.(world) ?? true) ? [[write.name, written(world, write, index)]] : [];
  });
  const apiServers = world.apiServers.map((_, index): [string, World] => [
    `API server ${index + 1} reads`,
    { ...world, apiServers: replaced(world.apiServers, index, world.bundle) },
  ]);
  const pods = world.pods.map((_, index): [string, World] => [
    `pod ${index + 1} reads`,
    { ...world, pods: replaced(world.pods, index, world.leaf) },
  ]);
  // The one thing that is taken for granted: no API server is an hour late.
  const isCurrent = world.apiServers.every((each) => JSON.stringify(each) === JSON.stringify(world.bundle));
  const hour: [string, World][] = isCurrent ? [['an hour goes by', { ...world, settled: true }]] : [];
  return [...writes, ...apiServers, ...pods, ...hour];
}

function written(world: World, { bundle, leaf }: Write, writer: number): World {
  return {
    ...world,
    ...(bundle ? { bundle: bundle(world.bundle), settled: false } : {}),
    ...(leaf === undefined ? {} : { leaf }),
    done: replaced(world.done, writer, world.done[writer]! + 1),
  };
}

function replaced<T>(list: readonly T[], index: number, value: T): readonly T[] {
  return list.map((each, position) => (position === index ? value : each));
}

const now = Date.parse('2026-06-01T12:00:00Z');
const hour = 3_600_000;
const serverName = 'gate.gate-system.svc';

/** The key of an authority. A renewal keeps it. */
export function authority(name: string): AuthorityKey {
  return { subject: `CN=${name.replace("'", '')}`, key: name.replace("'", '') };
}

function anchorOf(name: string): TrustAnchor {
  const renewed = name.endsWith("'") ? hour : 0;
  return { ...authority(name), notBefore: now - 100 * hour + renewed, notAfter: now + 100 * hour + renewed };
}

function leafOf(signer: string): ServerCertificate {
  return { signer: authority(signer), dnsNames: [serverName], notBefore: now - hour, notAfter: now + hour };
}

function trustOf({ apiServers, pods }: World): TrustState {
  return {
    now,
    serverName,
    apiServers: apiServers.map((bundle, index) => ({ name: `${index + 1}`, bundle: bundle.map(anchorOf) })),
    pods: pods.map((signer, index) => ({ name: `${index + 1}`, leaf: leafOf(signer) })),
  };
}

/** What a gate sees: the stored bundle, since when it is so, and what each pod serves. */
export function observationOf({ bundle, pods, settled }: World): CaRotationObservation {
  return {
    now,
    bundles: [{ place: 'gate', anchors: bundle.map(anchorOf), since: settled ? now - hour : now }],
    pods: pods.map((signer, index) => ({ name: `${index + 1}`, leaf: leafOf(signer) })),
  };
}
