import { exampleCharts, provideCharts } from './tools/charts';
import { provideKubectl } from './tools/other-tools';

const say = (line: string): void => console.error(`e2e: ${line}`);

async function main(): Promise<void> {
  const charts = await exampleCharts();
  await provideKubectl(say);
  await provideCharts(charts, say);
  say(`in the cache: ${charts.map(({ chart, version }) => `${chart} ${version}`).join(', ')}`);
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exit(1);
});
