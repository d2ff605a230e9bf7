import { createServer } from 'node:http';
import type * as checks from 'cluster-canary/checks';
import type { PlannedShift } from 'cluster-canary/plan-file';
import { onCleanUp } from './clean-up';
import type { CommandResult } from './command';
import type { ControlPlane } from './control-plane';
import { controlPlane } from './control-plane';
import { eventually } from './eventually';
import type { KubernetesObject } from './kubernetes-api';
import { ShiftCommandBench } from './shift-command';
import { SlotAccess } from './slot-access';

/** The slots, and their clusters. */
type Slot = 'blue' | 'green';
const slots: readonly Slot[] = ['blue', 'green'];

/** Addresses of this machine that are no loopback ones: an API server asks no pod at those. */
const dnsAddress: Readonly<Record<Slot, string>> = { blue: '10.77.0.1', green: '10.77.0.10' };
const metricsPort = 9153;
const dnsLabels = { 'k8s-app': 'kube-dns' };

const namespace = 'shop';
const pods = 12;
const nodes = 3;

/** Counts of CoreDNS's answers: so many more at each look. */
interface Answers {
  readonly noError: number;
  readonly servFail: number;
}

/** Two clusters with the same workloads and a CoreDNS each, behind one rule; the command has the rights of its plan alone. */
export class VitalsWorld {
  /** DNS answers between two looks, by slot. */
  public readonly answers: Record<Slot, Answers> = { blue: usual, green: usual };

  /** Starts both clusters; all is well in them. */
  public static async start(): Promise<VitalsWorld> {
    const [shift, ...planes] = await Promise.all([
      ShiftCommandBench.start(),
      ...slots.map((slot) => controlPlane({ name: slot, nodes })),
    ]);
    const bySlot = { blue: planes[0]!, green: planes[1]! };
    const world = new VitalsWorld(shift, await shift.another(), bySlot, await SlotAccess.to(bySlot));
    const { stdout } = await shift.run('shift', world.plan(shift, {}), '--rights', '--json');
    await Promise.all([world.access.grant(stdout), ...slots.map((slot) => world.install(slot))]);
    return world;
  }

  private constructor(
    /** The rule, and the command that shifts it. */
    public readonly shift: ShiftCommandBench,
    /** Another rule, for the same shift at the same time without the check. */
    private readonly control: ShiftCommandBench,
    public readonly planes: Readonly<Record<Slot, ControlPlane>>,
    private readonly access: SlotAccess,
  ) {}

  /** Shifts from blue to green in one step of a percent and one of all the rest, with the check's settings. */
  public async run(settings: object, shift: PlannedShift = {}): Promise<CommandResult> {
    await this.shift.reset({ blue: 100, green: 0 });
    return this.shift.run('shift', this.plan(this.shift, settings, shift), '--json');
  }

  /** The same without the check, on another rule. */
  public async runUnchecked(): Promise<CommandResult> {
    await this.control.reset({ blue: 100, green: 0 });
    return this.control.run('shift', this.plan(this.control), '--json');
  }

  private plan(bench: ShiftCommandBench, settings?: object, shift: PlannedShift = {}): string {
    const check = { ...this.access.settings, ...settings } as checks.ClusterVitalsArgs;
    return bench.plan({
      shift: {
        ...{ step: [1], every: '1s', checkEvery: '250ms', bake: '0s' },
        checks: settings === undefined ? [] : [{ clusterVitals: check }],
        ...shift,
      },
    });
  }

  /** Puts a label on every CoreDNS, or on some nodes, of green; without a value it takes it away. */
  public async label(
    kind: 'Pod' | 'Node',
    labels: Readonly<Record<string, string | null>>,
    most = 9,
  ): Promise<void> {
    const { api } = this.planes.green;
    const found = await api.list('v1', kind, kind === 'Pod' ? { labelSelector: 'k8s-app=kube-dns' } : {});
    await Promise.all(
      found
        .slice(0, most)
        .map((each) => api.patch({ ...each, apiVersion: 'v1', kind }, { metadata: { labels } })),
    );
  }

  /** Deploys workloads to green. */
  public async deploy(names: readonly string[], replicas: number, labels: object = {}): Promise<void> {
    await this.planes.green.apply(names.map((name) => deployment(name, namespace, replicas, labels)));
  }

  /** Ends every fault of green, and waits until it is as at the start. */
  public async heal(): Promise<void> {
    const { api } = this.planes.green;
    this.answers.green = usual;
    await Promise.all([this.label('Pod', { sick: null }), this.label('Node', { sick: null })]);
    const deployments = await api.list('apps/v1', 'Deployment', { namespace });
    await Promise.all(
      deployments
        .filter(({ metadata }) => metadata.name !== 'web')
        .map(({ metadata }) => api.delete({ apiVersion: 'apps/v1', kind: 'Deployment', metadata })),
    );
    await eventually('green is well', () => this.isWell('green'));
  }

  private async isWell(slot: Slot): Promise<boolean> {
    const all = [...(await this.podsOf(slot, namespace)), ...(await this.podsOf(slot, 'kube-system'))];
    const machines = await this.planes[slot].api.list('v1', 'Node');
    return all.length === pods + 2 && [...all, ...machines].every(isReady);
  }

  /** Pods of a namespace. */
  public podsOf(slot: Slot, inside: string): Promise<KubernetesObject[]> {
    return this.planes[slot].api.list('v1', 'Pod', { namespace: inside });
  }

  private async install(slot: Slot): Promise<void> {
    const plane = this.planes[slot];
    await this.serveMetrics(slot);
    await plane.apply([
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      deployment('web', namespace, pods),
      deployment('coredns', 'kube-system', 2, dnsLabels),
    ]);
    await eventually('pods ready', () => this.isWell(slot));
    const ip = dnsAddress[slot];
    for (const { metadata } of await this.podsOf(slot, 'kube-system')) {
      const { name } = metadata;
      await plane.api.patch(
        { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'kube-system' } },
        { status: { podIP: ip, podIPs: [{ ip }] } },
        { subresource: 'status' },
      );
    }
  }

  private async serveMetrics(slot: Slot): Promise<void> {
    const sums = { noError: 0, servFail: 0 };
    const server = createServer((_, response) => {
      const { noError, servFail } = this.answers[slot];
      sums.noError += noError;
      sums.servFail += servFail;
      const line = (rcode: string, plugin: string, value: number): string =>
        `coredns_dns_responses_total{plugin="${plugin}",rcode="${rcode}",server="dns://:53",view="",zone="."} ${value}\n`;
      response.end(line('NOERROR', 'forward', sums.noError) + line('SERVFAIL', '', sums.servFail));
    });
    await new Promise<void>((done, fail) => {
      server.once('error', fail).listen(metricsPort, dnsAddress[slot], done);
    });
    onCleanUp(async () => {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
    });
  }
}

const usual: Answers = { noError: 200, servFail: 1 };

function deployment(name: string, inside: string, replicas: number, labels: object = {}): KubernetesObject {
  return {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace: inside } },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name, ...labels } },
        spec: { containers: [{ name: 'main', image: `registry.example.com/${name}:1` }] },
      },
    },
  };
}

function isReady({ status }: KubernetesObject): boolean {
  return (status.conditions ?? []).some(({ type, status: is }: any) => type === 'Ready' && is === 'True');
}
