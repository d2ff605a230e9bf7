import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LocalWorkspace } from '@pulumi/pulumi/automation';
import { awsClients } from '../../lib/core/aws/clients';
import { liveShare } from '../../lib/operate/live-traffic';
import type { SlotPreviewsArgs } from '../../lib/pulumi/traffic';
import { startCommand } from './bench/command';
import type { Outcome } from './bench/pulumi-outcome';
import type { ShiftBench } from './bench/pulumi-shift';
import { quick, shiftBench } from './bench/pulumi-shift';
import { RuleForwarder } from './bench/rule-forwarder';
import type { ShiftProgramOptions } from './bench/shift-program';
import { temporaryFolder } from './bench/temporary';
import { run } from './tools/run-command';

/** The tests are the life of one stack, in this order. */
let bench: ShiftBench;
let forwarder: RuleForwarder;

beforeAll(async () => {
  bench = await shiftBench();
  forwarder = await new RuleForwarder(bench.aws).start();
});

const hidden = 'hunter2-green';

const byHeader = (): SlotPreviewsArgs => ({
  ...{ header: 'x-slot', values: { green: hidden } },
  urls: { web: `${forwarder.url}/web/` },
});

const toGreen = { blue: 0, green: 100 };

const up = (options: Partial<ShiftProgramOptions> = {}): Promise<Outcome> =>
  bench.stack.up({ program: bench.program({ shift: quick, previews: byHeader(), ...options }) });
const operations = ({ operations: all }: Outcome) => all.map(({ op, name }) => `${op} ${name}`).sort();
const evacuate = (slot: string, ...args: string[]) =>
  startCommand(bench.aws.env, 'evacuate', slot, ...args).result;

/** The slot that a request without any header gets to. */
const visited = async () => (await fetch(`${forwarder.url}/web/`)).text();
/** Runs a line as a person does, and answers which slot it got to. */
const answered = (line: string, value = hidden) =>
  run('/bin/sh', ['-c', line.replace(/^curl/, 'curl -s')], {
    env: { PREVIEW_VALUE: value, PREVIEW_VALUE_GREEN: value },
  });

let lines: Record<string, string>;
let plan: Record<string, unknown>;

test('a header leads to the slot that has no weight, and to no other', async () => {
  const created = await up();
  expect(created).toMatchObject({ succeeded: true, errors: [] });
  const state = await bench.stack.state();
  forwarder.listenerArn = state.find(({ urn }) => urn.endsWith('ListenerRule::apps-web'))!.inputs.listenerArn;
  lines = (created.outputs['previews'] as Record<string, Record<string, string>>)['web']!;
  expect(await answered(lines['green']!)).toBe('green-web');
  expect(await answered(lines['blue']!)).toBe('blue-web');
  expect(await answered(lines['green']!, 'guessed')).toBe('blue-web');
  expect(await visited()).toBe('blue-web');
});

test('a secret stands neither in the state nor in an output', async () => {
  const preview = await bench.stack.preview({
    program: bench.program({ shift: quick, previews: byHeader() }),
  });
  expect(operations(preview)).toEqual([]);
  plan = (await bench.stack.stack.outputs())['plan']!.value as Record<string, unknown>;
  const { workDir, envVars, pulumiCommand } = bench.stack.stack.workspace as LocalWorkspace;
  const args = ['stack', 'export', '--stack', bench.stack.stack.name];
  const state = await run(pulumiCommand.command, args, { cwd: workDir, env: envVars });
  expect(state).toContain('apps-web-preview-green');
  expect(JSON.stringify([state, plan, lines, preview.log])).not.toContain(hidden);
  expect(lines['green']).toBe(`curl ${forwarder.url}/web/ -H "x-slot: $PREVIEW_VALUE"`);
});

