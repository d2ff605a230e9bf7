import { ApiObject, App, Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import { createHash } from 'node:crypto';
import { FileRefused, readBounded } from '../../core/files/read';
import { list, object, optional } from '../../core/validation/collections';
import { Problems } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import { anything, text } from '../../core/validation/values';
import { readManifests } from '../../lint';
import type { ManifestObject } from '../../lint';
import { Manifests } from '../bridge';
import { addonSubject, optionsProblems, requires } from './addon';
import type { Addon, AddonResources, AddonSlot, AddonTarget } from './addon';
import { deprecationGuide, removedApi } from './removed-apis';

/** A file of manifests on this machine. */
export interface ManifestFile {
  /** Path of the YAML file, from the working directory. Nothing is downloaded. */
  readonly path: string;
  /**
   * SHA-256 of the file, in hexadecimal: what is applied is what was looked at.
   * @default - it is not compared
   */
  readonly sha256?: string;
}

/** What files hold, and what is wrong with them. */
interface ReadFiles {
  readonly objects: readonly ManifestObject[];
  readonly problems: readonly Problem[];
}

/** Reads files of manifests; what can't be read is a problem with the path `files[0]`. */
function readManifestFiles(files: readonly ManifestFile[]): ReadFiles {
  const problems = new Problems('manifests');
  const objects = files.flatMap((file, position) => readFile(file, `files[${position}]`, problems));
  return { objects, problems: problems.all };
}

function readFile(file: ManifestFile, at: string, problems: Problems): readonly ManifestObject[] {
  let content: Buffer;
  try {
    content = readBounded(file.path);
  } catch (error) {
    const code =
      error instanceof FileRefused ? error.reason : ((error as NodeJS.ErrnoException).code ?? 'unreadable');
    problems.add(`${at}.path`, file.path, `a file that can be read (${code})`);
    return [];
  }
  const found = createHash('sha256').update(content).digest('hex');
  if (file.sha256 !== undefined && file.sha256.toLowerCase() !== found) {
    problems.add(`${at}.sha256`, file.sha256, `that of ${file.path}: ${found}`);
  }
  const text = content.toString('utf8');
  const { objects, unreadable, others } = readManifests(text, { file: file.path, read: () => text });
  for (const { line, reason } of unreadable) {
    problems.add(`${at}.path`, file.path, `a file of Kubernetes objects: line ${line ?? 1}: ${reason}`);
  }
  if (others > 0 || (objects.length === 0 && unreadable.length === 0)) {
    problems.add(
      `${at}.path`,
      file.path,
      `a file of Kubernetes objects: ${others > 0 ? `${others} documents are none` : 'it has none'}`,
    );
  }
  return objects;
}

/** Adds objects of files to a construct tree. */
function addObjects(scope: Construct, objects: readonly ManifestObject[]): void {
  objects.forEach(({ value, kind, name, namespace }, position) => {
    const id = `${position}-${kind}-${namespace ?? ''}-${name ?? ''}`;
    new ApiObject(scope, id, value as unknown as ConstructorParameters<typeof ApiObject>[2]);
  });
}

/** Options of a `ManifestsAddon`: `chart`, `files` or both. */
export interface ManifestsAddonOptions<Name extends string = string> {
  /** Name of the add-on: a DNS label. */
  readonly name: Name;
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

const manifestsAddonOptions = object<ManifestsAddonOptions>({
  name: text('the name of an add-on'),
  chart: optional(anything),
  files: optional(
    list(
      object<ManifestFile>({
        path: text('the path of a file'),
        sha256: optional(text('the output of sha256sum')),
      }),
    ),
  ),
  requires,
});

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
export class ManifestsAddon<const Name extends string = string> implements Addon<
  ManifestsAddonResources,
  Name
> {
  public readonly name: Name;
  public readonly requires: readonly string[];
  public readonly problems: readonly Problem[];
  /** The objects of the files. */
  public readonly objects: readonly ManifestObject[];

  /**
   * @param options what to install; wrong ones are told by `problems`, and so by `checkAddons`
   * @param evaluate what else is wrong with the objects of the files
   */
  public constructor(
    private readonly options: ManifestsAddonOptions<Name>,
    evaluate: (objects: readonly ManifestObject[]) => readonly Problem[] = () => [],
  ) {
    let objects: readonly ManifestObject[] = [];
    this.problems = optionsProblems(
      addonSubject('ManifestsAddon', options?.name),
      manifestsAddonOptions,
      options,
      (sound) => {
        const read = readManifestFiles(sound.files ?? []);
        ({ objects } = read);
        return [...contentProblems(sound), ...read.problems, ...evaluate(objects)];
      },
    );
    this.name = options.name;
    this.requires = options.requires ?? [];
    this.objects = objects;
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

function contentProblems({ chart, files = [] }: Partial<ManifestsAddonOptions>): readonly Problem[] {
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
  objects: readonly Pick<ManifestObject, 'apiVersion' | 'kind' | 'name'>[],
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
