export { childDependencies } from './component-dependencies';
export { Manifests } from './manifests';
export type { ManifestsArgs } from './manifests';
export { manifestYaml } from './manifest-yaml';
export { outputToken } from './output-token';