test('the plan is one of cluster-canary shift, whose dry run shows how to ask each slot', async () => {
  const file = join(temporaryFolder('plan'), 'plan.json');
  writeFileSync(file, JSON.stringify(plan));
  const env = { ...bench.aws.env, PREVIEW_VALUE_GREEN: hidden };
  const { status, stdout } = await startCommand(env, 'shift', file, '--dry-run', '--json').result;
  expect(status).toBe(0);
  const shown = JSON.parse(stdout).previews as Record<string, string>;
  expect(shown['green']).toContain('"x-slot: $PREVIEW_VALUE_GREEN"');
  expect(await answered(shown['green']!)).toBe('green-web');
  expect(stdout).not.toContain(hidden);
});

test('its requests are no live traffic, and a shift leaves it where it is', async () => {
  const clients = awsClients(bench.aws.settings);
  const share = () => liveShare(clients, { fleet: 'apps', slot: 'green' }, { hostedZoneIds: [] });
  expect(await share()).toMatchObject({ percent: 0 });
  const before = await forwarder.rules();
  const shifting = up({ weights: toGreen });
  const seen = new Set<string>();
  let isOver = false;
  void shifting.finally(() => (isOver = true));
  while (!isOver) {
    seen.add(await answered(lines['green']!));
    seen.add(await answered(lines['blue']!));
  }
  expect([...seen].sort()).toEqual(['blue-web', 'green-web']);
  expect(operations(await shifting)).toEqual(['update apps-web']);
  expect(await visited()).toBe('green-web');
  expect(await answered(lines['blue']!)).toBe('blue-web');
  expect((await forwarder.rules()).filter(({ Priority }) => Priority !== '10')).toEqual(
    before.filter(({ Priority }) => Priority !== '10'),
  );
  expect(await share()).toMatchObject({ percent: 100 });
  clients.close();
});

test('an evacuation does not see it', async () => {
  const { status, stdout } = await evacuate('apps-green', '--yes', '--force', '--json');
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ verdict: 'evacuated', problems: [] });
  expect(await visited()).toBe('blue-web');
  expect(await answered(lines['green']!)).toBe('green-web');
  expect((await evacuate('apps-green', '--forget')).status).toBe(0);
});

test('it goes with its slot, before the target group; that of the other slot stays as it is', async () => {
  const refreshed = bench.program({ shift: false, previews: byHeader(), weights: toGreen });
  expect(await bench.stack.up({ program: refreshed, refresh: true })).toMatchObject({ succeeded: true });
  const removed = await up({ slots: ['green'], weights: { green: 100 } });
  expect(removed).toMatchObject({ succeeded: true, errors: [] });
  expect(operations(removed)).toEqual([
    'delete apps-blue-web',
    'delete apps-web-preview-blue',
    'update apps-web',
  ]);
  expect(await answered(lines['green']!)).toBe('green-web');
});

test('another kind of preview changes its rules alone', async () => {
  const hosts = { green: 'green.localhost', blue: 'blue.localhost' };
  const urls = { web: `${forwarder.url}/web/` };
  const back = await up({ weights: { green: 100 }, previews: { hosts, urls } });
  expect(back).toMatchObject({ succeeded: true, errors: [] });
  expect(operations(back)).toEqual([
    'create apps-blue-web',
    'create apps-web-preview-blue',
    'update apps-web',
    'update apps-web-preview-green',
  ]);
  const [green] = Object.values(
    (back.outputs['previews'] as Record<string, Record<string, string>>)['web']!,
  ).slice(-1);
  expect(green).toContain('http://green.localhost:');
  expect(await answered(green!.replace('curl ', 'curl -4 '))).toBe('green-web');
  const none = await up({ weights: { green: 100 }, previews: undefined });
  expect(operations(none)).toEqual(['delete apps-web-preview-blue', 'delete apps-web-preview-green']);
  expect(await visited()).toBe('green-web');
});

test('destroy leaves nothing', async () => {
  expect(await up({ weights: { green: 100 } })).toMatchObject({ succeeded: true, errors: [] });
  expect(await bench.stack.destroy()).toMatchObject({ succeeded: true, errors: [] });
  expect(await bench.stack.state()).toEqual([]);
});
