export { apiLifecycle, apiLifecycles, isDeprecated, isRemoved, minorVersion } from './lifecycles';
export type { ApiLifecycle } from './lifecycles';
export { newestKnownMinor } from './table';
