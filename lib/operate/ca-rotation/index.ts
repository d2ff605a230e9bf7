export { publishBundle, retireOld } from './bundles';
export type { Retirement, SecretName } from './bundles';
export { checkGate } from './gate';
export type { GateReport, RekeyTarget, SeenAuthority } from './gate';
export { jobResult, readJobResult, readRekeyJobs } from './jobs';
export type { JobResult, RekeyJobs } from './jobs';
