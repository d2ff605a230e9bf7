import type { Labels } from '../../admission';
import { Field } from '../field';
import type { JudgedObject } from '../judged-object';
import type { ObjectIndex } from '../object-index';
import { admissionWebhooks } from './admission-webhooks';
import type { AdmissionWebhook } from './admission-webhooks';
import type { CalledService } from './called-service';
import { calledService } from './called-service';

/** A place that tells the API server which authority to trust when it calls a server in the cluster. */
export interface TrustAnchor {
  /** The object that says it. */
  readonly object: JudgedObject;
  /** What calls: a webhook, the conversion of a CRD, an APIService. */
  readonly by: 'webhook' | 'conversion' | 'apiService';
  /** What holds the bundle: `clientConfig`, or the `spec` of an APIService. */
  readonly field: Field;
  /** PEM in base64, or where it would stand. */
  readonly caBundle: Field;
  /** Of the object: cert-manager's CA injector reads them. */
  readonly annotations: Labels;
  /** The Service that is called. @default - a URL is, or nothing is said */
  readonly service?: CalledService;
  /** The entry. @default - it is none of a webhook configuration */
  readonly webhook?: AdmissionWebhook;
}

/**
 * View of every place with a CA bundle: entries of webhook configurations, conversion webhooks of CRDs, and APIServices
 * that are not served by the API server itself: `objects.view(trustAnchors)`.
 */
export function trustAnchors(objects: ObjectIndex): readonly TrustAnchor[] {
  return [
    ...objects.view(admissionWebhooks).map((webhook) => ({
      ...anchorOf(webhook.object, 'webhook', webhook.field.get('clientConfig')),
      webhook,
    })),
    ...objects
      .ofKind('apiextensions.k8s.io', 'CustomResourceDefinition')
      .filter((object) => Field.of(object).get('spec', 'conversion', 'strategy').text === 'Webhook')
      .map((object) =>
        anchorOf(object, 'conversion', Field.of(object).get('spec', 'conversion', 'webhook', 'clientConfig')),
      ),
    ...objects
      .ofKind('apiregistration.k8s.io', 'APIService')
      .filter((object) => Field.of(object).get('spec', 'service').exists)
      .map((object) => anchorOf(object, 'apiService', Field.of(object).get('spec'))),
  ];
}

function anchorOf(object: JudgedObject, by: TrustAnchor['by'], field: Field): TrustAnchor {
  const service = calledService(field);
  return {
    object,
    by,
    field,
    caBundle: field.get('caBundle'),
    annotations: Field.of(object).get('metadata', 'annotations').labels,
    ...(service ? { service } : {}),
  };
}
