export { NotMoved, ShiftAborted, howByWatch, planMover } from './plan-mover';
export type { MoveOptions, TrafficMover } from './plan-mover';
export { runPlan } from './run-plan';
export type { PlanReports, PlanResult, PlanRun, RouteRun } from './run-plan';
