import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ProviderName } from '../bench/plugin-choice';
import { executableOf } from '../bench/plugin-choice';
import { run } from './run-command';

const manifest = JSON.parse(readFileSync(resolve(__dirname, '../../../package.json'), 'utf8'));

/**
 * Installs Pulumi's own providers, in the versions of the SDKs that the library is developed with, and puts an executable of
 * each into a folder, for `CLUSTER_CANARY_E2E_PLUGINS`.
 *
 * @param pulumi path of the CLI
 */
export async function installPlugins(
  pulumi: string,
  folder: string,
  names: readonly ProviderName[],
): Promise<void> {
  const home = resolve(folder, 'home');
  mkdirSync(home, { recursive: true });
  for (const name of names) {
    const version: string = manifest.devDependencies[`@pulumi/${name}`];
    await run(pulumi, ['plugin', 'install', 'resource', name, version], {
      env: { PULUMI_HOME: home, PULUMI_SKIP_UPDATE_CHECK: 'true' },
    });
    const installed = join(home, 'plugins', `resource-${name}-v${version}`, executableOf(name));
    // Not a link: a plugin may look for its files beside itself.
    writeFileSync(join(folder, executableOf(name)), `#!/bin/sh\nexec '${installed}' "$@"\n`, { mode: 0o755 });
  }
}
