import { readFile } from 'node:fs/promises';
import type { Material } from './cluster-access';
import { KubernetesError } from './kubernetes-error';

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
    return await readFile(material.file, 'utf8');
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    throw new KubernetesError(
      'unauthenticated',
      `The kubeconfig refers to ${material.file}, which can't be read: ${code}`,
      undefined,
      { cause: error },
    );
  }
}
