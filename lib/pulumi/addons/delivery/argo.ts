import * as pulumi from '@pulumi/pulumi';
import { addonLabel, fleetLabel, slotLabel, waveLabel } from '../../../core/names';
import { refuseArguments } from '../../../core/validation/arguments';
import { object, optional } from '../../../core/validation/collections';
import { flag } from '../../../core/validation/values';
import { generators } from '../../../manifests/argocd';
import type {
  AppProjectProps,
  ApplicationSetProps,
  JsonValue,
  RepositoryProps,
  RollingSync,
} from '../../../manifests/argocd';
import { deliveredBy } from '../addon';
import type { Addon, AddonCluster, ChartRelease } from '../addon';
import type { Ordered } from '../install';

/** Values are data of each entry, which no template could put in its place. */
const values = `spec:
  source:
    helm:
      valuesObject: {{ toJson .values }}
`;

/** An add-on that is to go takes its objects along. */
const removal = `{{- if .absent }}
metadata:
  finalizers: ["resources-finalizer.argocd.argoproj.io"]
{{- end }}
`;

/** The patch of a set of add-ons: the values of each, and where one is to go, what lets Argo CD delete it. */
function addonPatch(someGo: boolean): string {
  return someGo ? removal + values : values;
}

/**
 * Of a patch what a hub may have that only compares: that of a set of add-ons, with the values and no more.
 *
 * @returns undefined for patches of others, of which nothing is known
 */
export function comparingPatch(patch: string | undefined): string | undefined {
  return patch === addonPatch(true) || patch === addonPatch(false) ? values : undefined;
}

/**
 * The wave of each add-on: 0 where it requires none of the list, else one more than the highest of those that it requires.
 * Requirements that are not in the list are met before. The list must be free of cycles, as `checkAddons` says.
 */
export function wavesOf(addons: readonly Ordered[]): ReadonlyMap<string, number> {
  const record = new Map(addons.map((addon) => [addon.name, addon]));
  const waves = new Map<string, number>();
  const waveOf = (name: string): number => {
    const known = waves.get(name);
    if (known !== undefined) {
      return known;
    }
    const required = record.get(name)!.requires.filter((each) => record.has(each));
    const wave = required.length === 0 ? 0 : 1 + Math.max(...required.map(waveOf));
    waves.set(name, wave);
    return wave;
  };
  addons.forEach(({ name }) => waveOf(name));
  return waves;
}

/** A cluster that Argo CD brings add-ons to. */
export interface AddonDestination extends AddonCluster {
  /** Slot of the fleet. */
  readonly slot: string;
  /** The add-ons of the slot, whoever delivers them. */
  readonly addons: readonly Addon[];
}

/** How Argo CD delivers the add-ons of a fleet. */
export interface ArgoAddonOptions {
  /**
   * Whether an add-on is synchronised only when all that it requires is healthy, by a RollingSync. Argo CD then takes back no
   * change that somebody makes in the cluster, and does not see a change of values alone: it compares versions of charts.
   * @default false - each synchronises by itself, and is tried again until what it requires is there
   * @see https://github.com/argoproj/argo-cd/issues/27949
   */
  readonly steps?: boolean;
}

const argoAddonOptions = object<ArgoAddonOptions>({ steps: optional(flag) });

/** What a hub needs so that Argo CD delivers the add-ons of a fleet. */
export interface FleetAddons {
  /** Project that may install them, and nothing from elsewhere. */
  readonly project: Omit<AppProjectProps, 'namespace'>;
  /** Registries of the charts, which Argo CD must know as such. */
  readonly repositories: readonly Omit<RepositoryProps, 'namespace'>[];
  /** One Application for each add-on of each slot. */
  readonly applicationSet: Omit<ApplicationSetProps, 'namespace'>;
}

/** One add-on of one cluster. */
interface Entry {
  readonly destination: AddonDestination;
  readonly addon: Addon;
  readonly release: ChartRelease;
  readonly wave: number;
}

/**
 * The add-ons of a fleet that Argo CD delivers: an ApplicationSet with an Application for each add-on and slot, under the
 * very names that Pulumi would install it by, so that it takes over what is there. A hub of this program makes it by itself
 * for a `ClusterFleet` that it manages.
 *
 * - Order: Applications carry the wave that follows from `requires`. Each is tried again for about twenty minutes until what
 *   it requires is there; with `steps`, a wave starts when all of those before it are healthy.
 * - Objects are written by server-side apply, so a release of Helm's is taken over field by field.
 * - What was deployed stays when an Application goes, unless the add-on says `state: 'absent'` first.
 * - Values stand in the ApplicationSet and the Applications as they are: nothing secret belongs there.
 *
 * @param fleet name of the fleet
 * @param token makes text of an output, wherever it stands in the values; what is plain stays as it is
 * @returns undefined where Argo CD delivers none
 */
