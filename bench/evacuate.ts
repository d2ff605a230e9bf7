import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { awsClients } from '../lib/core/aws/clients';
import { openEvacuation, planEvacuation } from '../lib/shift/evacuate';
import { FleetServer, groupOf, ruleOf } from '../test/shift/evacuate/fleet-server';
import { spread } from './measure';
import { root } from './run-node';
import { evacuationHeading, withSection } from './sections';
import { table } from './text';

/**
 * From the start of `cluster-canary evacuate` to its last write of weights: 100 rules, 30 ms a call, with and without an AWS that throttles.
 * Beside it the same calls one after the other. Writes its section of docs/benchmarks.md; `npx ts-node -T bench/evacuate.ts [TIMES]`,
 * after a compile.
 */
const ruleCount = 100;
const goalSeconds = 5;
const loadBefore = loadavg()[0]!;
const times = Number(process.argv[2] ?? 5);
const setting = {
  rules: Array.from({ length: ruleCount }, () => ({ blue: 50, green: 50 })),
  healthy: { blue: 3, green: 3 },
  delayMs: 30,
};
const throttling = { ModifyRule: 40, DescribeRules: 40, GetParameter: 40, PutParameter: 3 };
const folder = mkdtempSync(join(tmpdir(), 'bench-evacuate-'));

/** What one run took. */
interface Run {
  readonly lastWrite: number;
  readonly end: number;
  readonly calls: number;
  readonly throttled: number;
}

