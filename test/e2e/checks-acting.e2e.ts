import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CheckSettings } from 'cluster-canary/checks';
import * as checks from 'cluster-canary/checks';
import type { PlannedShift } from 'cluster-canary/plan-file';
import { silentCases, silentPrometheus } from '../shift/checks/silent-prometheus';
import type { AuditEntry } from './bench/audit';
import { onCleanUp } from './bench/clean-up';
import type { CommandResult } from './bench/command';
import { startCommand } from './bench/command';
import type { ControlPlane } from './bench/control-plane';
import { controlPlane } from './bench/control-plane';
import { eventually } from './bench/eventually';
import type { KubernetesObject } from './bench/kubernetes-api';
import { LogKubelet } from './bench/log-kubelet';
import { ShiftCommandBench } from './bench/shift-command';
import { SlotAccess, userOf } from './bench/slot-access';
import type { SeenRequest } from './bench/slot-front';
import { SlotFront, well } from './bench/slot-front';
import { temporaryFolder } from './bench/temporary';

/** A rule, and what is behind it. */
interface Lane {
  readonly bench: ShiftCommandBench;
  readonly front: SlotFront;
}

const namespace = 'smoke';
const image = `registry.example.com/smoke@sha256:${'0'.repeat(64)}`;
const blueAlone = { blue: 100, green: 0 };
const quick: PlannedShift = { step: [1], every: '200ms', checkEvery: '200ms', bake: '0s' };
const down = { status: 503, text: 'down' };

let lane: Lane;
let plane: ControlPlane;
let access: SlotAccess;
let kubelet: LogKubelet;
/** Shifts with synthetic requests, whose rounds take ten seconds each: they run beside the other tests. */
let outage: ReturnType<typeof outageFound>;
let healthy: ReturnType<typeof shifted>;

/** A Job that does not run by itself; labels of its pods say what becomes of them. */
const job = (name: string, labels: object): KubernetesObject => ({
  ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name, namespace } },
  spec: { suspend: true, backoffLimit: 0, template: podOf(labels) },
});
const cronJob = (name: string, labels: object): KubernetesObject => ({
  ...{ apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name, namespace } },
  spec: { suspend: true, schedule: '0 0 1 1 *', jobTemplate: { spec: { template: podOf(labels) } } },
});
const podOf = (labels: object): object => ({
  metadata: { labels },
  spec: { restartPolicy: 'Never', containers: [{ name: 'smoke', image: 'registry.example.com/smoke:1' }] },
});

async function newLane(bench: ShiftCommandBench): Promise<Lane> {
  return { bench, front: await SlotFront.of(bench) };
}

beforeAll(async () => {
  const bench = ShiftCommandBench.start();
  const starting = controlPlane({ name: 'green' });
  const [one, other] = await Promise.all([1, 2].map(async () => newLane(await (await bench).another())));
  outage = outageFound(one!);
  // By the first look, figures of visitors have a whole period; otherwise there is another round.
  const shift: PlannedShift = { step: [100], every: '2500ms', checkEvery: '2500ms' };
  healthy = shifted([await comparison({ warmUp: '0s' })], other!, { shift });
  lane = await newLane(await bench);
  plane = await starting;
  kubelet = await LogKubelet.start(plane);
  access = await SlotAccess.to({ blue: plane, green: plane });
  await plane.apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    job('fails', { fails: 'true' }),
    job('no-image', { stuck: 'image' }),
    cronJob('endless', { sick: 'true' }),
  ]);
  const plan = lane.bench.plan({ shift: { checks: [jobOf({ image }), jobOf(endless)] } });
  await access.grant((await lane.bench.run('shift', plan, '--rights', '--json')).stdout);
});

interface Shifted extends CommandResult {
  readonly verdict: string;
  readonly reason: string;
  /** Weights of green that were asked for. */
  readonly asked: readonly number[];
}

/** Runs a shift from blue to green with these checks and no others. */
async function shifted(
  given: readonly CheckSettings[],
  { bench, front }: Lane = lane,
  {
    env = {},
    shift = {},
    args = [],
  }: {
    readonly env?: Readonly<Record<string, string>>;
    readonly shift?: PlannedShift;
    readonly args?: readonly string[];
  } = {},
): Promise<Shifted> {
  await bench.reset(blueAlone);
  const since = Date.now();
  const plan = bench.plan({ shift: { ...quick, ...shift, checks: given }, previews: front.previews });
  const all = { ...bench.aws.env, ...front.env, ...env };
  const result = await startCommand(all, 'shift', plan, '--json', ...args).result;
  const { verdict, reason = '' } = JSON.parse(result.stdout);
  return { ...result, verdict, reason, asked: bench.asked(since).map(({ green }) => green!) };
}

/** The control of each check: the same shift without it. */
async function moved(on: Lane = lane): Promise<void> {
  const { status, verdict, asked } = await shifted([], on);
  expect([status, verdict, asked.slice(-2)]).toEqual([0, 'completed', [1, 100]]);
}

/** Green may be put on the rule with 0, and gets nothing. */
function endedBefore({ status, asked }: Shifted): void {
  expect([status, asked.filter((green) => green > 0)]).toEqual([1, []]);
}

