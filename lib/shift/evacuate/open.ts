import type { Action } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { AwsAccess } from '../../core/aws/arns';
import { awsClients } from '../../core/aws/clients';
import type { AwsClients } from '../../core/aws/clients';
import { LoadBalancingReader, askBalancing, liveActions, stickySeconds } from '../../core/aws/load-balancing';
import { errorLine } from '../../core/validation/problems';
import { openCapacity } from '../capacity';
import type { CapacitySettings } from '../capacity';
import { awsTargetHealth } from '../checks';
import type { Capacity, Lease } from '../engine';
import { openLease } from '../leases';
import type { LeaseSettings } from '../leases';
import { describeForward, isOfAws, openRouter, routerError, subjectOf } from '../routers';
import type { OpenRouter, RouteSettings, RouterDescription } from '../routers';
import type { SharedReads } from './patience';
import type { EvacuationRoute, LiveRoute } from './plan';

/** Routes that share their clients: a hundred rules of one region make no hundred connections. */
export interface OpenEvacuation {
  readonly routes: readonly EvacuationRoute[];
  close(): void;
}

/** What is evacuated, as a plan file or a search by tags has it. */
export interface EvacuationSubject {
  /** By name. */
  readonly routes: Readonly<Record<string, RouteSettings>>;
  /** @default - as a plan file without one has it: an SSM parameter beside each router */
  readonly lease?: LeaseSettings;
  /** Tells routers apart that have no name of their own. */
  readonly instance?: string;
  /** How the capacity of slots that get traffic is raised. @default - it is not */
  readonly capacity?: CapacitySettings;
  /** Target groups of each slot, for the health of slots whose routes name none. @default - their health is not known */
  readonly targetGroups?: Readonly<Record<string, readonly string[]>>;
}

/** Clients for an emergency: a call that AWS throttles does not slow down the others. */
export function emergencyClients(options: AwsAccess): AwsClients {
  return awsClients({ ...options, retryMode: 'standard' });
}

/**
 * Opens the routes of an evacuation. Nothing is asked of AWS yet. A lease that can't be opened, as for want of a kubeconfig,
 * keeps no traffic where it is.
 *
 * @param given clients for routes without a region or a role of their own. @default - those of each route's region
 */
