import { spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { argoCd } from './bench/argo-cd';
import { cleanUp } from './bench/clean-up';
import { controlPlane } from './bench/control-plane';
import { eventually } from './bench/eventually';
import { moto } from './bench/moto';
import { provide } from './provide';
import { cacheFolder } from './tools/go-tools';

const root = resolve(__dirname, '../..');

/** Says where a running playground is. */
const stateFile = join(cacheFolder, 'playground.json');

interface State {
  readonly pid: number;
  readonly folder: string;
  /** How to use it; not there until everything runs. */
  readonly usage?: string;
}

function readState(): State | undefined {
  return existsSync(stateFile) ? (JSON.parse(readFileSync(stateFile, 'utf8')) as State) : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Starts the playground in a process namespace of its own, so that nothing of it outlives its first process. */
async function up(): Promise<void> {
  const running = readState();
  if (running && isAlive(running.pid)) {
    throw new Error(
      `a playground runs already:\n\n${running.usage ?? 'it is still starting'}\n\nnpm run e2e:down ends it`,
    );
  }
  await provide([
    {
      shows: '',
      tools: ['etcd', 'kubernetes', 'kwok', 'cert-manager', 'argocd'],
      needs: ['moto', 'redis', 'kubectl'],
    },
  ]);
  mkdirSync(cacheFolder, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), 'cluster-canary-playground-'));
  const log = openSync(join(folder, 'playground.log'), 'a');
  const asUser = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];
  const child = spawn(
    'unshare',
    [
      ...asUser,
      ...['--pid', '--fork', '--kill-child=SIGKILL', '--mount-proc'],
      ...[process.execPath, '-r', 'ts-node/register/transpile-only', __filename, 'serve', folder],
    ],
    {
      cwd: root,
      detached: true,
      stdio: ['ignore', log, log],
      env: { ...process.env, TMPDIR: folder, TS_NODE_PROJECT: join(root, 'tsconfig.dev.json') },
    },
  );
  closeSync(log);
  child.unref();
  const state: State = { pid: child.pid!, folder };
  writeFileSync(stateFile, JSON.stringify(state));
  console.error('e2e: starting two control planes, Argo CD, cert-manager and moto');
  try {
    const usage = await eventually('playground', () => {
      if (!isAlive(state.pid)) {
        return 'ended';
      }
      return existsSync(join(folder, 'usage')) && readFileSync(join(folder, 'usage'), 'utf8');
    });
    if (usage === 'ended') {
      throw new Error(`it ended at its start:\n${readFileSync(join(folder, 'playground.log'), 'utf8')}`);
    }
    writeFileSync(stateFile, JSON.stringify({ ...state, usage }));
    console.log(usage);
  } catch (error) {
    await down();
    throw error;
  }
}

/** Ends the playground, and removes its folder. */
async function down(): Promise<void> {
  const state = readState();
  if (!state) {
    console.error('e2e: no playground runs');
    return;
  }
  if (isAlive(state.pid)) {
    process.kill(state.pid, 'SIGKILL');
    await eventually('playground ended', () => !isAlive(state.pid));
  }
  rmSync(state.folder, { recursive: true, force: true });
  rmSync(stateFile);
  console.error('e2e: the playground is gone');
}

/** What runs inside: until it is killed. */
async function serve(folder: string): Promise<void> {
  const [hub, apps, aws] = await Promise.all([
    controlPlane({ name: 'hub', nodes: 3, certManager: true }),
    controlPlane({ name: 'apps', nodes: 3 }),
    moto(),
  ]);
  await argoCd(hub);
  const usage = [
    `hub (Argo CD, cert-manager): export KUBECONFIG=${hub.kubeconfigFile}`,
    `apps:                        export KUBECONFIG=${apps.kubeconfigFile}`,
    `AWS:                         export ${Object.entries(aws.env)
      .map(([name, value]) => `${name}=${value}`)
      .join(' ')}`,
    '',
    'Nodes are simulated: pods become ready, and run nothing. npm run e2e:down ends it.',
    '',
  ].join('\n');
  writeFileSync(join(folder, 'usage'), usage);
  // Timers keep a process alive; nothing but a signal ends this one.
  await new Promise(() => setInterval(() => undefined, 60_000));
}

const [command, folder] = process.argv.slice(2);
const commands: Record<string, () => Promise<void>> = { up, down, serve: () => serve(folder!) };
const chosen = commands[command ?? ''];
if (!chosen) {
  console.error('usage: npm run e2e:up, npm run e2e:down');
  process.exit(2);
}
chosen().then(
  () => process.exit(0),
  async (error: Error) => {
    console.error(error.message);
    await cleanUp().catch(() => undefined);
    process.exit(2);
  },
);
