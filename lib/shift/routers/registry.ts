import type { Schema } from '../../core/validation/schema';
import type { SlotPreview } from '../engine';
import { httpProxy } from './http-proxy';
import { albRule } from './load-balancer/alb-rule';
import { albDefaultAction, nlbListener } from './load-balancer/listeners';
import { route53 } from './route53/route53';
import { simulated } from './simulated';

/** Every kind of router, by its key in a plan file. */
export const routerKinds = {
  albRule,
  albDefaultAction,
  nlbListener,
  route53,
  httpProxy,
  simulated,
} as const;

/** Key of a router in a plan file. */
export type RouterName = keyof typeof routerKinds;

type CheckSettingsOf<Kind> = Kind extends { readonly settings: Schema<infer Settings> } ? Settings : never;

type FieldOf<Kind> = Kind extends {
  readonly slot?: { readonly field: infer Field extends string } | undefined;
}
  ? Field
  : never;

/** A router as a plan file has it: exactly one of the keys, with the settings of that router. */
export type RouterSettings = {
  [Name in RouterName]: { readonly [Key in Name]: CheckSettingsOf<(typeof routerKinds)[Name]> };
}[RouterName];

/** What routers want to know of each slot: the key that the router of the plan has, and no other. */
export type SlotFields = {
  readonly [Field in FieldOf<(typeof routerKinds)[RouterName]>]?: string;
};

/** One slot. */
export interface SlotSettings extends SlotFields {
  /** Name of the EKS cluster, which is its name in Argo CD, too. @default - not known: checks that need it are refused */
  readonly clusterName?: string;
  /**
   * What leads to the slot past the weights, where the router is one of requests: a rule of the load balancer.
   * @default - none: nothing can ask the slot alone
   */
  readonly preview?: SlotPreview;
}

/** What holds the weights of a route, and what stands behind each slot. */
export interface RouteSettings {
  /** What holds the weights. */
  readonly router: RouterSettings;
  /** 2 to 5 slots by name. */
  readonly slots: Readonly<Record<string, SlotSettings>>;
}
