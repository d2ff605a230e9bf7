export { childDependencies } from './component-dependencies';
export { Manifests } from './manifests';
export type { ManifestsArgs } from './manifests';
export { manifestYaml } from './manifest-yaml';
export { outputToken } from './output-token';
export { engineHook, hasEngine, hooksAreKnown } from './engine-hook';
export type { HookEvent } from './engine-hook';
export { errorWithText, failClosed, HookRefusal } from './fail-closed';
