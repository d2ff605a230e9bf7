import type { KubernetesObject, ObjectKind } from '../kubernetes/api';
import type { ObservedBundle } from './ca-rotation';
import { trustAnchor, readCertificates } from './x509';

/** A Service that API servers call. */
export interface CalledService {
  /** Name of the Service. */
  readonly name: string;
  /** Namespace of the Service. */
  readonly namespace: string;
  /** Port of the Service. @default 443 - as Kubernetes has it */
  readonly port?: number;
}

const admission = 'admissionregistration.k8s.io/v1';

/** The kinds of objects that hold CA bundles for the servers that API servers call. */
export const bundleKinds: readonly ObjectKind[] = [
  { apiVersion: admission, kind: 'MutatingWebhookConfiguration' },
  { apiVersion: admission, kind: 'ValidatingWebhookConfiguration' },
  { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
  { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' },
];

interface ClientConfig {
  readonly service?: CalledService;
  /** PEM in base64. */
  readonly caBundle?: string;
}

/** What the library reads of an object with CA bundles. */
interface BundleHolder extends KubernetesObject {
  readonly webhooks?: readonly { readonly name: string; readonly clientConfig?: ClientConfig }[];
  readonly spec?: ClientConfig & {
    readonly conversion?: { readonly webhook?: { readonly clientConfig?: ClientConfig } };
  };
}

/** The CA bundles of an object that are for one of these Services. */
export function bundlesIn(
  object: KubernetesObject,
  services: readonly CalledService[],
  now: number,
): ObservedBundle[] {
  const { kind, metadata, webhooks = [], spec } = object as BundleHolder;
  const since = bundlesWrittenAt(metadata['managedFields'], now);
  const place = `${kind} ${metadata.name}`;
  const found: readonly (readonly [string, ClientConfig | undefined])[] = [
    ...webhooks.map(({ name, clientConfig }) => [`${place}, webhook ${name}`, clientConfig] as const),
    [`${place}, conversion webhook`, spec?.conversion?.webhook?.clientConfig],
    [place, kind === 'APIService' ? spec : undefined],
  ];
  return found.flatMap(([name, config]) =>
    isFor(config, services)
      ? [{ place: name, anchors: readCertificates(decoded(config.caBundle)).map(trustAnchor), since }]
      : [],
  );
}

/**
 * A merge patch that makes this the CA bundle wherever an object holds one for one of these Services, if the object is
 * still the one that was read.
 *
 * @param bundle PEM
 * @returns undefined where every one is so already
 */
export function bundlePatch(
  object: KubernetesObject,
  services: readonly CalledService[],
  bundle: string,
): object | undefined {
  const { kind, metadata, webhooks, spec } = object as BundleHolder;
  const caBundle = Buffer.from(bundle).toString('base64');
  const differs = (config: ClientConfig | undefined): boolean =>
    isFor(config, services) && config.caBundle !== caBundle;
  const conversion = spec?.conversion?.webhook?.clientConfig;
  const changes = {
    // A merge patch writes a list whole.
    ...(webhooks?.some(({ clientConfig }) => differs(clientConfig)) === true
      ? {
          webhooks: webhooks.map((each) =>
            differs(each.clientConfig) ? { ...each, clientConfig: { ...each.clientConfig, caBundle } } : each,
          ),
        }
      : {}),
    ...(differs(conversion) ? { spec: { conversion: { webhook: { clientConfig: { caBundle } } } } } : {}),
    ...(kind === 'APIService' && differs(spec) ? { spec: { caBundle } } : {}),
  };
  return Object.keys(changes).length === 0
    ? undefined
    : { metadata: { resourceVersion: metadata.resourceVersion }, ...changes };
}

function isFor(
  config: ClientConfig | undefined,
  services: readonly CalledService[],
): config is ClientConfig & { service: CalledService } {
  const service = config?.service;
  return services.some(({ name, namespace }) => service?.name === name && service.namespace === namespace);
}

function decoded(base64 = ''): string {
  return Buffer.from(base64, 'base64').toString();
}

/**
 * Since when the CA bundles of an object are as they are: when an owner of one last wrote it. API servers note that for
 * each owner as long as it owns the field.
 *
 * @param managedFields of the object's metadata, whatever stands there
 * @returns now, where nothing says when
 */
export function bundlesWrittenAt(managedFields: unknown, now: number): number {
  const times = (Array.isArray(managedFields) ? (managedFields as readonly unknown[]) : [])
    .map((entry) => (entry ?? {}) as { readonly time?: unknown; readonly fieldsV1?: unknown })
    .filter(({ fieldsV1 }) => JSON.stringify(fieldsV1 ?? {}).includes('"f:caBundle"'))
    .map(({ time }) => Date.parse(typeof time === 'string' ? time : ''));
  return times.length === 0 || times.some(Number.isNaN) ? now : Math.max(...times);
}

/**
 * The annotations that cert-manager's CA injector reads, the one that wins first.
 * @see https://github.com/cert-manager/cert-manager/blob/master/pkg/apis/certmanager/v1/types.go
 */
export const sources = ['cert-manager.io/inject-ca-from-secret', 'cert-manager.io/inject-ca-from'] as const;

/** Reads the API server's own CA, which signs no webhook's certificate here. */
export const apiServerSource = 'cert-manager.io/inject-apiserver-ca';

/** The annotations among these that name a source of the CA. */
export function injectionSources(annotations: Readonly<Record<string, string>>): string[] {
  return [...sources, apiServerSource].filter((key) => Object.hasOwn(annotations, key));
}

/** Lets cert-manager's injector read a Secret that is no Certificate's. */
export const directInjection = 'cert-manager.io/allow-direct-injection';

/** Annotation of an object whose CA bundle is injected from a Secret, `NAMESPACE/NAME`. */
export const injectFromSecret = 'cert-manager.io/inject-ca-from-secret';
