export { albRule, albRuleProblems, albRuleRights } from './alb-rule';
export type { AlbRuleSettings } from './alb-rule';
export type { AwsRouter, LeastWait, RouterDescription } from './aws-router';
export type { TargetGroupSettings } from './forward-settings';
export {
  albDefaultAction,
  albDefaultActionProblems,
  listenerRights,
  nlbListener,
  nlbListenerProblems,
} from './listener';
export type { ListenerSettings } from './listener';
export { RecordZone } from './record-zone';
export { plainName } from './records';
export type { WeightedRecords } from './records';
export { route53 } from './route53';
export { route53Problems, route53Rights } from './route53-settings';
export type { RecordType, Route53Settings } from './route53-settings';
export { awsRouter, awsRouterKinds, awsRouterProblems, awsRouterRights } from './router-settings';
export type { AwsRouterSettings } from './router-settings';