const endless = { template: { cronJob: 'endless' }, retries: 0 };
const jobOf = (settings: object): CheckSettings =>
  checks.kubernetesJob({ namespace, ...access.settings, ...settings });

/** Jobs of checks that are there. */
const jobs = (): Promise<KubernetesObject[]> =>
  plane.api.list('batch/v1', 'Job', { namespace, labelSelector: 'cluster-canary/check' });
/** Jobs that the command has created, or tried to. */
const created = (since: number): AuditEntry[] =>
  plane.audit({ verb: 'create', resource: 'jobs', user: userOf('green'), since: new Date(since) });

test('without a check, all of the traffic moves to a slot that is down: the control of Jobs and requests', async () => {
  lane.front.answers.green = down;
  await moved();
  lane.front.answers.green = well;
});

describe('a Job in the cluster', () => {
  test('one that succeeds lets the traffic move, and is removed', async () => {
    const since = Date.now();
    expect(await shifted([jobOf({ image })])).toMatchObject({ status: 0, verdict: 'completed' });
    expect([created(since).map(({ status }) => status), await jobs()]).toEqual([[201], []]);
  });

  test('one that fails: its cause and its last words, before the first percent', async () => {
    kubelet.others = 'asking /cart\nGET /cart: 500, no connection to the database\n';
    const result = await shifted([jobOf({ template: { job: 'fails' } })]);
    endedBefore(result);
    expect([result.verdict, result.reason]).toEqual([
      'rolledBack',
      expect.stringMatching(
        /green: Job smoke\/canary-\S+ failed \(BackoffLimitExceeded: .*\), container smoke ended with 1, its last words: asking \/cart \| GET \/cart: 500, no connection to the database/,
      ),
    ]);
    expect(kubelet.asked.join()).toMatch(
      /\/containerLogs\/smoke\/canary-\S+\/smoke\?limitBytes=\d+&tailLines=5/,
    );
    expect(await jobs()).toEqual([]);
  });

  test('one whose image is not there is named long before its deadline, and holds the traffic', async () => {
    const result = await shifted([jobOf({ template: { job: 'no-image' }, timeout: '10m' })]);
    endedBefore(result);
    expect([result.verdict, result.reason]).toEqual([
      'held',
      expect.stringMatching(
        /green: Job smoke\/canary-\S+ does not run: container smoke: ImagePullBackOff: Back-off pulling image "registry\.example\.com\/smoke:1": not found/,
      ),
    ]);
    expect(await jobs()).toEqual([]);
  });

  /** Kills a shift while its Job runs, and answers the Job and what labels its pod. */
  async function killed(plan: string) {
    const first = lane.bench.start('shift', plan);
    const pod = await eventually('its pod runs', async () => {
      const pods = await plane.api.list('v1', 'Pod', { namespace, labelSelector: 'sick=true' });
      return pods.find(({ status }) => status.phase === 'Running');
    });
    first.kill();
    expect((await first.result).status).toBeNull();
    await lane.bench.letLeaseExpire();
    const [left] = await jobs();
    const label = (labels: object) =>
      plane.api.patch({ ...pod, apiVersion: 'v1', kind: 'Pod' }, { metadata: { labels } });
    return { left: left!, label };
  }

  test('one that runs when the shift is killed: the next run finds it, and starts no second one', async () => {
    const { bench } = lane;
    await bench.reset(blueAlone);
    const since = Date.now();
    const plan = bench.plan({ shift: { ...quick, checks: [jobOf(endless)] } });
    const { left, label } = await killed(plan);
    const again = Date.now();
    const second = bench.start('shift', plan, '--json');
    await bench.looked(2, again);
    await label({ sick: null });
    const { status, stdout } = await second.result;
    expect([status, JSON.parse(stdout).verdict]).toEqual([0, 'completed']);
    expect(created(since).map((entry) => [entry.status, entry.name])).toEqual([[201, left.metadata.name]]);
    expect(await jobs()).toEqual([]);
  });

  test('one that fails after the shift was killed: the next run takes its verdict', async () => {
    const { bench } = lane;
    await bench.reset(blueAlone);
    const since = Date.now();
    const plan = bench.plan({ shift: { ...quick, checks: [jobOf(endless)] } });
    const { left, label } = await killed(plan);
    await label({ fails: 'true' });
    await eventually('it has failed', async () => (await plane.api.get(left)).status.failed === 1);
    const { status, stdout } = await bench.run('shift', plan, '--json');
    expect([status, JSON.parse(stdout).reason]).toEqual([
      1,
      expect.stringContaining(`Job smoke/${left.metadata.name} failed`),
    ]);
    expect((await bench.weights())['green'] ?? 0).toBe(0);
    expect([created(since).length, await jobs()]).toEqual([1, []]);
  });
});

