import { exampleCharts, provideCharts } from './tools/charts';
import { provideChromium } from './tools/chromium';
import { provideCrds } from './tools/crds';
import { buildTool, goTool, isBuilt } from './tools/go-tools';
import { provideKubectl, provideMoto, provideRedis } from './tools/other-tools';
import type { Suite } from './suites';

const say = (line: string): void => console.error(`e2e: ${line}`);

/** Builds and installs what the suites need and is not there yet; says first what is missing, and how it comes. */
export async function provide(suites: readonly Suite[]): Promise<void> {
  const tools = [...new Set(suites.flatMap((suite) => suite.tools))].map(goTool);
  const needs = new Set(suites.flatMap((suite) => suite.needs));
  const missing = tools.filter((tool) => !isBuilt(tool));
  if (missing.length > 0) {
    say(`to be built from Go modules, once: ${missing.map(({ name }) => name).join(', ')}`);
  }
  for (const tool of missing) {
    await buildTool(tool, say);
  }
  if (needs.has('moto')) {
    await provideMoto(say);
  }
  if (needs.has('redis')) {
    await provideRedis(say);
  }
  if (needs.has('kubectl')) {
    await provideKubectl(say);
  }
  if (needs.has('chromium')) {
    await provideChromium(say);
  }
  if (needs.has('charts')) {
    await provideCharts(await exampleCharts(), say);
  }
  await provideCrds([...new Set(suites.flatMap(({ definitions = [] }) => definitions))], say);
}
