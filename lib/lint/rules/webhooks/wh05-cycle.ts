import { namespaceNameLabel } from '../../../core/admission/requests';
import type { RawFinding, Rule, RuleContext } from '../../rule';
import { admissionWebhooks } from '../../views/admission';
import type { AdmissionWebhook } from '../../views/admission';
import { workloadsBehind } from '../../views/workloads';
import { listInWords, objectInWords, webhookInWords } from './shared/format';
import { asksAbout, knownNamespace, reachOf, unlessInWords } from './shared/reach';
import { comparisonsOf, cyclesOf, needsOf, supports, trustsCertManager, wayIn } from './shared/startup-needs';
import type { Gate, Need, Needs } from './shared/startup-needs';

/** @see https://kubernetes.io/docs/concepts/cluster-administration/admission-webhooks-good-practices/#avoid-dependency-loops */
export const wh05: Rule = {
  id: 'WH05',
  severity: 'error',
  title: 'Webhooks that need each other to start',
  why: 'once both sides are down, neither comes back: the pods of each wait for the other',
  fix: 'leave out of one webhook the namespaces of what its own pods need: other webhooks, network, storage, cert-manager',
  liveKinds: [{ apiVersion: 'v1', kind: 'Namespace' }],
  *check(context) {
    const gates = gatesOf(context);
    if (comparisonsOf(context, gates) > mostComparisons) {
      yield tooMany(gates);
      return;
    }
    const certain = cycleFindings(needsOf(context, gates, true), 'error');
    yield* certain.values();
    const doubtful = cycleFindings(needsOf(context, gates, false), 'info');
    for (const [webhook, finding] of doubtful) {
      if (!certain.has(webhook)) {
        yield finding;
      }
    }
    yield* withoutCertManager(context, gates);
  },
};

/** Some 200 webhooks with selectors of their own around as many servers: far more than a cluster has. */
const mostComparisons = 50_000;

function tooMany(gates: readonly Gate[]): RawFinding {
  const { webhook } = gates[0]!;
  return {
    object: webhook.object,
    pointer: webhook.field.pointer,
    severity: 'info',
    message: `${gates.length} webhooks, ${webhookInWords(webhook)} first, are called for new pods: too many to look for those that need each other`,
    fix: 'lint the objects of one cluster at a time',
  };
}

/** Webhooks that refuse new pods while they are down, with the workloads that answer for them. */
function gatesOf({ objects }: RuleContext): Gate[] {
  const pods = { operation: 'CREATE', group: '', resource: 'pods', namespaced: true } as const;
  return objects
    .view(admissionWebhooks)
    .filter((webhook) => webhook.failurePolicy === 'Fail' && asksAbout(webhook, pods))
    .map((webhook) => ({
      webhook,
      servers: (webhook.service && workloadsBehind(objects, webhook.service)) ?? [],
    }));
}

/** At most one for each webhook. */
function cycleFindings(needs: Needs, severity: 'error' | 'info'): Map<AdmissionWebhook, RawFinding> {
  const found = new Map<AdmissionWebhook, RawFinding>();
  for (const group of cyclesOf(needs.graph)) {
    for (const need of group) {
      for (const gate of need.kind === 'gates' ? need.gates : []) {
        const finding = findingOf(needs, group, need, gate, severity);
        if (finding) {
          found.set(gate.webhook, finding);
        }
      }
    }
  }
  return found;
}

function findingOf(
  { graph, nodes }: Needs,
  group: ReadonlySet<Need>,
  asked: Need,
  { webhook, servers }: Gate,
  severity: 'error' | 'info',
): RawFinding | undefined {
  const own = servers.map((each) => nodes.get(each)!).filter((each) => group.has(each));
  const [server] = own;
  const others = [...group].filter(
    (each) => each.kind === 'workload' && !own.includes(each) && graph.get(each)!.has(asked),
  );
  const [other] = others;
  if (!server || !other) {
    return undefined;
  }
  const way = wayIn(graph, group, server, other).map(needInWords);
  const named = others.map(needInWords);
  return {
    object: webhook.object,
    pointer: webhook.field.get('namespaceSelector').pointer,
    severity,
    message: `${webhookInWords(webhook)} is called for the pods of ${listInWords(named)}, and its own need those to start: ${way.join(' -> ')}${
      severity === 'error' ? '' : '; labels or match conditions that are not known here may leave them out'
    }`,
  };
}

function needInWords(need: Need): string {
  switch (need.kind) {
    case 'workload':
      return objectInWords(need.workload.object);
    case 'gates':
      return webhookInWords(need.gates[0]!.webhook);
    case 'support':
      return need.support === 'network' ? 'the pod network' : need.support;
  }
}

/** Where the annotation says that cert-manager is needed, and it is not among the objects. */
function* withoutCertManager(context: RuleContext, gates: readonly Gate[]): Iterable<RawFinding> {
  if (context.objects.view(supports).get('certificates')!.length > 0) {
    return;
  }
  for (const { webhook } of gates) {
    const name = 'cert-manager';
    const reach = trustsCertManager(webhook)
      ? reachOf(webhook, knownNamespace(context, name), undefined)
      : undefined;
    if (reach) {
      yield {
        object: webhook.object,
        pointer: webhook.field.get('namespaceSelector').pointer,
        severity: 'info',
        message: `${webhookInWords(webhook)} trusts certificates of cert-manager, which is not here, and is called for new pods in the namespace ${name}${unlessInWords(reach)}`,
        fix: `leave the namespace of cert-manager out: namespaceSelector with ${namespaceNameLabel} NotIn`,
      };
    }
  }
}
