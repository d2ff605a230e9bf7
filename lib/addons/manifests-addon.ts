import { ApiObject, App, Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import { Manifests } from '../bridge';
import type { Problem, OptionsOf } from '../problems';
import { Problems, refuseOptions, listOf } from '../problems';
import type { Addon, AddonResources, AddonSlot, AddonTarget } from './addon';
import { addonSubject } from './addon';
import type { ManifestFile } from './manifest-files';
import { addObjects, readManifestFiles, manifestFileKeys } from './manifest-files';
import { deprecationGuide, removedApi } from './removed-apis';
import type { JudgedObject } from '../rules';

/** Options of a `ManifestsAddon`: `chart`, `files` or both. */
export interface ManifestsAddonOptions {
  /** Name of the add-on: a DNS label. */
  readonly name: string;
  /**
   * Makes the objects of a cluster: a cdk8s chart, an app, or any construct. For values that only a deployment knows, use
   * `bridge.outputToken` with the construct that it returns.
   * @default - the objects of `files` alone
   */
  readonly chart?: (target: AddonTarget) => Construct;
  /** Files of manifests. @default - the objects of `chart` alone */
  readonly files?: readonly ManifestFile[];
  /** Names of the add-ons that must be ready before. @default - none */
  readonly requires?: readonly string[];
}

export const manifestsAddonOptionsKeys: OptionsOf<ManifestsAddonOptions> = {
  name: 'plain',
  chart: 'open',
  files: listOf(manifestFileKeys),
  requires: 'list',
};

/** What a `ManifestsAddon` has registered. */
export interface ManifestsAddonResources extends AddonResources {
  /** The objects: those of `chart`, those of `files`. */
  readonly manifests: readonly Manifests[];
}

/** Kinds that stay in the cluster: with them goes what others have put below them. */
const kept = new Set(['CustomResourceDefinition', 'Namespace']);

/**
 * An add-on from Kubernetes objects, delivered by Pulumi. CustomResourceDefinitions and Namespaces stay in the cluster when
 * the add-on leaves the list, since everything of their kind or in them would go along. All else goes.
 *
 * @example
 * new addons.ManifestsAddon({
 *   name: 'priorities',
 *   files: [{ path: 'manifests/priorities.yaml' }],
 * });
 */
export class ManifestsAddon implements Addon<ManifestsAddonResources> {
  public readonly name: string;
  public readonly requires: readonly string[];
  public readonly problems: readonly Problem[];
  /** The objects of the files. */
  public readonly objects: readonly JudgedObject[];

  /**
   * @param options what to install; wrong ones are told by `problems`, and so by `checkAddons`
   * @param judge what else is wrong with the objects of the files
   */
  public constructor(
    private readonly options: ManifestsAddonOptions,
    judge: (objects: readonly JudgedObject[]) => readonly Problem[] = () => [],
  ) {
    refuseOptions(addonSubject('ManifestsAddon', options.name), options, manifestsAddonOptionsKeys);
    this.name = options.name;
    this.requires = options.requires ?? [];
    const { objects, problems } = readManifestFiles(options.files ?? []);
    this.objects = objects;
    this.problems = [...contentProblems(options), ...problems, ...judge(objects)];
  }

  public refuses({ kubernetesVersion }: AddonSlot): string | undefined {
    const removed = removals(this.objects, kubernetesVersion);
    return removed.length === 0
      ? undefined
      : `left out with Kubernetes ${kubernetesVersion}: ${removed.join('; ')}`;
  }

  /** @throws InvalidInput where the chart makes objects that the cluster's Kubernetes version does not know any more */
  public install(target: AddonTarget): ManifestsAddonResources {
    const made = this.options.chart?.(target);
    if (made) {
      checkRemovals(`${target.name}-${this.name}`, made, target.kubernetesVersion);
    }
    const fromFiles = this.objects.length === 0 ? undefined : new Chart(new App(), this.name);
    if (fromFiles) {
      addObjects(fromFiles, this.objects);
    }
    const manifests: Manifests[] = [];
    for (const [suffix, chart] of [
      ['files', fromFiles],
      ['chart', made],
    ] as const) {
      if (chart) {
        const before = manifests.flatMap(({ resources }) => resources);
        manifests.push(
          new Manifests(
            `${target.name}-${this.name}-${suffix}`,
            { chart, deletedWith: target.cluster, retained: ({ kind }: ApiObject) => kept.has(kind) },
            {
              parent: target.parent,
              provider: target.kubernetes,
              dependsOn: [...target.dependsOn, ...before],
            },
          ),
        );
      }
    }
    return { manifests, resources: manifests.flatMap(({ resources }) => resources) };
  }
}

function contentProblems({ chart, files = [] }: ManifestsAddonOptions): readonly Problem[] {
  const problems = new Problems('ManifestsAddon');
  if (chart === undefined && files.length === 0) {
    problems.add('files', files, 'at least one file, unless there is a chart');
  }
  return problems.all;
}

function checkRemovals(name: string, made: Construct, kubernetes: string | undefined): void {
  const problems = new Problems(`Add-on "${name}"`);
  const objects = made.node.findAll().filter((each): each is ApiObject => ApiObject.isApiObject(each));
  for (const reason of removals(objects, kubernetes)) {
    problems.add('chart', name, `free of objects that Kubernetes ${kubernetes} does not serve: ${reason}`);
  }
  problems.throwIfAny();
}

/** A sentence for each object that a Kubernetes version does not serve. */
function removals(
  objects: readonly Pick<JudgedObject, 'apiVersion' | 'kind' | 'name'>[],
  kubernetes: string | undefined,
): readonly string[] {
  return objects.flatMap(({ apiVersion, kind, name }) => {
    const removal = kubernetes === undefined ? undefined : removedApi(apiVersion, kind, kubernetes);
    return removal
      ? [
          `${kind} ${name ?? ''} of ${apiVersion} went in ${removal.removedIn}${removal.instead ? `, use ${removal.instead}` : ''} (${deprecationGuide})`,
        ]
      : [];
  });
}
