import { killMoment } from './bench/swap-kill';
import type { SwapWorld } from './bench/swap-world';
import { deployedWorld } from './bench/swap-world';

/** The tests are the life of one stack, in this order. */
let world: SwapWorld;

beforeAll(async () => {
  world = await deployedWorld(
    { 'apps-blue': ['1.33'], 'apps-green': ['1.34', '1.34'], 'hub-blue': ['1.35'] },
    {
      edits: (folder) => [
        {
          from: "new traffic.FleetTraffic(\n  'apps',",
          to: "const web = new traffic.FleetTraffic(\n  'apps',",
        },
        { from: '      step: 50,\n', to: "      runBy: 'operator',\n      step: 50,\n" },
        // Its kubeconfig is a secret, which a plan file does not hold.
        { from: '        checks.argoApplications(hub),\n', to: '' },
        {
          from: 'export const loadBalancer = edge.dnsName;\n',
          to:
            `const file = '${folder}/plan.json';\n` +
            "web.plan.apply((plan) => require('node:fs').writeFileSync(file, JSON.stringify(plan)));\n",
        },
      ],
    },
  );
});

afterEach(() => expect(world.faults()).toEqual([]));

const swapFile = (shift: object = {}) =>
  world.swapFile({ to: '1.34', phases: { shift: { plan: 'plan.json', ...shift } } });

test('a shift that is not decided within its time is taken back at once, by the same plan', async () => {
  world.checkOfShift('inconclusive');
  const { status, stdout } = await world.start('swap', swapFile({ timeout: '40s', onFailure: 'delete' }))
    .result;
  expect([status, stdout]).toEqual([
    1,
    expect.stringMatching(/^Rolled back: shift could not be deployed: [^]*There is no other cluster\./),
  ]);
  expect(await world.weights()).toEqual({ 'apps-blue-web': 100 });
  expect(await world.clusters()).toEqual({ 'apps-blue': '1.33', 'hub-blue': '1.35' });
  world.checkOfShift('pass');
});

test('killed half way of its shift, the same command moves the rest, and the old cluster goes', async () => {
  const file = swapFile();
  const run = world.start('swap', file, '--retry');
  await killMoment(run, { said: [/blue 50, green 50/] });
  run.kill();
  await run.result;
  await world.letLeaseExpire();
  const { status, stdout, stderr } = await world.start('swap', file).result;
  expect({ status, said: status === 0 ? '' : `${stdout}\n${stderr}` }).toEqual({ status: 0, said: '' });
  expect(stdout).toMatch(/^Completed: green \(1\.34\) has all traffic, and blue \(1\.33\) is gone/);
  expect(await world.weights()).toEqual({ 'apps-green-web': 100 });
  expect(await world.clusters()).toEqual({ 'apps-green': '1.34', 'hub-blue': '1.35' });
  await world.argo.synced('apps-green-podinfo');
});
