import { ApiObject, Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import type { Problems } from '../problems';
import type { Labels } from './label-selector';
import type { WebhookServer, WebhookService } from './webhook-server';

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
  server: WebhookServer | undefined,
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

function wantsBudget(server: WebhookServer | undefined): server is WebhookServer {
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
  server: WebhookServer | undefined,
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
