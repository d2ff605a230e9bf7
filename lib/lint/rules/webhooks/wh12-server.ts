import { objectName } from '../../object';
import type { ObjectIndex } from '../../object-index';
import type { RawFinding, Rule } from '../../rule';
import { admissionPolicies, admissionWebhooks, policyBindings } from '../../views/admission';
import type {
  AdmissionWebhook,
  CalledServiceView,
  AdmissionPolicyView,
  PolicyBinding,
} from '../../views/admission';
import type { Workload } from '../../views/workloads';
import { nameInWords, objectInWords, webhookInWords } from './shared/format';
import { evaluateReadiness, evaluateResilience, serverOf } from './shared/server';
import {
  calledInWords,
  callers,
  evaluatePorts,
  evaluateSelection,
  missingService,
} from './shared/server-address';
import type { ServiceCaller } from './shared/server-address';

/** Policies and bindings that do nothing without each other. One that is not here may be in the cluster. */
function* evaluateBindings(objects: ObjectIndex): Iterable<RawFinding> {
  const policies = objects.view(admissionPolicies);
  yield* policies.filter(({ bindings }) => bindings.length === 0).map(unbound);
  yield* policies.flatMap((policy) => policy.bindings.flatMap((binding) => withoutParams(policy, binding)));
  const bound = new Set(policies.flatMap(({ bindings }) => bindings));
  yield* objects
    .view(policyBindings)
    .filter((binding) => !bound.has(binding))
    .map(withoutPolicy);
}

function unbound(policy: AdmissionPolicyView): RawFinding {
  return {
    object: policy.object,
    pointer: '',
    severity: 'info',
    message: `${webhookInWords(policy)} has no binding here`,
    why: 'a policy without a binding is never evaluated',
    fix: `lint it together with its binding, or add one: a ${policy.object.kind}Binding`,
  };
}

function withoutPolicy({ object, spec }: PolicyBinding): RawFinding {
  const name = spec.get('policyName');
  return {
    object,
    pointer: name.pointer,
    severity: 'info',
    message:
      name.text === undefined
        ? `${objectInWords(object)} names no policy`
        : `${objectInWords(object)} binds the policy ${nameInWords(name.text)}, which is not here`,
    why: 'the API server ignores a binding without its policy: nothing is evaluated',
    fix: 'name an existing policy, or lint the binding together with it',
  };
}

function withoutParams(policy: AdmissionPolicyView, { object, spec }: PolicyBinding): RawFinding[] {
  return policy.spec.get('paramKind').exists && !spec.get('paramRef').exists
    ? [
        {
          object,
          pointer: spec.get('paramRef').pointer,
          severity: 'warning',
          message: `${objectInWords(object)} has no paramRef, and ${webhookInWords(policy)} has parameters`,
          why: 'params is null in every expression, and one that reads it fails',
          fix: 'name the parameters in paramRef',
        },
      ]
    : [];
}

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
      yield* evaluate(objects, called, behind, servers);
    }
    // Several Services may lead to the same pods, which are checked once.
    for (const { workloads, behind } of servers.values()) {
      yield* evaluateResilience(objects, workloads, behind);
    }
    yield* evaluateBindings(objects);
  },
};

/** Pods that answer, and all that call them. */
interface Server {
  readonly workloads: readonly Workload[];
  readonly behind: ServiceCaller[];
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
function byService(all: readonly ServiceCaller[]): [CalledServiceView, ServiceCaller[]][] {
  const found = new Map<string, [CalledServiceView, ServiceCaller[]]>();
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

function* evaluate(
  objects: ObjectIndex,
  called: CalledServiceView,
  webhooks: readonly ServiceCaller[],
  servers: Map<string, Server>,
): Iterable<RawFinding> {
  const { service, workloads } = serverOf(objects, called);
  if (!service) {
    yield* missingService(objects, called, webhooks);
    return;
  }
  yield* evaluatePorts(service, workloads, webhooks);
  if (workloads.length === 0) {
    yield* evaluateSelection(objects, service, called, webhooks);
    return;
  }
  const key = JSON.stringify(workloads.map(({ object }) => objectName(object)));
  const server = servers.get(key) ?? { workloads, behind: [] };
  servers.set(key, server);
  server.behind.push(...webhooks);
  yield* evaluateReadiness(service, workloads, webhooks);
}
