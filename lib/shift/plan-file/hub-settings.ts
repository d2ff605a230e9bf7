import { parseDuration } from '../../core/durations';
import { checkCluster } from '../../core/kubernetes/access';
import type { KubernetesSettings } from '../../core/kubernetes/access';
import { dnsLabel, dnsSubdomain, goDuration } from '../../core/validation/formats';
import { knownKeys } from '../../core/validation/known-keys';
import { Problems, isPlainObject } from '../../core/validation/problems';
import type { Problem, Format } from '../../core/validation/problems';

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
  if (!isPlainObject(labels)) {
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
    if (!isPlainObject(hub)) {
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

/** Automated rollouts of applications wait while the shift runs, by a sync window of Argo CD. */
export interface SyncWindowSettings {
  /** Name of the shift: a window is known by it, and those of other shifts stay as they are. */
  readonly name: string;
  /** At least one hub. */
  readonly hubs: readonly SyncWindowHubSettings[];
  /** Destination clusters by name or server, with wildcards. @default - every Application of the projects */
  readonly clusters?: readonly string[];
  /**
   * How long the window outlives a run that was killed: 10m to 168h. It is renewed while the run lives.
   * @default '1h'
   */
  readonly lasts?: string;
}

/** A cluster that runs Argo CD, and the projects whose automated rollouts wait. */
export interface SyncWindowHubSettings extends Omit<KubernetesSettings, 'kubeconfigText'> {
  /** Namespace of Argo CD. @default 'argocd' */
  readonly namespace?: string;
  /** Names of AppProjects, at least one. */
  readonly projects: readonly string[];
}

const text: Format = {
  allowed: 'text on one line',
  accepts: (value) => typeof value === 'string' && /^\S[^\r\n]*$/.test(value),
};

const name: Format = {
  allowed: `${text.allowed}, at most 100 characters`,
  accepts: (value) => text.accepts(value) && (value as string).length <= 100,
};

const [shortest, longest] = [10 * 60_000, 168 * 3_600_000];

const lasting: Format = {
  allowed: 'a duration from 10m to 168h, such as "1h"',
  accepts: (value) => {
    const milliseconds = goDuration.accepts(value) ? parseDuration(value as string)! : 0;
    return milliseconds >= shortest && milliseconds <= longest;
  },
};

/** What is wrong with the settings of a sync window; `undefined` is fine. */
export function syncWindowProblems(window: unknown): readonly Problem[] {
  const problems = new Problems('syncWindow');
  if (window === undefined) {
    return [];
  }
  const keys = ['name', 'hubs', 'clusters', 'lasts'];
  if (!isPlainObject(window)) {
    problems.add('syncWindow', window, `a mapping with ${keys.join(', ')}`);
    return problems.all;
  }
  const settings = knownKeys(problems, 'syncWindow', window, keys);
  problems.check('syncWindow.name', settings.name, name);
  problems.addAll(windowScopeProblems(settings), 'syncWindow');
  const { hubs } = settings;
  if (!Array.isArray(hubs) || hubs.length === 0) {
    problems.add(
      'syncWindow.hubs',
      hubs,
      'a list of at least one hub: kubeconfig, context, namespace, projects',
    );
    return problems.all;
  }
  (hubs as readonly unknown[]).forEach((hub, index) => checkHub(problems, `syncWindow.hubs[${index}]`, hub));
  return problems.all;
}

/** What is wrong with what a window holds up, and for how long; paths are those within the window. */
export function windowScopeProblems({
  clusters,
  lasts,
}: {
  readonly clusters?: unknown;
  readonly lasts?: unknown;
}): readonly Problem[] {
  const problems = new Problems('syncWindow');
  if (clusters !== undefined) {
    checkList(problems, 'clusters', clusters, text);
  }
  if (lasts !== undefined) {
    problems.check('lasts', lasts, lasting);
  }
  return problems.all;
}

/** What is wrong with the names of a hub's projects; the path is that within the hub. */
export function windowProjectsProblems(projects: unknown): readonly Problem[] {
  const problems = new Problems('syncWindow');
  checkList(problems, 'projects', projects, dnsSubdomain);
  return problems.all;
}

function checkHub(problems: Problems, path: string, hub: unknown): void {
  const keys = ['kubeconfig', 'context', 'namespace', 'projects'];
  if (!isPlainObject(hub)) {
    problems.add(path, hub, `a mapping with ${keys.join(', ')}`);
    return;
  }
  const { namespace, projects, ...cluster } = knownKeys(problems, path, hub, keys);
  if (namespace !== undefined) {
    problems.check(`${path}.namespace`, namespace, dnsLabel);
  }
  problems.addAll(windowProjectsProblems(projects), path);
  checkCluster(problems, path, cluster);
}

function checkList(problems: Problems, path: string, list: unknown, rule: Format): void {
  if (!Array.isArray(list) || list.length === 0) {
    problems.add(path, list, `a list of at least one: ${rule.allowed}`);
    return;
  }
  (list as readonly unknown[]).forEach((each, index) => problems.check(`${path}[${index}]`, each, rule));
}
