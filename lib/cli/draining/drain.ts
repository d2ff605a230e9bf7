import { awsRegion, hostedZoneId } from '../../aws';
import type { DrainAws, DrainReport, DrainSettings, DrainTarget, Hub, LiveShare } from '../../drain';
import {
  describedCluster,
  drainAws,
  drainSettingsProblems,
  drainSlot,
  drainTimes,
  reportLines,
  targetOf,
  targetProblems,
} from '../../drain';
import { openKubernetes } from '../../kubernetes';
import { dnsLabel, InvalidInput, Problems } from '../../problems';
import { interrupted, somethingWrong } from '../exit-status';
import { takeInterrupts } from '../interrupts';
import { jsonText, stdoutToStderr, writeDocument, writeNotes, writeOut } from '../output';
import { confirmSweep } from './confirm-sweep';
import type { DrainFlags } from './drain-flags';
import { fleetRoom, openCluster } from './open-cluster';

/**
 * Runs `cluster-canary drain`, and sets the exit status.
 *
 * @throws what keeps it from running: bad input, traffic on the slot, AWS or an API server that refuses
 */
export async function drain(given: string, flags: DrainFlags): Promise<void> {
  const clusterName = flags.clusterName ?? given;
  checkFlags(given, flags);
  const aws = drainAws(clusterName, flags.region);
  const interrupts = takeInterrupts(() => writeNotes('Interrupted: ends after the current call.'));
  const { signal } = interrupts;
  const undo = stdoutToStderr();
  const hubs: Hub[] = [];
  let report: DrainReport | undefined;
  try {
    const cluster = await describedCluster(aws, clusterName);
    for (const { kubeconfig, context } of flags.hub) {
      const api = await openKubernetes({ kubeconfig, context });
      hubs.push({ name: context ?? kubeconfig, api, namespace: flags.hubNamespace });
    }
    const target = checkedTarget(given, clusterName, flags, cluster?.tags);
    report = await drainSlot({
      ...{ target, cluster, aws, hubs, signal },
      times: drainTimes(flags as DrainSettings),
      openApi: (found) => openCluster(flags, found),
      ...(flags.despiteTraffic === true
        ? {}
        : { liveShare: () => askTraffic(aws, target, flags.hostedZone) }),
      dryRun: flags.dryRun === true,
      ...(flags.sweep === true
        ? { sweeps: (left) => confirmSweep(left, clusterName, flags.yes === true) }
        : {}),
      say: (line) => writeNotes(line),
    });
  } catch (error) {
    if (!signal.aborted) {
      throw error;
    }
  } finally {
    undo();
    interrupts.release();
    hubs.forEach(({ api }) => api.close());
    aws.close();
  }
  if (report !== undefined) {
    await (flags.json === true ? writeDocument(jsonText(report)) : writeOut(reportLines(report)));
  }
  process.exitCode = signal.aborted ? interrupted : report?.verdict === 'empty' ? 0 : somethingWrong;
}

function checkFlags(given: string, flags: DrainFlags): void {
  const problems = new Problems('drain');
  const { volumes, within, quiet } = flags;
  problems.addAll(
    drainSettingsProblems({ volumes, within, quiet } as DrainSettings).map((each) => ({
      ...each,
      path: `--${each.path}`,
    })),
  );
  if (flags.region !== undefined) {
    problems.check('--region', flags.region, awsRegion);
  }
  problems.check('--hub-namespace', flags.hubNamespace, dnsLabel);
  flags.hostedZone.forEach((id) => problems.check('--hosted-zone', id, hostedZoneId));
  if (flags.yes === true && flags.sweep !== true) {
    problems.add('--yes', true, 'left out without --sweep');
  }
  if (flags.sweep === true && flags.yes !== true && (flags.json === true || !process.stdin.isTTY)) {
    problems.add(
      '--sweep',
      true,
      'with --yes where nobody can be asked: see first what a run without --sweep lists',
    );
  }
  if (flags.tunnel === true && flags.kubeconfig === undefined && flags.context === undefined) {
    problems.add('--tunnel', true, 'beside --kubeconfig or --context');
  }
  const { clusterName = given, fleet = 'fleet' } = flags;
  problems.addAll(targetProblems({ clusterName, fleet, slot: given }));
  problems.throwIfAny();
}

/** What the cluster's tags say of its slot counts more than its name. */
function checkedTarget(
  given: string,
  clusterName: string,
  { fleet }: DrainFlags,
  tags: Readonly<Record<string, string>> | undefined,
): DrainTarget {
  const named = targetOf(given, tags, fleet === undefined ? {} : slotWithin(given, fleet));
  if (named === undefined) {
    const allowed = 'given: neither the tags nor the name of the cluster say which fleet it is of';
    throw new InvalidInput('drain', [{ path: '--fleet', allowed }]);
  }
  return { ...named, clusterName };
}

/** `green` and `apps-green` are both the slot `green` of the fleet `apps`. */
function slotWithin(given: string, fleet: string): { fleet: string; slot: string } {
  return { fleet, slot: given.startsWith(`${fleet}-`) ? given.slice(fleet.length + 1) : given };
}

/** The guard of slots asks the same. */
async function askTraffic(
  { clients }: DrainAws,
  { fleet, slot }: DrainTarget,
  zones: readonly string[],
): Promise<LiveShare> {
  const { liveShare } = await fleetRoom('--despite-traffic', 'set');
  return liveShare(clients, { fleet, slot }, zones.length > 0 ? { hostedZoneIds: zones } : {});
}
