import * as pulumi from '@pulumi/pulumi';
import type { OpenLabels } from '../drain';
import { openLabels } from '../drain';
import type { Problem, OptionsOf } from '../problems';
import { dnsLabel, Problems, listOf } from '../problems';
import type { ShiftObserver, ShiftOutcome, Weights } from '../shift';

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

export const trafficLabelsArgsKeys: OptionsOf<TrafficLabelsArgs> = {
  hubs: listOf({ kubeconfig: 'open', namespace: 'plain' }),
};

/** The same with every output known. */
export interface KnownTrafficLabels {
  readonly fleet: string;
  readonly hubs: readonly { readonly kubeconfig: string; readonly namespace?: string }[];
}

/** What is wrong with the plain values; kubeconfigs are not looked into, and not shown. */
export function trafficLabelsProblems(labels: TrafficLabelsArgs | undefined): readonly Problem[] {
  const problems = new Problems('labels');
  if (labels === undefined) {
    return problems.all;
  }
  const { hubs } = labels;
  if (!Array.isArray(hubs) || hubs.length === 0) {
    problems.addSecret('labels.hubs', 'at least one hub, with its kubeconfig');
    return problems.all;
  }
  labels.hubs.forEach(({ kubeconfig, namespace }, index) => {
    if (kubeconfig === undefined) {
      problems.add(`labels.hubs[${index}].kubeconfig`, undefined, 'the kubeconfig of the hub');
    }
    if (namespace !== undefined) {
      problems.check(`labels.hubs[${index}].namespace`, namespace, dnsLabel);
    }
  });
  return problems.all;
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
