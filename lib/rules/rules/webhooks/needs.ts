import type { AdmissionWebhook } from '../../objects/admission-webhooks';
import type { KnownNamespace } from '../../objects/namespaces';
import type { Workload } from '../../objects/workloads';
import type { RuleContext } from '../../rule';
import type { Graph } from './cycles';
import { knownNamespace, reachOf } from './reach';
import type { Support } from './supports';
import { supports, supportsOf } from './supports';

/** A webhook that refuses new pods while it is down, and the workloads that answer for it. */
export interface Gate {
  readonly webhook: AdmissionWebhook;
  readonly servers: readonly Workload[];
}

/** What pods may need to start. */
export type Need =
  | { readonly kind: 'workload'; readonly workload: Workload }
  /** Webhooks with the same selectors. */
  | { readonly kind: 'gates'; readonly gates: readonly Gate[] }
  | { readonly kind: 'support'; readonly support: Support };

/** What needs what to start. */
export interface Needs {
  readonly graph: Graph<Need>;
  /** Of webhooks, and of those that give support. */
  readonly nodes: ReadonlyMap<Workload, Need>;
}

/**
 * What the pods of webhooks, and those that they need, need to start: the webhooks that are asked about them, and whatever
 * gives network, volumes and certificates.
 *
 * @param certain whether a webhook counts only where it is asked for certain
 */
export function needsOf(context: RuleContext, gates: readonly Gate[], certain: boolean): Needs {
  const graph = new Map<Need, Set<Need>>();
  const add = (from: Need, to: Need): unknown => graph.get(from)!.add(to);
  const nodes = new Map<Workload, Need>();
  const node = (workload: Workload): Need => {
    let need = nodes.get(workload);
    if (!need) {
      nodes.set(workload, (need = { kind: 'workload', workload }));
      graph.set(need, new Set());
    }
    return need;
  };
  const given = addSupports(context, graph, node);
  const servers = webhooksOfServers(gates);
  for (const [server, webhooks] of servers) {
    const need = node(server);
    supportsOf(server, webhooks).forEach((support) => add(need, given.get(support)!));
  }
  const namespaces = namespacesOf(context, nodes.keys(), servers);
  for (const alike of withSameSelectors(gates)) {
    const asked: Need = { kind: 'gates', gates: alike };
    graph.set(asked, new Set(alike.flatMap(({ servers }) => servers).map(node)));
    for (const [workload, need] of nodes) {
      const namespace = namespaces.get(workload);
      const reach = namespace && reachOf(alike[0]!.webhook, namespace, workload.labels);
      if (reach && (!certain || reach.unless.length === 0)) {
        add(need, asked);
      }
    }
  }
  return { graph, nodes };
}

function addSupports(
  { objects }: RuleContext,
  graph: Map<Need, Set<Need>>,
  node: (workload: Workload) => Need,
): ReadonlyMap<Support, Need> {
  return new Map(
    [...objects.view(supports)].map(([support, givers]) => {
      const need: Need = { kind: 'support', support };
      graph.set(need, new Set(givers.map(node)));
      return [support, need];
    }),
  );
}

function webhooksOfServers(gates: readonly Gate[]): ReadonlyMap<Workload, readonly AdmissionWebhook[]> {
  const found = new Map<Workload, AdmissionWebhook[]>();
  for (const { webhook, servers } of gates) {
    for (const server of servers) {
      const webhooks = found.get(server) ?? [];
      found.set(server, webhooks);
      webhooks.push(webhook);
    }
  }
  return found;
}

/** Namespaces of workloads. One that names none is where its Service is; without that, it is not known. */
function namespacesOf(
  context: RuleContext,
  workloads: Iterable<Workload>,
  servers: ReadonlyMap<Workload, readonly AdmissionWebhook[]>,
): ReadonlyMap<Workload, KnownNamespace> {
  return new Map(
    [...workloads].flatMap((workload) => {
      const name = workload.object.namespace ?? servers.get(workload)?.[0]?.service?.namespace;
      return name === undefined ? [] : [[workload, knownNamespace(context, name)] as const];
    }),
  );
}

/** How many times selectors have to be compared with pods. */
export function comparisonsOf({ objects }: RuleContext, gates: readonly Gate[]): number {
  const givers = [...objects.view(supports).values()].flat();
  const pods = new Set([...gates.flatMap(({ servers }) => servers), ...givers]);
  return [...withSameSelectors(gates)].length * pods.size;
}

/** Those with the same selectors and conditions are asked about the same pods: they are judged once. */
function withSameSelectors(gates: readonly Gate[]): Iterable<readonly Gate[]> {
  const groups = new Map<string, Gate[]>();
  for (const gate of gates) {
    const { namespaceSelector, objectSelector, matchConditions } = gate.webhook;
    const key = JSON.stringify([
      namespaceSelector,
      objectSelector,
      matchConditions.map(({ expression }) => expression),
    ]);
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    group.push(gate);
  }
  return groups.values();
}
