export { evacuationOf, evacuationRecord } from './decision';
export type { EvacuatedRoute, EvacuationDecision, EvacuationRequest } from './decision';
export { carryOut, planEvacuation, refusals } from './evacuate';
export type {
  EvacuationControl,
  EvacuationReport,
  EvacuationRoute,
  EvacuationWrite,
  PlannedRoute,
} from './evacuate';
export { openEvacuation } from './open';
export type { EvacuationSubject, OpenEvacuation } from './open';
