import * as pulumi from '@pulumi/pulumi';
import type { KeptWindow, WatchedRouter } from '../drain';
import { openWindows } from '../drain';
import { windowProjectsProblems, windowScopeProblems } from '../plans';
import type { Problem, OptionsOf } from '../problems';
import { dnsLabel, Problems, listOf } from '../problems';
import type { ShiftOutcome } from '../shift';

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

export const syncWindowArgsKeys: OptionsOf<SyncWindowArgs> = {
  hubs: listOf({ kubeconfig: 'open', namespace: 'plain', projects: 'list' }),
  clusters: 'list',
  lasts: 'plain',
};

/** What is wrong with the plain values; kubeconfigs are not looked into, and not shown. */
export function syncWindowProblems(window: SyncWindowArgs | undefined): readonly Problem[] {
  const problems = new Problems('syncWindow');
  if (window === undefined) {
    return problems.all;
  }
  problems.addAll(windowScopeProblems(window), 'syncWindow');
  const { hubs } = window;
  if (!Array.isArray(hubs) || hubs.length === 0) {
    problems.addSecret('syncWindow.hubs', 'at least one hub, with its kubeconfig and projects');
    return problems.all;
  }
  window.hubs.forEach(({ kubeconfig, namespace, projects }, index) => {
    const path = `syncWindow.hubs[${index}]`;
    if (kubeconfig === undefined) {
      problems.add(`${path}.kubeconfig`, undefined, 'the kubeconfig of the hub');
    }
    if (namespace !== undefined) {
      problems.check(`${path}.namespace`, namespace, dnsLabel);
    }
    problems.addAll(windowProjectsProblems(projects), path);
  });
  return problems.all;
}

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
