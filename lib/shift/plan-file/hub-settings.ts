import { parseDuration } from '../../core/durations';
import type { KubernetesSettings } from '../../core/kubernetes/access';
import { clusterEntries } from '../../core/kubernetes/access-schema';
import { list, object, optional } from '../../core/validation/collections';
import { dnsSubdomain, goDuration } from '../../core/validation/formats';
import type { OptionalSchema, Schema } from '../../core/validation/schema';
import { dnsLabelText, duration, fits, following, text } from '../../core/validation/values';

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

/** Clusters that run Argo CD. */
export const hubsSchema: Schema<readonly LabelHubSettings[]> = list(
  object<LabelHubSettings>({ ...clusterEntries, namespace: optional(dnsLabelText) }),
  1,
  'a list of at least one hub: kubeconfig, context, namespace',
);

/** What a plan file may say of labels. */
export const labelsSchema: Schema<LabelSettings> = object<LabelSettings>({
  fleet: dnsLabelText,
  hubs: hubsSchema,
});

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

const line = /^\S[^\r\n]*$/;

const shortest = 10 * 60_000;

const longest = 168 * 3_600_000;

const lasting = following(
  {
    allowed: 'a duration from 10m to 168h, such as "1h"',
    accepts: (value) => {
      const milliseconds = goDuration.accepts(value) ? parseDuration(value as string)! : 0;
      return milliseconds >= shortest && milliseconds <= longest;
    },
  },
  duration.json,
);

/** Names of the projects of a hub. */
export const projectsSchema: Schema<readonly string[]> = list(
  fits(dnsSubdomain, { minLength: 1 }),
  1,
  `a list of at least one: ${dnsSubdomain.allowed}`,
);

/** What a window holds up, and for how long. */
export const windowScope: {
  /** Destination clusters. */
  readonly clusters: OptionalSchema<readonly string[]>;
  /** How long the window outlives a run that was killed. */
  readonly lasts: OptionalSchema<string>;
} = {
  clusters: optional(list(text('text on one line', line), 1, 'a list of at least one: text on one line')),
  lasts: optional(lasting),
};

/** What a plan file may say of a sync window. */
export const shiftSyncWindowSchema: Schema<SyncWindowSettings> = object<SyncWindowSettings>({
  name: text('text on one line, at most 100 characters', line, 100),
  hubs: list(
    object<SyncWindowHubSettings>({
      ...clusterEntries,
      namespace: optional(dnsLabelText),
      projects: projectsSchema,
    }),
    1,
    'a list of at least one hub: kubeconfig, context, namespace, projects',
  ),
  ...windowScope,
});
