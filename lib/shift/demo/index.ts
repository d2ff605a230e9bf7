export { demoFaults } from './fleet';
export type { DemoFault } from './fleet';
export { demoResult } from './result';
export type { DemoResult } from './result';
export { demoVisitors, runDemo } from './run-demo';
export type { DemoControls, DemoOptions, DemoRun } from './run-demo';
export type { DemoTraffic, FaultPeriod, SlotRequests } from './world';
