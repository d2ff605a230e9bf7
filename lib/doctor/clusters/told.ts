import type { KubernetesObject } from '../../kubernetes';
import { isMapping } from '../../problems';
import { shown } from '../redaction';
import type { Registration } from './registration';

/** What Argo CD's controller says of a cluster, as it meets it from where it runs. */
const aboutClusters =
  /cluster|x509|tls:|unauthorized|dial tcp|no such host|connection refused|i\/o timeout|deadline exceeded|credentials|forbidden|failed to load live state/i;

/**
 * Conditions of Applications that speak of a cluster, by its registration: Argo CD's own view.
 *
 * @returns at most three lines
 */
export function toldOf(
  { name, server }: Pick<Registration, 'name' | 'server'>,
  applications: readonly KubernetesObject[],
): readonly string[] {
  const lines = new Map<string, string>();
  for (const { metadata, spec, status } of applications) {
    const destination = isMapping(spec) && isMapping(spec.destination) ? spec.destination : {};
    const isMeant =
      (server !== '' &&
        typeof destination.server === 'string' &&
        destination.server.replace(/(?<!\/)\/+$/, '') === server) ||
      (name !== '' && destination.name === name);
    const conditions: readonly unknown[] =
      isMeant && isMapping(status) && Array.isArray(status.conditions) ? status.conditions : [];
    for (const condition of conditions) {
      if (
        isMapping(condition) &&
        condition.type === 'ComparisonError' &&
        typeof condition.message === 'string' &&
        aboutClusters.test(condition.message)
      ) {
        const message = shown(condition.message);
        // Every Application of the cluster says the same.
        lines.set(message, `Argo CD itself says (Application ${metadata.name}): ${message}`);
      }
    }
  }
  return [...lines.values()].slice(0, 3);
}
