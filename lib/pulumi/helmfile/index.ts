export { HelmfileRelease } from './helmfile-release';
export { uninstallRemovedReleases } from './hooks';
export type { ListedRelease } from './plan';
export type { HelmfileReleaseArgs, HelmfileValues } from './settings';
