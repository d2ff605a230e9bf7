import { rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Say } from './cached-folder';
import { fillFolder, isComplete } from './cached-folder';
import { cacheFolder } from './go-tools';
import { helmPath } from './other-tools';
import { run } from './run-command';

const root = resolve(__dirname, '../../..');

/** A chart as a Release names it. */
export interface ChartSource {
  /** Name in its repository, or OCI reference. */
  readonly chart: string;
  /** URL. @default - none: `chart` is an OCI reference */
  readonly repository?: string;
  readonly version: string;
}

/** As much of a plan as `cluster-canary preview --json` prints it. */
interface Plan {
  readonly resources: readonly { readonly type: string; readonly inputs: Readonly<Record<string, any>> }[];
}

/** The charts of a plan's Releases, each once. */
export function chartsOf({ resources }: Plan): ChartSource[] {
  const charts = resources
    .filter(({ type }) => type === 'kubernetes:helm.sh/v3:Release')
    .map(({ inputs: { chart, repositoryOpts, version } }): [string, ChartSource] => [
      chartFolder({ chart, version }),
      { chart, ...(repositoryOpts ? { repository: repositoryOpts.repo } : {}), version },
    ]);
  return [...new Map(charts).values()];
}

/** The charts of `examples/fleet`, as its preview plans them. */
export async function exampleCharts(): Promise<ChartSource[]> {
  const args = ['preview', '--json', '--stack', 'dev', join(root, 'examples/fleet')];
  return chartsOf(JSON.parse(await run(process.execPath, [join(root, 'dist/cli/main.js'), ...args])) as Plan);
}

const chartCache = join(cacheFolder, 'charts');

/** Folder of a chart in the cache; {@link provideCharts} brings it there. */
export function chartFolder(
  { chart, version }: Pick<ChartSource, 'chart' | 'version'>,
  cache = chartCache,
): string {
  const name = basename(chart);
  return join(cache, `${name}-${version}`, name);
}

/**
 * Brings charts from their own repositories into the cache, where they are not there yet.
 *
 * @throws Error with every chart that could not be fetched, and why
 */
export async function provideCharts(
  charts: readonly ChartSource[],
  say: Say,
  cache = chartCache,
): Promise<void> {
  const missing = charts.filter((each) => !isComplete(dirname(chartFolder(each, cache))));
  const failures: string[] = [];
  for (const source of missing) {
    say(`to be fetched, once: the chart ${described(source)}`);
    await fetchChart(source, dirname(chartFolder(source, cache)), say).catch((error: Error) =>
      failures.push(`  ${described(source)}: ${error.message}`),
    );
  }
  if (failures.length > 0) {
    throw new Error(['Charts that could not be fetched:', ...failures].join('\n'));
  }
}

/** `argo-cd 1.2.3 of https://charts.example.com` */
function described({ chart, repository, version }: ChartSource): string {
  return repository === undefined ? `${chart} ${version}` : `${chart} ${version} of ${repository}`;
}

function fetchChart({ chart, repository, version }: ChartSource, folder: string, say: Say): Promise<void> {
  return fillFolder(folder, say, async (beside, lock) => {
    const own = join(beside, '.helm');
    await run(
      helmPath(),
      [
        ...['pull', chart, '--version', version, '--untar', '--untardir', beside],
        ...(repository === undefined ? [] : ['--repo', repository]),
      ],
      // Neither what the user has set up in Helm nor its caches are touched.
      { env: { HELM_CACHE_HOME: own, HELM_CONFIG_HOME: own, HELM_DATA_HOME: own }, cwd: beside, lock },
    );
    rmSync(own, { recursive: true, force: true });
  });
}
