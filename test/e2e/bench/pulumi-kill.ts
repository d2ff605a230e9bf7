import { eventually } from './eventually';
import { descendants, runningProcesses } from './listeners';

/**
 * Kills the engines of this test file that run `up`, with their plugins and programs, as `kill -9` does. Other test files have
 * engines, too.
 */
export async function killEngines(): Promise<void> {
  const all = runningProcesses();
  const own = descendants(process.pid, all);
  const engines = own.filter(({ command }) => /\/bin\/pulumi up /.test(command));
  for (const { pid } of engines.flatMap((engine) => [engine, ...descendants(engine.pid, all)])) {
    process.kill(pid, 'SIGKILL');
  }
  await eventually('the end of the engine', () =>
    runningProcesses().every(({ pid }) => !engines.some((engine) => engine.pid === pid)),
  );
}
