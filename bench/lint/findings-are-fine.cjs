/** The exit status of a run with findings is 1, and here that is no failure. */
process.on('exit', () => {
  process.exitCode = process.exitCode === 1 ? 0 : process.exitCode;
});
