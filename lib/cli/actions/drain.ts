import { eksKubeconfig } from '../../core/kubernetes/eks-kubeconfig';
import { awsRegion } from '../../core/aws/arns';
import { hostedZoneId } from '../../core/aws/identifiers';
import type { KubernetesApi } from '../../core/kubernetes/api';
import { openKubernetes } from '../../core/kubernetes/open';
import { dnsLabel } from '../../core/validation/formats';
import { InvalidInput, Problems } from '../../core/validation/problems';
import type { Hub } from '../../operate/argocd';
import {
  describedCluster,
  drainAws,
  drainSettingsProblems,
  drainSlot,
  drainTimes,
  leftoverText,
  reportLines,
  targetOf,
  targetProblems,
} from '../../operate/drain';
import type {
  DescribedCluster,
  DrainClients,
  DrainReport,
  DrainSettings,
  DrainTarget,
  Leftover,
  LiveShare,
} from '../../operate/drain';
import { takeInterrupts } from '../interrupts';
import { ask } from '../question';
import type { Terminal } from '../question';
import {
  interruptedStatus,
  jsonText,
  linesText,
  somethingWrong,
  stdoutToStderr,
  writeDocument,
  writeNotes,
  writeOut,
} from '../output';
import { resumeHubs } from './resume-hubs';
import type { ResumedHubs } from './resume-hubs';

/**
 * Opens the API server of a cluster: by the kubeconfig that was given, else by what EKS says.
 *
 * @throws InvalidInput where a kubeconfig leads to another cluster
 */
export async function openDrainedCluster(
  flags: DrainFlags,
  cluster: DescribedCluster,
): Promise<KubernetesApi> {
  const { kubeconfig: file, context } = flags;
  if (file !== undefined || context !== undefined) {
    const api = await openKubernetes({ kubeconfig: file, context });
    if (flags.tunnel !== true && !isSame(api.server, cluster.endpoint)) {
      api.close();
      const allowed =
        `a kubeconfig of EKS cluster ${cluster.name}, whose address is ${cluster.endpoint ?? 'not known yet'}; ` +
        'with --tunnel it may lead there by another address';
      throw new InvalidInput('drain', [{ path: '--kubeconfig', value: api.server, allowed }]);
    }
    return api;
  }
  const { name, endpoint, certificateAuthority, arn } = cluster;
  if (endpoint === undefined || certificateAuthority === undefined) {
    throw new InvalidInput('drain', [
      { path: '--kubeconfig', allowed: `given: EKS cluster ${name} is ${cluster.status} and has no address` },
    ]);
  }
  const region = arn.split(':')[3] ?? '';
  return openKubernetes({
    kubeconfigText: JSON.stringify(
      eksKubeconfig({ clusterName: name, region, endpoint, certificateAuthority }),
    ),
  });
}

function isSame(one: string, other: string | undefined): boolean {
  return other !== undefined && new URL(one).host.toLowerCase() === new URL(other).host.toLowerCase();
}

/**
 * Shows what a sweep would delete, and asks for the name of the cluster. Anything else than that name is a no.
 *
 * @param isConfirmed whether no confirmation is needed
 * @param signal an interrupt is a no, too
 */
