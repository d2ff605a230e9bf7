import type { OptionsOf } from '../problems';
import type { SecretKey } from './shift-workflow-props';
import { secretKeyKeys } from './shift-workflow-props';

/**
 * Events that the controller of Argo Workflows records for a Workflow.
 *
 * - `WorkflowNodeError`: a step has ended with an error, a refused pod for example. It may be tried again.
 * - `WorkflowNodeFailed`: a step's own program has failed.
 * - `WorkflowFailed`: the workflow has ended, failed or with an error.
 * - `WorkflowTimedOut`: its deadline is over.
 * @see https://argo-workflows.readthedocs.io/en/latest/workflow-events/
 */
export type WorkflowEvent =
  | 'WorkflowNodeError'
  | 'WorkflowNodeFailed'
  | 'WorkflowFailed'
  | 'WorkflowTimedOut';

/** What alerts are made of. */
export interface WorkflowAlertsProps {
  /** Name of the EventSource and the Sensor, and of what belongs to them: a DNS label of at most 40 characters. */
  readonly name: string;
  /** Namespace of these, where an EventBus is, too. */
  readonly namespace: string;
  /** Namespace of the workflows. @default - `namespace` */
  readonly workflowNamespace?: string;
  /** Where alerts are posted to, as JSON: a URL that starts with `https://`. */
  readonly url: string;
  /** The key of a Secret in `namespace` whose value is the header `Authorization`. @default - the header is not sent */
  readonly authorization?: SecretKey;
  /**
   * What is told, in any order.
   * @default ['WorkflowNodeError', 'WorkflowFailed'] - the first says that pods are refused while retries may still help,
   * the second that they did not
   */
  readonly events?: readonly WorkflowEvent[];
  /** Name of the EventBus. @default - Argo Events' own: `default` */
  readonly eventBusName?: string;
}

export const workflowAlertsPropsKeys: OptionsOf<WorkflowAlertsProps> = {
  name: 'plain',
  namespace: 'plain',
  workflowNamespace: 'plain',
  url: 'plain',
  authorization: secretKeyKeys,
  events: 'list',
  eventBusName: 'plain',
};
