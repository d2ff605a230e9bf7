export { mergeTags, remoteBoundary, withAwsSettings } from '../aws-settings';
export type { AwsSettings, Tags } from '../aws-settings';
export {
  HookError,
  childDependencies,
  engineHook,
  errorWithText,
  failClosed,
  hasEngine,
  canBindHooks,
  watchInterrupts,
} from '../hooks';
export type { HookEvent, InterruptSource, EngineInterrupts } from '../hooks';
export { checkInput, checkInputs, resolvedValue, plainValue } from '../inputs';
export { programLog } from '../log';
export type { GateAccess } from './ca-rotation-gate';
export { manifestYaml } from './manifest-yaml';
export { Manifests } from './manifests';
export type { ManifestsArgs } from './manifests';
export { outputToken } from './output-token';
