import type { Material } from './cluster-access';
import { KubernetesError } from './kubernetes-error';
import { limitedText } from './limited-text';

/** No token and no bundle of authorities is longer; in bytes. */
const longest = 4_000_000;

/**
 * The text itself; a file is read anew each time, since tokens and certificates in files are renewed.
 *
 * @throws KubernetesError `unauthenticated` where the file can't be read
 */
export async function textOf(material: Material | undefined): Promise<string | undefined> {
  if (material === undefined || 'text' in material) {
    return material?.text;
  }
  try {
    return await limitedText(material.file, longest);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new KubernetesError(
      'unauthenticated',
      `The kubeconfig refers to ${material.file}, which can't be read: ${code ?? message}`,
      undefined,
      { cause: error },
    );
  }
}
