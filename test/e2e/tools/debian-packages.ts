import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Say } from './cached-folder';
import { alone } from './cached-folder';
import { cacheFolder } from './go-tools';
import { run } from './run-command';

/** Whether packages can be installed here: on Debian and its kin, as root. */
export function canInstallPackages(): boolean {
  return process.getuid?.() === 0 && onPath('apt-get') !== undefined;
}

/** Installs Debian packages; the lists of packages are brought up to date where one is not known. */
export async function installPackages(names: readonly string[], say: Say): Promise<void> {
  await alone(join(cacheFolder, 'apt'), say, async (lock) => {
    // Others than this suite install packages, too.
    const waiting = ['-o', 'DPkg::Lock::Timeout=600'];
    const install = () =>
      run('apt-get', [...waiting, 'install', '--yes', '--no-install-recommends', ...names], {
        env: { DEBIAN_FRONTEND: 'noninteractive' },
        lock,
      });
    await install().catch(async () => {
      await run('apt-get', ['update'], { lock });
      await install();
    });
  });
}

/** Path of a program on the PATH. */
export function onPath(program: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((path) => existsSync(path));
}
