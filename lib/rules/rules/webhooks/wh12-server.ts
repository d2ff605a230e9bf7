import { objectName } from '../../judged-object';
import type { ObjectIndex } from '../../object-index';
import type { AdmissionWebhook } from '../../objects/admission-webhooks';
import { admissionWebhooks } from '../../objects/admission-webhooks';
import type { CalledService } from '../../objects/called-service';
import type { Workload } from '../../objects/workloads';
import type { RawFinding, Rule } from '../../rule';
import type { Caller } from './callers';
import { callers } from './callers';
import { judgeBindings } from './policy-bindings';
import { calledInWords, judgePorts, judgeSelection, missingService } from './server-address';
import { judgeReadiness, judgeResilience } from './server-resilience';
import { serverOf } from './server';
import { nameInWords } from './words';

/** @see https://kubernetes.io/docs/concepts/cluster-administration/admission-webhooks-good-practices/#ha-deployment */
export const wh12: Rule = {
  id: 'WH12',
  severity: 'warning',
  title: 'Webhook that nothing answers, or that one node takes away',
  why: 'with no pod behind it, each call fails: requests are refused (Fail), or pass without it after a wait (Ignore)',
  fix: 'give it a Service with the port, at least two replicas, a PodDisruptionBudget and a readiness probe',
  *check({ objects }) {
    yield* objects.view(admissionWebhooks).filter(hasNoAddress).map(withoutAddress);
    const servers = new Map<string, Server>();
    for (const [called, behind] of byService(objects.view(callers))) {
      yield* judge(objects, called, behind, servers);
    }
    // Several Services may lead to the same pods, which are judged once.
    for (const { workloads, behind } of servers.values()) {
      yield* judgeResilience(objects, workloads, behind);
    }
    yield* judgeBindings(objects);
  },
};

/** Pods that answer, and all that call them. */
interface Server {
  readonly workloads: readonly Workload[];
  readonly behind: Caller[];
}

function hasNoAddress({ field, service }: AdmissionWebhook): boolean {
  return service === undefined && field.get('clientConfig', 'url').text === undefined;
}

function withoutAddress({ object, field, name }: AdmissionWebhook): RawFinding {
  return {
    object,
    pointer: field.get('clientConfig').pointer,
    severity: 'error',
    message: `webhook ${nameInWords(name)} names neither a url nor a service with name and namespace`,
    why: 'the API server refuses the configuration',
    fix: 'set clientConfig.service',
  };
}

/** Callers by the Service that is called, each with the Service as the first of them names it. */
function byService(all: readonly Caller[]): [CalledService, Caller[]][] {
  const found = new Map<string, [CalledService, Caller[]]>();
  for (const webhook of all) {
    if (webhook.service) {
      const key = calledInWords(webhook.service);
      const entry = found.get(key) ?? [webhook.service, []];
      found.set(key, entry);
      entry[1].push(webhook);
    }
  }
  return [...found.values()];
}

function* judge(
  objects: ObjectIndex,
  called: CalledService,
  webhooks: readonly Caller[],
  servers: Map<string, Server>,
): Iterable<RawFinding> {
  const { service, workloads } = serverOf(objects, called);
  if (!service) {
    yield* missingService(objects, called, webhooks);
    return;
  }
  yield* judgePorts(service, workloads, webhooks);
  if (workloads.length === 0) {
    yield* judgeSelection(objects, service, called, webhooks);
    return;
  }
  const key = JSON.stringify(workloads.map(({ object }) => objectName(object)));
  const server = servers.get(key) ?? { workloads, behind: [] };
  servers.set(key, server);
  server.behind.push(...webhooks);
  yield* judgeReadiness(service, workloads, webhooks);
}
