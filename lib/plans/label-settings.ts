import type { KubernetesSettings } from '../kubernetes';
import type { Problem } from '../problems';
import { dnsLabel, isMapping, knownKeys, Problems } from '../problems';
import { checkCluster } from './cluster-settings';

/**
 * Argo CD's cluster Secrets say what part each slot has in the traffic: `cluster-canary/traffic`, and `cluster-canary/active`
 * on one slot.
 */
export interface LabelSettings {
  /** Name of the fleet, as the Secrets' label `cluster-canary/fleet` has it. */
  readonly fleet: string;
  /** At least one hub. */
  readonly hubs: readonly LabelHubSettings[];
}

/** A cluster that runs Argo CD. */
export interface LabelHubSettings extends Omit<KubernetesSettings, 'kubeconfigText'> {
  /** Namespace of Argo CD. @default 'argocd' */
  readonly namespace?: string;
}

/** What is wrong with the settings of labels; `undefined` is fine. */
export function labelProblems(labels: unknown): readonly Problem[] {
  const problems = new Problems('labels');
  if (labels === undefined) {
    return [];
  }
  if (!isMapping(labels)) {
    problems.add('labels', labels, 'a mapping with fleet, hubs');
    return problems.all;
  }
  const { fleet, hubs } = knownKeys(problems, 'labels', labels, ['fleet', 'hubs']);
  problems.check('labels.fleet', fleet, dnsLabel);
  if (!Array.isArray(hubs) || hubs.length === 0) {
    problems.add('labels.hubs', hubs, 'a list of at least one hub: kubeconfig, context, namespace');
    return problems.all;
  }
  for (const [index, hub] of (hubs as readonly unknown[]).entries()) {
    const path = `labels.hubs[${index}]`;
    if (!isMapping(hub)) {
      problems.add(path, hub, 'a mapping with kubeconfig, context, namespace');
      continue;
    }
    const settings = knownKeys(problems, path, hub, ['kubeconfig', 'context', 'namespace']);
    if (settings.namespace !== undefined) {
      problems.check(`${path}.namespace`, settings.namespace, dnsLabel);
    }
    checkCluster(problems, path, settings);
  }
  return problems.all;
}
