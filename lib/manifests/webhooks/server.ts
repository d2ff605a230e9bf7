import { ApiObject, Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import type { Labels } from '../../core/kubernetes/label-selector';
import { hasMarker } from '../../core/tokens';
import { FieldChecks } from '../../core/validation/fields';
import { dnsLabel, dnsSubdomain, oneOf, port, wholeNumber } from '../../core/validation/formats';
import type { OptionsOf } from '../../core/validation/option-keys';
import type { Problems } from '../../core/validation/problems';

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

export const webhookServiceKeys: OptionsOf<WebhookService> = {
  name: 'plain',
  namespace: 'plain',
  port: 'plain',
  path: 'plain',
};

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

export const webhookServerKeys: OptionsOf<WebhookPods> = {
  podLabels: 'plain',
  replicas: 'plain',
  disruptionBudget: 'plain',
};

/** A path as the API server takes it: what is between slashes looks like a DNS name; a slash may end it. */
function isWebhookPath(path: string): boolean {
  const segments = path.replace(/^\//, '').replace(/\/$/, '').split('/');
  return path === '/' || (path.startsWith('/') && segments.every((segment) => dnsSubdomain.accepts(segment)));
}

/**
 * Adds what the API server would refuse in a webhook's Service.
 * @see https://github.com/kubernetes/kubernetes/blob/master/staging/src/k8s.io/apiserver/pkg/util/webhook/validation.go
 */
export function checkService(problems: Problems, path: string, service: WebhookService): void {
  problems.check(`${path}.name`, service.name, dnsLabel);
  problems.check(`${path}.namespace`, service.namespace, dnsLabel);
  if (service.port !== undefined) {
    problems.check(`${path}.port`, service.port, port);
  }
  if (service.path !== undefined && !hasMarker(service.path) && !isWebhookPath(service.path)) {
    problems.add(
      `${path}.path`,
      service.path,
      'a path that starts with "/" and has lower-case letters, digits, "-" and "." between its slashes',
    );
  }
}

/** One replica means that a node drain takes the webhook away. */
const replicas = {
  ...wholeNumber(2, 1000),
  allowed: 'at least 2: with one, draining its node stops the webhook',
};

/** Adds what is wrong with the description of a webhook's server. */
export function checkServer(problems: Problems, path: string, server: WebhookPods): void {
  if (Object.keys(server.podLabels).length === 0) {
    problems.add(`${path}.podLabels`, server.podLabels, 'at least one label: none would select every pod');
  }
  new FieldChecks(problems).labels(`${path}.podLabels`, server.podLabels);
  problems.check(`${path}.replicas`, server.replicas, replicas);
  if (server.disruptionBudget !== undefined) {
    problems.check(`${path}.disruptionBudget`, server.disruptionBudget, oneOf('create', 'exists'));
  }
}

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

/** Adds a problem if another webhook of the chart describes the pods behind the same Service otherwise. */
export function checkDisruptionBudget(
  problems: Problems,
  scope: Construct,
  service: WebhookService,
  server: WebhookPods | undefined,
): void {
  if (!wantsBudget(server)) {
    return;
  }
  const budget = budgetsOf(scope).get(keyOf(service));
  const sorted = (labels: Labels): string =>
    JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
  if (budget && sorted(podLabelsOf(budget)) !== sorted(server.podLabels)) {
    problems.add(
      'server.podLabels',
      server.podLabels,
      `the same for all webhooks behind ${service.name}: ${budget.node.path} has ${JSON.stringify(podLabelsOf(budget))}`,
    );
  }
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
