import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fillFolder, isComplete, keyOf } from './cached-folder';
import { cacheFolder } from './go-tools';
import { run } from './run-command';

/** Custom resource definitions that come in a Go module which a tool is built from. */
interface CrdSource {
  /** Folder of the tool's go.mod. */
  readonly tool: string;
  readonly module: string;
  /** Folder of the definitions in the module. */
  readonly folder: string;
}

/** Where definitions come from, by the name of the software. */
const crdSources = {
  'cert-manager': {
    tool: 'cert-manager',
    module: 'github.com/cert-manager/cert-manager',
    folder: 'deploy/crds',
  },
  'argo-cd': { tool: 'argocd', module: 'github.com/argoproj/argo-cd/v3', folder: 'manifests/crds' },
  'argo-rollouts': {
    tool: 'argo-rollouts',
    module: 'github.com/argoproj/argo-rollouts',
    folder: 'manifests/crds',
  },
  // Those without the schema of a Workflow: with it, an API server needs another gigabyte, and half a minute.
  'argo-workflows': {
    tool: 'argo-workflows',
    module: 'github.com/argoproj/argo-workflows/v3',
    folder: 'manifests/base/crds/minimal',
  },
  'argo-events': {
    tool: 'argo-events',
    module: 'github.com/argoproj/argo-events',
    folder: 'manifests/base/crds',
  },
  flagger: { tool: 'flagger', module: 'github.com/fluxcd/flagger', folder: 'artifacts/flagger' },
  // cert-manager's programs know the Gateway API, so its module comes with them.
  'gateway-api': {
    tool: 'cert-manager',
    module: 'sigs.k8s.io/gateway-api',
    folder: 'config/crd/standard',
  },
} satisfies Record<string, CrdSource>;

/** Software whose definitions can be had. */
export type CrdName = keyof typeof crdSources;

/** Folder with the definitions of a software, as YAML files; {@link provideCrds} fills it. */
export function crdFolder(name: CrdName): string {
  const { tool } = crdSources[name];
  const sums = ['go.mod', 'go.sum'].map((file) => readFileSync(join(__dirname, tool, file)));
  return join(cacheFolder, 'crds', `${name}-${keyOf(JSON.stringify(crdSources[name]), ...sums)}`);
}

/** Brings definitions into the cache, where they are not there yet. */
export async function provideCrds(names: readonly CrdName[], say: (line: string) => void): Promise<void> {
  for (const name of names.filter((each) => !isComplete(crdFolder(each)))) {
    const { tool, module, folder } = crdSources[name];
    say(`to be fetched, once: the definitions of ${name}, from the Go module ${module}`);
    const source = join(await moduleFolder(tool, module), folder);
    await fillFolder(crdFolder(name), say, async (target) => {
      readdirSync(source)
        .filter((file) => file.endsWith('.yaml') && file !== 'kustomization.yaml')
        .forEach((file) => copyFileSync(join(source, file), join(target, file)));
      return Promise.resolve();
    });
  }
}

/** Folder of a module's sources in the version that a tool is built from; they are downloaded where needed. */
export async function moduleFolder(tool: string, module: string): Promise<string> {
  const answer = await run('go', ['mod', 'download', '-json', module], {
    cwd: join(__dirname, tool),
    env: { GOWORK: 'off', GOTOOLCHAIN: 'local' },
  });
  return JSON.parse(answer).Dir;
}
