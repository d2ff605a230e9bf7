export { checkAnswers, readAnswers } from './answers';
export type { Answers, InvokeAnswer } from './answers';
export { PreviewFailed, errorText } from './errors';
export { listFile, manifestFiles, unknownInManifest, writeManifests } from './manifests';
export type { WrittenFile } from './manifests';
export { schemaVersion, secretPlaceholder, unknownText } from './plan';
export type {
  NotRun,
  PreviewPlan,
  PlanSummary,
  PlannedResource,
  PlannedResourceKind,
  UnknownResult,
} from './plan';
export { preview } from './preview';
export type { PreviewOptions } from './preview';
export { coloured, colourless, renderPlan } from './tree';
export type { Colours } from './tree';
