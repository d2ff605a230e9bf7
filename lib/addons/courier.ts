import type { Rule } from '../problems';
import { oneOf } from '../problems';

/**
 * Who brings an add-on to a cluster: Pulumi during `up`, before anything that needs it and before the slot's first traffic;
 * Argo CD, from an ApplicationSet of the hub; or a helmfile that the library writes and somebody else applies.
 */
export type Courier = 'pulumi' | 'argocd' | 'helmfile';

/** As much of an add-on as says who brings it. */
export interface Delivered {
  /** Who brings it. @default 'pulumi' */
  readonly deliveredBy?: Courier;
}

/** Whether an add-on is to be there. */
export type AddonState = 'present' | 'absent';

/** Every courier. */
export const couriers: readonly Courier[] = ['pulumi', 'argocd', 'helmfile'];

/** What a courier may be. */
export const courier: Rule = oneOf(...couriers);

/** Who brings an add-on. */
export function courierOf({ deliveredBy = 'pulumi' }: Delivered): Courier {
  return deliveredBy;
}

/** The add-ons that one courier brings, in their order. */
export function broughtBy<A extends Delivered>(addons: readonly A[], who: Courier): A[] {
  return addons.filter((addon) => courierOf(addon) === who);
}
