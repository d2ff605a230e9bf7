import { awsClients } from '../../core/aws/clients';
import type { AwsClients } from '../../core/aws/clients';
import { awsTargetHealth } from '../checks';
import { openLease } from '../leases';
import type { LeaseSettings, OpenLease } from '../leases';
import { isInProcess, openRouter, subjectOf } from '../routers';
import type { RouteSettings } from '../routers';
import type { EvacuationRoute } from './evacuate';

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
}

/**
 * Opens the routes of an evacuation. Nothing is asked of AWS yet.
 *
 * @param given clients for routes without a region or a role of their own. @default - those of each route's region
 * @throws InvalidInput where a kubeconfig of the lease can't be used
 */
export async function openEvacuation(
  { routes, lease, instance = '' }: EvacuationSubject,
  given?: AwsClients,
): Promise<OpenEvacuation> {
  const opened = new Map<string, AwsClients>();
  const leases: OpenLease[] = [];
  const clientsOf = (region: string | undefined, roleArn: string | undefined): AwsClients => {
    if (given && roleArn === undefined) {
      return given;
    }
    const key = JSON.stringify([region, roleArn]);
    const clients = opened.get(key) ?? awsClients({ region, roleArn });
    opened.set(key, clients);
    return clients;
  };
  const close = (): void => {
    leases.forEach((each) => each.close());
    opened.forEach((each) => each.close());
  };
  const health = new TargetHealth();
  try {
    const found: EvacuationRoute[] = [];
    for (const [name, route] of Object.entries(routes)) {
      const { region, roleArn, slots } = subjectOf(route);
      const clients = isInProcess(route.router) ? undefined : clientsOf(region, roleArn);
      const router = openRouter(route, { instance, ...(clients && { clients }) });
      const held = await openLease(lease ?? (clients ? { ssm: {} } : 'none'), router.id, clients);
      leases.push(held);
      found.push({
        name,
        router,
        lease: held.lease,
        healthy: (signal) =>
          clients
            ? health.of(
                clients,
                Object.entries(slots).map(([slot, of]) => [slot, of.targetGroupArn]),
                signal,
              )
            : Promise.resolve({}),
      });
    }
    return { routes: found, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Health of target groups, each read once. */
class TargetHealth {
  private readonly read = new Map<string, Promise<number>>();

  /** Healthy targets of each slot that has a target group. */
  public async of(
    clients: AwsClients,
    slots: readonly (readonly [slot: string, targetGroup: string | undefined])[],
    signal?: AbortSignal,
  ): Promise<Readonly<Record<string, number>>> {
    const counted = await Promise.all(
      slots.flatMap(([slot, arn]) =>
        arn === undefined
          ? []
          : [this.healthy(clients, arn, signal).then((healthy) => [slot, healthy] as const)],
      ),
    );
    return Object.fromEntries(counted);
  }

  private healthy(clients: AwsClients, arn: string, signal?: AbortSignal): Promise<number> {
    const known = this.read.get(arn);
    if (known) {
      return known;
    }
    const reading = awsTargetHealth(clients)
      .targets(arn, signal)
      // `unavailable`: the target group has no health checks.
      .then(
        (targets) => targets.filter(({ state }) => state === 'healthy' || state === 'unavailable').length,
      );
    this.read.set(arn, reading);
    // A try after a failure reads anew.
    reading.catch(() => this.read.delete(arn));
    return reading;
  }
}
