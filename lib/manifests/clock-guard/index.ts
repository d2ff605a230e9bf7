export { leaseNamespace } from '../../core/kubernetes/api';
export { clockTaint } from '../../core/names';
export { clockAlerts, guardMetrics } from './alerts';
export type { AlertRule } from './alerts';
export { ClockSkewGuard } from './clock-skew-guard';
export { defaultGateLimits } from './props';
export type { ClockSkewGuardProps, GateLimits } from './props';
export { clockLimits, clockTolerances } from './tolerances';
export type { ClockTolerance } from './tolerances';
