export {
  apiLifecycle,
  apiLifecycles,
  isDeprecated,
  isRemoved,
  minorVersion,
  newestKnownMinor,
} from './api-lifecycles';
export type { ApiLifecycle } from './api-lifecycles';
export { kubernetesVersion } from './kubernetes-version';
export { apiVerdict, judgeApi, whyOfApis } from './judge-api';
export type { ApiVerdict } from './judge-api';
export { readinessSubjects } from './registry';
export type {
  ReadinessAccess,
  ReadinessFinding,
  ReadinessObject,
  ReadinessQuestion,
  ReadinessReport,
  ReadinessSeverity,
  ReadinessSubject,
} from './report';
export { readinessAccess, readinessPermissions } from './rights';
export type { RightsOf } from './rights';
export { inspectReadiness, missingFor, unknownRemovals } from './run';
export type { ReadinessRun, SubjectResult } from './run';
export { evaluateReadiness } from './verdict';
export type { ReadinessRules, ReadinessVerdict } from './verdict';
