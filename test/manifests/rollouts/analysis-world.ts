import { Chart, Testing } from 'cdk8s';
import { MetricTemplate } from '../../../lib/manifests/flagger';
import { AnalysisTemplate } from '../../../lib/manifests/rollouts';
import type { SharedCheck } from '../../../lib/manifests/shift-checks';

const chartOf = (): Chart => new Chart(Testing.app(), 'test');

/** The template of one check, as it is written. */
export function templateOf(check: SharedCheck, more: object = {}, props: object = {}): any {
  const chart = chartOf();
  new AnalysisTemplate(chart, 'template', { name: 'template', metrics: [{ check, ...more }], ...props });
  return Testing.synth(chart)[0];
}

/** Its metric, with arguments in place of the variables. */
export function metricOf(
  check: SharedCheck,
  args: Readonly<Record<string, string>> = {},
  more: object = {},
): any {
  const text = JSON.stringify(templateOf(check, more).spec.metrics[0]);
  return JSON.parse(text.replace(/\{\{args\.(\w+)\}\}/g, (_all, name: string) => args[name] ?? `no ${name}`));
}

/** Flagger's template of a check, and its metric for a Canary. */
export function flaggerOf(check: SharedCheck, more: object = {}, values?: Record<string, string>): any {
  const chart = chartOf();
  const template = new MetricTemplate(chart, 'template', { name: 'template', check, ...more });
  const metric = template.metric(values);
  return { ...Testing.synth(chart)[0].spec, metric };
}
