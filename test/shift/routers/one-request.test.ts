import { awsClients } from '../../../lib/core/aws/clients';
import type { AwsClients } from '../../../lib/core/aws/clients';
import type { ShiftSettings } from '../../../lib/shift/engine';
import type { OpenRouter } from 'cluster-canary/routers';
import fc from 'fast-check';
import { all, check, World } from '../engine/world';
import { ruleArn, targetGroupArns } from './arns';
import { albRule } from './open';
import type { RuleFault } from './rule-server';
import { page, RuleServer, xmlPage } from './rule-server';
import { scaled } from '../../runs';

/** The SDK itself, its retries as they come, and a load balancer on loopback. */
let server: RuleServer;
let clients: AwsClients;
let router: OpenRouter;

beforeEach(() => begin());
afterEach(() => finish());

async function begin(): Promise<void> {
  server = await new RuleServer(all('blue')).start();
  clients = awsClients({
    region: 'eu-west-1',
    endpoint: server.url,
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    requestTimeout: 300,
  });
  router = albRule({ ruleArn, targetGroupArns }, clients);
}

async function finish(): Promise<void> {
  clients.close();
  await server.stop();
}

const half = { blue: 50, green: 50 };
const steps: ShiftSettings = { step: [25, 50, 75], every: '1m', bake: '1m' };

const faults: [string, RuleFault, string, boolean][] = [
  ['throttled', 'throttled', 'throttled', false],
  ['with no answer', 'silent', 'unreachable', false],
  ['with an answer that comes too late', { late: 600 }, 'unreachable', true],
  ['whose answer is lost', 'lost', 'unreachable', true],
  ['whose answer breaks off', 'cutOff', 'unreachable', true],
  ["with a proxy's page, status 200", { status: 200, body: page }, 'unreachable', false],
  ["with a proxy's page that is XML, status 200", { status: 200, body: xmlPage }, 'unreachable', false],
  ['with an empty answer, status 200', { status: 200, body: '' }, 'unreachable', false],
  ["with a proxy's page, status 403", { status: 403, body: page }, 'unreachable', false],
  ["with a proxy's page that is XML, status 404", { status: 404, body: xmlPage }, 'unreachable', false],
  ["with a proxy's page, status 500", { status: 500, body: page }, 'unreachable', false],
  ["with a proxy's page, status 503", { status: 503, body: xmlPage }, 'unreachable', false],
];

test.each(faults)('a write %s is one request', async (_, fault, failure, done) => {
  server.onRequest = (action) => (action === 'ModifyRule' ? fault : undefined);
  await expect(router.write(half)).rejects.toMatchObject({ name: 'RouterError', failure });
  expect(server.events).toEqual(['DescribeRules', 'ModifyRule blue 50, green 50']);
  expect(server.weights).toEqual(done ? half : all('blue'));
});

test('a slot without traffic is taken off by one request, once; one with traffic stays', async () => {
  server.weights = all('green');
  await router.takeOff!('blue');
  expect(server.events.filter((event) => event.startsWith('Modify'))).toHaveLength(1);
  await expect(router.takeOff!('green')).rejects.toMatchObject({ name: 'RouterError', failure: 'unfit' });
  expect(server.events.filter((event) => event.startsWith('Modify'))).toHaveLength(1);
});

test.each(faults.filter(([, fault]) => typeof fault === 'object' && 'status' in fault))(
  'a read %s is no rule that is gone',
  async (_, fault) => {
    server.onRequest = () => fault;
    await expect(router.read()).rejects.toMatchObject({ failure: 'unreachable' });
  },
);

test('a read is repeated by the SDK', async () => {
  server.onRequest = (_, call) => (call < 2 ? { status: 503, body: xmlPage } : undefined);
  expect(await router.read()).toEqual(all('blue'));
  expect(server.count('DescribeRules')).toBe(3);
});

