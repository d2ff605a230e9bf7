/** Tells the process that started this one, on file descriptor 3, what it took. */
process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const usage = { cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, peakMegabytes: maxRSS / 1024 };
  process.getBuiltinModule('node:fs').writeSync(3, JSON.stringify(usage));
});
