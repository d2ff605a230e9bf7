import type { Way } from './program';
import { makeApp } from './program';

/** One synthesis in a process of its own, without the time that loading the modules and writing files takes. */
const [, , way, objects] = process.argv;
const started = performance.now();
const app = makeApp(way as Way, Number(objects));
const constructed = performance.now();
app.synthYaml();
const ended = performance.now();
process.stdout.write(JSON.stringify({ constructing: constructed - started, total: ended - started }));
