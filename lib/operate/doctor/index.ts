export { rankCauses } from './causes';
export type { Cause } from './causes';
export type {
  CheckLayer,
  CheckReport,
  DoctorCheckResult,
  DoctorCheckStatus,
  DoctorCheck,
  DoctorContext,
  DoctorFinding,
  FindingSeverity,
  Likelihood,
} from './check';
export type { ClockOptions } from './clock/clock-check';
export type { ClustersCheckOptions } from './clusters/clusters-check';
export { runDoctor } from './doctor';
export type { DoctorReport } from './doctor';
export type { GitHubCheckOptions } from './github/github-check';
export { doctorDocument, doctorText } from './output';
export type {
  DoctorDocument,
  DocumentedCause,
  DocumentedCheck,
  DocumentedFinding,
  FindingReference,
} from './output';
export { readPluginConfig, redactedConfig } from './plugin/config';
export type { PluginCommand, PluginConfig } from './plugin/config';
export type { EnvironmentFacts, PluginVariable } from './plugin/environment';
export { checkOutput } from './plugin/manifests';
export type { CheckedOutput, OutputProblem } from './plugin/manifests';
export { examinePlugin } from './plugin/plugin';
export type { ExaminedPlugin, ExaminedSource, PluginRequest } from './plugin/plugin';
export { runPlugin } from './plugin/run';
export type { PluginOutcome, PluginRun } from './plugin/run';
export { pluginText } from './plugin/text';
export { checkNames, doctorChecks } from './registry';
export type { CheckName, CheckOptions } from './registry';
export type { SyncOptions } from './sync/sync-check';
export type { WebhooksCheckOptions } from './webhooks/webhooks-check';
