import { falseOr, optional } from '../../../core/validation/collections';
import { Problems } from '../../../core/validation/problems';
import type { Problem } from '../../../core/validation/problems';
import type { Entries, Schema } from '../../../core/validation/schema';
import { following, whole } from '../../../core/validation/values';
import { optionsProblems } from '../addon';
import type { AddonCluster } from '../addon';
import { HelmAddon, chartOptionEntries, chartVersion, onlyByPulumi } from '../helm-addon';
import type { ChartOptions } from '../helm-addon';
import { isValues, mergeValues, helmValueAt } from '../helm-values';
import type { HelmValues } from '../helm-values';
import type { AddonIdentity } from '../pod-identity';
import { podSecurityLevel } from '../pod-security';
import type { PodSecurityLevel } from '../pod-security';

/** Options that every add-on of the catalogue has which gets a namespace of its own. */
export interface CatalogueOptions extends ChartOptions {
  /**
   * Level of the Pod Security Standards that the add-on's namespace enforces; false leaves the namespace's labels alone.
   * @default - the highest that the add-on's own pods meet
   */
  readonly podSecurity?: PodSecurityLevel | false;
}

/** How many pods a part may have. */
export const podCount: Schema<number> = whole(1, 10);

/** Schemas of these options, and of the version, which each add-on has with a default of its own. */
export const catalogueEntries: Entries<CatalogueOptions & { readonly version?: string }> = {
  version: optional(chartVersion),
  ...chartOptionEntries,
  podSecurity: optional(falseOr(following(podSecurityLevel), `${podSecurityLevel.allowed}, or false`)),
};

/** An add-on of the catalogue, as this library sets it up. */
export interface CatalogueEntry<Name extends string = string> {
  readonly name: Name;
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
  /** Path of the number of pods: `controller.replicas`. */
  readonly pods: string;
  /** Path of the budget, an object with `enabled`: `controller.pdb`. */
  readonly budget: string;
}

/** Repository of Argo's charts. @see https://github.com/argoproj/argo-helm/blob/argo-cd-10.1.1/README.md */
export const argoRepository = 'https://argoproj.github.io/argo-helm';

/** The controller, as Argo's charts have its values. */
export const argoController: ReplicatedPart = {
  option: 'replicas',
  pods: 'controller.replicas',
  budget: 'controller.pdb',
};

/** A priority of every cluster, by which a pod that has no room takes it from applications. */
export const criticalPriority = 'system-cluster-critical';

/** A disruption budget for several pods. A single pod has none: it would block every drain of its node. */
export function budgetOf(pods: number): HelmValues {
  return pods > 1 ? { enabled: true, minAvailable: 1 } : { enabled: false };
}

/**
 * An add-on of the catalogue, with a user's options laid over it.
 *
 * @param subject name of the function that a user called, for errors
 * @param schema of its options
 * @param entryOf the add-on with the options that are right
 * @throws InvalidInput for unknown keys, and for Outputs where plain values are needed; `problems` has all else that is wrong
 */
export function catalogueAddon<Options extends CatalogueOptions, const Name extends string>(
  subject: string,
  schema: Schema<Options>,
  options: Options,
  entryOf: (options: Partial<Options>) => CatalogueEntry<Name>,
): HelmAddon<Name> {
  const problems = optionsProblems(subject, schema, options, (sound) => [
    ...onlyByPulumi(sound),
    ...budgetProblems(entryOf(sound), sound.values),
  ]);
  const { values, replicated: _parts, ...entry } = entryOf(options);
  const { podSecurity = entry.podSecurity, values: over = {} } = options;
  return new HelmAddon(
    {
      ...entry,
      ...chartOptions(options),
      podSecurity: podSecurity === false ? undefined : podSecurity,
      values: (cluster) => mergeValues(values(cluster), over),
    },
    problems,
  );
}

/** Values that give a single pod a budget. */
function budgetProblems({ values, replicated }: CatalogueEntry, over: HelmValues = {}): readonly Problem[] {
  const problems = new Problems('pods');
  const merged = mergeValues(values(), over);
  for (const { option, pods, budget: at } of replicated) {
    const [count, budget] = [helmValueAt(merged, pods), helmValueAt(merged, at)];
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
