export { pulumiProgram } from './program';
export type { PulumiProgramOptions } from './program';
export type { RunMark, RunMarks } from './locks';
export type { StackApi } from './engine';