async function command(server: FleetServer, args: readonly string[]): Promise<{ end: number }> {
  const from = performance.now();
  const child = spawn(process.execPath, [join(root, 'dist/cli/main.js'), ...args], {
    env: { ...process.env, ...server.env, NODE_NO_WARNINGS: '1' },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  await new Promise((resolve) => child.on('close', resolve));
  return { end: (performance.now() - from) / 1000 };
}

/** A plan file of all rules. */
function planFile(lease: string): string {
  const file = join(folder, `plan-${lease.length}.yaml`);
  const slots = { blue: { targetGroupArn: groupOf('blue') }, green: { targetGroupArn: groupOf('green') } };
  const routes = Object.fromEntries(
    setting.rules.map((_, at) => [`r${at}`, { router: { albRule: { ruleArn: ruleOf(at) } }, slots }]),
  );
  const shift = { step: 1, every: '1s', checkEvery: '1s', bake: '1s' };
  const waves = [Object.keys(routes).slice(0, 50), Object.keys(routes).slice(50)];
  const plan = { routes, waves, weights: { blue: 0, green: 100 }, shift };
  writeFileSync(file, `${JSON.stringify(plan).slice(0, -1)}${lease}}`);
  return file;
}

async function measured(
  work: (server: FleetServer) => Promise<{ end: number }>,
  over: Partial<ConstructorParameters<typeof FleetServer>[0]> = {},
): Promise<Run> {
  const server = await new FleetServer({ ...setting, ...over }).start();
  try {
    const before = Date.now();
    const { end } = await work(server);
    const isEmpty = server.rules.every(({ green }) => green === 0);
    if (!isEmpty) {
      throw new Error('green has traffic');
    }
    return {
      lastWrite: (Math.max(...server.writtenAt) - before) / 1000,
      end,
      calls: server.calls.length,
      throttled: server.throttled,
    };
  } finally {
    server.stop();
  }
}

const evacuation = ['evacuate', 'green', '--yes', '--no-records'];

/** Rules of a shift that runs: every step writes two waves of fifty rules. */
async function besideShift(server: FleetServer): Promise<{ end: number }> {
  const child = spawn(process.execPath, [join(root, 'dist/cli/main.js'), 'shift', planFile('')], {
    env: { ...process.env, ...server.env, NODE_NO_WARNINGS: '1' },
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => child.on('close', resolve));
  while (server.writtenAt.length < 50) {
    await sleep(20);
  }
  server.writtenAt.length = 0;
  started = Date.now();
  const taken = await command(server, evacuation);
  await ended;
  return taken;
}

let started = 0;

/** One call after the other, as a script would make them. */
async function oneByOne(server: FleetServer): Promise<{ end: number }> {
  const from = performance.now();
  Object.assign(process.env, server.env);
  const clients = awsClients({ region: 'eu-west-1' });
  const slots = { blue: { targetGroupArn: groupOf('blue') }, green: { targetGroupArn: groupOf('green') } };
  const routes = Object.fromEntries(
    setting.rules.map((_, at) => [ruleOf(at), { router: { albRule: { ruleArn: ruleOf(at) } }, slots }]),
  );
  const opened = await openEvacuation({ routes }, clients);
  for (const route of opened.routes) {
    const [planned] = await planEvacuation([route], { slot: 'green' }, { say: () => undefined });
    const { decision } = planned!;
    if (decision.kind === 'write') {
      await route.router.write(decision.weights);
    }
  }
  opened.close();
  clients.close();
  return { end: (performance.now() - from) / 1000 };
}

async function withDeadHub<T>(work: (kubeconfig: string) => Promise<T>): Promise<T> {
  const open = new Set<Socket>();
  const hub = createServer((socket) => void open.add(socket));
  await new Promise<void>((ready) => hub.listen(0, '127.0.0.1', ready));
  const file = join(folder, 'hub.yaml');
  const url = `http://127.0.0.1:${(hub.address() as AddressInfo).port}`;
  writeFileSync(
    file,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'hub',
      contexts: [{ name: 'hub', context: { cluster: 'hub', user: 'hub' } }],
      clusters: [{ name: 'hub', cluster: { server: url } }],
      users: [{ name: 'hub', user: { token: 'none' } }],
    }),
  );
  try {
    return await work(file);
  } finally {
    open.forEach((socket) => socket.destroy());
    hub.close();
  }
}

async function run(): Promise<void> {
  const cases: Readonly<Record<string, () => Promise<Run>>> = {
    'by tags': () => measured((server) => command(server, evacuation)),
    'by tags, throttled': () =>
      measured((server) => command(server, evacuation), { callsPerSecond: throttling }),
    'by a plan file, throttled': () =>
      measured((server) => command(server, ['evacuate', 'green', '--yes', '--plan', planFile(' ')]), {
        callsPerSecond: throttling,
      }),
    'the hub with the leases dead': () =>
      withDeadHub((kubeconfig) =>
        measured((server) => {
          const lease = `,"lease":{"kubernetes":{"namespace":"shifts","kubeconfig":${JSON.stringify(kubeconfig)}}}`;
          return command(server, ['evacuate', 'green', '--yes', '--plan', planFile(lease)]);
        }),
      ),
    'a shift of all rules running': async () => {
      started = 0;
      const before = Date.now();
      const found = await measured(besideShift);
      return { ...found, lastWrite: found.lastWrite - (started - before) / 1000 };
    },
    'control: one call after the other': () => measured(oneByOne),
    'control, throttled': () => measured(oneByOne, { callsPerSecond: throttling }),
  };
  const rows: string[][] = [];
  for (const [name, measure] of Object.entries(cases)) {
    const runs: Run[] = [];
    for (let at = 0; at < times; at += 1) {
      runs.push(await measure());
    }
    const last = spread(runs.map(({ lastWrite }) => lastWrite));
    const of = (key: keyof Run, digits = 1): string =>
      spread(runs.map((each) => each[key])).median.toFixed(digits);
    rows.push([
      name,
      `${last.median.toFixed(2)} s`,
      `${last.max.toFixed(2)} s`,
      `${of('end')} s`,
      of('calls', 0),
      of('throttled', 0),
      last.max < goalSeconds ? 'yes' : 'no',
    ]);
  }
  rmSync(folder, { recursive: true });
  const file = join(root, 'docs', 'benchmarks.md');
  const text = withSection(readFileSync(file, 'utf8'), evacuationHeading, section(rows));
  writeFileSync(file, text);
}

function section(rows: readonly (readonly string[])[]): string[] {
  return [
    evacuationHeading,
    '',
    `\`cluster-canary evacuate\` for a slot with ${ruleCount} rules, from the start of the command to its last write of weights.`,
    'The fake AWS answers each call after 30 ms. Where it throttles, it takes 40 calls a second of each action, and 3 `PutParameter`.',
    'The controls make the same calls one after the other. In time: every run took less than 5 s.',
    '',
    `Measured ${new Date().toISOString().slice(0, 10)} with Node.js ${process.version}, ${times} runs each; load average before: ${loadBefore.toFixed(2)}.`,
    '',
    ...table(['', 'last write', 'slowest', 'end of the command', 'calls', 'throttled', 'in time'], rows),
    '',
    'Until it ends, the command notes the evacuation in the lease of each rule.',
    '',
  ];
}

void run();
