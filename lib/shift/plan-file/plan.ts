import type { ApprovalSettings } from '../approvals';
import type { CapacitySettings } from '../capacity';
import type { CheckSettings } from '../checks';
import type { ShiftSettings, Weights } from '../engine';
import type { ShiftHistorySettings } from '../history';
import { kubernetesLeaseName, leaseName } from '../leases';
import type { LeaseSettings } from '../leases';
import { isOfAws, openRouter } from '../routers';
import type { PlacedLease, SinkSettings } from '../notify';
import type { RouteSettings, RouterContext } from '../routers';
import type { LabelSettings, SyncWindowSettings } from './hub-settings';

/** Whether routes of a plan have a lease: those whose weights are not in AWS have one only where the plan names it. */
export function hasLease({ lease, routes }: CheckedPlanFile): boolean {
  const haveDefault = Object.values(routes).every(({ router }) => isOfAws(router));
  return lease === undefined ? haveDefault : lease !== 'none';
}

/** One route of a plan as a plan of its own. */
export function planOfRoute(plan: CheckedPlanFile, route: string): CheckedPlanFile {
  const { syncWindow } = plan;
  return {
    ...plan,
    routes: { [route]: plan.routes[route]! },
    waves: [[route]],
    // Routes that run apart end apart: one must not take away the window that another one still needs.
    ...(syncWindow && { syncWindow: { ...syncWindow, name: `${syncWindow.name}/${route}` } }),
  };
}

/** What the routers of a plan are opened with. */
export function contextOf({ file, weights }: Pick<CheckedPlanFile, 'file' | 'weights'>): RouterContext {
  return { wanted: weights, instance: leaseName(file) };
}

/** `id` of a route's router, after which its lease is named. */
export function routerId(plan: Pick<CheckedPlanFile, 'file' | 'weights'>, route: RouteSettings): string {
  return openRouter(route, contextOf(plan)).id;
}

/** The Lease of a route, where the plan has it in Kubernetes. */
export function leaseOf(plan: CheckedPlanFile, name: string): PlacedLease | undefined {
  const { lease, routes } = plan;
  const route = Object.hasOwn(routes, name) ? routes[name] : undefined;
  if (route === undefined || lease === undefined || lease === 'none' || !('kubernetes' in lease)) {
    return undefined;
  }
  const { namespace } = lease.kubernetes;
  return { at: lease.kubernetes, namespace, name: kubernetesLeaseName(routerId(plan, route)) };
}

/** How a shift goes, with the checks that are asked on the way. */
export interface PlannedShift extends ShiftSettings {
  /**
   * Moves the capacity of the slots' clusters before their traffic: the least number of pods of each workload that takes it.
   * A step waits until the pods are ready and, by the check `capacity` with `maxLoad: 1.1`, their targets healthy.
   *
   * @default - none: autoscalers follow the traffic, and a step goes as far as the healthy targets can carry
   */
  readonly capacity?: CapacitySettings;
  /** Checks that are asked on the way. @default - none: nothing but an error stops the shift */
  readonly checks?: readonly CheckSettings[];
}

/** What stands in every plan file. */
export interface CommonSettings {
  /** Weights that the shift ends at: whole percents that add up to 100. Slots that are left out get 0. */
  readonly weights: Weights;
  /** How the shift goes. @default - the defaults of each setting, and no checks */
  readonly shift?: PlannedShift;
  /**
   * What keeps a second shift out, and remembers where this one came from.
   * @default - an SSM parameter beside the router; none for a router that is not of AWS
   */
  readonly lease?: LeaseSettings;
  /** Labels of the slots' cluster Secrets on the hubs, which follow the shift. @default - no labels are written */
  readonly labels?: LabelSettings;
  /**
   * Keeps Argo CD from rolling out applications while the shift runs.
   * @default - applications keep rolling out while the shift runs
   */
  readonly syncWindow?: SyncWindowSettings;
  /**
   * Lets `cluster-canary watch` follow the shift from other machines, and continue it, hold it and take it back: beside the lease,
   * two more records are kept.
   *
   * @default false - it needs further rights
   */
  readonly watch?: boolean;
  /** Where what happens is told: chats, queues, metrics. @default - to whoever runs the shift alone */
  readonly notify?: readonly SinkSettings[];
  /** Where the outcome of every shift that has ended is kept as a whole. @default - the record of the newest one, in the lease, alone */
  readonly history?: ShiftHistorySettings;
  /** Further ways in which people let the shift go beyond its pauses. @default - by the command line alone */
  readonly approvals?: ApprovalSettings;
}

/** A plan file for one router. */
export interface SinglePlanSettings extends CommonSettings, RouteSettings {}

/** A plan file for several routers, in waves: regions, accounts, hosts. */
export interface WavesPlanSettings extends CommonSettings {
  /** By name; all have the same slots. */
  readonly routes: Readonly<Record<string, RouteSettings>>;
  /**
   * Names of the routes that shift together, wave by wave: one starts when the one before has baked.
   *
   * @default - each route is a wave of its own, in their order
   */
  readonly waves?: readonly (readonly string[])[];
  /**
   * What goes back when a route fails, beside that route: its wave, or every wave. Later waves don't start.
   *
   * @default 'wave'
   */
  readonly rollBack?: 'wave' | 'all';
}

/** A plan file: YAML or JSON. Its JSON Schema is `cluster-canary/schemas/plan.json`. */
export type PlanSettings = SinglePlanSettings | WavesPlanSettings;

/** A plan that has no problem, in one form whether it is for one router or several. */
export interface CheckedPlanFile {
  /** File that it was read from, as it was given. */
  readonly file: string;
  /** Routes by name; a plan for one router has the one route `traffic`. */
  readonly routes: Readonly<Record<string, RouteSettings>>;
  /** Names of routes, wave by wave. */
  readonly waves: readonly (readonly string[])[];
  /** What is rolled back where a route fails: the routes of its wave, or all. */
  readonly rollBack: 'wave' | 'all';
  /** Names of the slots, in the file's order. */
  readonly slots: readonly string[];
  /** Weights that the shift ends at. */
  readonly weights: Weights;
  /** How each route's shift goes. */
  readonly shift: ShiftSettings;
  /** Checks that are asked on the way. */
  readonly checks: readonly CheckSettings[];
  /** Moves capacity before traffic. @default - as in {@link PlannedShift} */
  readonly capacity?: CapacitySettings;
  /** What keeps a second shift out. @default - as in {@link CommonSettings} */
  readonly lease?: LeaseSettings;
  /** Labels that follow the shift. @default - no labels are written */
  readonly labels?: LabelSettings;
  /** Keeps Argo CD from rolling out applications meanwhile. @default - as in {@link CommonSettings} */
  readonly syncWindow?: SyncWindowSettings;
  /** Whether other machines may watch it. */
  readonly watch: boolean;
  /** Where what happens is told. @default [] */
  readonly notify: readonly SinkSettings[];
  /** Where ended shifts are kept. @default - nowhere */
  readonly history?: ShiftHistorySettings;
  /** Ways of approval. @default - by the command line alone */
  readonly approvals?: ApprovalSettings;
}
