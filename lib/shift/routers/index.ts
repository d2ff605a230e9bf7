export { routerError } from './live-weights';
export { albRule } from './load-balancer/alb-rule';
export type { AlbRuleSettings } from './load-balancer/alb-rule';
export { albDefaultAction, nlbListener } from './load-balancer/listeners';
export type { ListenerSettings } from './load-balancer/listeners';
export type { TargetGroupSettings } from './load-balancer/settings';
export type { LookClocks } from './look-and-write';
export {
  awsRouter,
  awsRouterKinds,
  awsRouterProblems,
  awsRouterRights,
  awsRouterSettings,
  roughSubject,
  routeProblems,
  subjectOf,
} from './registry';
export type { AwsRouterSettings, RouteSettings, RouterSettings } from './registry';
export { RecordZone, plainName } from './route53/records';
export type { WeightedRecords } from './route53/records';
export { route53, route53Problems } from './route53/route53';
export type { RecordType, Route53Settings } from './route53/route53';
export { attachingRouter } from './router-kind';
export type { AwsRouter, LeastWait, RouterDescription, SlotSettings } from './router-kind';
export { MemoryRouter } from './simulated';
export type { SimulatedSettings } from './simulated';
