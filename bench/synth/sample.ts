import type { Way } from './program';
import { makeApp } from './program';

/** One synthesis in a process of its own, without the time that loading the modules and writing files takes. */
const [, , way, objects] = process.argv;
const started = performance.now();
makeApp(way as Way, Number(objects)).synthYaml();
process.stdout.write(String(performance.now() - started));
