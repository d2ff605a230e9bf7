export type { CheckOfPlan } from './checks';
export { conditionsOf } from './conditions';
export type { SimulatedConditions } from './conditions';
export type {
  AutoscalerScenario,
  Bursts,
  SlotBehaviour,
  LateAnswers,
  MetricFaults,
  Period,
  RequestRate,
  RouterFaults,
  Scenario,
  SlotScenario,
} from './scenario';
export { readScenario, scenarioProblems } from './scenario-schema';
export { simulate } from './simulate';
export type { Percentiles, SimulatedStep, SimulatedWorkload, Simulation, SimulationResult } from './simulate';
export { World } from './world';
