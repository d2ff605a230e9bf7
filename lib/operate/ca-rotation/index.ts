export { publishBundle, retireOldCa } from './bundles';
export type { CaRetirement, SecretName } from './bundles';
export { checkGate } from './gate';
export type { GateReport, CaRotationTarget, ObservedAuthority } from './gate';
export { jobResult, readJobResult, readCaRotationJobs } from './jobs';
export type { JobResult, CaRotationJobs } from './jobs';
