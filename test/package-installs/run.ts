import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { PackageManager } from './managers';
import { managers } from './managers';
import type { Project } from './projects';
import { projects } from './projects';

const root = resolve(__dirname, '../..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Yarn 4 reads no `.npmrc`: it is told which registry the machine's npm uses. */
const forYarn = {
  YARN_NPM_REGISTRY_SERVER: execute('npm', ['config', 'get', 'registry'], root, {}).trim().replace(/\/$/, ''),
};

function execute(
  program: string,
  args: readonly string[],
  cwd: string,
  environment: NodeJS.ProcessEnv = forYarn,
): string {
  return execFileSync(program, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
    timeout: 20 * 60_000,
    env: {
      ...process.env,
      npm_config_loglevel: 'error',
      npm_config_update_notifier: 'false',
      ...environment,
    },
  });
}

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly entryCount: number;
}

/** The package as it would be published. */
function pack(folder: string): Packed {
  const answer = execute('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], root);
  return JSON.parse(answer)[0];
}

/**
 * What the project asks of its package manager: the tarball, peers in the ranges of the package, and a compiler.
 * Releases of `@pulumi/pulumi` after the pinned one need Node.js 22, and yarn would install one of them beside it.
 */
function packageJson(project: Project, tarball: string): string {
  const isBrought = ([name]: [string, string]): boolean => project.brings(name);
  const peers = Object.fromEntries(Object.entries<string>(manifest.peerDependencies).filter(isBrought));
  const pulumi = '@pulumi/pulumi';
  const pinned = pulumi in peers ? { [pulumi]: manifest.devDependencies[pulumi] } : {};
  const tools = ['@types/node', 'ts-node', 'typescript'];
  return JSON.stringify({
    name: `uses-cluster-canary-${project.name}`,
    version: '1.0.0',
    private: true,
    type: project.type,
    dependencies: { 'cluster-canary': `file:${tarball}`, ...peers, ...pinned },
    devDependencies: Object.fromEntries(tools.map((name) => [name, manifest.devDependencies[name]])),
    resolutions: pinned,
  });
}

/** Two copies of these know nothing of each other: a resource of the one is none for the other. */
const onlyOnce = ['@pulumi/pulumi', 'cdk8s', 'constructs'];

function checkCopies(folder: string): void {
  for (const name of onlyOnce) {
    const path = `*/node_modules/${name}/package.json`;
    const copies = execute('find', ['./node_modules', '-path', path], folder).split('\n').filter(Boolean);
    if (copies.length > 1) {
      throw new Error(`${name} is installed ${copies.length} times: ${copies.join(', ')}`);
    }
  }
}

interface Installed {
  readonly seconds: number;
  readonly megabytes: number;
}

function tryOut(manager: PackageManager, project: Project, folder: string, tarball: string): Installed {
  mkdirSync(folder);
  const files = { ...manager.files, ...project.files, 'package.json': packageJson(project, tarball) };
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), text);
  }
  const start = performance.now();
  execute(manager.program, [...manager.before, ...manager.install], folder);
  const seconds = (performance.now() - start) / 1000;
  checkCopies(folder);
  for (const { command, prints } of project.runs) {
    const [name, ...args] = command;
    const output =
      name === 'node'
        ? execute(process.execPath, args, folder)
        : execute(manager.program, [...manager.before, ...manager.execute, ...command], folder);
    if (!prints.test(output)) {
      throw new Error(`${command.join(' ')} printed\n${output}\nand should have printed ${String(prints)}`);
    }
  }
  const [kilobytes] = execute('du', ['-sk', 'node_modules'], folder).split('\t');
  return { seconds, megabytes: Number(kilobytes) / 1024 };
}

function main(chosen: readonly string[]): number {
  const folder = mkdtempSync(join(tmpdir(), 'cluster-canary-installs-'));
  let failed = 0;
  let passed = 0;
  try {
    const packed = pack(folder);
    const kilobytes = (bytes: number) => `${Math.round(bytes / 1024)} KB`;
    console.log(
      `tarball ${kilobytes(packed.size)}, ${kilobytes(packed.unpackedSize)} unpacked, ${packed.entryCount} files`,
    );
    for (const project of projects) {
      for (const manager of managers.filter(({ name }) => chosen.length === 0 || chosen.includes(name))) {
        const title = `${manager.name}, ${project.name}`;
        const place = join(folder, `${project.name}-${manager.name.replace(' ', '-')}`);
        try {
          const { seconds, megabytes } = tryOut(manager, project, place, join(folder, packed.filename));
          console.log(
            `${title}: installed in ${seconds.toFixed(1)} s, ${megabytes.toFixed(0)} MB; all runs pass`,
          );
          passed += 1;
        } catch (error) {
          const { message, stdout = '' } = error as Error & { stdout?: string };
          console.error(`${title}: ${message}\n${stdout}`);
          failed += 1;
        }
        rmSync(place, { recursive: true, force: true });
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

process.exitCode = main(process.argv.slice(2));
