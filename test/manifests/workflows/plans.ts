import type { ChartProps } from 'cdk8s';
import { Chart, Testing } from 'cdk8s';
import { ShiftWorkflow } from '../../../lib/manifests/workflows';
import type { ShiftWorkflowProps, WorkflowPlan } from '../../../lib/manifests/workflows';

export const image = `registry.example.com/cluster-canary@sha256:${'0a'.repeat(32)}`;

const slots = { blue: {}, green: {} };
const route = { router: { simulated: {} }, slots };

/** A plan for one router. */
export const onePlan: WorkflowPlan = { ...route, weights: { green: 100 }, shift: { pause: [50, 10] } };

/** A plan for these routes, in waves. */
export function wavesPlan(
  waves: readonly (readonly string[])[],
  more: Partial<WorkflowPlan> = {},
): WorkflowPlan {
  const routes = Object.fromEntries(waves.flat().map((name) => [name, route]));
  return { routes, waves, weights: { green: 100 }, ...more };
}

export const usual: ShiftWorkflowProps = { name: 'apps-web', namespace: 'shifts', image, plan: onePlan };

/** The objects of a workflow, as `cdk8s synth` writes them. */
export function objectsOf(props: Partial<ShiftWorkflowProps> = {}, inChart?: ChartProps): any[] {
  const chart = new Chart(Testing.app(), 'test', inChart);
  new ShiftWorkflow(chart, 'shift', { ...usual, ...props });
  return Testing.synth(chart);
}

/** Templates of its WorkflowTemplate, by name. */
export function templatesOf(props: Partial<ShiftWorkflowProps> = {}): Record<string, any> {
  const { spec } = objectsOf(props).find(({ kind }) => kind === 'WorkflowTemplate');
  return Object.fromEntries(spec.templates.map((template: any) => [template.name, template]));
}

/** Tasks of its DAG: `NAME: DEPENDS`. */
export function chainOf(props: Partial<ShiftWorkflowProps> = {}): string[] {
  return templatesOf(props)['main'].dag.tasks.map(
    ({ name, depends = '' }: { name: string; depends?: string }) => `${name}: ${depends}`,
  );
}
