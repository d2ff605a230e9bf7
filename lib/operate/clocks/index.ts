export { gateDecision, guardClocks } from './guard';
export type { GateDecision, GuardApi, GuardOptions } from './guard';
export { clockMeasurementEntries, heartbeatOf, classifySkew, measureClocks, skewOf } from './measure';
export type {
  ClockMeasurement,
  ClockMeasurementOptions,
  ClockVerdict,
  Heartbeat,
  NodeClock,
  Skew,
} from './measure';
export { metricsText } from './metrics';
export type { GuardState } from './metrics';
