import type { ObjectIndex } from '../../object-index';
import type { AdmissionWebhook } from '../../objects/admission-webhooks';
import { admissionWebhooks } from '../../objects/admission-webhooks';
import type { CalledService } from '../../objects/called-service';
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
    for (const [called, behind] of byService(objects.view(callers))) {
      yield* judge(objects, called, behind);
    }
    yield* judgeBindings(objects);
  },
};

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
  yield* judgeResilience(objects, workloads, webhooks);
  yield* judgeReadiness(service, workloads, webhooks);
}
