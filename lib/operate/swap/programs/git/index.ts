export { gitProgram } from './program';
export type { GitProgramOptions } from './program';
export { gitProgramSchema } from './settings';
export type { DeployedSettings, GitHubSettings, GitProgramSettings } from './settings';
