import { list, object, optional, optionalOrNull, record } from '../../core/validation/collections';
import type { Schema } from '../../core/validation/schema';
import { anything, dnsLabelText, flag, number, oneOf, that } from '../../core/validation/values';
import { approvalsSchema } from '../approvals';
import { capacitySettings } from '../capacity';
import { shiftSettingsEntries, withStepRules } from '../engine';
import { shiftHistorySchema } from '../history';
import { leaseSchema } from '../leases';
import { notifySchema } from '../notify';
import { routerAllowed, slotsAllowed } from '../routers';
import type { RouteSettings } from '../routers';
import { labelsSchema, shiftSyncWindowSchema } from './hub-settings';
import type { CommonSettings, PlannedShift, SinglePlanSettings, WavesPlanSettings } from './plan';

/** Routers and slots are evaluated by the kind of the router. */
const route = {
  router: { ...anything, allowed: routerAllowed },
  slots: { ...anything, allowed: slotsAllowed },
};

/** Checks are evaluated by their kinds, with the slots. */
const shift = withStepRules(
  object<PlannedShift>({
    ...shiftSettingsEntries,
    capacity: optional(capacitySettings),
    checks: optional(anything),
  }),
);

const common = {
  weights: record(
    number('a whole percent from 0 to 100', { min: 0, max: 100, whole: true }),
    undefined,
    'an object of whole percents by slot that add up to 100',
  ),
  shift: optionalOrNull(shift),
  lease: optional(leaseSchema),
  labels: optional(labelsSchema),
  syncWindow: optional(shiftSyncWindowSchema),
  watch: optional(flag),
  approvals: optional(approvalsSchema),
  notify: optionalOrNull(notifySchema),
  history: optional(shiftHistorySchema),
} satisfies { readonly [Key in keyof CommonSettings]-?: Schema };

/** What a plan file for one router may say. */
export const singlePlanSchema: Schema<SinglePlanSettings> = object<SinglePlanSettings>(
  { ...route, ...common },
  `a plan: an object with ${[...Object.keys(route), ...Object.keys(common)].join(', ')}`,
);

/** Which names there are, the routes say. */
const routeName = { ...anything, json: { type: 'string', minLength: 1 } };

const routesAllowed = 'an object of routes by name, each with router and slots';

/** What a plan file for several routers may say. */
export const wavesPlanSchema: Schema<WavesPlanSettings> = object<WavesPlanSettings>({
  routes: that(
    record(object<RouteSettings>(route), dnsLabelText, routesAllowed),
    routesAllowed,
    (routes) => Object.keys(routes).length > 0,
    { minProperties: 1 },
  ),
  waves: optional(
    list(
      list(routeName, 1, 'a list of names of routes'),
      1,
      'a list of waves, each a list of names of routes: [[eu], [us, ap]]',
    ),
  ),
  rollBack: optional(oneOf('wave', 'all')),
  ...common,
});
