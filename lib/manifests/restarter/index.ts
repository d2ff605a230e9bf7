export { restartMetrics, restartNotification, subscribeToRestarts } from './notification';
export type { RestartNotification, RestartNotificationOptions } from './notification';
export type { RestarterEventBus, RolloutRestarterProps, TokenSecret } from './props';
export { RolloutRestarter } from './rollout-restarter';