export async function confirmSweep(
  left: readonly Leftover[],
  clusterName: string,
  isConfirmed: boolean,
  signal?: AbortSignal,
  terminal: Terminal = { input: process.stdin, output: process.stderr },
): Promise<boolean> {
  terminal.output.write(
    linesText(['To be deleted in AWS:', ...left.map((each) => `  ${leftoverText(each)}`)]),
  );
  if (isConfirmed) {
    return true;
  }
  const question = `Name of the cluster, to delete them (${clusterName}): `;
  return (await ask(question, signal, terminal)) === clusterName;
}

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
  let resumed: ResumedHubs | undefined;
  try {
    const cluster = await describedCluster(aws, clusterName);
    for (const { kubeconfig, context } of flags.hub) {
      const api = await openKubernetes({ kubeconfig, context });
      hubs.push({ name: context ?? kubeconfig, api, namespace: flags.hubNamespace });
    }
    const target = checkedTarget(given, clusterName, flags, cluster?.tags);
    if (flags.resume === true) {
      resumed = await resumeHubs(hubs, target, cluster, signal);
    } else {
      report = await drainSlot({
        ...{ target, cluster, aws, hubs, signal },
        times: drainTimes(flags as DrainSettings),
        openApi: (found) => openDrainedCluster(flags, found),
        ...(flags.ignoreTraffic !== true && { liveShare: () => askTraffic(aws, target, flags.hostedZone) }),
        dryRun: flags.dryRun === true,
        ...(flags.sweep === true && {
          sweeps: (left) => confirmSweep(left, clusterName, flags.yes === true, signal),
        }),
        say: (line) => writeNotes(line),
      });
    }
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
  if (resumed !== undefined) {
    await writeOut(resumed.lines);
  }
  const isWell = report?.verdict === 'empty' || resumed?.isComplete === true;
  process.exitCode = signal.aborted ? interruptedStatus : isWell ? 0 : somethingWrong;
}

/** What empties a slot, or tells how. */
const notWithResume = {
  volumes: '--volumes',
  within: '--within',
  idleFor: '--idle-for',
  ignoreTraffic: '--ignore-traffic',
  dryRun: '--dry-run',
  sweep: '--sweep',
  json: '--json',
} as const;

function checkFlags(given: string, flags: DrainFlags): void {
  const problems = new Problems('drain');
  const { volumes, within, idleFor: quiet } = flags;
  problems.addAll(
    drainSettingsProblems({ volumes, within, idleFor: quiet } as DrainSettings).map((each) => ({
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
      'with --yes where no terminal is there to confirm: see first what a run without --sweep lists',
    );
  }
  if (flags.resume === true) {
    if (flags.hub.length === 0) {
      problems.addSecret('--resume', 'given with --hub: it undoes the pause of hubs');
    }
    for (const [key, name] of Object.entries(notWithResume)) {
      if ((flags as unknown as Readonly<Record<string, unknown>>)[key] !== undefined) {
        problems.conflicts(name, '--resume');
      }
    }
  }
  if (flags.tunnel === true && flags.kubeconfig === undefined && flags.context === undefined) {
    problems.add('--tunnel', true, 'together with --kubeconfig or --context');
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
    const allowed = 'given: neither the tags nor the name of the cluster shows its fleet';
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
  { clients }: DrainClients,
  { fleet, slot }: DrainTarget,
  zones: readonly string[],
): Promise<LiveShare> {
  const { liveShare } = await import('../../operate/live-traffic');
  return liveShare(clients, { fleet, slot }, zones.length > 0 ? { hostedZoneIds: zones } : {});
}

/** What `cluster-canary drain` takes. Durations and words are checked before anything is asked. */
export interface DrainFlags {
  /** Name of the EKS cluster. @default - the slot as it was given */
  readonly clusterName?: string;
  readonly region?: string;
  /** @default - the end of the slot's name, or what the cluster's tags say */
  readonly fleet?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  /** Whether the kubeconfig may lead to another address than the cluster's endpoint. */
  readonly tunnel?: boolean;
  readonly hub: readonly HubFlag[];
  readonly hubNamespace: string;
  readonly volumes?: string;
  readonly within?: string;
  readonly idleFor?: string;
  /** Hosted zones that may have records of the fleet; with none, all are read. */
  readonly hostedZone: readonly string[];
  readonly ignoreTraffic?: boolean;
  readonly dryRun?: boolean;
  readonly sweep?: boolean;
  readonly yes?: boolean;
  /** Undoes the pause of the hubs, and does nothing else. */
  readonly resume?: boolean;
  readonly json?: boolean;
}

/** A hub: `hub.yaml` or `hub.yaml#context`. */
export interface HubFlag {
  readonly kubeconfig: string;
  readonly context?: string;
}