describe('requests to the slots', () => {
  const env = { SMOKE_LOGIN: 'hunter2-of-a-login' };
  const http = (settings: object = {}): CheckSettings =>
    checks.http({
      paths: ['/healthz'],
      headers: { 'x-login': { env: 'SMOKE_LOGIN' } },
      json: { pointer: '/status', equals: 'ok' },
      ...{ count: 2, every: '50ms', ...settings },
    });

  afterEach(() => {
    lane.front.answers.green = well;
  });

  /** Runs a shift, and answers what its checks have sent; their secrets are in nothing that the shift leaves. */
  async function asked(
    ...given: CheckSettings[]
  ): Promise<{ result: Shifted; sent: readonly SeenRequest[] }> {
    const first = lane.front.seen.length;
    const folder = temporaryFolder('report');
    const result = await shifted(given, lane, { env, args: ['--report', folder] });
    const report = ['report.html', 'shift.svg'].map((file) => readFileSync(join(folder, file), 'utf8'));
    const left = [result.stdout, result.stderr, JSON.stringify(await lane.bench.lease()), ...report].join(
      '\n',
    );
    expect([left.includes(result.verdict), left.includes('hunter2')]).toEqual([true, false]);
    const sent = lane.front.seen.slice(first);
    expect(sent.filter(({ headers }) => headers['x-login'] !== env.SMOKE_LOGIN)).toEqual([]);
    return { result, sent };
  }

  const byPreview = (): CheckSettings => http({ name: 'by preview' });
  const straight = (): CheckSettings => http({ name: 'straight', urls: lane.front.addresses });
  const warming = { status: 200, text: '{ "status": "warming up" }' };

  test.each([
    [
      'a status, by the preview',
      byPreview,
      down,
      'preview',
      /^green: 2 of 2 requests failed \(100 %\): GET \/healthz: 503, expected/,
    ],
    [
      'a body, straight at the slot',
      straight,
      warming,
      'address',
      /^green: 2 of 2 requests failed \(100 %\): GET \/healthz: .*\/status/,
    ],
  ] as const)('%s, that is wrong: the slot gets no traffic', async (_, check, answer, by, words) => {
    lane.front.answers.green = answer;
    const { result, sent } = await asked(check());
    endedBefore(result);
    expect([result.verdict, result.reason]).toEqual(['rolledBack', expect.stringMatching(words)]);
    expect(result.reason).not.toContain('warming up');
    expect(sent.map((each) => [each.slot, each.by, each.path])).toEqual(
      Array(2).fill(['green', by, '/healthz']),
    );
  });

  test('answers as expected, both ways: all of the traffic moves', async () => {
    const { result, sent } = await asked(byPreview(), straight());
    expect([result.status, result.verdict]).toEqual([0, 'completed']);
    expect(new Set(sent.map(({ slot, by }) => `${slot} ${by}`))).toEqual(
      new Set(['green preview', 'green address']),
    );
  });
});

/** A comparison whose figures of visitors are good whatever happens: only the shift's own requests can find something. */
async function comparison(settings: object = {}): Promise<CheckSettings> {
  const figures = await silentPrometheus(silentCases[0]!);
  onCleanUp(() => figures.close());
  return checks.prometheus.comparison({
    address: figures.address,
    requests: 'requests {{slot}} {{period}}',
    errors: 'errors {{slot}} {{period}}',
    ...{ period: '1s', delay: '0s', ...settings },
    synthetic: { inQueries: false, paths: ['/', '/healthz'], before: '5s' },
  });
}

/** A shift to a slot that is down, then the same without the check; visitors come all the time. */
async function outageFound(on: Lane) {
  on.front.answers.green = down;
  const [visitors, first] = [on.front.visitors(), on.front.seen.length];
  const result = await shifted([await comparison()], on);
  const visits = await visitors.stop();
  const sent = on.front.seen.slice(first).filter(({ by }) => by === 'preview');
  const unchecked = on.front.visitors();
  await moved(on);
  return { result, visits, sent, unchecked: await unchecked.stop() };
}

describe('synthetic requests of a comparison', () => {
  test('an outage is found before the first percent, and no visitor meets it', async () => {
    const { result, visits, sent } = await outage;
    endedBefore(result);
    expect([result.verdict, result.reason]).toEqual([
      'rolledBack',
      expect.stringMatching(/green: (\d+) of \1 synthetic requests failed \(100 %\), blue 0 %\./),
    ]);
    expect([visits.blue > 100, visits.green]).toEqual([true, 0]);
    const [blue, green] = (['blue', 'green'] as const).map((each) =>
      sent.filter(({ slot }) => slot === each),
    );
    expect([blue!.length >= 50, green!.length]).toEqual([true, blue!.length]);
    expect(new Set(sent.map(({ path }) => path))).toEqual(new Set(['/', '/healthz']));
    expect(new Set(sent.map(({ headers }) => headers['user-agent']))).toEqual(
      new Set(['cluster-canary/synthetic']),
    );
    expect(`${result.stdout}${result.stderr}`).not.toContain('hunter2');
  });

  test('without the check, all of the traffic moves, and visitors meet the outage: the control', async () => {
    expect((await outage).unchecked.green).toBeGreaterThan(0);
  });

  test('a slot that answers as the old one gets all of the traffic', async () => {
    expect(await healthy).toMatchObject({ status: 0, verdict: 'completed', asked: [100] });
  });
});
