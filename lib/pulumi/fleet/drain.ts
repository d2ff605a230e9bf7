import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { parseDuration } from '../../core/durations';
import { eksKubeconfig } from '../../core/kubernetes/eks-kubeconfig';
import type { EksApiServer } from '../../core/kubernetes/eks-kubeconfig';
import { openKubernetes } from '../../core/kubernetes/open';
import { oneLine } from '../../core/printable-text';
import { describedCluster, drainAws, drainSlot, drainTimes, reportLines } from '../../operate/drain';
import type { DrainReport } from '../../operate/drain';
import { liveShare } from '../../operate/live-traffic';
import { engineHook, canBindHooks, watchInterrupts } from '../hooks';
import { programLog } from '../log';
import type { DrainArgs, FleetWideArgs, SlotArgs } from './slot-args';
import type { SlotRef } from './slot-ref';

/** What the mark in a cluster says of its slot. */
interface MarkedSlot extends EksApiServer {
  readonly fleet: string;
  readonly slot: string;
  readonly clusterArn: string;
  readonly drain: DrainArgs;
  /** @default - every one of the account */
  readonly hostedZoneIds?: readonly string[];
}

/**
 * Reads a mark from the inputs of its ConfigMap.
 *
 * @throws Error where it is none
 */
export function markedSlot(inputs: unknown): MarkedSlot {
  const { data } = (inputs ?? {}) as { data?: { slot?: unknown } };
  try {
    const marked = JSON.parse(String(data?.slot)) as Partial<MarkedSlot> | null;
    if (typeof marked?.clusterName === 'string' && typeof marked.endpoint === 'string' && marked.drain) {
      return marked as MarkedSlot;
    }
  } catch {
    // It is no JSON.
  }
  throw new Error('the ConfigMap that says how a slot is emptied can not be read: its data has been changed');
}

interface ProgramDrains {
  readonly hook: pulumi.ResourceHook;
  /** FLEET/SLOT of slots in the program that are not emptied: theirs stay, and the mark alone goes. */
  readonly notDrained: Set<string>;
}

const programs = new WeakMap<object, ProgramDrains>();

/**
 * The hook that empties slots, one for the whole program: of a slot that was taken out of the program the engine still wants
 * a hook of the same name.
 */
function drainHook(): pulumi.ResourceHook {
  return programDrains().hook;
}

/** Notes that a slot of this program is not emptied. */
function exemptFromDrain(fleet: string, slot: string): void {
  programDrains().notDrained.add(`${fleet}/${slot}`);
}

/**
 * Lets slots with `drain` be deleted by a program that has no slot any more. A program with a slot needs no call.
 *
 * @example
 * fleet.drainRemovedSlots();
 */
export function drainRemovedSlots(): void {
  if (canBindHooks()) {
    programDrains();
  }
}

function programDrains(): ProgramDrains {
  const stack = pulumi.runtime.getStackResource() ?? (pulumi.runtime.getMonitor() as object);
  const known = programs.get(stack);
  if (known) {
    return known;
  }
  const notDrained = new Set<string>();
  const hook = engineHook('emptying the slot', 'drain', 'beforeDelete', async ({ oldInputs }) => {
    const marked = markedSlot(oldInputs);
    if (!notDrained.has(`${marked.fleet}/${marked.slot}`)) {
      await emptySlot(marked);
    }
  });
  const made = { hook, notDrained };
  programs.set(stack, made);
  return made;
}

async function emptySlot(marked: MarkedSlot): Promise<void> {
  const { fleet, slot, clusterName, region, drain, hostedZoneIds } = marked;
  const aws = drainAws(clusterName, region);
  const interrupts = watchInterrupts();
  const dryRun = pulumi.runtime.isDryRun();
  const say = (line: string): void => programLog.info(oneLine(`slot ${slot} of fleet ${fleet}: ${line}`));
  try {
    const report = await drainSlot({
      target: { clusterName, fleet, slot },
      cluster: await describedCluster(aws, clusterName),
      times: drainTimes(drain),
      aws,
      openApi: () => openKubernetes({ kubeconfigText: JSON.stringify(eksKubeconfig(marked)) }),
      hubs: [],
      liveShare: () => liveShare(aws.clients, { fleet, slot }, { hostedZoneIds }),
      patienceMs: parseDuration(drain.trafficWithin ?? '5m')!,
      dryRun,
      say,
      signal: interrupts.signal,
    });
    evaluate(report, marked, dryRun, say);
  } finally {
    interrupts.stop();
    aws.close();
  }
}

