import { awsClients } from '../../core/aws/clients';
import { openCapacity } from '../capacity';
import type { SlotCapacity } from '../capacity';
import { checkContext, createChecks } from '../checks';
import { shiftPlan } from '../engine';
import type { Check, Lease, Router, ShiftPlan, ShiftSubject } from '../engine';
import { openLease } from '../leases';
import { isOfAws, openRouter, subjectOf } from '../routers';
import type { MinimumWait } from '../routers';
import { openWatchStores } from '../watch';
import type { WatchStores } from '../watch';
import { contextOf } from './plan';
import type { CheckedPlanFile } from './plan';

/** One route of a plan, ready for `runShift`. */
export interface OpenRoute {
  /** Name of the route in the plan. */
  readonly name: string;
  /** Identifies its router: its lease and its shifts are named after it. */
  readonly routerId: string;
  /** To look, which writes nothing. */
  readonly router: Router;
  /** To shift: its first look puts slots that are to get traffic on the rule. */
  readonly shifted: Router;
  /** The plan's checks, made for this route. */
  readonly checks: readonly Check[];
  /** Moves the capacity of the route's slots before their traffic. @default - none, as the plan says */
  readonly capacity?: SlotCapacity;
  /** The lease of the route's router. */
  readonly lease: Lease;
  /** Where other machines watch it. @default - the plan does not let them */
  readonly watch?: WatchStores;
  /** What its checks know of the route. */
  readonly subject: ShiftSubject;

  /**
   * The plan of the shift, whose steps stand as long as the router needs. It is the first call to the router's system:
   * a region that is not there, or credentials that are not known, show here.
   *
   * @throws RouterError
   */
  plan(signal?: AbortSignal): Promise<ShiftPlan>;

  /**
   * What a step, and a write, take their time for.
   *
   * @throws RouterError
   */
  minimumWait(signal?: AbortSignal): Promise<MinimumWait>;

  /** Closes connections. */
  close(): void;
}

/**
 * Opens a route of a plan. Nothing is asked of AWS yet.
 *
 * @throws InvalidInput where a kubeconfig that it names can't be used, or a slot's cluster for capacity is not known
 */
export async function openRoute(plan: CheckedPlanFile, name: string): Promise<OpenRoute> {
  const route = plan.routes[name]!;
  const subject = subjectOf(route);
  const { region, roleArn } = subject;
  const clients = isOfAws(route.router) ? awsClients({ region, roleArn }) : undefined;
  const router = openRouter(route, { ...contextOf(plan), ...(clients && { clients }) });
  const capacity = plan.capacity && openCapacity(plan.capacity, subject, { id: router.id });
  const lease = plan.lease ?? (clients ? { ssm: {} } : 'none');
  const held = await openLease(lease, router.id, clients);
  const watch = plan.watch && lease !== 'none' ? await openWatchStores(lease, router.id, clients) : undefined;
  return {
    name,
    routerId: router.id,
    router,
    shifted: router.withMissingTargets(plan.weights),
    checks: createChecks(plan.checks, checkContext(subject)),
    ...(capacity && { capacity }),
    lease: held.lease,
    ...(watch && { watch }),
    subject,
    plan: async (signal) => {
      const { milliseconds, writeMilliseconds } = await router.minimumWait(signal);
      return shiftPlan(plan.slots, plan.weights, plan.shift, milliseconds, writeMilliseconds);
    },
    minimumWait: (signal) => router.minimumWait(signal),
    close: () => {
      held.close();
      watch?.close();
      clients?.close();
    },
  };
}