describe.each([
  ['a shift', 'pass', { blue: 25, green: 75 }],
  ['a rollback', 'fail', all('blue')],
] as const)('%s', (_what, status, meant) => {
  /** A check that fails when half of the traffic has moved. */
  const checks = [check(({ live }) => (live.green === 50 ? status : 'pass'))];
  const sent = `ModifyRule blue ${meant.blue}, green ${meant.green}`;

  test.each(faults)(
    'whose write at half of the way is %s is done, with a look before each try',
    async (_, fault) => {
      const world = new World();
      let writes = 0;
      server.onRequest = (action) => (action === 'ModifyRule' && (writes += 1) === 3 ? fault : undefined);
      const outcome = await world.run(steps, { router, checks });
      expect(outcome.verdict).toBe(status === 'pass' ? 'completed' : 'rolledBack');
      expect(server.weights).toEqual(status === 'pass' ? all('green') : all('blue'));
      expect(writesWithoutLooks()).toEqual([]);
      expect(server.events.filter((event) => event === sent).length).toBeLessThanOrEqual(2);
    },
  );

  test.each(faults)(
    'whose write at half of the way is %s leaves what an operator sets meanwhile',
    async (_, fault) => {
      const world = new World();
      const rescue = { blue: 93, green: 7 };
      let writes = 0;
      server.onRequest = (action) => {
        if (action !== 'ModifyRule' || (writes += 1) !== 3) {
          return undefined;
        }
        // Right after the request has come in, and had its effect if it has one.
        setImmediate(() => server.operator(rescue));
        return fault;
      };
      const outcome = await world.run(steps, { router, checks });
      expect(outcome).toMatchObject({ verdict: 'aborted', final: rescue });
      expect(outcome.reason).toMatch(/Another process changed the weights/);
      expect(server.weights).toEqual(rescue);
      expect(server.events.slice(server.events.indexOf('operator') + 1).filter(isWrite)).toEqual([]);
    },
  );
});

test('a rollback outlasts twenty pages of a proxy in a row', async () => {
  const world = new World();
  let writes = 0;
  server.onRequest = (action) =>
    action === 'ModifyRule' && (writes += 1) > 2 && writes < 23 ? { status: 200, body: page } : undefined;
  const outcome = await world.run(steps, {
    router,
    checks: [check(({ live }) => (live.green === 50 ? 'fail' : 'pass'))],
  });
  expect(outcome).toMatchObject({ verdict: 'rolledBack', final: all('blue') });
  expect(writes).toBe(23);
});

test('a step is two reads and one write', async () => {
  const world = new World();
  await world.run({ ...steps, step: [50] }, { router });
  expect(server.events).toEqual([
    'DescribeRules',
    ...['DescribeRules', 'DescribeRules', 'ModifyRule blue 50, green 50'],
    ...['DescribeRules', 'DescribeRules', 'ModifyRule blue 0, green 100'],
    'DescribeRules',
  ]);
});

test('whatever goes wrong, weights that were set before a look are not written over', async () => {
  const numRuns = scaled(60);
  let seen = 0;
  const fault = fc.constantFrom(
    undefined,
    ...faults.filter(([, one]) => one !== 'silent' && !isLate(one)).map(([, one]) => one),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fault, { minLength: 8, maxLength: 8 }),
      // After the first look, which says where the shift begins.
      fc.integer({ min: 1, max: 20 }),
      fc.constantFrom({ blue: 100, green: 0 }, { blue: 93, green: 7 }),
      fc.constantFrom('pass' as const, 'fail' as const),
      async (wrong, at, rescue, status) => {
        await finish();
        await begin();
        let requests = 0;
        let moved = 0;
        /** How many events there were when a look first saw what the operator has set. */
        let seenAfter = Infinity;
        server.onRequest = (action, call) => {
          if (requests++ === at) {
            moved = server.weights.green!;
            server.operator(rescue);
          }
          // In the first step, all on blue is what the shift itself has found.
          const isOdd = rescue.green > 0 || moved >= 50;
          if (isOdd && action === 'DescribeRules' && server.weights === rescue) {
            seenAfter = Math.min(seenAfter, server.events.length);
          }
          return action === 'ModifyRule' ? wrong[call] : undefined;
        };
        const checks = [check(({ live }) => (live.green! >= 50 ? status : 'pass'))];
        await new World().run(steps, { router, checks });
        expect(writesWithoutLooks()).toEqual([]);
        const same = `ModifyRule blue ${rescue.blue}, green ${rescue.green}`;
        const after = server.events.slice(seenAfter);
        expect(after.filter((event) => isWrite(event) && event !== same)).toEqual([]);
        seen += seenAfter < Infinity ? 1 : 0;
      },
    ),
    { numRuns },
  );
  expect(seen).toBeGreaterThan(numRuns / 10);
}, 120_000);

function isLate(fault: RuleFault): boolean {
  return typeof fault === 'object' && 'late' in fault;
}

function isWrite(event: string): boolean {
  return event.startsWith('ModifyRule');
}

/** Writes before which the weights were not read twice since the one before: by the shift, and by the router. */
function writesWithoutLooks(): string[] {
  let looks = 0;
  const blind: string[] = [];
  for (const event of server.events) {
    if (event === 'DescribeRules') {
      looks += 1;
    } else if (isWrite(event)) {
      if (looks < 2) {
        blind.push(event);
      }
      looks = 0;
    }
  }
  return blind;
}
