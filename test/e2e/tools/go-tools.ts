import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Say } from './cached-folder';
import { alone, removeLeftOvers } from './cached-folder';
import type { GoTool } from './catalog';
import { goTools } from './catalog';
import { run } from './run-command';

/** Everything that the suite builds or installs is below this folder. */
export const cacheFolder = resolve(
  process.env.CLUSTER_CANARY_E2E_CACHE ??
    join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'cluster-canary-e2e'),
);

/** The tool with this name. */
export function goTool(name: string): GoTool {
  const found = goTools.find((each) => each.name === name);
  if (!found) {
    throw new Error(`"${name}" is no tool of the suite: ${goTools.map((each) => each.name).join(', ')}`);
  }
  return found;
}

/** Folder of a tool's programs: another one for each version of the module, the compiler and the sources beside it. */
export function programFolder(tool: GoTool): string {
  const key = createHash('sha256');
  for (const file of ['go.mod', 'go.sum', 'main.go']) {
    const path = join(__dirname, tool.name, file);
    key.update(file).update(existsSync(path) ? readFileSync(path) : '');
  }
  key.update(JSON.stringify(tool)).update(goVersion());
  return join(cacheFolder, 'go', `${tool.name}-${key.digest('hex').slice(0, 16)}`);
}

/** Path of a program that has been built. */
export function programPath(program: string): string {
  const tool = goTools.find(({ programs }) => program in programs);
  if (!tool) {
    throw new Error(`no tool has a program "${program}"`);
  }
  return join(programFolder(tool), program);
}

/** Whether all programs of a tool are there. */
export function isBuilt(tool: GoTool): boolean {
  return Object.keys(tool.programs).every((program) => existsSync(join(programFolder(tool), program)));
}

/**
 * Builds what is missing of a tool. A build that is interrupted leaves nothing behind but the compiler's own cache,
 * from which the next one goes on.
 */
export function buildTool(tool: GoTool, say: Say): Promise<void> {
  const folder = programFolder(tool);
  return alone(folder, say, async (lock) => {
    mkdirSync(folder, { recursive: true });
    for (const [program, source] of Object.entries(tool.programs)) {
      const file = join(folder, program);
      if (existsSync(file)) {
        continue;
      }
      const started = Date.now();
      const seconds = () => Math.round((Date.now() - started) / 1000);
      const ticker = setInterval(() => say(`building ${program}: ${seconds()} s`), 30_000);
      removeLeftOvers(file);
      const unfinished = `${file}.${process.pid}`;
      const flags = `-s -w ${tool.ldflags ?? ''}`.trim();
      try {
        const tags = tool.tags === undefined ? [] : ['-tags', tool.tags];
        await run('go', ['build', ...tags, '-ldflags', flags, '-o', unfinished, source], {
          cwd: join(__dirname, tool.name),
          env: { GOTOOLCHAIN: 'local', CGO_ENABLED: '0', GOWORK: 'off' },
          lock,
        });
        renameSync(unfinished, file);
        say(`built ${program} in ${seconds()} s`);
      } finally {
        clearInterval(ticker);
        rmSync(unfinished, { force: true });
      }
    }
  });
}

let knownGoVersion: string | undefined;

function goVersion(): string {
  knownGoVersion ??= execFileSync('go', ['env', 'GOVERSION'], { encoding: 'utf8' }).trim();
  return knownGoVersion;
}
