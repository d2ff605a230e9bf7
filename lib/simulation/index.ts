export { conditionsOf } from './conditions';
export type { Conditions } from './conditions';
export type { Percentiles, SimulatedStep, SimulationResult } from './result';
export type {
  Bursts,
  Doing,
  MetricFaults,
  Period,
  RequestRate,
  RouterFaults,
  Scenario,
  SlotScenario,
} from './scenario';
export { readScenario, scenarioProblems } from './scenario-schema';
export { simulate } from './simulate';
export type { Simulation } from './simulate';
export type { CheckOfPlan } from './simulated-check';
export { World } from './world';
