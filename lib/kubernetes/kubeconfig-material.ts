import type { Problems } from '../problems';
import type { Material } from './cluster-access';
import type { KubeconfigEntry } from './kubeconfig';
import { absolutePath } from './kubeconfig';

/** PEM in base64 under `FIELD-data`, or a path under `FIELD`; the data comes first, as for kubectl. */
export function materialOf(
  entry: KubeconfigEntry,
  field: string,
  path: string,
  problems: Problems,
): Material | undefined {
  const data = entry.fields[`${field}-data`];
  if (data !== undefined && data !== null && data !== '') {
    const text = typeof data === 'string' ? Buffer.from(data, 'base64').toString('utf8') : '';
    if (!text.includes('-----BEGIN ')) {
      problems.addSecret(`${path}-data`, 'PEM in base64');
    }
    return { text };
  }
  const file = entry.fields[field];
  return typeof file === 'string' && file !== '' ? { file: absolutePath(entry, file) } : undefined;
}
