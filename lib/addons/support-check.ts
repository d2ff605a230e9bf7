import type * as pulumi from '@pulumi/pulumi';
import { programLog } from '../bridge';
import type { Problem } from '../problems';
import { Problems } from '../problems';
import type { Addon, AddonSlot } from './addon';
import type { HelmChart } from './chart-release';
import { kubernetesMinor } from './kubernetes-minor';
import type { ChartSupport } from './kubernetes-support';
import { chartSupport } from './kubernetes-support';

/** What a project says of a version of its chart on a Kubernetes version. */
export interface SupportVerdict {
  /** `refused`: it can't run there. `untested`: the project tests it with other versions. `tested`: with this one. */
  readonly is: 'refused' | 'untested' | 'tested';
  /** What is said. */
  readonly support: ChartSupport;
}

/**
 * What is known of a chart on a Kubernetes version.
 *
 * @param kubernetes `1.35`
 * @returns nothing where the chart or its version is not in the table, or the project says nothing
 */
export function supportOf(
  chart: HelmChart,
  kubernetes: string,
  table: readonly ChartSupport[] = chartSupport,
): SupportVerdict | undefined {
  const minor = kubernetesMinor(kubernetes);
  const support = table.find((row) => row.chart === nameOf(chart) && isOf(chart.version, row.versions));
  if (minor === undefined || !support) {
    return undefined;
  }
  const { lowest, tested } = support;
  if (lowest !== undefined && minor < kubernetesMinor(lowest)!) {
    return { is: 'refused', support };
  }
  if (tested === undefined) {
    return undefined;
  }
  const [from, to] = tested.map((version) => kubernetesMinor(version)!);
  return { is: minor >= from! && minor <= to! ? 'tested' : 'untested', support };
}

/** Add-ons whose chart does not work with the slot's Kubernetes version. */
export function supportProblems(addons: readonly Addon[], slot: AddonSlot): readonly Problem[] {
  const problems = new Problems('Kubernetes versions of add-ons');
  addons.forEach(({ chart, state }, position) => {
    const verdict = judged(chart, slot);
    if (verdict?.is === 'refused' && state !== 'absent') {
      const { installs, lowest, lowestSource } = verdict.support;
      problems.add(
        `addons[${position}].version`,
        chart!.version,
        `another version with Kubernetes ${slot.kubernetesVersion}: ${installs} wants ${lowest} or newer (${lowestSource})`,
      );
    }
  });
  return problems.all;
}

/** A sentence for each add-on that its project does not test with the slot's Kubernetes version. */
export function supportWarnings(addons: readonly Addon[], slot: AddonSlot): readonly string[] {
  return addons.flatMap(({ name, chart, state }) => {
    const verdict = judged(chart, slot);
    if (verdict?.is !== 'untested' || state === 'absent') {
      return [];
    }
    const { installs, tested, testedSource } = verdict.support;
    return [
      `Add-on "${name}": ${installs} is tested by its project with Kubernetes ${range(tested!)}, and not with ${slot.kubernetesVersion}: ${testedSource}`,
    ];
  });
}

/** Tells the warnings of a slot in previews and updates. */
export function warnUntested(addons: readonly Addon[], slot: AddonSlot, resource: pulumi.Resource): void {
  for (const warning of supportWarnings(addons, slot)) {
    programLog.warn(warning, resource);
  }
}

/** `1.32 to 1.35`, or `1.35`. */
export function range([from, to]: readonly [string, string]): string {
  return from === to ? from : `${from} to ${to}`;
}

function judged(chart: HelmChart | undefined, { kubernetesVersion }: AddonSlot): SupportVerdict | undefined {
  return chart && kubernetesVersion !== undefined ? supportOf(chart, kubernetesVersion) : undefined;
}

/** A chart is known by its name: a mirror has another repository. */
function nameOf({ chart }: HelmChart): string {
  return chart.slice(chart.lastIndexOf('/') + 1);
}

function isOf(version: string, versions: string): boolean {
  const plain = version.replace(/^v/, '');
  return plain === versions || plain.startsWith(`${versions}.`);
}
