import type { AdmissionWebhook } from '../../objects/admission-webhooks';
import type { JudgedObject } from '../../judged-object';

/** Names a webhook, with what happens while it can't be asked. */
export function webhookInWords({ name, failurePolicy }: AdmissionWebhook): string {
  return `webhook ${nameInWords(name)} (${failurePolicy})`;
}

/** Names an object. */
export function objectInWords({ kind, namespace, name }: JudgedObject): string {
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
