import { CapacityWorld } from './bench/capacity-world';
let world: CapacityWorld;
beforeAll(async () => {
  world = await CapacityWorld.start({ peak: 20, start: 15, stabilization: 60 });
}, 120_000);
test.each([[[{ capacity: {} }]], [[]]])(
  'probe %j',
  async (checks) => {
    for (let i = 0; i < 3; i++) {
      const t = Date.now();
      await world.reset();
      console.log('reset', Date.now() - t);
    }
    const since = Date.now();
    const plan = world.shift.plan({
      shift: {
        step: [25, 50],
        every: '2s',
        checkEvery: '500ms',
        bake: '6s',
        inconclusiveLimit: '5s',
        checks: checks as any,
      },
    });
    const { status, stdout, stderr } = await world.shift.run('shift', plan, '--json');
    const o = JSON.parse(stdout);
    console.log(
      status,
      o.verdict,
      o.reason,
      o.final,
      world.mostCpu(since),
      world.now,
      (Date.now() - since) / 1000,
    );
    console.log(
      world.shift.aws.proxy
        .changes(since)
        .map((c) => c.action)
        .join(),
    );
  },
  180_000,
);
