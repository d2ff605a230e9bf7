import type { KubernetesObject, ResourceKind } from '../../kubernetes';
import { bundleKinds } from '../../certificates';
import type { OptionsOf } from '../../problems';
import { indexObjects, judgedObjects, trustAnchors } from '../../rules';
import type { CheckReport, DoctorCheck, DoctorContext } from '../doctor-check';
import type { Finding } from '../finding';
import type { AskHandshake } from '../handshake';
import { askHandshake } from '../handshake';
import { inTurn } from '../in-turn';
import { CarefulReader } from '../../kubernetes';
import { addressFindings } from './address-findings';
import { certificateFindings } from './certificate-findings';
import { clusterKinds, lintFindings, serverKinds } from './lint-findings';
import { seeServer } from './see-server';
import type { SeenServer } from './seen-server';
import { isOutOfReach } from './seen-server';
import { trustFindings } from './trust-findings';
import { webhookServers } from './webhook-server';

/** How webhooks are looked at. */
export interface WebhooksCheckOptions {
  /** Asks servers for their certificates. @default - by TLS handshakes from this machine, of at most 4 s each */
  readonly ask?: AskHandshake;
}

export const webhooksCheckOptionsKeys: OptionsOf<WebhooksCheckOptions> = { ask: 'open' };

/**
 * Looks at everything that API servers call: webhooks, conversions of custom resources, and aggregated APIs. What each pod
 * serves is compared with the CA bundle that API servers have for it; where pods can't be reached from here, what they
 * mount is. The lint rules about webhooks run on the live objects.
 */
export function webhooksCheck({ ask = askHandshake() }: WebhooksCheckOptions = {}): DoctorCheck {
  return {
    name: 'webhooks',
    title: 'webhooks, conversions and aggregated APIs: what they serve, what API servers trust, when it ends',
    examine: (context) => examine(context, ask),
  };
}

async function examine(context: DoctorContext, ask: AskHandshake): Promise<CheckReport> {
  const { api, signal, concurrency } = context;
  const reader = new CarefulReader(api, signal);
  const callers = await lists(reader, bundleKinds, concurrency);
  const objects = judgedObjects(callers.filter(isOfInterest));
  const servers = webhookServers(indexObjects(objects).view(trustAnchors));
  let done = 0;
  const seen = await inTurn(
    servers,
    concurrency,
    async (server) => {
      const found = await seeServer(server, { reader, ask, concurrency: 8, signal });
      done += 1;
      context.progress(`webhooks: ${done} of ${servers.length} servers`);
      return found;
    },
    signal,
  );
  const now = context.now().getTime();
  const namespaces = new Set(servers.flatMap(({ at }) => (at.by === 'service' ? [at.namespace] : [])));
  const others = judgedObjects(
    await lists(
      reader,
      [
        ...clusterKinds,
        ...[...namespaces].flatMap((namespace) => serverKinds.map((kind) => ({ ...kind, namespace }))),
      ],
      concurrency,
    ),
  );
  noteUnreached(reader, seen);
  return {
    findings: [
      ...seen.flatMap((each) => serverFindings(each, now)),
      ...lintFindings([...objects, ...others], now),
    ],
    looked: lookedAt(seen),
    unseen: reader.unseen,
  };
}

/** Everything that is wrong with one server and the bundles for it. */
function serverFindings(seen: SeenServer, now: number): Finding[] {
  return [...addressFindings(seen), ...trustFindings(seen, now), ...certificateFindings(seen, now)];
}

async function lists(
  reader: CarefulReader,
  kinds: readonly (ResourceKind & { readonly namespace?: string })[],
  concurrency: number,
): Promise<readonly KubernetesObject[]> {
  const found = await inTurn(
    kinds,
    concurrency,
    async ({ namespace, ...kind }) =>
      (await reader.list(kind, namespace === undefined ? {} : { namespace })) ?? [],
  );
  return found.flat();
}

/** Of custom resource definitions, only those with a conversion webhook are kept: the others are large, and many. */
function isOfInterest({ kind, spec }: KubernetesObject): boolean {
  const conversion = (spec as { conversion?: { strategy?: unknown } | null } | null | undefined)?.conversion;
  return kind !== 'CustomResourceDefinition' || conversion?.strategy === 'Webhook';
}

/** Servers of which nothing was seen: no handshake from here, and no Secret either. */
function noteUnreached(reader: CarefulReader, seen: readonly SeenServer[]): void {
  for (const each of seen) {
    const { server, places, mounted = [] } = each;
    const isLocal = server.at.by === 'url' && server.at.isLocal;
    const isSilent = places.length > 0 && !places.some(({ handshake }) => handshake?.outcome === 'served');
    if (isLocal && isSilent) {
      reader.note(`${server.name}: it is on the machines of the API servers, where only they can ask it`);
    } else if (isOutOfReach(each) && mounted.length === 0) {
      reader.note(
        `${server.name}: its addresses can't be reached from this machine, and no certificate was found among the Secrets that its pods mount; run the doctor in a pod of the cluster`,
      );
    }
  }
}

function lookedAt(seen: readonly SeenServer[]): string {
  const callers = seen.reduce((sum, { server }) => sum + server.callers.length, 0);
  const places = seen.flatMap((each) => each.places);
  const served = places.filter(({ handshake }) => handshake?.outcome === 'served').length;
  const mounted = seen.filter((each) => isOutOfReach(each) && (each.mounted ?? []).length > 0).length;
  const secrets = mounted === 0 ? '' : `, ${mounted} servers by the Secrets that their pods mount`;
  return `${callers} webhooks, conversions and aggregated APIs on ${seen.length} servers, ${places.length} addresses, ${served} TLS handshakes from this machine${secrets}`;
}
