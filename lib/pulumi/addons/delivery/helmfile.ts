import * as pulumi from '@pulumi/pulumi';
import { stringify } from 'yaml';
import { oneOfWords } from '../../../core/validation/formats';
import { Problems } from '../../../core/validation/problems';
import { deliveredBy } from '../addon';
import type { Addon, AddonCluster, ChartRelease } from '../addon';
import { checkAddons, installOrder } from '../install';

/** Label of a release in the helmfile that names the add-on, for selectors. */
export const helmfileLabel = 'addon';

/** State values that the helmfile is rendered with, one set for each cluster. */
export const helmfileValues = ['name', 'clusterName', 'clusterArn', 'region', 'vpcId'] as const;

type HelmfileValue = (typeof helmfileValues)[number];

/**
 * The add-ons of a list that a helmfile delivers, as the text of a `helmfile.yaml.gotmpl`: under the very names that
 * Pulumi would install them by, each after those that it needs, and with `installed: false` where it is to go.
 *
 * Values of the cluster are state values (`--state-values-set vpcId=vpc-1`, or an environment's): those of
 * `helmfileValues` that the add-ons use.
 *
 * @throws InvalidInput with everything that is wrong with the list
 * @see https://helmfile.readthedocs.io/en/latest/#configuration
 *
 * @example
 * addons.addonsHelmfile(list).apply((text) => writeFileSync('helmfile.d/addons.yaml.gotmpl', text));
 */
export function addonsHelmfile(addons: readonly Addon[]): pulumi.Output<string> {
  const problems = new Problems('Helmfile of add-ons');
  problems.addAll(checkAddons(addons));
  problems.throwIfAny();
  const brought = deliveredBy(installOrder(addons), 'helmfile');
  const releases = brought.flatMap((addon) => {
    const release = addon.release?.(placeholders);
    return release ? [{ addon, release }] : [];
  });
  const names = new Map(releases.map(({ addon, release }) => [addon.name, fullName(release)]));
  return pulumi.output(releases.map(({ release }) => release.values)).apply((values) =>
    helmfileText(
      releases.map(({ release }) => release),
      releases.map(({ addon, release }, position) => entry(addon, release, values[position], names)),
    ),
  );
}

/** What stands for the values of a cluster until the text is written. No chart's value looks like this. */
const placeholders: AddonCluster = {
  ...(Object.fromEntries(helmfileValues.map((value) => [value, `__cluster-canary.${value}__`])) as Record<
    HelmfileValue,
    string
  >),
  autoMode: false,
};

function entry(
  addon: Addon,
  release: ChartRelease,
  values: unknown,
  names: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const { chart, repository, version } = release.chart;
  return {
    name: release.releaseName,
    namespace: release.namespace,
    createNamespace: release.createNamespace,
    labels: { [helmfileLabel]: addon.name },
    chart: repository === undefined ? chart : `${repositoryName(repository)}/${chart}`,
    version,
    needs: addon.requires.flatMap((required) => names.get(required) ?? []),
    installed: addon.state !== 'absent',
    atomic: true,
    wait: true,
    values: [values],
  };
}

function helmfileText(releases: readonly ChartRelease[], entries: readonly object[]): string {
  const urls = [...new Set(releases.flatMap(({ chart }) => chart.repository ?? []))];
  const repositories = urls.map((url) => ({ name: repositoryName(url), url }));
  const text = stringify(
    { repositories, releases: entries },
    // Texts are quoted, since what a template gives in their place may look like a number.
    {
      lineWidth: 0,
      aliasDuplicateObjects: false,
      defaultStringType: 'QUOTE_DOUBLE',
      defaultKeyType: 'PLAIN',
    },
  );
  return (
    text
      // What only looks like a template is text of a value.
      .replaceAll('{{', '{{ "{{" }}')
      .replace(/__cluster-canary\.(\w+)__/g, (_, value: string) => `{{ .Values.${value} }}`)
  );
}

/** NAMESPACE/NAME, as `needs` wants it. */
function fullName({ namespace, releaseName }: ChartRelease): string {
  return `${namespace}/${releaseName}`;
}

function repositoryName(url: string): string {
  return url
    .replace(/^[a-z]+:\/\//, '')
    .replace(/[^a-z0-9]+/gi, '-')
    .replace(/-$/, '');
}

/**
 * What a person does to bring an add-on of Argo CD's back to Pulumi, or to a helmfile: nothing of it is done by itself,
 * since Helm takes over objects only when it is told to. The objects stay all the while, and so do their pods where version
 * and values are the same.
 *
 * @param addon the add-on
 * @param cluster the slot that it is on: `apps.slots.blue.addonDestination`
 * @param to who is to deliver it
 * @throws InvalidInput for an add-on that is no chart: only Pulumi delivers it
 * @see https://helm.sh/docs/helm/helm_upgrade
 *
 * @example
 * addons.moveToPulumiSteps(list[0], apps.slots.blue.addonDestination).forEach((step) => console.log(step));
 */
export function moveToPulumiSteps(
  addon: Addon,
  cluster: AddonCluster,
  to: 'pulumi' | 'helmfile' = 'pulumi',
): readonly string[] {
  const release = addon.release?.(cluster);
  const problems = new Problems('Steps back');
  problems.check('to', to, oneOfWords('pulumi', 'helmfile'));
  if (!release) {
    problems.add('addon', addon.name, 'an add-on from a chart: nothing else has left Pulumi');
  }
  problems.throwIfAny();
  const { releaseName, namespace } = release!;
  const forget = `kubectl --namespace ${namespace} delete secret --selector owner=helm,name=${releaseName}`;
  return to === 'pulumi'
    ? [
        `1. On the cluster of ${cluster.name}, let Helm forget an older release of that name. Its record is all that goes: ${forget}`,
        `2. In the program, with the version and the values that Argo CD has: ${addon.name} without deliveredBy, and with ` +
          'releaseArgs: { takeOwnership: true, atomic: false }. Run pulumi up: the Application goes, its objects stay, and ' +
          'Helm takes them over. (With atomic, an installation that fails would uninstall them.)',
        '3. Take these releaseArgs out again, and run pulumi up.',
      ]
    : [
        `1. In the program, ${addon.name} with deliveredBy: 'helmfile'. Run pulumi up: the Application goes, its objects stay. ` +
          'Write the helmfile with addonsHelmfile.',
        `2. On the cluster of ${cluster.name}, let Helm forget an older release of that name. Its record is all that goes: ${forget}`,
        `3. With the version and the values that Argo CD had: helmfile sync --selector ${helmfileLabel}=${addon.name} --take-ownership`,
      ];
}
