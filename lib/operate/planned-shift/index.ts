export { NotBegun, NotMoved, ShiftAborted, howByWatch } from './move';
export type { MoveOptions } from './move';
export { planMover } from './plan-mover';
export type { TrafficMover } from './plan-mover';
export { runPlan } from './run-plan';
export type { PlanReports, PlanResult, PlanRun, RouteRun } from './run-plan';
