import { FileRefused, readBoundedLater } from '../files';
import type { Material } from './cluster-access';
import { KubernetesError } from './kubernetes-error';

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
    return (await readBoundedLater(material.file, longest)).toString('utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = error instanceof FileRefused ? error.reason : (code ?? message);
    throw new KubernetesError(
      'unauthenticated',
      `The kubeconfig refers to ${material.file}, which can't be read: ${reason}`,
      undefined,
      { cause: error },
    );
  }
}
