import type { Material } from './cluster-access';
import type { KubeconfigEntry } from './kubeconfig';
import { absolutePath } from './kubeconfig';
import type { KubeconfigFields } from './kubeconfig-fields';

/** PEM in base64 under `FIELD-data`, or a path under `FIELD`; the data comes first, as for kubectl. */
export function materialOf(
  entry: KubeconfigEntry,
  fields: KubeconfigFields,
  field: string,
): Material | undefined {
  const data = fields.value(`${field}-data`);
  const file = fields.text(field);
  if (data !== undefined && data !== '') {
    const text = typeof data === 'string' ? pemIn(data) : undefined;
    if (text === undefined) {
      fields.problems.addSecret(`${fields.path}.${field}-data`, 'PEM in base64');
    }
    return { text: text ?? '' };
  }
  return file === undefined ? undefined : { file: absolutePath(entry, file) };
}

/** Line breaks may stand in base64, as for Go; whatever else does not belong there is no base64. */
function pemIn(data: string): string | undefined {
  const base64 = data.replace(/[\r\n]/g, '');
  const text = Buffer.from(base64, 'base64').toString('utf8');
  return /^[A-Za-z0-9+/]+={0,2}$/.test(base64) && base64.length % 4 === 0 && text.includes('-----BEGIN ')
    ? text
    : undefined;
}
