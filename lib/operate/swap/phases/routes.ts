import type { AwsClients } from '../../../core/aws/clients';
import type { ShiftSubject, SlotPreview } from '../../../shift/engine';
import { openRouter, subjectOf } from '../../../shift/routers';
import type { RouteSettings } from '../../../shift/routers';
import { slotRoutes } from '../../live-traffic';
import type { SwapSlot } from '../record';

/** Where the routes of a fleet are known from. */
export interface FleetRoutes {
  readonly fleet: string;
  /** AWS, in the region of the fleet. */
  readonly clients: AwsClients;
  /** Name of the EKS cluster of a slot. */
  readonly clusterOf: (slot: string) => string;
  /** A route of the swap file. @default - the rules that the fleet's target groups are found by */
  readonly route?: RouteSettings;
  /** What leads to a slot past the weights, by slot. @default - that of the route, or nothing */
  readonly previews?: Readonly<Record<string, SlotPreview>>;
}

/** What is shifted, as checks have to know it. */
export interface FoundSubjects {
  /** One for each route. */
  readonly subjects: readonly ShiftSubject[];
  /** What leads to the slot and is no route, a line each. */
  readonly problems: readonly string[];
}

/**
 * The routes that lead to both slots of a swap. Where there are none, one subject without target groups: Argo CD and API
 * servers can be asked all the same.
 *
 * @throws AwsError where target groups can't be read
 */
export async function fleetSubjects(
  { fleet, clients, clusterOf, route, previews = {} }: FleetRoutes,
  pair: readonly [SwapSlot, SwapSlot],
  signal: AbortSignal,
): Promise<FoundSubjects> {
  const names = pair.map(({ name }) => name);
  const completed = (subject: ShiftSubject): ShiftSubject => ({
    ...subject,
    ...(subject.region === undefined && clients.region !== undefined && { region: clients.region }),
    slots: Object.fromEntries(
      [...new Set([...Object.keys(subject.slots), ...names])]
        // What is of no slot of the swap has no cluster that could be asked.
        .filter((name) => names.includes(name))
        .map((name) => [
          name,
          {
            clusterName: clusterOf(name),
            ...subject.slots[name],
            ...(previews[name] && { preview: previews[name] }),
          },
        ]),
    ),
  });
  const none = completed({ layer: 'http', slots: {} });
  if (route) {
    return { subjects: [completed(subjectOf(route))], problems: [] };
  }
  const found = await routesOf(clients, fleet, names, signal);
  const subjects = found.routes
    .filter(({ slots }) => names.every((name) => slots[name] !== undefined))
    .map((each) => completed(subjectOf(each)));
  return { subjects: subjects.length > 0 ? subjects : [none], problems: found.problems };
}

/**
 * Takes a slot off every rule and listener of the fleet, where it has no traffic: a program that leaves the shift to others does
 * not write them, and AWS does not delete a target group that stands there.
 *
 * @throws RouterError, AwsError, Error where that can't be done, or not everything could be read
 */
export async function takeSlotOff(
  { fleet, clients, route }: Pick<FleetRoutes, 'fleet' | 'clients' | 'route'>,
  slot: string,
  signal: AbortSignal,
): Promise<void> {
  const { routes, unread } = await routesOf(clients, fleet, [slot], signal);
  const has = ({ slots }: RouteSettings): boolean => slots[slot] !== undefined;
  for (const each of routes.filter(has)) {
    await openRouter(each, { clients }).takeOff?.(slot, signal);
  }
  if (route && has(route)) {
    // It may be in another region or account: its router has clients of its own.
    await openRouter(route).takeOff?.(slot, signal);
  }
  if (unread.length > 0) {
    throw new Error(`it is not known what else forwards to slot ${slot}: ${unread.join('; ')}`);
  }
}

async function routesOf(
  clients: AwsClients,
  fleet: string,
  [name = '']: readonly string[],
  signal: AbortSignal,
): Promise<{
  readonly routes: readonly RouteSettings[];
  readonly problems: readonly string[];
  readonly unread: readonly string[];
}> {
  try {
    const { routes, problems, unread } = await slotRoutes(clients, `${fleet}-${name}`, fleet, signal);
    return { routes: Object.values(routes), problems, unread };
  } catch (error) {
    // No target group of the slot is on a load balancer: a fleet of hubs has none, say.
    if ((error as Error).name === 'InvalidInput') {
      const problems = [`no load balancer forwards to slot ${name} of fleet ${fleet}`];
      return { routes: [], problems, unread: [] };
    }
    throw error;
  }
}
