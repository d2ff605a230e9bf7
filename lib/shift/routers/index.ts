export type { SecretReader } from '../../core/secret-source';
export type { ProxyAccess } from '../http-proxy';
export type { HttpProxySettings } from './http-proxy';
export { nearestPercents, routerError, wholePercents } from './live-weights';
export type { TargetGroups } from './load-balancer/forward-action';
export { describeForward } from './load-balancer/forward-router';
export type { AlbRuleSettings } from './load-balancer/alb-rule';
export type { ListenerRouterSettings } from './load-balancer/listeners';
export type { RouteSettings, RouterName, RouterSettings, SlotFields, SlotSettings } from './registry';
export {
  isInProcess,
  isOfAws,
  openRouter,
  roughSubject,
  routeProblems,
  routerFacts,
  routerNames,
  routerAllowed,
  routerPermissions,
  routerSettingsProblems,
  slotsAllowed,
  subjectOf,
} from './route';
export type { RouterFacts } from './route';
export { RecordZone, normalizedRecordName } from './route53/records';
export type { WeightedRecords } from './route53/records';
export type { RecordType, Route53Settings } from './route53/route53';
export type {
  MinimumWait,
  LookClocks,
  OpenRouter,
  RawWeights,
  RouterContext,
  RouterDescription,
  SlotField,
} from './router-kind';
export type { SimulatedSettings } from './simulated';
