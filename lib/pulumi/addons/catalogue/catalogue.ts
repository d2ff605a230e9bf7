import { wholeNumber } from '../../../core/validation/formats';
import type { OptionsOf } from '../../../core/validation/option-keys';
import { Problems } from '../../../core/validation/problems';
import type { Problem } from '../../../core/validation/problems';
import type { AddonCluster } from '../addon';
import { HelmAddon, chartOptionsKeys } from '../helm-addon';
import type { ChartOptions } from '../helm-addon';
import { isValues, mergeValues, helmValueAt } from '../helm-values';
import type { HelmValues } from '../helm-values';
import type { AddonIdentity } from '../pod-identity';
import type { PodSecurityLevel } from '../pod-security';

/** Options that every add-on of the catalogue has which gets a namespace of its own. */
export interface CatalogueOptions extends ChartOptions {
  /**
   * Level of the Pod Security Standards that the add-on's namespace enforces; false leaves the namespace's labels alone.
   * @default - the highest that the add-on's own pods meet
   */
  readonly podSecurity?: PodSecurityLevel | false;
}

export const catalogueOptionsKeys: OptionsOf<CatalogueOptions> = {
  ...chartOptionsKeys,
  podSecurity: 'plain',
};

/** An add-on of the catalogue, as this library sets it up. */
export interface CatalogueEntry {
  readonly name: string;
  readonly chart: string;
  readonly repository?: string;
  readonly version: string;
  readonly namespace: string;
  readonly podSecurity: PodSecurityLevel;
  /** What is set of the chart's values; evaluated before a cluster is known. */
  readonly values: (cluster?: AddonCluster) => HelmValues;
  /** The parts of which there are several pods. */
  readonly replicated: readonly ReplicatedPart[];
  readonly identity?: AddonIdentity;
}

/** A part of a chart that runs in several pods: where its values for pods and for their disruption budget are. */
export interface ReplicatedPart {
  /** The add-on's option for the number: `replicas`. */
  readonly option: string;
  /** What a user says there. */
  readonly given: unknown;
  /** Path of the number of pods: `controller.replicas`. */
  readonly pods: string;
  /** Path of the budget, an object with `enabled`: `controller.pdb`. */
  readonly budget: string;
}

/** Repository of Argo's charts. @see https://github.com/argoproj/argo-helm/blob/argo-cd-10.1.1/README.md */
export const argoRepository = 'https://argoproj.github.io/argo-helm';

/** The controller, as Argo's charts have its values. */
export function argoController(replicas: unknown): ReplicatedPart {
  return { option: 'replicas', given: replicas, pods: 'controller.replicas', budget: 'controller.pdb' };
}

/** A priority of every cluster, by which a pod that has no room takes it from applications. */
export const criticalPriority = 'system-cluster-critical';

/** How many pods a part may have. */
export const podCount = wholeNumber(1, 10);

/** A disruption budget for several pods. A single pod has none: it would block every drain of its node. */
export function budgetOf(pods: number): HelmValues {
  return pods > 1 ? { enabled: true, minAvailable: 1 } : { enabled: false };
}

/**
 * The add-on of an entry, with a user's options laid over it.
 *
 * @param problems what is wrong with options that this add-on alone has
 */
export function catalogueAddon(
  { values, replicated, ...entry }: CatalogueEntry,
  { podSecurity = entry.podSecurity, values: over = {}, ...options }: CatalogueOptions,
  problems: readonly Problem[] = [],
): HelmAddon {
  return new HelmAddon(
    {
      ...entry,
      ...chartOptions(options),
      podSecurity: podSecurity === false ? undefined : podSecurity,
      values: (cluster) => mergeValues(values(cluster), over),
    },
    [...problems, ...podProblems(replicated, mergeValues(values(), over))],
  );
}

/** Numbers of pods that are out of bounds, and values that give a single pod a budget. */
function podProblems(parts: readonly ReplicatedPart[], values: HelmValues): readonly Problem[] {
  const problems = new Problems('pods');
  for (const { option, given } of parts.filter((part) => part.given !== undefined)) {
    problems.check(option, given, podCount);
  }
  for (const { option, pods, budget: at } of parts) {
    const [count, budget] = [helmValueAt(values, pods), helmValueAt(values, at)];
    if (count === 1 && isValues(budget) && budget.enabled === true) {
      problems.add(
        `values.${pods}`,
        count,
        `2 or more with a disruption budget; for one pod without a budget, set ${option}`,
      );
    }
  }
  return problems.all;
}

/** Of a user's options those that every chart has: options of one add-on are none of Helm's. */
function chartOptions({
  deliveredBy,
  state,
  timeoutSeconds,
  harden,
  releaseArgs,
}: ChartOptions): ChartOptions {
  return { deliveredBy, state, timeoutSeconds, harden, releaseArgs };
}
