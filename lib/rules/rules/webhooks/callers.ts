import type { AdmissionWebhook } from '../../objects/admission-webhooks';
import type { ObjectIndex } from '../../object-index';
import { trustAnchors } from '../../objects/trust-anchors';

/** What makes the API server call a Service: the entry of a webhook configuration, a conversion webhook, an APIService. */
export type Caller = Pick<AdmissionWebhook, 'object' | 'name' | 'failurePolicy' | 'service'>;

/** View of everything that calls a Service. What is no webhook of admission can't go on without an answer: `Fail`. */
export function callers(objects: ObjectIndex): readonly Caller[] {
  return objects
    .view(trustAnchors)
    .filter(({ service }) => service !== undefined)
    .map(
      ({ object, webhook, service }) =>
        webhook ?? { object, name: object.name, failurePolicy: 'Fail', ...(service ? { service } : {}) },
    );
}