export async function openEvacuation(
  { routes, lease, instance = '', capacity, targetGroups = {} }: EvacuationSubject,
  given?: AwsClients,
): Promise<OpenEvacuation> {
  const opened = new Map<string, AwsClients>();
  const closing: (() => void)[] = [];
  const clientsOf = (region: string | undefined, roleArn: string | undefined): AwsClients => {
    if (given && roleArn === undefined) {
      return given;
    }
    const key = JSON.stringify([region, roleArn]);
    const clients = opened.get(key) ?? emergencyClients({ region, roleArn });
    opened.set(key, clients);
    return clients;
  };
  const close = (): void => {
    closing.forEach((each) => each());
    opened.forEach((each) => each.close());
  };
  const rulesOf = rulesByListener(Object.values(routes));
  try {
    const found: EvacuationRoute[] = [];
    for (const [name, route] of Object.entries(routes)) {
      const { region, roleArn, layer } = subjectOf(route);
      const clients = isOfAws(route.router) ? clientsOf(region, roleArn) : undefined;
      const router = openRouter(route, {
        instance,
        awaitsPropagation: false,
        ...(clients && { clients }),
      });
      const settings = lease ?? (clients ? { ssm: {} } : 'none');
      found.push({
        name,
        layer,
        router,
        ...(capacity && { capacity: capacityOf(capacity, route, router.id) }),
        lease: await leaseOf(settings, router.id, clients, closing),
        describe: (round, signal) =>
          clients && layer !== 'names'
            ? liveForward(router, clients, { rulesOf, round, signal })
            : router.describe(signal).then(liveRoute),
        healthy: (round, signal) =>
          clients
            ? healthyBySlot(groupsBySlot(router, targetGroups), clients, round, signal)
            : Promise.resolve({}),
      });
    }
    return { routes: found, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Capacity that can't be opened, as for want of the name of a cluster, is named when it would be raised. */
function capacityOf(settings: CapacitySettings, route: RouteSettings, id: string): Pick<Capacity, 'prepare'> {
  try {
    return openCapacity(settings, subjectOf(route), { id });
  } catch (error) {
    return { prepare: () => failed(error) };
  }
}

async function leaseOf(
  settings: LeaseSettings,
  routerId: string,
  clients: AwsClients | undefined,
  closing: (() => void)[],
): Promise<Lease> {
  try {
    const held = await openLease(settings, routerId, clients);
    closing.push(() => held.close());
    return held.lease;
  } catch (error) {
    const fails = (): Promise<never> => failed(error);
    const name = `lease of ${routerId}`;
    return { name, acquire: fails, look: fails, keep: fails, release: fails, seize: fails };
  }
}

function failed(error: unknown): Promise<never> {
  return Promise.reject(error instanceof Error ? error : new Error(errorLine(error)));
}

/** ARN of the listener of a rule. */
function listenerOf(ruleArn: string): string {
  return ruleArn.replace(':listener-rule/', ':listener/').replace(/\/[^/]*$/, '');
}

/** From so many rules of one listener on, one list of all its rules takes fewer calls. */
const fewestListed = 3;

/** How many rules of each listener are evacuated. */
function rulesByListener(routes: readonly RouteSettings[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const { router } of routes) {
    if ('albRule' in router) {
      const listener = listenerOf(router.albRule.ruleArn);
      found.set(listener, (found.get(listener) ?? 0) + 1);
    }
  }
  return found;
}

/** The weights of a rule or listener; those of many rules of a listener are read together. */
async function liveForward(
  { name, id, subject }: OpenRouter,
  clients: AwsClients,
  {
    rulesOf,
    round,
    signal,
  }: {
    readonly rulesOf: ReadonlyMap<string, number>;
    readonly round: SharedReads;
    readonly signal: AbortSignal | undefined;
  },
): Promise<LiveRoute> {
  const listener = listenerOf(id);
  const region = clients.region ?? id.split(':')[3]!;
  let actions: readonly Action[] | undefined;
  if ((rulesOf.get(listener) ?? 0) >= fewestListed) {
    const reader = new LoadBalancingReader(askBalancing(clients));
    actions = (await round.of(`rules of ${listener}`, () => byArn(reader.rules(listener, signal)))).get(id);
  }
  try {
    // One that is not on the list is asked for: the error says what became of it.
    actions ??= await liveActions(clients, id, { subject: name, region, words: 'rule or listener', signal });
  } catch (error) {
    throw routerError(error);
  }
  const slots = Object.entries(subject.slots).map(([slot, { targetGroupArn = '' }]) => [
    slot,
    targetGroupArn,
  ]);
  const sticky = stickySeconds(actions);
  return {
    ...liveRoute(describeForward(name, actions, Object.fromEntries(slots) as Record<string, string>)),
    ...(sticky !== undefined && { stickySeconds: sticky }),
  };
}

function liveRoute({ raw, weights, notes }: RouterDescription): LiveRoute {
  return { notes, ...(raw && { raw }), ...(weights && { exact: weights }) };
}

async function byArn(
  rules: ReturnType<LoadBalancingReader['rules']>,
): Promise<ReadonlyMap<string, readonly Action[]>> {
  return new Map((await rules).map(({ RuleArn = '', Actions = [] }) => [RuleArn, Actions]));
}

function groupsBySlot(
  { subject }: OpenRouter,
  targetGroups: Readonly<Record<string, readonly string[]>>,
): readonly (readonly [slot: string, arns: readonly string[]])[] {
  return Object.entries(subject.slots).map(([slot, { targetGroupArn: arn }]) => {
    const known = Object.hasOwn(targetGroups, slot) ? targetGroups[slot]! : [];
    return [slot, arn === undefined ? known : [arn]];
  });
}

/** Healthy targets of each slot that has target groups which can be read; each is read once in a round. */
async function healthyBySlot(
  groups: ReturnType<typeof groupsBySlot>,
  clients: AwsClients,
  round: SharedReads,
  signal?: AbortSignal,
): Promise<Readonly<Record<string, number>>> {
  const healthy: Record<string, number> = {};
  await Promise.all(
    groups.map(async ([slot, arns]) => {
      const counts = await Promise.allSettled(
        arns.map((arn) => round.of(`health of ${arn}`, () => healthyTargets(clients, arn, signal))),
      );
      const read = counts.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
      const sum = read.reduce((total, each) => total + each, 0);
      // What could not be read may be healthy.
      if (sum > 0 || (arns.length > 0 && read.length === arns.length)) {
        healthy[slot] = sum;
      }
    }),
  );
  return healthy;
}

async function healthyTargets(clients: AwsClients, arn: string, signal?: AbortSignal): Promise<number> {
  const targets = await awsTargetHealth(clients).targets(arn, signal);
  // `unavailable`: the target group has no health checks.
  return targets.filter(({ state }) => state === 'healthy' || state === 'unavailable').length;
}
