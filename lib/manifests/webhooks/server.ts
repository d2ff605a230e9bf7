import { ApiObject, Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import type { Labels } from '../../core/kubernetes/label-selector';
import { across, object, optional } from '../../core/validation/collections';
import { dnsLabel, dnsSubdomain } from '../../core/validation/formats';
import type { Problem } from '../../core/validation/problems';
import type { Entries, Schema } from '../../core/validation/schema';
import { fits, number, oneOf, whole } from '../../core/validation/values';
import { completed, completedLabels } from '../field-schemas';

/** The Service that a webhook's server is behind. */
export interface WebhookService {
  /** Name of the Service. */
  readonly name: string;
  /**
   * Namespace of the Service. The webhook is never called for objects in it, so that its own pods come back when
   * none is left: give the server a namespace of its own.
   */
  readonly namespace: string;
  /** Port of the Service, 1 to 65535. @default 443 - as Kubernetes has it */
  readonly port?: number;
  /** Path of the requests, starting with "/". @default '/' */
  readonly path?: string;
}

/** The Service with everything said that has a default. */
export function serviceOfServer({
  name,
  namespace,
  port: ofService = 443,
  path = '/',
}: WebhookService): Required<WebhookService> {
  return { name, namespace, port: ofService, path };
}

/** What is known of the pods that answer a webhook. */
export interface WebhookPods {
  /** Labels that select the server's pods, and no others. */
  readonly podLabels: Labels;
  /** Number of replicas that the workload asks for: at least 2. */
  readonly replicas: number;
  /**
   * Whether to create a PodDisruptionBudget for these pods (at most one unavailable), or whether one exists already,
   * from a chart for example. A pod that two budgets select can't be evicted at all.
   * @default 'create'
   */
  readonly disruptionBudget?: 'create' | 'exists';
}

/** A path as the API server takes it: what is between slashes looks like a DNS name; a slash may end it. */
function isWebhookPath(path: string): boolean {
  const segments = path.replace(/^\//, '').replace(/\/$/, '').split('/');
  return path === '/' || (path.startsWith('/') && segments.every((segment) => dnsSubdomain.accepts(segment)));
}

/** A Service that is called without a path. */
export const serviceEntries: Entries<Omit<WebhookService, 'path'>> = {
  name: fits(dnsLabel),
  namespace: fits(dnsLabel),
  port: optional(whole(1, 65535)),
};

/**
 * A webhook's Service, as the API server takes it.
 * @see https://github.com/kubernetes/kubernetes/blob/master/staging/src/k8s.io/apiserver/pkg/util/webhook/validation.go
 */
export const webhookService: Schema<WebhookService> = object<WebhookService>({
  ...serviceEntries,
  path: optional(
    completed({
      allowed:
        'a path that starts with "/" and has lower-case letters, digits, "-" and "." between its slashes',
      accepts: (value) => typeof value === 'string' && isWebhookPath(value),
    }),
  ),
});

/** A webhook's server. One replica means that a node drain takes the webhook away. */
export const webhookPods: Schema<WebhookPods> = object<WebhookPods>({
  podLabels: across(completedLabels(), (labels, { mustBe }) => {
    if (Object.keys(labels).length === 0) {
      mustBe([], 'at least one label: none would select every pod');
    }
  }),
  replicas: number('at least 2: with one, draining its node stops the webhook', {
    min: 2,
    max: 1000,
    whole: true,
  }),
  disruptionBudget: optional(oneOf('create', 'exists')),
});

/** Name of the budget of a webhook's server: the same for every webhook behind one Service. */
function disruptionBudgetName(service: WebhookService): string {
  return `${service.name}-webhook`;
}

/** The budgets that webhooks of a chart have made, by the Service behind which their pods are. */
const budgets = new WeakMap<Chart, Map<string, ApiObject>>();

function budgetsOf(scope: Construct): Map<string, ApiObject> {
  const chart = Chart.of(scope);
  const found = budgets.get(chart) ?? new Map<string, ApiObject>();
  budgets.set(chart, found);
  return found;
}

const keyOf = ({ name, namespace }: WebhookService): string => `${namespace}/${name}`;

function podLabelsOf(budget: ApiObject): Labels {
  const { spec } = budget.toJson() as { spec?: { selector?: { matchLabels?: Labels } } };
  return spec?.selector?.matchLabels ?? {};
}

/** A problem if another webhook of the chart describes the pods behind the same Service otherwise. */
export function disruptionBudgetProblems(
  scope: Construct,
  service: WebhookService | undefined,
  server: WebhookPods | undefined,
): readonly Problem[] {
  const budget = service && wantsBudget(server) ? budgetsOf(scope).get(keyOf(service)) : undefined;
  if (service === undefined || server === undefined || budget === undefined) {
    return [];
  }
  const sorted = (labels: Labels): string =>
    JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
  const theirs = podLabelsOf(budget);
  return sorted(theirs) === sorted(server.podLabels)
    ? []
    : [
        {
          path: 'server.podLabels',
          value: server.podLabels,
          allowed: `the same for all webhooks behind ${service.name}: ${budget.node.path} has ${JSON.stringify(theirs)}`,
        },
      ];
}

function wantsBudget(server: WebhookPods | undefined): server is WebhookPods {
  return server !== undefined && server.disruptionBudget !== 'exists';
}

/**
 * The PodDisruptionBudget of a webhook's server: the one that another webhook of the same chart made, since the
 * eviction of a pod with two budgets fails, or else a new one.
 *
 * @returns undefined where nothing is known of the server, or it has one already
 * @see https://kubernetes.io/docs/tasks/run-application/configure-pdb/
 */
export function disruptionBudget(
  scope: Construct,
  service: WebhookService,
  server: WebhookPods | undefined,
): ApiObject | undefined {
  if (!wantsBudget(server)) {
    return undefined;
  }
  const made = budgetsOf(scope);
  const budget =
    made.get(keyOf(service)) ??
    new ApiObject(scope, 'DisruptionBudget', {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: disruptionBudgetName(service), namespace: service.namespace },
      spec: { maxUnavailable: 1, selector: { matchLabels: { ...server.podLabels } } },
    });
  made.set(keyOf(service), budget);
  return budget;
}
