import * as pulumi from '@pulumi/pulumi';
import { formatDuration } from '../../../core/durations';
import type { ClusterCredentials, SlotRef } from '../../fleet';
import { engineHook, canBindHooks, watchInterrupts } from '../../hooks';
import type { HookEvent, EngineInterrupts } from '../../hooks';
import { resolvedValue } from '../../inputs';
import { programLog } from '../../log';
import type { ManagedCluster } from '../clusters';
import { waitUntilComparable, waitUntilQuiet } from './compare-hubs';
import type { HandoverLog, NamedHub } from './compare-hubs';
import type { EksAccess, HandoverDependencies, HandoverTimes } from './dependencies';
import { ensureRight, fenceOff } from './fence';

/** A handover that is due. */
export interface PendingHandover {
  /** For people: `ArgoCdHub "argocd"`. */
  readonly what: string;
  /** Slot of the hub that writes; unset where it can't be reached, or is no longer in the program. */
  readonly from?: string;
  /** Slot of the hub that is to write. */
  readonly to: string;
  /** Slots that can't be reached. */
  readonly lost: readonly string[];
  /** Names of the managed clusters. */
  readonly targets: readonly string[];
  /** How long each part may take. */
  readonly times: HandoverTimes;
}

/** What a handover does, in order; for a preview. */
export function handoverSteps({ what, from, to, lost, targets, times }: PendingHandover): readonly string[] {
  const span = (milliseconds: number): string => formatDuration(milliseconds);
  const gone = lost.length === 0 ? 'a hub that is no longer in the program' : lost.join(', ');
  const old = from ?? gone;
  const quiet =
    from === undefined
      ? [`${old} can't be asked: it is not compared with ${to}, and nothing is waited for`]
      : [
          `${to} must have the Applications of ${from}, compared with the same revisions and without a difference of its own, within ${span(times.compareWithin)}`,
          `automated sync off on ${from}`,
          `running syncs on ${from} are waited for, at most ${span(times.finishWithin)}`,
        ];
  const steps = [
    ...quiet,
    `in each managed cluster (${targets.join(', ') || 'none'}) ${old} loses the right to write; ${span(times.settle)} later ${to} gets it`,
    `automated sync on on ${to}`,
  ];
  return [
    `${what}: the right to write goes from ${old} to ${to}`,
    ...steps.map((step, index) => `  ${index + 1}. ${step}`),
  ];
}

/** What the hooks of a hub's handover are made with. */
export interface HandoverOptions {
  /** Name of the hub. */
  readonly name: string;
  /** What logs are about: the hub, since the URN of a resource is not known while its hook runs. */
  readonly component: pulumi.Resource;
  /** Namespace of Argo CD. */
  readonly namespace: string;
  /** Slot of the hub that is to write. */
  readonly active: string;
  readonly lost: readonly string[];
  readonly slots: Readonly<Record<string, pulumi.Output<SlotRef>>>;
  /** ARNs of the hubs' roles, by slot. */
  readonly roles: Readonly<Record<string, pulumi.Output<string>>>;
  readonly targets: readonly ManagedCluster[];
  /** Namespaces that the right to write is limited to. */
  readonly namespaces: readonly string[] | undefined;
  /** Names of the ApplicationSets. */
  readonly sets: readonly string[];
  readonly credentials: ClusterCredentials | undefined;
  readonly roleArn: string | undefined;
  readonly times: HandoverTimes;
  readonly parts: HandoverDependencies;
}

/** Where the right to write is, and which one it is. */
interface WriteRightNames {
  readonly clusterName: string;
  readonly policyArn: string;
}

/** What a hub is there for. */
export type HubRole = 'writer' | 'standby';

/**
 * The hooks that make a change of `active` a handover. Which resource is changed after which other one is said by their
 * dependencies; what has to be true before is asked here.
 */
export class Handover {
  private from: string | undefined;
  private readonly given: { target: ManagedCluster; right: pulumi.Output<WriteRightNames> }[] = [];
  private readonly what: string;
  private readonly log: HandoverLog;

  public constructor(private readonly options: HandoverOptions) {
    const { name, component } = options;
    this.what = `ArgoCdHub "${name}"`;
    this.log = {
      info: (text) => programLog.info(text, component),
      warn: (text) => programLog.warn(text, component),
    };
  }

  /** Notes a right that the hub that is to write has from here on. */
  public gives(target: ManagedCluster, right: pulumi.Output<WriteRightNames>): void {
    this.given.push({ target, right });
  }

  /**
   * Before a hub is told its duty: one that is to rest must have a successor that is ready, and one that is to write its
   * rights.
   */
  public beforeDuty(slot: string, resource: string): pulumi.ResourceHookBinding | undefined {
    return this.binding(resource, 'beforeUpdate', async (args) => {
      const duty = changedDuty(args);
      if (duty === 'standby') {
        this.from = slot;
      }
      if (pulumi.runtime.isDryRun()) {
        if (duty === 'writer') {
          this.sayPlan(slot);
        }
      } else if (duty === 'standby') {
        await this.compare(slot);
      } else if (duty === 'writer') {
        await this.ensureRights();
      }
    });
  }

