import { inTurn } from '../../../core/async';
import { bundleKinds } from '../../../core/certificates/ca-bundles';
import type { KubernetesObject, ObjectKind } from '../../../core/kubernetes/api';
import { CarefulReader } from '../../../core/kubernetes/tolerant-reader';
import { askHandshake } from '../../../core/tls';
import type { AskHandshake } from '../../../core/tls';
import { object, optional } from '../../../core/validation/collections';
import { callback } from '../../../core/validation/values';
import { groupOf, indexObjects, manifestObjects, lint, ruleGroups, caBundleLocations } from '../../../lint';
import type { Finding as LintFinding, ManifestObject, Rule } from '../../../lint';
import type { CheckReport, DoctorCheck, DoctorCheckKind, DoctorContext, DoctorFinding } from '../check';
import { addressFindings } from './address-findings';
import { certificateFindings } from './certificate-findings';
import { isOutOfReach, seeServer } from './observe';
import type { ObservedServer } from './observe';
import { webhookServers } from './server';
import { trustFindings } from './trust-findings';

/** Rules about webhooks, what they call and what API servers trust. Those of a change or of files have nothing to check here. */
export const doctorRules: readonly Rule[] = [
  ...ruleGroups.webhooks,
  ...ruleGroups.certificates,
  ...ruleGroups['load-balancer'],
].filter(({ needs }) => needs !== 'before');

/**
 * Kinds that the rules inspect in the whole cluster, beside the objects with CA bundles. Secrets are left out: what they
 * say of certificates is seen otherwise, and their keys stay where they are.
 */
const clusterKinds: readonly ObjectKind[] = [
  { apiVersion: 'v1', kind: 'Namespace' },
  { apiVersion: 'cert-manager.io/v1', kind: 'Certificate' },
  { apiVersion: 'cert-manager.io/v1', kind: 'Issuer' },
  { apiVersion: 'cert-manager.io/v1', kind: 'ClusterIssuer' },
];

