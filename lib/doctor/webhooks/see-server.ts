import type { CarefulReader, KubernetesObject } from '../../kubernetes';
import { Field } from '../../rules';
import type { AskHandshake } from '../handshake';
import { inTurn } from '../in-turn';
import type { MountedCertificate } from './mounted-certificates';
import { certificateIn, mountedSecrets } from './mounted-certificates';
import type { SeenPlace, SeenServer } from './seen-server';
import { isOutOfReach } from './seen-server';
import type { ServerPlace } from './server-places';
import { serverAddress } from './server-places';
import type { WebhookServer } from './webhook-server';

/** What a look at servers works with. */
export interface Looking {
  readonly reader: CarefulReader;
  readonly ask: AskHandshake;
  /** Handshakes of one server at once. */
  readonly concurrency: number;
  readonly signal?: AbortSignal;
}

/** No Service of a webhook has more pods that matter. */
const mostPlaces = 50;
/** Places that are asked before the others. */
const probes = 3;
/** Pods mount a handful. */
const mostSecrets = 20;

/** Looks at a server: its objects, what its places serve, and what its pods mount. */
export async function seeServer(server: WebhookServer, looking: Looking): Promise<SeenServer> {
  const { at } = server;
  if (at.by === 'url') {
    const [place] = await asked(server, [{ host: at.host, port: at.port, isReady: true }], looking);
    return { server, is: 'known', places: [place!] };
  }
  const { namespace, name, port } = at;
  const { reader } = looking;
  const service = await reader.get({ apiVersion: 'v1', kind: 'Service', metadata: { name, namespace } });
  if (service === 'missing') {
    return { server, is: 'noService', places: [] };
  }
  const slices =
    service &&
    (await reader.list(
      { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' },
      { namespace, labelSelector: `kubernetes.io/service-name=${name}` },
    ));
  if (!service || !slices) {
    return { server, is: 'unread', places: [] };
  }
  const address = serverAddress(service, slices, port);
  if (address.is === 'noPort') {
    return { server, is: 'noPort', ports: address.ports, places: [] };
  }
  const places =
    address.is === 'external' ? [{ host: address.host, port, isReady: true }] : readyFirst(address.places);
  const mounted = await mountedBehind(server.serverName, namespace, service, looking);
  return {
    server,
    is: 'known',
    places: await asked(server, places, looking),
    ...(mounted ? { mounted } : {}),
  };
}

function readyFirst(places: readonly ServerPlace[]): readonly ServerPlace[] {
  return [...places].sort((one, other) => Number(other.isReady) - Number(one.isReady));
}

async function asked(
  { serverName }: WebhookServer,
  places: readonly ServerPlace[],
  { ask, concurrency, signal }: Looking,
): Promise<SeenPlace[]> {
  const look = (some: readonly ServerPlace[]): Promise<SeenPlace[]> =>
    inTurn(
      some,
      concurrency,
      async (place) => ({
        ...place,
        handshake: await ask({ host: place.host, port: place.port, serverName }, signal),
      }),
      signal,
    );
  const first = await look(places.slice(0, probes));
  // A network that can't be reached from here is silent at every address, for seconds each time.
  const last = isOutOfReach({ places: first }) ? probes : mostPlaces;
  return [...first, ...(await look(places.slice(probes, last))), ...places.slice(last)];
}

/** Certificates of the Secrets that the pods behind a Service mount. */
async function mountedBehind(
  serverName: string,
  namespace: string,
  service: KubernetesObject,
  { reader }: Looking,
): Promise<readonly MountedCertificate[] | undefined> {
  const selector = Object.entries(Field.ofValue(service).get('spec', 'selector').labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  if (selector === '') {
    return undefined;
  }
  const pods = await reader.list({ apiVersion: 'v1', kind: 'Pod' }, { namespace, labelSelector: selector });
  const found: MountedCertificate[] = [];
  for (const name of mountedSecrets(pods ?? []).slice(0, mostSecrets)) {
    const secret = await reader.get({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace } });
    if (secret === undefined) {
      // The right is missing for all of them, or the others have it told, too.
      break;
    }
    const certificate = secret === 'missing' ? undefined : certificateIn(name, secret, serverName);
    found.push(...(certificate ? [certificate] : []));
  }
  return pods && found;
}
