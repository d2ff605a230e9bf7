import { inTurn } from '../../core/async';
import type { Clock } from '../../core/async';
import type { AwsClients } from '../../core/aws/clients';
import { AwsError, callAws } from '../../core/aws/errors';
import { everyPage, pageOf } from '../../core/aws/pages';
import { fleetTag, slotTag } from '../../core/names';
import { openRouter } from '../../shift/routers';
import type { RouteSettings } from '../../shift/routers';
import { fleetTraffic } from '../live-traffic';
import type { FleetSplit } from '../live-traffic';
import type { FleetConfiguration } from './configuration';
import type { SwapPlan } from './plan';
import type { FleetProgram } from './program';
import type { SeenCluster, SwapSeen } from './seen';
import type { SwapObserve } from './swap-run';

/** What there is of a fleet is read with. */
export interface ObserverSettings {
  readonly plan: Pick<SwapPlan, 'fleet' | 'names' | 'moves'>;
  readonly program: Pick<FleetProgram, 'read'>;
  /** AWS, in the region of the fleet. */
  readonly clients: AwsClients;
  /** Where the weights are. @default - the rules and records that the fleet's target groups are found by */
  readonly route?: RouteSettings;
  /** Ids of the hosted zones that may have records of the fleet. @default - every one of the account, where they matter */
  readonly hostedZoneIds?: readonly string[];
  /** Lines for a person: what differs, what could not be read. Each is said once. */
  readonly say: (line: string) => void;
  /** Waits between two calls of Route 53. @default - by this machine's clock */
  readonly clock?: Clock;
}

/** Clusters that are described at once. */
const clustersAtOnce = 4;

/** A cluster as it was described. */
interface Described extends SeenCluster {
  readonly name: string;
  /** Slot of the fleet. @default - it is of another fleet, or of none */
  readonly slot?: string;
}

/**
 * Reads what there is of a fleet: the program's configuration, its clusters in EKS, and where its live traffic goes.
 *
 * A cluster is the fleet's by its tags `cluster-canary/fleet` and `cluster-canary/slot`; one without them by its name
 * `FLEET-SLOT`, for slots that the configuration or the swap file knows.
 *
 * What it returns throws AwsError, RouterError and what the program throws: a part is no answer.
 */
export function fleetObserver(settings: ObserverSettings): SwapObserve {
  const said = new Set<string>();
  const say = (line: string): void => {
    if (!said.has(line)) {
      said.add(line);
      settings.say(line);
    }
  };
  // Tags of other fleets' clusters, which are not read again: an account has many of them.
  const others = new Set<string>();
  const router = settings.route && openRouter(settings.route);
  return async (signal): Promise<SwapSeen> => {
    const { plan, program } = settings;
    const configuration = await configurationOf(program, signal);
    const slots = [...new Set([...Object.keys(configuration.slots), ...plan.names])];
    const clusters = await seenClusters({ ...settings, say }, slots, others, signal);
    const live =
      plan.moves === 'hub'
        ? configuration.active === undefined
          ? {}
          : { [configuration.active]: 100 }
        : router
          ? await router.read(signal)
          : await liveTraffic({ ...settings, say }, signal);
    return { configuration, clusters, live };
  };
}

/** What a user has to fix before a fleet can be read: its program, or its clusters. */
class FleetNotRead extends Error {
  public constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'FleetNotRead';
  }
}

/** What a program throws says what it is about. Errors with a name of their own stay what they are. */
async function configurationOf(
  program: Pick<FleetProgram, 'read'>,
  signal: AbortSignal,
): Promise<FleetConfiguration> {
  try {
    return await program.read(signal);
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof Error && error.name === 'Error'
      ? new FleetNotRead(error.message, { cause: error })
      : error;
  }
}

async function seenClusters(
  { plan: { fleet }, clients, say }: ObserverSettings,
  slots: readonly string[],
  others: Set<string>,
  signal: AbortSignal,
): Promise<Readonly<Record<string, SeenCluster>>> {
  const own = slots.map((slot) => `${fleet}-${slot}`);
  const listed = await listedClusters(clients, say, signal);
  const names = [...new Set([...own, ...listed])].filter((name) => !others.has(name));
  const found: Record<string, SeenCluster> = {};
  const described = await inTurn(
    names,
    clustersAtOnce,
    (name) => describe(clients, { name, fleet, slots, isOwn: own.includes(name) }, signal),
    signal,
  );
  const byName: Record<string, string> = {};
  for (const each of described) {
    if (each?.slot === undefined) {
      if (each && !own.includes(each.name)) {
        others.add(each.name);
      }
      continue;
    }
    const { name, slot, version, status } = each;
    if (byName[slot] !== undefined) {
      throw new FleetNotRead(
        `slot ${slot} of fleet ${fleet} has two EKS clusters: ${byName[slot]} and ${name}`,
      );
    }
    if (slots.includes(slot) && name !== `${fleet}-${slot}`) {
      // Phases ask and drain by that name: they would take a cluster with another one for gone, and it would go undrained.
      throw new Error(
        `slot ${slot} of fleet ${fleet} has the EKS cluster ${name}: a swap takes one called ${fleet}-${slot} alone`,
      );
    }
    byName[slot] = name;
    found[slot] = { version, status };
  }
  return found;
}