/** Kinds that the rules inspect in the namespaces of servers: the rest of a cluster is large, and none of their business. */
const serverKinds: readonly ObjectKind[] = [
  { apiVersion: 'v1', kind: 'Service' },
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  { apiVersion: 'apps/v1', kind: 'StatefulSet' },
  { apiVersion: 'apps/v1', kind: 'DaemonSet' },
  { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' },
  { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' },
];

/**
 * What the lint rules find in live objects, in the doctor's form. A rule tells what may break: where that has happened, the
 * rest of the check says so, and so a rule's error is a warning here.
 */
function lintFindings(objects: readonly ManifestObject[], now: number): readonly DoctorFinding[] {
  const { findings, failures } = lint(objects, {
    rules: doctorRules,
    live: objects,
    minSeverity: 'warning',
    now,
  });
  return [
    ...findings.map(inDoctorsForm),
    ...failures.map(({ rule }): DoctorFinding => ({
      cause: 'rule-failed',
      severity: 'info',
      likelihood: 'certain',
      subject: `rule ${rule}`,
      message: 'the rule could not check the objects of this cluster',
      evidence: [],
      next: 'run cluster-canary lint on the manifests of these objects, and report what it prints',
    })),
  ];
}

function inDoctorsForm({
  rule,
  severity,
  message,
  why,
  fix,
  object,
  pointer,
  link,
}: LintFinding): DoctorFinding {
  const name = object.namespace === undefined ? object.name : `${object.namespace}/${object.name}`;
  return {
    cause: `lint-${rule.toLowerCase()}`,
    severity: severity === 'error' ? 'warning' : 'info',
    likelihood: 'possible',
    subject: `${object.kind} ${name}`,
    message,
    evidence: [
      `rule ${rule} (${severity}), at ${pointer === '' ? '/' : pointer}: ${why}`,
      ...(link === undefined ? [] : [link]),
    ],
    next: fix,
  };
}

/** How webhooks are inspected. */
export interface WebhooksCheckOptions {
  /** Asks servers for their certificates. @default - by TLS handshakes from this machine, of at most 4 s each */
  readonly ask?: AskHandshake;
}

const webhooksCheckOptions = object<WebhooksCheckOptions>({ ask: optional(callback) });

/**
 * Inspects everything that API servers call: webhooks, conversions of custom resources, and aggregated APIs. What each pod
 * serves is compared with the CA bundle that API servers have for it; where pods can't be reached from here, what they
 * mount is. The lint rules about webhooks run on the live objects.
 */
export function webhooksCheck({ ask = askHandshake() }: WebhooksCheckOptions = {}): DoctorCheck {
  return {
    name: 'webhooks',
    title: 'webhooks, conversions and aggregated APIs: what they serve, what API servers trust, when it ends',
    layer: 'connections',
    access,
    examine: (context) => examine(context, ask),
  };
}

/** The kind of it. */
export const webhooks: DoctorCheckKind<WebhooksCheckOptions> = {
  options: webhooksCheckOptions,
  create: webhooksCheck,
};

/** The addresses of a server, its pods and what they mount, beside the kinds that the rules inspect. */
const access: DoctorCheck['access'] = () => [
  ...[...bundleKinds, ...clusterKinds, ...serverKinds].map(({ apiVersion, kind }) => ({
    apiGroups: [groupOf(apiVersion)],
    resources: [`${kind.toLowerCase()}s`],
    verbs: ['list'],
  })),
  { apiGroups: [''], resources: ['services', 'secrets'], verbs: ['get'] },
  { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list'] },
];

async function examine(context: DoctorContext, ask: AskHandshake): Promise<CheckReport> {
  const { api, signal, concurrency } = context;
  const reader = new CarefulReader(api, signal);
  const callers = await lists(reader, bundleKinds, concurrency);
  const objects = manifestObjects(callers.filter(isOfInterest));
  const servers = webhookServers(indexObjects(objects).view(caBundleLocations));
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
  const others = manifestObjects(
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
    notChecked: reader.unseen,
  };
}

/** Everything that is wrong with one server and the bundles for it. */
function serverFindings(seen: ObservedServer, now: number): DoctorFinding[] {
  return [...addressFindings(seen), ...trustFindings(seen, now), ...certificateFindings(seen, now)];
}

async function lists(
  reader: CarefulReader,
  kinds: readonly (ObjectKind & { readonly namespace?: string })[],
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
function noteUnreached(reader: CarefulReader, seen: readonly ObservedServer[]): void {
  for (const each of seen) {
    const { server, places, mounted = [] } = each;
    const isLocal = server.at.by === 'url' && server.at.isLocal;
    const isSilent = places.length > 0 && !places.some(({ handshake }) => handshake?.outcome === 'served');
    if (isLocal && isSilent) {
      reader.note(`${server.name}: it is on the machines of the API servers, where only they can reach it`);
    } else if (isOutOfReach(each) && mounted.length === 0) {
      reader.note(
        `${server.name}: its addresses can't be reached from this machine, and no certificate was found among the Secrets that its pods mount; run the doctor in a pod of the cluster`,
      );
    }
  }
}

function lookedAt(seen: readonly ObservedServer[]): string {
  const callers = seen.reduce((sum, { server }) => sum + server.callers.length, 0);
  const places = seen.flatMap((each) => each.places);
  const served = places.filter(({ handshake }) => handshake?.outcome === 'served').length;
  const mounted = seen.filter((each) => isOutOfReach(each) && (each.mounted ?? []).length > 0).length;
  const secrets = mounted === 0 ? '' : `, ${mounted} servers by the Secrets that their pods mount`;
  return `${callers} webhooks, conversions and aggregated APIs on ${seen.length} servers, ${places.length} addresses, ${served} TLS handshakes from this machine${secrets}`;
}
