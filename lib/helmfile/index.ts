export type { HelmfileReleaseArgs, HelmfileValues } from './arguments';
export { HelmfileRelease } from './helmfile-release';
export type { ListedRelease } from './plan';
export { uninstallRemovedReleases } from './release-hooks';
