import * as pulumi from '@pulumi/pulumi';
import { engineHook, hooksAreKnown, programLog, watchInterrupts } from '../bridge';
import type { DrainReport } from '../drain';
import { describedCluster, drainAws, drainSlot, drainTimes, reportLines } from '../drain';
import { parseDuration } from '../durations';
import { openKubernetes } from '../kubernetes';
import { oneLine } from '../problems';
import type { MarkedSlot } from './drain-mark';
import { markedSlot } from './drain-mark';
import { kubeconfig } from './kubeconfig';
import { liveShare } from './live-share';

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
export function drainHook(): pulumi.ResourceHook {
  return programDrains().hook;
}

/** Notes that a slot of this program is not emptied. */
export function exemptFromDrain(fleet: string, slot: string): void {
  programDrains().notDrained.add(`${fleet}/${slot}`);
}

/**
 * Lets slots with `drain` be deleted by a program that has no slot any more. A program with a slot needs no call.
 *
 * @example
 * fleet.drainRemovedSlots();
 */
export function drainRemovedSlots(): void {
  if (hooksAreKnown()) {
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
      openApi: () => openKubernetes({ kubeconfigText: JSON.stringify(kubeconfig(marked)) }),
      hubs: [],
      liveShare: () => liveShare(aws.clients, { fleet, slot }, { hostedZoneIds }),
      patienceMs: parseDuration(drain.trafficWithin ?? '5m')!,
      dryRun,
      say,
      signal: interrupts.signal,
    });
    judge(report, marked, dryRun, say);
  } finally {
    interrupts.stop();
    aws.close();
  }
}

/** @throws Error where the cluster is not to be deleted */
function judge(
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