  /** Before a hub is said to do its duty: on one that rests nothing may be running any more. */
  public beforeDone(slot: string, resource: string): pulumi.ResourceHookBinding | undefined {
    return this.binding(resource, 'beforeUpdate', async (args) => {
      if (!pulumi.runtime.isDryRun() && changedDuty(args) === 'standby') {
        await this.rest(slot);
      }
    });
  }

  /** Before a hub gets the right to write in a managed cluster: no other one may have it. */
  public beforeRight(target: ManagedCluster, resource: string): pulumi.ResourceHookBinding | undefined {
    return this.binding(resource, 'beforeCreate', async ({ newInputs = {} }) => {
      if (!pulumi.runtime.isDryRun()) {
        const { clusterName, policyArn } = newInputs as Record<string, string>;
        await this.fence(target, clusterName!, policyArn!);
      }
    });
  }

  private binding(
    resource: string,
    event: HookEvent,
    run: (args: pulumi.ResourceHookArgs) => Promise<void>,
  ): pulumi.ResourceHookBinding | undefined {
    return canBindHooks()
      ? { [event]: [engineHook(`the handover of ${this.what}`, resource, event, run)] }
      : undefined;
  }

  private sayPlan(to: string): void {
    const { lost, targets, times } = this.options;
    const lines = handoverSteps({
      what: this.what,
      ...(this.from !== undefined && { from: this.from }),
      to,
      lost,
      targets: targets.map(({ name }) => name),
      times,
    });
    this.log.info(lines.join('\n'));
  }

  private async compare(from: string): Promise<void> {
    const { active, times } = this.options;
    await this.withHub(from, (old) =>
      this.withHub(active, (next) =>
        this.interruptible(({ signal }) =>
          waitUntilComparable(this.what, old, next, this.patience(times.compareWithin, signal), this.log),
        ),
      ),
    );
  }

  private async rest(slot: string): Promise<void> {
    const { sets, times } = this.options;
    await this.withHub(slot, (hub) =>
      this.interruptible(({ signal }) =>
        waitUntilQuiet(this.what, hub, sets, this.patience(times.finishWithin, signal), this.log),
      ),
    );
  }

  private async fence(target: ManagedCluster, clusterName: string, policyArn: string): Promise<void> {
    await this.withRights(target, (rights, signal) =>
      this.fenceOff({ clusterName, policyArn }, rights, signal),
    );
  }

  private async ensureRights(): Promise<void> {
    const { active, roles, namespaces } = this.options;
    const roleArn = await resolvedValue(roles[active]!);
    for (const { target, right } of this.given) {
      const names = await resolvedValue(right);
      await this.withRights(target, (rights, signal) =>
        ensureRight(
          this.what,
          { ...names, roleArn, namespaces },
          rights,
          () => this.fenceOff(names, rights, signal),
          signal,
          this.log,
        ),
      );
    }
  }

  private async fenceOff(
    { clusterName, policyArn }: WriteRightNames,
    rights: EksAccess,
    signal: AbortSignal,
  ): Promise<void> {
    const { active, roles, times } = this.options;
    const others = Object.entries(roles).filter(([slot]) => slot !== active);
    const arns = await Promise.all(
      others.map(async ([slot, arn]) => [slot, await resolvedValue(arn)] as const),
    );
    const right = { clusterName, policyArn, others: Object.fromEntries(arns) };
    await fenceOff(this.what, right, rights, times.settle, this.patience(0, signal), this.log);
  }

  private async withRights(
    target: ManagedCluster,
    task: (rights: EksAccess, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const { roleArn, parts } = this.options;
    const { region } = await resolvedValue(target.ref);
    const rights = parts.rights({ region, ...(roleArn !== undefined && { roleArn }) });
    try {
      await this.interruptible(({ signal }) => task(rights, signal));
    } finally {
      rights.close();
    }
  }

  private async withHub(slot: string, task: (hub: NamedHub) => Promise<void>): Promise<void> {
    const { slots, credentials, namespace, parts } = this.options;
    const [ref, roleArn] = await Promise.all([
      resolvedValue(slots[slot]!),
      resolvedValue(credentials?.roleArn),
    ]);
    const reader = await parts.hub(ref, {
      namespace,
      ...(roleArn !== undefined && { roleArn }),
      ...(credentials?.profile !== undefined && { profile: credentials.profile }),
    });
    try {
      await task({ slot, reader });
    } finally {
      reader.close();
    }
  }

  private patience(within: number, signal: AbortSignal) {
    const { clock, every } = this.options.parts;
    return { within, every, clock, signal };
  }

  private async interruptible(task: (interrupts: EngineInterrupts) => Promise<void>): Promise<void> {
    const interrupts = watchInterrupts(this.options.parts.interrupts);
    try {
      await task(interrupts);
    } finally {
      interrupts.stop();
    }
  }
}

function changedDuty({ newInputs, oldInputs }: pulumi.ResourceHookArgs): HubRole | undefined {
  const [after, before] = [newInputs, oldInputs].map(
    (inputs) => (inputs as { data?: { duty?: HubRole } } | undefined)?.data?.duty,
  );
  return after === before ? undefined : after;
}
