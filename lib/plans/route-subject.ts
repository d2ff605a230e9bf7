import type { Untyped } from '../problems';
import { leaseName } from '../leases';
import { isMapping } from '../problems';
import { awsRouter } from '../routers';
import type { ShiftSubject, ShiftedSlot } from '../shift';
import { awsRouterSettings } from './aws-router-settings';
import type { Plan } from './plan';
import type { RouteSettings, SlotSettings } from './route-settings';

const layers: Readonly<Record<string, ShiftSubject['layer']>> = {
  nlbListener: 'connections',
  route53: 'names',
};

/** What checks are judged against before it is known whether the route itself is sound. */
export function roughSubject({ router, slots }: Untyped): ShiftSubject {
  const [[kind, settings] = ['', undefined]] = isMapping(router) ? Object.entries(router) : [];
  const { region, roleArn } = isMapping(settings) ? settings : {};
  return {
    layer: Object.hasOwn(layers, kind) ? layers[kind]! : 'http',
    slots: Object.fromEntries(
      Object.entries(isMapping(slots) ? slots : {}).map(([slot, given]) => [
        slot,
        shiftedSlot(isMapping(given) ? given : {}),
      ]),
    ),
    ...(typeof region === 'string' ? { region } : {}),
    ...(typeof roleArn === 'string' ? { roleArn } : {}),
  };
}

/** `id` of a route's router, after which its lease is named. */
export function routerId(plan: Pick<Plan, 'file'>, route: RouteSettings): string {
  return 'simulated' in route.router
    ? `simulated ${leaseName(plan.file)}`
    : awsRouter(awsRouterSettings(route)).id;
}

/** What checks have to know of a route that is sound. */
export function subjectOf(route: RouteSettings): ShiftSubject {
  if ('simulated' in route.router) {
    return roughSubject({ ...route });
  }
  // A router says what it is about before it calls anybody.
  const { subject } = awsRouter(awsRouterSettings(route));
  const slots = Object.entries(route.slots).map(([slot, settings]): [string, ShiftedSlot] => [
    slot,
    { ...subject.slots[slot], ...shiftedSlot(settings) },
  ]);
  return { ...subject, slots: Object.fromEntries(slots) };
}

/** A slot as checks have to know it. */
function shiftedSlot({ targetGroupArn, clusterName }: SlotSettings): ShiftedSlot {
  return {
    ...(targetGroupArn === undefined ? {} : { targetGroupArn }),
    ...(clusterName === undefined ? {} : { clusterName }),
  };
}
