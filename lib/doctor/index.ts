export type { ClockOptions } from './clock';
export type { ClustersCheckOptions } from './clusters';
export type { GitHubCheckOptions } from './github';
export type { SyncOptions } from './sync';
export type { WebhooksCheckOptions } from './webhooks';
export type { CheckResult, CheckStatus } from './check-result';
export { doctorChecks } from './checks';
export type { CheckOptions } from './checks';
export { checkNames } from './doctor-check';
export type { CheckName, CheckReport, DoctorCheck, DoctorContext } from './doctor-check';
export { doctorDocument } from './doctor-document';
export type {
  DoctorDocument,
  DocumentedCause,
  DocumentedCheck,
  DocumentedFinding,
  FindingReference,
} from './doctor-document';
export { doctorText } from './doctor-text';
export { examine } from './examine';
export type { Examination } from './examine';
export type { Finding, FindingSeverity, Likelihood } from './finding';
export { inOrder } from './in-order';
export type { Cause } from './in-order';
export { checkOutput, examinePlugin, pluginText, readPluginConfig, runPlugin, shownConfig } from './plugin';
export type {
  CheckedOutput,
  EnvironmentFacts,
  ExaminedPlugin,
  ExaminedSource,
  OutputProblem,
  PluginCommand,
  PluginConfig,
  PluginOutcome,
  PluginRequest,
  PluginRun,
  PluginVariable,
} from './plugin';
