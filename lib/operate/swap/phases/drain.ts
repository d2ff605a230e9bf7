import type { Clock } from '../../../core/async';
import { eksKubeconfig } from '../../../core/kubernetes/eks-kubeconfig';
import type { KubernetesApi } from '../../../core/kubernetes/api';
import { openKubernetes } from '../../../core/kubernetes/open';
import { InvalidInput, errorLine } from '../../../core/validation/problems';
import type { Hub } from '../../argocd';
import { describedCluster, drainAws, drainSlot, drainTimes, leftoverText } from '../../drain';
import type { DescribedCluster, DrainClients, DrainSettings, DrainTarget, LiveShare } from '../../drain';
import { liveShare } from '../../live-traffic';
import type { PhaseAnswer, PhaseRun, PhaseRunner } from '../runner';
import { resumed } from './resume';

/** What {@link drainPhase} asks. */
export interface DrainPhase extends DrainSettings {
  readonly fleet: string;
  /** AWS region. @default - that of the environment */
  readonly region?: string;
  /** Name of the EKS cluster of a slot. */
  readonly clusterOf: (slot: string) => string;
  /** Whether what is left in AWS is deleted. @default true - the cluster is deleted next, and nobody would find it again */
  readonly sweep?: boolean;
  /** Opens the hubs that deploy to the cluster. @default - none: Argo CD may bring back what is deleted */
  readonly openHubs?: () => Promise<readonly Hub[]>;
  /** Ids of the hosted zones that may have records of the fleet. @default - every one of the account */
  readonly hostedZoneIds?: readonly string[];
  /** AWS, for tests. @default - with the credentials of the environment */
  readonly aws?: (clusterName: string, region: string | undefined) => DrainClients;
  /** Opens the cluster's API server. @default - by what EKS says of it */
  readonly openApi?: (cluster: DescribedCluster) => Promise<KubernetesApi>;
  /** Share of the live traffic. @default - as the load balancers and Route 53 say */
  readonly liveShare?: (aws: DrainClients, target: DrainTarget) => Promise<LiveShare>;
  /** @default - the time that passes */
  readonly clock?: Clock;
}

/** Traffic that is on its way out: clients that stickiness keeps, answers of DNS that are old. In milliseconds. */
const patienceMs = 15 * 60_000;

/**
 * `drain`: what controllers of the old cluster made in AWS goes, and Argo CD leaves the cluster alone. On the way back, Argo CD
 * deploys to it again.
 */
export function drainPhase(settings: DrainPhase): PhaseRunner {
  return {
    phase: 'drain',
    run: async (run, signal): Promise<PhaseAnswer> => {
      const clusterName = settings.clusterOf(run.slot.name);
      const target = { clusterName, fleet: settings.fleet, slot: run.slot.name };
      const aws = (settings.aws ?? drainAws)(clusterName, settings.region);
      let hubs: readonly Hub[] = [];
      try {
        hubs = (await settings.openHubs?.()) ?? [];
        const cluster = await describedCluster(aws, clusterName);
        return run.back
          ? await resumed(hubs, { target, cluster }, run.say, signal)
          : await drained(settings, { aws, hubs, target, cluster }, run, signal);
      } finally {
        hubs.forEach(({ api }) => api.close());
        aws.close();
      }
    },
  };
}

interface Opened {
  readonly aws: DrainClients;
  readonly hubs: readonly Hub[];
  readonly target: DrainTarget;
  readonly cluster: DescribedCluster | undefined;
}

async function drained(
  settings: DrainPhase,
  { aws, hubs, target, cluster }: Opened,
  { say }: PhaseRun,
  signal: AbortSignal,
): Promise<PhaseAnswer> {
  const { hostedZoneIds, openApi = openCluster, sweep = true, clock } = settings;
  const share =
    settings.liveShare ??
    (({ clients }, { fleet, slot }) =>
      liveShare(clients, { fleet, slot }, hostedZoneIds ? { hostedZoneIds } : {}));
  try {
    const report = await drainSlot({
      ...{ target, cluster, aws, hubs, openApi, patienceMs, say, signal },
      times: drainTimes(settings),
      liveShare: () => share(aws, target),
      ...(sweep && { sweeps: () => Promise.resolve(true) }),
      ...(clock && { clock }),
    });
    signal.throwIfAborted();
    // What Argo CD deploys again after this is made again in AWS, and would stay there once the cluster is deleted.
    const unpaused = report.hubs.flatMap(({ hub, problem }) =>
      problem === undefined ? [] : [`hub ${hub} is not paused: ${problem}`],
    );
    if (report.verdict === 'empty' && unpaused.length === 0) {
      return { passed: true };
    }
    const left = [
      ...unpaused,
      ...(report.objects?.left ?? []),
      ...report.leftovers
        .filter(({ kind }) => !(kind === 'volume' && settings.volumes === 'keep'))
        .map((each) => {
          const refusal = report.refusals[each.id];
          return `${leftoverText(each)}${refusal === undefined ? '' : `: ${refusal}`}`;
        }),
    ];
    const reason = `${target.clusterName} is not empty: ${named(left)}`;
    return { passed: false, reason, final: false };
  } catch (error) {
    if (error instanceof InvalidInput) {
      return { passed: false, reason: errorLine(error), final: false };
    }
    throw error;
  }
}

async function openCluster(cluster: DescribedCluster): Promise<KubernetesApi> {
  const { name, endpoint, certificateAuthority, arn, status } = cluster;
  if (endpoint === undefined || certificateAuthority === undefined) {
    throw new Error(`EKS cluster ${name} is ${status} and has no address`);
  }
  const region = arn.split(':')[3] ?? '';
  const kubeconfig = eksKubeconfig({ clusterName: name, region, endpoint, certificateAuthority });
  return openKubernetes({ kubeconfigText: JSON.stringify(kubeconfig) });
}

/** As many as a line holds. */
const mostNamed = 5;

function named(lines: readonly string[]): string {
  const more = lines.length - mostNamed;
  return (
    `${lines.slice(0, mostNamed).join('; ')}${more > 0 ? `; and ${more} more` : ''}` || 'it was ended early'
  );
}