/** Without the right to list, clusters with other names are not seen. */
async function listedClusters(
  clients: AwsClients,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const call = { action: 'eks:ListClusters', subject: 'the region', ...regionOf(clients) };
  try {
    return await everyPage(call, (nextToken) =>
      callAws(call, async () =>
        pageOf('clusters', (await clients.eks()).listClusters({ nextToken }, { abortSignal: signal })),
      ),
    );
  } catch (error) {
    signal.throwIfAborted();
    if (!isDenied(error)) {
      throw error;
    }
    say(`${(error as Error).message}: clusters of the fleet with a name other than FLEET-SLOT are not seen`);
    return [];
  }
}

async function describe(
  clients: AwsClients,
  asked: {
    readonly name: string;
    readonly fleet: string;
    readonly slots: readonly string[];
    readonly isOwn: boolean;
  },
  signal: AbortSignal,
): Promise<Described | undefined> {
  const { name, fleet, slots, isOwn } = asked;
  const call = { action: 'eks:DescribeCluster', subject: `EKS cluster ${name}`, ...regionOf(clients) };
  try {
    const { cluster } = await callAws(call, async () =>
      (await clients.eks()).describeCluster({ name }, { abortSignal: signal }),
    );
    if (!cluster?.version || !cluster.status) {
      throw new AwsError(call, { kind: 'unreachable', foreign: true }, new Error('it has no version'));
    }
    const { version, status, tags = {} } = cluster;
    const { [fleetTag]: ofFleet, [slotTag]: tagged } = tags;
    const named = slots.find((each) => name === `${fleet}-${each}`);
    const slot = ofFleet === undefined ? named : ofFleet === fleet ? (tagged ?? named) : undefined;
    return { name, version, status, ...(slot !== undefined && { slot }) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AwsError && error.failure.kind === 'notFound') {
      return undefined;
    }
    // Who may see the fleet's clusters alone is not to be kept from it by those of others.
    if (!isOwn && isDenied(error)) {
      return { name, version: '', status: '' };
    }
    throw error;
  }
}

function isDenied(error: unknown): boolean {
  return error instanceof AwsError && error.failure.kind === 'denied';
}

function regionOf({ region }: AwsClients): { readonly region?: string } {
  return region === undefined ? {} : { region };
}

async function liveTraffic(
  { plan: { fleet }, clients, hostedZoneIds, clock, say }: ObserverSettings,
  signal: AbortSignal,
): Promise<Readonly<Record<string, number>>> {
  const splits = await fleetTraffic(clients, fleet, {
    signal,
    ...(hostedZoneIds && { hostedZoneIds }),
    ...(clock && { clock }),
  });
  const { live, differing } = combinedTraffic(splits);
  if (differing !== undefined) {
    say(differing);
  }
  return live;
}

/**
 * The mean of all places: what only one of them gives a slot is a part of the fleet's traffic. It is 100 where all of them give
 * the slot everything, and 0 where none gives it anything.
 */
export function combinedTraffic(splits: readonly FleetSplit[]): {
  readonly live: Readonly<Record<string, number>>;
  /** That places differ, for a person. */
  readonly differing?: string;
} {
  const slots = [...new Set(splits.flatMap(({ percents }) => Object.keys(percents)))].sort();
  const shares = (slot: string): readonly number[] => splits.map(({ percents }) => percents[slot] ?? 0);
  const live = Object.fromEntries(slots.map((slot) => [slot, rounded(shares(slot))]));
  const other = splits.find((split) =>
    slots.some((slot) => Math.abs((split.percents[slot] ?? 0) - (splits[0]!.percents[slot] ?? 0)) >= 0.1),
  );
  return other
    ? { live, differing: `The fleet's routes differ: ${text(splits[0]!)}; ${text(other)}` }
    : { live };
}

/** One request in a million is some traffic, too. */
function rounded(shares: readonly number[]): number {
  const mean = shares.reduce((total, share) => total + share, 0) / shares.length;
  const near = Math.round(mean * 10) / 10;
  const isAll = shares.every((share) => share === 100);
  const isNone = shares.every((share) => share === 0);
  return isAll || isNone ? near : Math.min(Math.max(near, 0.1), 99.9);
}

function text({ where, percents }: FleetSplit): string {
  const words = Object.entries(percents).map(
    ([slot, percent]) => `${slot} ${Math.round(percent * 10) / 10} %`,
  );
  return `${where} has ${words.join(', ')}`;
}
