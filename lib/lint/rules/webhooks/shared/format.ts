import type { ManifestObject } from '../../../object';
import type { AdmissionWebhook } from '../../../views/admission';

/** What is called for requests: the entry of a webhook configuration, or a policy in the same form. */
export type Asked = Pick<AdmissionWebhook, 'object' | 'name' | 'failurePolicy'>;

/** Names a webhook, a policy, or what else the API server calls, with what happens while that fails. */
export function webhookInWords({ object, name, failurePolicy }: Asked): string {
  switch (object.kind) {
    case 'ValidatingAdmissionPolicy':
    case 'MutatingAdmissionPolicy':
      return `policy ${nameInWords(name)} (${failurePolicy})`;
    case 'CustomResourceDefinition':
      return `the conversion webhook of ${objectInWords(object)}`;
    case 'APIService':
      return objectInWords(object);
    default:
      return `webhook ${nameInWords(name)} (${failurePolicy})`;
  }
}

/** Names an object. */
export function objectInWords({ kind, namespace, name }: ManifestObject): string {
  return `${kind} ${namespace === undefined ? '' : `${nameInWords(namespace)}/`}${nameInWords(name)}`;
}

/** A name as it is, or quoted where it is none, so that a message stays one line. */
export function nameInWords(name: string): string {
  return /^[\w./*-]{1,253}$/.test(name) ? name : valueInWords(name);
}

/** Any value in one line; a long one is cut. */
export function valueInWords(value: unknown): string {
  const text = (JSON.stringify(value) as string | undefined) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** The first few of a list. */
export function listInWords(values: readonly string[], most = 4): string {
  const rest = values.length - most;
  return rest > 0 ? `${values.slice(0, most).join(', ')} and ${rest} more` : values.join(', ');
}
