import * as pulumi from '@pulumi/pulumi';
import { list, object, optional } from '../../core/validation/collections';
import { dnsLabel } from '../../core/validation/formats';
import type { Schema } from '../../core/validation/schema';
import { following, later, secret, text } from '../../core/validation/values';
import { openLabels, openWindows } from '../../operate/argocd';
import type { KeptWindow, OpenLabels, WatchedRouter } from '../../operate/argocd';
import type { ShiftObserver, ShiftOutcome, Weights } from '../../shift/engine';
import { projectsSchema, windowScope } from '../../shift/plan-file';
import { listOfSecrets } from '../input-schemas';

/** The projects whose automated rollouts wait while a shift runs. */
export interface SyncWindowArgs {
  /** At least one. */
  readonly hubs: readonly {
    /** Kubeconfig of the hub's cluster as JSON, without credentials: `kubeconfig` of a hub fleet's slot. */
    readonly kubeconfig: pulumi.Input<string>;
    /** Namespace of Argo CD. @default 'argocd' */
    readonly namespace?: string;
    /** Names of AppProjects, at least one. */
    readonly projects: readonly string[];
  }[];
  /** Destination clusters by name or server, with wildcards. @default - every Application of the projects */
  readonly clusters?: readonly string[];
  /**
   * How long the window outlives a program that was killed: 10m to 168h. It is renewed while the shift runs.
   * @default '1h'
   */
  readonly lasts?: string;
}

const windowHubs = list(
  object<SyncWindowArgs['hubs'][number]>({
    kubeconfig: secret(later(text('the kubeconfig of the hub'))),
    namespace: optional(following(dnsLabel)),
    projects: projectsSchema,
  }),
  1,
  'at least one hub, with its kubeconfig and projects',
);

/** Kubeconfigs are not looked into, and not shown. */
export const syncWindowArgsSchema: Schema<SyncWindowArgs> = object<SyncWindowArgs>({
  hubs: listOfSecrets(windowHubs),
  ...windowScope,
});

/**
 * Waits for what only the deployment knows.
 *
 * @param name by which the window is known
 */
export function knownSyncWindow(name: string, { hubs, ...scope }: SyncWindowArgs): pulumi.Output<KeptWindow> {
  return pulumi
    .all(hubs.map(({ kubeconfig }) => pulumi.output(kubeconfig)))
    .apply((kubeconfigs): KeptWindow => ({
      name,
      ...scope,
      hubs: hubs.map(({ kubeconfig: _later, ...hub }, index) => ({
        ...hub,
        kubeconfigText: kubeconfigs[index]!,
      })),
    }));
}

/**
 * Runs a shift that keeps its sync window. What can't be written is a warning of the deployment.
 *
 * @param window without it the shift alone runs
 * @param run is given what makes a router and its observer ones that keep the window
 */
export async function withSyncWindow(
  window: KeptWindow | undefined,
  warn: (line: string) => void,
  run: (around: (watched: WatchedRouter) => WatchedRouter) => Promise<ShiftOutcome>,
): Promise<ShiftOutcome> {
  const open = await openWindows(window, warn);
  try {
    const outcome = await run((watched) => open.around(watched));
    await open.end(outcome.verdict);
    return outcome;
  } finally {
    open.close();
  }
}

/** Takes away what a run that was killed has left, where no shift is due. */
export async function withoutSyncWindow(window: KeptWindow, warn: (line: string) => void): Promise<void> {
  const open = await openWindows(window, warn);
  try {
    await open.end('completed');
  } finally {
    open.close();
  }
}

/** The hubs whose cluster Secrets say what part each slot has in the traffic. */
export interface TrafficLabelsArgs {
  /** At least one. */
  readonly hubs: readonly {
    /** Kubeconfig of the hub's cluster as JSON, without credentials: `kubeconfig` of a hub fleet's slot. */
    readonly kubeconfig: pulumi.Input<string>;
    /** Namespace of Argo CD. @default 'argocd' */
    readonly namespace?: string;
  }[];
}

/** Kubeconfigs are not looked into, and not shown. */
export const trafficLabelsSchema: Schema<TrafficLabelsArgs> = object<TrafficLabelsArgs>({
  hubs: secret(
    list(
      object<TrafficLabelsArgs['hubs'][number]>({
        kubeconfig: later(text('the kubeconfig of the hub')),
        namespace: optional(following(dnsLabel)),
      }),
      1,
      'at least one hub, with its kubeconfig',
    ),
  ),
});

/** The same with every output known. */
export interface KnownTrafficLabels {
  readonly fleet: string;
  readonly hubs: readonly { readonly kubeconfig: string; readonly namespace?: string }[];
}

/** Waits for what only the deployment knows. */
export function knownTrafficLabels(
  fleet: string,
  labels: TrafficLabelsArgs,
): pulumi.Output<KnownTrafficLabels> {
  return pulumi.output(labels.hubs.map((hub) => pulumi.output(hub))).apply((hubs) => ({ fleet, hubs }));
}

/**
 * Runs a shift that keeps the traffic labels of its fleet. What can't be written is a warning of the deployment.
 *
 * @param labels without them the shift alone runs
 * @param run is given what makes the shift's observer one that keeps the labels
 * @returns beside the outcome, whether the shift is over and every hub says what stands
 */
export async function withTrafficLabels(
  labels: KnownTrafficLabels | undefined,
  warn: (line: string) => void,
  run: (watch: (observer: ShiftObserver) => ShiftObserver) => Promise<ShiftOutcome>,
): Promise<{ readonly outcome: ShiftOutcome; readonly told: boolean }> {
  const open = await opened(labels, warn);
  try {
    const outcome = await run((observer) => open.watch('traffic', observer));
    return { outcome, told: await open.end(outcome.verdict, [outcome.final]) };
  } finally {
    open.close();
  }
}

/** Writes the labels of weights that are live, where no shift was due. */
export async function labelLiveWeights(
  labels: KnownTrafficLabels,
  warn: (line: string) => void,
  live: Weights,
): Promise<void> {
  const open = await opened(labels, warn);
  try {
    await open.end('completed', [live]);
  } finally {
    open.close();
  }
}

function opened(labels: KnownTrafficLabels | undefined, warn: (line: string) => void): Promise<OpenLabels> {
  const hubs = labels?.hubs.map(({ kubeconfig, ...rest }) => ({ ...rest, kubeconfigText: kubeconfig }));
  return openLabels(labels && { fleet: labels.fleet, hubs: hubs! }, warn);
}
