#!/usr/bin/env node
import { keepCompiledCode } from './compile-cache';
import type { JudgingCommand } from './judging';

/** Charts are checked one by one, in a process each: these commands don't wait for the modules of all others. */
const judging: Readonly<Record<JudgingCommand, true>> = { lint: true, harden: true };

if (Object.hasOwn(judging, process.argv[2] ?? '')) {
  keepCompiledCode();
  void import('./judging');
} else {
  void Promise.all([import('./program'), import('./run'), import('./output')]).then(
    ([{ clusterCanary }, { run }, { version }]) =>
      run(() => clusterCanary(version()).parseAsync(process.argv)),
  );
}
