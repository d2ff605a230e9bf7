export { restartDecision, restartHistory, defaultRestartLimits, withRestart } from './decision';
export type { RestartDecision, RestartHistory, RestartLimits } from './decision';
export { isSkipped, restartRollouts, reportSkipped } from './restart-rollouts';
export type { RestartApi, RestartRequest, RolloutOutcome } from './restart-rollouts';
export type { Pod, ObservedRollout as LiveRollout } from './rollout';
