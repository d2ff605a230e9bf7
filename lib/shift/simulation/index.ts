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
  VitalsScenario,
} from './scenario';
export { readScenario, scenarioProblems } from './scenario-schema';
export { simulate } from './simulate';
export type { Percentiles } from './percentiles';
export { replay } from './replay';
export type { ReplayEnd, ReplayInput, ReplayResult } from './replay';
export type { SimulatedStep } from './notes';
export type { Simulation, SimulationResult } from './simulate';
export type { PodsAtStep } from './simulated-shift';
export type { SimulatedWorkload } from './workload-figures';
export { World } from './world';
