export { restartDecision, restartHistory, usualLimits, withRestart } from './decision';
export type { RestartDecision, RestartHistory, RestartLimits } from './decision';
export { isLeftAlone, restartRollouts, tellLeftAlone } from './restart-rollouts';
export type { RestartApi, RestartRequest, RolloutOutcome } from './restart-rollouts';
export type { Pod, Rollout as LiveRollout } from './rollout';
