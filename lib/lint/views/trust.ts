import { injectionSources } from '../../core/certificates/ca-bundles';
import type { Labels } from '../../core/kubernetes/label-selector';
import { Field } from '../object';
import type { ManifestObject } from '../object';
import type { ObjectIndex } from '../object-index';
import { admissionWebhooks, calledService } from './admission';
import type { AdmissionWebhook, CalledServiceView } from './admission';

/** A place that tells the API server which authority to trust when it calls a server in the cluster. */
export interface CaBundleLocation {
  /** The object that says it. */
  readonly object: ManifestObject;
  /** What calls: a webhook, the conversion of a CRD, an APIService. */
  readonly by: 'webhook' | 'conversion' | 'apiService';
  /** What holds the bundle: `clientConfig`, or the `spec` of an APIService. */
  readonly field: Field;
  /** PEM in base64, or where it would be. */
  readonly caBundle: Field;
  /** Of the object: cert-manager's CA injector reads them. */
  readonly annotations: Labels;
  /** The Service that is called. @default - a URL is, or nothing is said */
  readonly service?: CalledServiceView;
  /** The entry. @default - it is none of a webhook configuration */
  readonly webhook?: AdmissionWebhook;
}

/**
 * View of every place with a CA bundle: entries of webhook configurations, conversion webhooks of CRDs, and APIServices
 * that are not served by the API server itself: `objects.view(trustAnchors)`.
 */
export function caBundleLocations(objects: ObjectIndex): readonly CaBundleLocation[] {
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

function anchorOf(object: ManifestObject, by: CaBundleLocation['by'], field: Field): CaBundleLocation {
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

/** An object with CA bundles in it: a webhook configuration with all of its webhooks, a CRD, an APIService. */
export interface TrustingObject {
  /** The object. */
  readonly object: ManifestObject;
  /** What calls: a webhook, the conversion of a CRD, an APIService. */
  readonly by: CaBundleLocation['by'];
  /** Its places with a CA bundle: at least one. */
  readonly anchors: readonly [CaBundleLocation, ...CaBundleLocation[]];
  /** Where cert-manager's CA injector gets the bundle from: the first wins over the others. */
  readonly sources: readonly CaSource[];
}

/** An annotation that names a source of the CA. */
export interface CaSource {
  /** `certificate`: its Secret's `ca.crt`. `secret`: the Secret's `ca.crt`. `apiServer`: the CA of the API server itself. */
  readonly by: 'certificate' | 'secret' | 'apiServer';
  /** Name of the annotation. */
  readonly annotation: string;
  /** The annotation. */
  readonly field: Field;
  /**
   * The object that the annotation names.
   * @default - the annotation has no `NAMESPACE/NAME`, as the CA of the API server needs none
   */
  readonly target?: {
    /** Its namespace. */
    readonly namespace: string;
    /** Its name. */
    readonly name: string;
  };
}

/** View of the objects whose CA bundle matters: `objects.view(trustingObjects)`. */
export function trustingObjects(objects: ObjectIndex): readonly TrustingObject[] {
  const found = new Map<ManifestObject, [CaBundleLocation, ...CaBundleLocation[]]>();
  for (const anchor of objects.view(caBundleLocations)) {
    const known = found.get(anchor.object);
    if (anchor.field.get('insecureSkipTLSVerify').boolean === true) {
      // An APIService that is not verified at all needs no CA.
      continue;
    }
    if (known) {
      known.push(anchor);
    } else {
      found.set(anchor.object, [anchor]);
    }
  }
  return [...found].map(([object, anchors]) => ({
    object,
    by: anchors[0].by,
    anchors,
    sources: sourcesOf(object),
  }));
}

/** The Services that an object has called, each once: an object may have thousands of webhooks of one. */
export function servicesOf({ anchors }: TrustingObject): readonly CalledServiceView[] {
  const services = anchors.flatMap(({ service }) => (service ? [service] : []));
  return [...new Map(services.map((each) => [JSON.stringify([each.namespace, each.name]), each])).values()];
}

const kinds: Readonly<Record<string, CaSource['by']>> = {
  'cert-manager.io/inject-ca-from-secret': 'secret',
  'cert-manager.io/inject-ca-from': 'certificate',
  'cert-manager.io/inject-apiserver-ca': 'apiServer',
};

/** @see https://github.com/cert-manager/cert-manager/blob/master/pkg/controller/cainjector/sources.go */
function sourcesOf(object: ManifestObject): CaSource[] {
  const annotations = Field.of(object).get('metadata', 'annotations');
  return injectionSources(annotations.labels).flatMap((annotation): CaSource[] => {
    const field = annotations.get(annotation);
    const by = kinds[annotation]!;
    if (by === 'apiServer') {
      return field.text === 'true' ? [{ by, annotation, field }] : [];
    }
    const slash = (field.text ?? '').indexOf('/');
    const [namespace, name] = [(field.text ?? '').slice(0, slash), (field.text ?? '').slice(slash + 1)];
    const target = slash > 0 && name !== '' ? { target: { namespace, name } } : {};
    return [{ by, annotation, field, ...target }];
  });
}

/**
 * The text of a CA bundle, in base64. White space alone, or an empty value in base64, is what
 * manifests have for an injector to fill.
 *
 * @returns nothing where there is none
 */
export function bundleText({ caBundle }: CaBundleLocation): string | undefined {
  const text = caBundle.text?.trim();
  return text === undefined || ['', 'Cg==', 'Cgo=', 'e30=', 'IiI='].includes(text) ? undefined : text;
}

/** Whether an object was read from a cluster: the API server gave it an identity. */
export function isFromCluster(object: ManifestObject): boolean {
  const metadata = Field.of(object).get('metadata');
  return metadata.get('uid').exists || metadata.get('resourceVersion').exists;
}
