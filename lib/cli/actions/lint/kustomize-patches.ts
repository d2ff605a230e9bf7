import { basename, dirname, resolve } from 'node:path';
import { Field, parseYaml } from '../../../lint';

/** What kustomize takes for a kustomization. */
export const kustomization = /^(?:kustomization\.ya?ml|Kustomization)$/;

/**
 * Files that kustomizations name as patches, or as settings of kustomize: parts of objects, which say little on their own.
 * They are known by their paths, and nothing is opened.
 *
 * @see https://kubectl.docs.kubernetes.io/references/kustomize/kustomization/
 */
export class KustomizePatches {
  /** The folder of the kustomization by each file that one names. */
  private readonly parts = new Map<string, string>();
  private readonly resources = new Set<string>();

  /**
   * Looks into a file, which may be a kustomization.
   *
   * @param paths the file's, absolute: as it was named, and without a link on the way
   */
  public read(paths: readonly string[], text: string): void {
    if (!paths.some((path) => kustomization.test(basename(path)))) {
      return;
    }
    const fields = Field.ofValue(parsed(text));
    const { text: apiVersion = prefix } = fields.get('apiVersion');
    if (!apiVersion.startsWith(prefix)) {
      return;
    }
    const parts = [
      ...['patches', 'patchesJson6902', 'replacements'].flatMap((key) =>
        fields.get(key).items.flatMap((each) => each.get('path').text ?? []),
      ),
      ...fields.get('patchesStrategicMerge').texts,
      ...fields.get('configurations').texts,
    ];
    for (const folder of paths.map((path) => dirname(path))) {
      parts.forEach((each) => this.parts.set(resolve(folder, each), folder));
      fields.get('resources').texts.forEach((each) => this.resources.add(resolve(folder, each)));
    }
  }

  /**
   * The folder of the kustomization that names a file as a part. What another one names as a resource is an object.
   *
   * @param paths as of {@link read}, after all files were read
   */
  public usedBy(paths: readonly string[]): string | undefined {
    return paths.some((path) => this.resources.has(path))
      ? undefined
      : paths.flatMap((path) => this.parts.get(path) ?? [])[0];
  }
}

const prefix = 'kustomize.config.k8s.io/';

function parsed(text: string): unknown {
  try {
    return parseYaml(text, { repeatedKeys: true });
  } catch {
    // What is wrong with it is said where it is read as a manifest.
    return undefined;
  }
}
