import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlannedShift } from 'cluster-canary/plan-file';
import type { Weights } from 'cluster-canary/shift';
import { ApiServerProxy } from './api-server-proxy';
import type { CapacityWorld, Slot } from './capacity-world';
import { slots } from './capacity-world';
import type { RunningCommand } from './command';
import { eventually } from './eventually';
import type { KubernetesObject } from './kubernetes-api';
import { temporaryFolder } from './temporary';

/** Where the writes of a run go. */
export type Writes = 'AWS' | Slot;

const userOf = (slot: Slot): string => `shift-${slot}`;

/** Access to both clusters for the command, whose calls are written down and may fail. */
export class CapacityAccess {
  public static async start(world: CapacityWorld): Promise<CapacityAccess> {
    const [blue, green] = await Promise.all(
      slots.map((slot) => ApiServerProxy.start(world.planes[slot], userOf(slot))),
    );
    const access = new CapacityAccess(world, { blue: blue!, green: green! });
    await access.grant();
    return access;
  }

  /** Path of a kubeconfig with both clusters. */
  private readonly kubeconfig = join(temporaryFolder('capacity-access'), 'kubeconfig');

  private constructor(
    private readonly world: CapacityWorld,
    public readonly proxies: Readonly<Record<Slot, ApiServerProxy>>,
  ) {
    const all = slots.map((slot) => proxies[slot].kubeconfig);
    const merged = {
      ...{ apiVersion: 'v1', kind: 'Config' },
      clusters: all.flatMap(({ clusters }) => clusters),
      users: all.flatMap(({ users }) => users),
      contexts: all.flatMap(({ contexts }) => contexts),
    };
    writeFileSync(this.kubeconfig, JSON.stringify(merged), { mode: 0o600 });
  }

  /** A plan file with access to the clusters. */
  public plan(shift: PlannedShift, weights?: Weights): string {
    const contexts = Object.fromEntries(slots.map((slot) => [slot, slot]));
    const capacity = { scale: 'hpa', hold: 'untilBaked', kubeconfig: this.kubeconfig, contexts };
    return this.world.shift.plan({
      ...(weights && { weights }),
      shift: { ...shift, capacity } as PlannedShift,
    });
  }

  /** Starts a shift, whose writes after the first ones do not arrive, and kills it at the next; or says how it ended. */
  public async killAt(where: Writes, skip: number, plan: string): Promise<'killed' | number | null> {
    const since = Date.now();
    this.failAfter(where, skip);
    const running = this.world.shift.start('shift', plan, '--json');
    let ended = false;
    void running.result.then(() => (ended = true));
    await eventually('a write that does not arrive', () => ended || this.writes(where, since) > skip, {
      ...{ every: 5 },
    });
    return this.kill(running, ended);
  }

  /** Starts a shift and kills it at a moment; or says how it ended. */
  public async killWhen(
    moment: (since: number) => Promise<void>,
    plan: string,
  ): Promise<'killed' | number | null> {
    const since = Date.now();
    const running = this.world.shift.start('shift', plan, '--json');
    let ended = false;
    void running.result.then(() => (ended = true));
    await moment(since);
    return this.kill(running, ended);
  }

  /** How often something was written since a moment, whatever came of it. */
  public writes(where: Writes, since: number): number {
    return where === 'AWS'
      ? this.world.shift.aws.proxy.changes(since).length
      : this.proxies[where].writes(since).length;
  }

  /** When something was written last to a slot's API server, in milliseconds since 1970. */
  public lastWrite(slot: Slot): number {
    return this.proxies[slot].writes().at(-1)?.at ?? 0;
  }

  /** Ends all faults. */
  public heal(): void {
    this.world.shift.aws.proxy.heal();
    slots.forEach((slot) => this.proxies[slot].heal());
  }

  /** Gives the users what `--rights` says, and nothing else. */
  private async grant(): Promise<void> {
    const { stdout } = await this.world.shift.run('shift', this.plan({}), '--rights', '--json');
    const { kubernetes } = JSON.parse(stdout);
    for (const { cluster, roles } of kubernetes) {
      const slot: Slot = cluster.context;
      const bindings = roles.map(({ kind, metadata }: KubernetesObject) => ({
        ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: `${kind}Binding`, metadata },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: metadata.name },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: userOf(slot) }],
      }));
      await this.world.planes[slot].apply([...roles, ...bindings]);
    }
  }

  private failAfter(where: Writes, skip: number): void {
    if (where === 'AWS') {
      const action = /^(ModifyRule|PutParameter)$/;
      this.world.shift.aws.proxy.fail({ action, fault: 'timeout', skip, times: Infinity });
    } else {
      this.proxies[where].failWrites('timeout', skip);
    }
  }

  private async kill(running: RunningCommand, ended: boolean): Promise<'killed' | number | null> {
    if (ended) {
      this.heal();
      return (await running.result).status;
    }
    // What is under way elsewhere has its effect.
    await sleep(100);
    running.kill();
    await running.result;
    this.heal();
    await this.world.shift.letLeaseExpire();
    return 'killed';
  }
}
