import { awsClients } from '../../core/aws/clients';
import type { AwsClients } from '../../core/aws/clients';
import { checkContext, createChecks } from '../checks';
import { shiftPlan, weightsBefore } from '../engine';
import type { Check, Lease, Router, ShiftPlan, ShiftSubject } from '../engine';
import { openLease } from '../leases';
import { MemoryRouter, attachingRouter, awsRouter, awsRouterSettings, subjectOf } from '../routers';
import type { LeastWait, RouteSettings } from '../routers';
import { routerId } from './plan';
import type { Plan } from './plan';

/** One route of a plan, ready for `runShift`. */
export interface OpenRoute {
  /** Name of the route in the plan. */
  readonly name: string;
  /** To look, which writes nothing. */
  readonly router: Router;
  /** To shift: its first look puts slots that are to get traffic on the rule. */
  readonly shifted: Router;
  /** The plan's checks, made for this route. */
  readonly checks: readonly Check[];
  /** The lease of the route's router. */
  readonly lease: Lease;
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
  leastWait(signal?: AbortSignal): Promise<LeastWait>;

  /** Closes connections. */
  close(): void;
}

/**
 * Opens a route of a plan. Nothing is asked of AWS yet.
 *
 * @throws InvalidInput where a kubeconfig that it names can't be used
 */
export async function openRoute(plan: Plan, name: string): Promise<OpenRoute> {
  const route = plan.routes[name]!;
  const subject = subjectOf(route);
  const { router, shifted, id, clients, leastWait } = openRouter(plan, route, subject);
  const leaseSettings = plan.lease ?? (clients === undefined ? 'none' : { ssm: {} });
  const held = await openLease(leaseSettings, id, clients);
  return {
    name,
    router,
    shifted,
    checks: createChecks(plan.checks, checkContext(subject)),
    lease: held.lease,
    subject,
    plan: async (signal) => {
      const { milliseconds, writeMilliseconds } = await leastWait(signal);
      return shiftPlan(plan.slots, plan.weights, plan.shift, milliseconds, writeMilliseconds);
    },
    leastWait,
    close: () => {
      held.close();
      clients?.close();
    },
  };
}

interface OpenRouter {
  readonly router: Router;
  readonly shifted: Router;
  readonly id: string;
  /** Unset where AWS is not asked. */
  readonly clients?: AwsClients;
  readonly leastWait: (signal?: AbortSignal) => Promise<LeastWait>;
}

function openRouter(plan: Plan, route: RouteSettings, { region, roleArn }: ShiftSubject): OpenRouter {
  if ('simulated' in route.router) {
    const { live } = route.router.simulated ?? {};
    const router = new MemoryRouter(plan.slots, live ?? weightsBefore(plan.slots, plan.weights));
    const leastWait = { milliseconds: 0, writeMilliseconds: 0, because: [] };
    return {
      router,
      shifted: router,
      id: routerId(plan, route),
      leastWait: () => Promise.resolve(leastWait),
    };
  }
  const clients = awsClients({ region, roleArn });
  const router = awsRouter(awsRouterSettings(route), clients);
  return {
    router,
    shifted: attachingRouter(router, plan.weights),
    id: router.id,
    clients,
    leastWait: (signal) => router.leastWait(signal),
  };
}
