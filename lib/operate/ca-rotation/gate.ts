import type { X509Certificate } from 'node:crypto';
import { bundleKinds, bundlesIn } from '../../core/certificates/ca-bundles';
import type { CalledService } from '../../core/certificates/ca-bundles';
import { blockers } from '../../core/certificates/ca-rotation';
import type {
  ObservedBundle,
  ObservedPod,
  CaRotationObservation,
  CaRotationPhase,
} from '../../core/certificates/ca-rotation';
import { trustAnchor, serverCertificate, sameAuthority } from '../../core/certificates/x509';
import type { TrustAnchor } from '../../core/certificates/x509';
import type { KubernetesObject, KubernetesReader } from '../../core/kubernetes/api';
import { askByHandshake } from '../../core/tls';
import type { AskCertificate, ServedAt } from '../../core/tls';
import { InvalidInput } from '../../core/validation/problems';

/** What is inspected. */
export interface CaRotationGate {
  /** Services that the servers are behind. */
  readonly services: readonly CalledService[];
  /** Certificates of both authorities. */
  readonly authorities: readonly X509Certificate[];
  /** Whether the pods are asked for their certificates: their addresses are reached from inside of the cluster. */
  readonly pods: boolean;
}

/** What API servers trust by configuration, and what the pods serve, now. */
async function observe(
  api: KubernetesReader,
  { services, authorities, pods }: CaRotationGate,
  ask: AskCertificate,
  signal?: AbortSignal,
): Promise<CaRotationObservation> {
  const [bundles, served] = await Promise.all([
    observeBundles(api, services, signal),
    pods ? observePods(api, services, authorities, ask, signal) : [],
  ]);
  return { now: Date.now(), bundles, pods: served };
}

/** Every CA bundle for these Services, wherever in the cluster it is. */
async function observeBundles(
  api: KubernetesReader,
  services: readonly CalledService[],
  signal?: AbortSignal,
): Promise<ObservedBundle[]> {
  const options = signal ? { signal } : {};
  const objects = await Promise.all(bundleKinds.map((kind) => api.list(kind, options)));
  return objects.flat().flatMap((object) => bundlesIn(object, services, Date.now()));
}

interface Service extends KubernetesObject {
  readonly spec?: { readonly ports?: readonly { readonly name?: string; readonly port: number }[] };
}

interface EndpointSlice extends KubernetesObject {
  readonly endpoints?: readonly {
    readonly addresses: readonly string[];
    readonly targetRef?: { readonly name?: string };
  }[];
  readonly ports?: readonly { readonly name?: string; readonly port?: number }[];
}

/** Every pod behind these Services, ready or not: one that is not may be, a moment later, with what it serves. */
async function observePods(
  api: KubernetesReader,
  services: readonly CalledService[],
  authorities: readonly X509Certificate[],
  ask: AskCertificate,
  signal?: AbortSignal,
): Promise<ObservedPod[]> {
  const found = await Promise.all(services.map((service) => podPlaces(api, service, signal)));
  return Promise.all(
    found.flat().map(async ({ pod, ...at }) => {
      const certificate = await ask(at, signal);
      return { name: pod, ...(certificate ? { leaf: serverCertificate(certificate, authorities) } : {}) };
    }),
  );
}

async function podPlaces(
  api: KubernetesReader,
  { name, namespace, port = 443 }: CalledService,
  signal?: AbortSignal,
): Promise<(ServedAt & { readonly pod: string })[]> {
  const service: Service = await api.get(
    { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace } },
    signal,
  );
  const called = service.spec?.ports?.find((each) => each.port === port);
  if (!called) {
    throw new InvalidInput(`Service ${namespace}/${name}`, [
      { path: 'port', value: port, allowed: 'a port of the Service: the one that API servers call' },
    ]);
  }
  const slices: readonly EndpointSlice[] = await api.list(
    { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' },
    { namespace, labelSelector: `kubernetes.io/service-name=${name}`, ...(signal ? { signal } : {}) },
  );
  return slices.flatMap(({ endpoints, ports }) =>
    // An empty slice has null in the place of its lists.
    (ports ?? [])
      // A slice names its ports as the Service does; several pods may give one name several numbers.
      .filter((each) => (each.name ?? '') === (called.name ?? ''))
      .flatMap(({ port: number }) =>
        (endpoints ?? []).flatMap(({ addresses, targetRef }) =>
          addresses.flatMap((host) =>
            number === undefined
              ? []
              : [
                  {
                    pod: podName(targetRef?.name, host, number),
                    host,
                    port: number,
                    serverName: `${name}.${namespace}.svc`,
                  },
                ],
          ),
        ),
      ),
  );
}

