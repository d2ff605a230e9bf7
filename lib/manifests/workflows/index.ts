export { parseRetryDuration, totalRetryWait } from '../../lint';
export type { RetryBackoff } from '../../lint';
export { WorkflowAlerts } from './alerts';
export type { WorkflowAlertsProps, WorkflowEvent } from './alerts';
export type { WorkflowStep, StepTemplate, WorkflowDefinition } from './definition';
export {
  leastRetryWait,
  retryTimes,
  retryProblems,
  retryStrategy,
  transientErrorEnv,
  transientErrorPattern,
} from './retry-strategy';
export type { EnvironmentVariable, RetryOn, RetryStrategy, RetryStrategyManifest } from './retry-strategy';
export type { WorkflowPlan, WorkflowShift } from './shift-workflow/plan';
export { ShiftWorkflow } from './shift-workflow/shift-workflow';
export type { EnvironmentSecret } from './shift-workflow/pod-props';
export type { ShiftWorkflowProps } from './shift-workflow/shift-workflow';
export type { ShiftWindow, Weekday } from './shift-workflow/window';
export { SwapWorkflow } from './swap-workflow/swap-workflow';
export type {
  SwapWorkflowProps,
  WorkflowFleetSwap,
  WorkflowFleetsSwap,
  WorkflowSwap,
} from './swap-workflow/swap-workflow';
export { CronWorkflow, Workflow, WorkflowTemplate } from './workflow';
export type {
  CronWorkflowDefinition,
  CronWorkflowProps,
  WorkflowObjectProps,
  WorkflowProps,
  WorkflowTemplateProps,
} from './workflow';
