export { ShiftWorkflow } from './shift-workflow';
export type { SecretKey, ShiftWorkflowProps } from './shift-workflow-props';
export type { ShiftWindow, Weekday } from './window';
export type { WorkflowPlan, WorkflowShift } from './workflow-plan';