function podName(name: string | undefined, host: string, port: number): string {
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return name === undefined ? address : `${name} (${address})`;
}

/** A CA rotation in a cluster. */
export interface CaRotationTarget {
  /** Certificate of the authority that signed so far. */
  readonly old: X509Certificate;
  /** Certificate of the authority that takes over. */
  readonly renewed: X509Certificate;
  /** Services of all servers whose certificates these authorities sign. */
  readonly services: readonly CalledService[];
  /**
   * How long every bundle must have held both authorities before the new one signs, in milliseconds.
   * @default 3600000 - an hour
   */
  readonly settleMilliseconds?: number;
}

/** Which authority: one of the two, or the subject of another. */
export type ObservedAuthority =
  | 'old'
  | 'renewed'
  | {
      /** Subject of the other authority's certificate. */
      readonly other: string;
    };

/** What a gate found. */
export interface GateReport {
  /** Version of this document. */
  readonly schemaVersion: 1;
  /** The phase whose gate was inspected. */
  readonly phase: CaRotationPhase;
  /** Whether the phase is over. */
  readonly passed: boolean;
  /** What keeps it from being over, a line each. */
  readonly blockers: readonly string[];
  /** Both authorities. */
  readonly authorities: Readonly<
    Record<
      'old' | 'renewed',
      {
        /** Subject of the authority's certificate. */
        readonly subject: string;
        /** Names its key, so that two authorities of one subject are distinguished. */
        readonly key: string;
      }
    >
  >;
  /** Every place with a CA bundle. */
  readonly bundles: readonly {
    /** Names it: `MutatingWebhookConfiguration gate, webhook gate.pods.example.com`. */
    readonly place: string;
    /** The authorities in the bundle. */
    readonly holds: readonly ObservedAuthority[];
    /** Since when it is as it is. */
    readonly since: string;
  }[];
  /** Only where the phase is `switch`; the others don't ask pods. */
  readonly pods: readonly {
    /** Name of the pod. */
    readonly name: string;
    /** Who signed what it serves; null where it did not answer. */
    readonly signer: ObservedAuthority | null;
  }[];
}

/**
 * Whether a phase is over, checked by what API servers have been told to trust, and for `switch` by what every pod serves.
 *
 * @param ask asks a pod for its certificate, at its own address. @default - by a TLS handshake
 * @throws KubernetesError; InvalidInput where a Service lacks the port
 */
export async function checkGate(
  api: KubernetesReader,
  phase: CaRotationPhase,
  target: CaRotationTarget,
  ask: AskCertificate = askByHandshake,
  signal?: AbortSignal,
): Promise<GateReport> {
  const { services, settleMilliseconds } = target;
  const [old, renewed] = [trustAnchor(target.old), trustAnchor(target.renewed)];
  const authorities = [target.old, target.renewed];
  const observation = await observe(api, { services, authorities, pods: phase === 'switch' }, ask, signal);
  const rotation = { old, renewed, ...(settleMilliseconds === undefined ? {} : { settleMilliseconds }) };
  const found = blockers(phase, rotation, observation);
  return {
    schemaVersion: 1,
    phase,
    passed: found.length === 0,
    blockers: found,
    authorities: { old: named(old), renewed: named(renewed) },
    ...seen(observation, old, renewed),
  };
}

function named({ subject, key }: TrustAnchor): { subject: string; key: string } {
  return { subject, key };
}

function seen(
  { bundles, pods }: CaRotationObservation,
  old: TrustAnchor,
  renewed: TrustAnchor,
): Pick<GateReport, 'bundles' | 'pods'> {
  const which = (authority: { subject: string; key: string }): ObservedAuthority => {
    if (sameAuthority(authority, renewed)) {
      return 'renewed';
    }
    return sameAuthority(authority, old) ? 'old' : { other: authority.subject };
  };
  return {
    bundles: bundles.map(({ place, anchors, since }) => ({
      place,
      holds: anchors.map(which),
      since: new Date(since).toISOString(),
    })),
    pods: pods.map(({ name, leaf }) => ({ name, signer: leaf ? which(leaf.signer) : null })),
  };
}