/** @throws Error where the cluster is not to be deleted */
function evaluate(
  report: DrainReport,
  { fleet, slot, drain, clusterName, region }: MarkedSlot,
  dryRun: boolean,
  say: (line: string) => void,
): void {
  const lines = reportLines(report);
  if (dryRun || report.verdict === 'empty') {
    lines.forEach(say);
    return;
  }
  const text = `slot ${slot} of fleet ${fleet} is not empty:\n${lines.map((line) => `  ${oneLine(line)}`).join('\n')}`;
  if (drain.leftovers === 'warn' && report.verdict === 'left' && (report.objects?.left.length ?? 0) === 0) {
    programLog.warn(text);
    return;
  }
  const command = `cluster-canary drain ${fleet}-${slot} --cluster-name ${clusterName} --region ${region} --sweep`;
  throw new Error(`${text}\nThe cluster was not deleted. See to it, or run ${command}`);
}

/** What is emptied, and how. */
export interface DrainedSlotArgs
  extends Pick<FleetWideArgs, 'credentials' | 'drain' | 'hostedZoneIds'>, Pick<SlotArgs, 'adopt'> {
  readonly fleet: string;
  readonly slot: string;
}

/** What the component of a slot has made. */
export interface DrainedSlot extends pulumi.Resource {
  readonly kubernetes: k8s.Provider;
  readonly cluster?: pulumi.Resource;
  readonly ready: readonly pulumi.Resource[];
  readonly nodeGroups: Readonly<Record<string, pulumi.Resource>>;
  readonly addons: Readonly<Record<string, { readonly resources: readonly pulumi.Resource[] }>>;
}

/** Whether a slot is emptied before its cluster is deleted. */
export function isDrained({ drain, adopt }: Pick<DrainedSlotArgs, 'drain' | 'adopt'>): boolean {
  return drain !== undefined && drain !== false && !adopt;
}

/**
 * Has a slot emptied before its cluster is deleted. The hook is on a ConfigMap that is deleted before anything else of the
 * slot: a hook of the cluster itself would come when nodes and controllers, which have to clean up, are gone. What it needs to
 * know stands in the ConfigMap, so that it works for a slot that is no longer in the program.
 */
export function drainBeforeDelete(
  name: string,
  args: DrainedSlotArgs,
  base: pulumi.Output<SlotRef>,
  slot: DrainedSlot,
): void {
  const { fleet, slot: slotName, drain, credentials, hostedZoneIds } = args;
  if (!canBindHooks()) {
    return;
  }
  // Registered in every program with a slot: one that was taken out of it still names the hook.
  const hook = drainHook();
  if (drain === undefined || drain === false || !isDrained(args)) {
    exemptFromDrain(fleet, slotName);
    return;
  }
  const mark = pulumi
    .all([base, credentials?.roleArn])
    .apply(([{ clusterName, clusterArn, region, endpoint, certificateAuthority, proxyUrl }, roleArn]) => {
      const marked: MarkedSlot = {
        ...{ fleet, slot: slotName, drain, hostedZoneIds },
        ...{ clusterName, clusterArn, region, endpoint, certificateAuthority, proxyUrl },
        ...{ roleArn, profile: credentials?.profile },
      };
      return JSON.stringify(marked);
    });
  new k8s.core.v1.ConfigMap(
    `${name}-drain`,
    { metadata: { name: 'cluster-canary-drain', namespace: 'kube-system' }, data: { slot: mark } },
    {
      parent: slot,
      provider: slot.kubernetes,
      deletedWith: slot.cluster,
      dependsOn: [
        ...slot.ready,
        ...Object.values(slot.nodeGroups),
        ...Object.values(slot.addons).flatMap(({ resources }) => resources),
      ],
      hooks: { beforeDelete: [hook] },
    },
  );
}
