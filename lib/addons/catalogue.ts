import type { Problem } from '../problems';
import { Problems, wholeNumber } from '../problems';
import type { AddonCluster } from './addon';
import type { AddonIdentity } from './addon-identity';
import type { ChartOptions } from './helm-addon';
import { HelmAddon } from './helm-addon';
import type { HelmValues } from './helm-values';
import { isValues, mergeValues, valueAt } from './helm-values';
import type { PodSecurityLevel } from './pod-security';

/** Options that every add-on of the catalogue has which gets a namespace of its own. */
export interface CatalogueOptions extends ChartOptions {
  /**
   * Level of the Pod Security Standards that the add-on's namespace enforces; false leaves the namespace's labels alone.
   * @default - the highest that the add-on's own pods meet
   */
  readonly podSecurity?: PodSecurityLevel | false;
}

/** An add-on of the catalogue, as this library sets it up. */
export interface CatalogueEntry {
  readonly name: string;
  readonly chart: string;
  readonly repository?: string;
  readonly version: string;
  readonly namespace: string;
  readonly podSecurity: PodSecurityLevel;
  readonly values: HelmValues | ((cluster: AddonCluster) => HelmValues);
  readonly identity?: AddonIdentity;
}

/** A part of a chart that runs in several pods: where its values for pods and for their disruption budget are. */
export interface ReplicatedPart {
  /** Path of the number of pods: `controller.replicas`. */
  readonly pods: string;
  /** Path of the budget, an object with `enabled`: `controller.pdb`. */
  readonly budget: string;
  /** The add-on's option for the number: `replicas`. */
  readonly option: string;
}

/** Repository of Argo's charts. @see https://github.com/argoproj/argo-helm/blob/argo-cd-10.1.1/README.md */
export const argoRepository = 'https://argoproj.github.io/argo-helm';

/** A priority of every cluster, by which a pod that has no room takes it from applications. */
export const criticalPriority = 'system-cluster-critical';

/** How many pods a part may have. */
export const podCount = wholeNumber(1, 10);

/** A disruption budget for several pods. A single pod has none: it would block every drain of its node. */
export function budgetOf(pods: number): HelmValues {
  return pods > 1 ? { enabled: true, minAvailable: 1 } : { enabled: false };
}

/** The add-on of an entry, with a user's options laid over it. */
export function catalogueAddon(
  entry: CatalogueEntry,
  { podSecurity, values: over = {}, ...options }: CatalogueOptions,
  problems: readonly Problem[],
): HelmAddon {
  const { values } = entry;
  const level = podSecurity ?? entry.podSecurity;
  return new HelmAddon(
    {
      ...entry,
      ...chartOptions(options),
      ...(level === false ? { podSecurity: undefined } : { podSecurity: level }),
      values:
        typeof values === 'function'
          ? (cluster) => mergeValues(values(cluster), over)
          : mergeValues(values, over),
    },
    problems,
  );
}

/** A number of pods that is out of bounds, and values that give a single pod a budget. */
export function podProblems(
  pods: Readonly<Record<string, unknown>>,
  values: HelmValues,
  parts: readonly ReplicatedPart[],
): readonly Problem[] {
  const problems = new Problems('pods');
  for (const [option, count] of Object.entries(pods)) {
    if (count !== undefined) {
      problems.check(option, count, podCount);
    }
  }
  for (const part of parts) {
    const count = valueAt(values, part.pods);
    const budget = valueAt(values, part.budget);
    if (count === 1 && isValues(budget) && budget.enabled === true) {
      problems.add(
        `values.${part.pods}`,
        count,
        `2 or more with a disruption budget; for one pod without a budget, set ${part.option}`,
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
