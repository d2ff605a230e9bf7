export type { OutputLimit, ProgramCall } from './program-call';
export type { OwnEnd, ProgramEnd, StoppedEnd } from './program-end';
export { runProgram } from './run-program';
export type { RunProgram } from './run-program';
