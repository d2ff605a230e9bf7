#!/usr/bin/env node
import { keepCompiledCode } from './compile-cache';

/** Charts are judged one by one, in a process each: these commands don't wait for the modules of all others. */
const judging = ['lint', 'harden'];

if (judging.includes(process.argv[2] ?? '')) {
  keepCompiledCode();
  void import('./judging');
} else {
  void Promise.all([import('./program'), import('./run')]).then(([{ clusterCanary }, { run }]) =>
    run(clusterCanary),
  );
}
