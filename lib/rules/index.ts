export type { Change } from './change';
export type { ConfigSuppression, LintConfig } from './config/lint-config';
export { allowAnnotation } from './engine/suppressions';
export { linkOf } from './engine/link-of';
export { lint } from './engine/lint';
export type { LintOptions } from './engine/options';
export { clustersByTwins } from './engine/clusters';
export type { ClusterFiles } from './engine/clusters';
export type {
  JudgedCluster,
  LeftOutRule,
  LintResult,
  LintSummary,
  RuleFailure,
  SuppressedFinding,
} from './engine/result';
export { suppressionRules } from './engine/suppression-rules';
export type { EngineRule } from './engine/suppression-rules';
export { Field } from './field';
export { pointerTo, stepsOf } from './json-pointer';
export { severities } from './finding';
export type { Finding, ObjectName, Severity } from './finding';
export { indexObjects } from './index-objects';
export { groupOf, judgedObject, judgedObjects, objectName } from './judged-object';
export type { JudgedObject, ObjectSource, RepeatedKey } from './judged-object';
export type { ObjectIndex } from './object-index';
export * from './objects';
export { readManifests } from './reading/read-manifests';
export type { Manifests, Unreadable } from './reading/read-manifests';
export type { TextSource } from './reading/document-source';
export { cutsRetriesOff, parseRetryDuration, totalRetryWait } from './retry-waits';
export type { RetryBackoff } from './retry-waits';
export type { LiveKind, RawFinding, Rule, RuleContext } from './rule';
export { allRules } from './rules';
export { settingChanges } from './setting-changes';
export type { TemplateFile } from './template-file';
export { RulesValidation } from './cdk8s-validation';
export type { RulesValidationOptions } from './cdk8s-validation';
export { readLintConfig } from './config/read-config';
export type { OtherRules } from './config/read-config';
export { changed } from './mending/apply-changes';
export { noSafeMend } from './mending/left-as';
export { mendFiles } from './mending/mend-files';
export type { LeftAlone } from './mending/left-as';
export type { Mending } from './mending/mend-files';
export { countByRule, countsDocument, countsText } from './output/counts';
export type { RuleCount } from './output/counts';
export { lintDocument } from './output/json';
export { ruleHelp } from './output/rule-help';
export { sarifLog } from './output/sarif';
export type { SarifInput } from './output/sarif';
export { clusterNotes, findingText, lintText, withColours, withoutColours } from './output/text';
export type { LintColours } from './output/text';
export { hardenAnnotation } from './hardening/decision';
export type { HardeningDecision } from './hardening/decision';
export { harden } from './hardening/harden';
export type { HardenedText, Hardening, HardenTextOptions } from './hardening/harden';
export { hardenConstructs } from './hardening/harden-constructs';
export type { HardenOptions } from './hardening/options';
export { hardenChangesIt, leftToHarden } from './hardening/left-to-harden';
export { readDecisions } from './hardening/read-decisions';
export { decodeText } from './reading/decode-text';
export { parseYaml } from './reading/parse-yaml';
export type { Reading } from './reading/parse-yaml';
export { rulePage } from './rule-page';