export function argoAddons(
  fleet: string,
  destinations: readonly AddonDestination[],
  token: (value: unknown) => unknown,
  options: ArgoAddonOptions = {},
): FleetAddons | undefined {
  refuseArguments('argoAddons', argoAddonOptions, options);
  const { steps = false } = options;
  const entries = destinations.flatMap(entriesOf);
  if (entries.length === 0) {
    return undefined;
  }
  const name = fleetAddonsName(fleet);
  const waves = [...new Set(entries.map(({ wave }) => wave))].sort((a, b) => a - b);
  const inSteps = steps && waves.length > 1;
  return {
    project: projectOf(fleet, entries),
    repositories: registriesOf(entries),
    applicationSet: {
      name,
      generators: [generators.list({ elements: entries.map((entry) => element(entry, token)) })],
      template: {
        metadata: {
          name: '{{.cluster}}-{{.addon}}',
          labels: {
            [fleetLabel]: fleet,
            [slotLabel]: '{{.slot}}',
            [addonLabel]: '{{.addon}}',
            [waveLabel]: '{{.wave}}',
          },
          // For those who put the Applications under another one, which does look at it.
          annotations: { 'argocd.argoproj.io/sync-wave': '{{.wave}}' },
        },
        spec: {
          project: name,
          source: {
            repoURL: '{{.repoURL}}',
            chart: '{{.chart}}',
            targetRevision: '{{.version}}',
            helm: { releaseName: '{{.release}}' },
          },
          destination: { name: '{{.cluster}}', namespace: '{{.namespace}}' },
          syncPolicy: {
            ...(inSteps ? {} : { automated: { prune: true, selfHeal: true } }),
            // Some twenty minutes: what it requires may take as long. Without an end, a sync that fails would keep its version
            // and values for ever, and one that would heal it would never start.
            retry: { limit: 20, backoff: { duration: '10s', factor: 2, maxDuration: '1m' } },
            syncOptions: ['CreateNamespace=true', 'ServerSideApply=true'],
          },
        },
      },
      templatePatch: addonPatch(entries.some(({ addon }) => addon.state === 'absent')),
      // An add-on that moves to another delivery leaves this set, and has to stay on the cluster.
      syncPolicy: { preserveResourcesOnDeletion: true },
      ...(inSteps ? { strategy: rollingSync(waves) } : {}),
    },
  };
}

/** Name of a fleet's project and ApplicationSet of add-ons. */
export function fleetAddonsName(fleet: string): string {
  return `${fleet}-addons`;
}

function projectOf(fleet: string, entries: readonly Entry[]): FleetAddons['project'] {
  return {
    name: fleetAddonsName(fleet),
    description: `Add-ons of the fleet ${fleet}`,
    sourceRepos: distinct(entries.map(({ release }) => sourceOf(release).repoURL)),
    destinations: distinct(entries.map(({ destination }) => destination.name)).map((cluster) => ({
      name: cluster,
      namespace: '*',
    })),
    clusterResourceWhitelist: [{ group: '*', kind: '*' }],
  };
}

function rollingSync(waves: readonly number[]): RollingSync {
  return {
    type: 'RollingSync',
    rollingSync: {
      steps: waves.map((wave) => ({
        matchExpressions: [{ key: waveLabel, operator: 'In', values: [`${wave}`] }],
      })),
      prune: true,
    },
    deletionOrder: 'Reverse',
  };
}

function entriesOf(destination: AddonDestination): Entry[] {
  const brought = deliveredBy(destination.addons, 'argocd');
  const waves = wavesOf(brought);
  return brought.flatMap((addon) => {
    const release = addon.release?.(destination);
    return release ? [{ destination, addon, release, wave: waves.get(addon.name)! }] : [];
  });
}

function element({ destination, addon, release, wave }: Entry, token: (value: unknown) => unknown) {
  const { repoURL, chart } = sourceOf(release);
  return {
    cluster: destination.name,
    slot: destination.slot,
    addon: addon.name,
    wave: `${wave}`,
    repoURL,
    chart,
    version: release.chart.version,
    release: release.releaseName,
    namespace: release.namespace,
    absent: addon.state === 'absent',
    values: plainValues(release.values, token) as JsonValue,
  };
}

/** Values with a text for each output. What is undefined is left out, as Helm would. */
function plainValues(value: unknown, token: (value: unknown) => unknown): unknown {
  if (pulumi.Output.isInstance(value) || value instanceof Promise) {
    return token(value);
  }
  if (Array.isArray(value)) {
    return value.map((each) => plainValues(each, token));
  }
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(
        Object.entries(value)
          .filter(([, each]) => each !== undefined)
          .map(([key, each]) => [key, plainValues(each, token)]),
      )
    : value;
}

/** Where Argo CD finds a chart: it wants an OCI registry without its scheme, and the last part apart. */
function sourceOf({ chart: { chart, repository } }: ChartRelease): { repoURL: string; chart: string } {
  if (repository !== undefined) {
    return { repoURL: repository, chart };
  }
  const [, path = '', name = ''] = /^oci:\/\/(.+)\/([^/]+)$/.exec(chart) ?? [];
  return { repoURL: path, chart: name };
}

function registriesOf(entries: readonly Entry[]): FleetAddons['repositories'] {
  const urls = distinct(
    entries
      .filter(({ release }) => release.chart.repository === undefined)
      .map(({ release }) => sourceOf(release).repoURL),
  );
  return urls.map((url) => ({
    name: url.replace(/[^a-z0-9]+/gi, '-').toLowerCase(),
    url,
    type: 'helm',
    enableOCI: true,
  }));
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
