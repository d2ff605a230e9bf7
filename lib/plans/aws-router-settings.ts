import type { Untyped } from '../problems';
import type { AwsRouterSettings } from '../routers';
import type { RouteSettings } from './route-settings';

/** The router's settings in the words of the room `routers`, where each router knows its slots. */
export function awsRouterSettings({ router, slots }: RouteSettings): AwsRouterSettings {
  const [[kind, settings] = ['', {}]] = Object.entries(router) as [string, Untyped][];
  return routerWithSlots(kind, settings, slots) as unknown as AwsRouterSettings;
}

export function routerWithSlots(
  kind: string,
  settings: Untyped,
  slots: Readonly<Record<string, object>>,
): Untyped {
  const [theirs, ours] = slotKey(kind);
  const bySlot = Object.fromEntries(
    Object.entries(slots).map(([slot, given]) => [slot, (given as Untyped)[ours]]),
  );
  return { [kind]: { ...settings, [theirs]: bySlot } };
}

/** What each router calls the mapping of its slots, and what a plan file calls it in each slot. */
export function slotKey(kind: string): readonly [theirs: string, ours: string] {
  return kind === 'route53' ? ['setIdentifiers', 'setIdentifier'] : ['targetGroupArns', 'targetGroupArn'];
}
