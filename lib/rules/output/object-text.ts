import type { ObjectName } from '../finding';

/** An object for a person: `MutatingWebhookConfiguration pod-defaults`, `Service web/frontend`. */
export function nameOf({ kind, namespace, name }: ObjectName): string {
  return `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}
