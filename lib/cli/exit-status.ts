/** It ran, and something is wrong: a shift did not complete, say. */
export const somethingWrong = 1;

/** It could not run: bad input, or a program that can't be planned. */
export const couldNotRun = 2;

/** The user ended it (128 and the number of SIGINT). */
export const interrupted = 130;
