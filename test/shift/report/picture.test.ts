import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { shiftPlan } from '../../../lib/shift/engine';
import { readPlan } from '../../../lib/shift/plan-file';
import { renderReport } from '../../../lib/shift/report';
import { readScenario, simulate } from '../../../lib/shift/simulation';

const root = resolve(__dirname, '..', '..', '..');
const planFile = 'examples/shift/plan.yaml';
const scenarioFile = 'examples/shift/scenarios/late-outage.yaml';

/** After a change of the report or of the simulation, docs/shift.md names the command that draws it anew. */
test('the picture in the documents is what the tool draws', () => {
  const plan = readPlan(join(root, planFile));
  const { outcome } = simulate({
    plan: shiftPlan(plan.slots, plan.weights, plan.shift),
    checks: plan.checks,
    scenario: readScenario(readFileSync(join(root, scenarioFile), 'utf8'), scenarioFile, plan.slots),
    runs: 1,
    seed: 1,
  });
  const { 'shift.svg': svg } = renderReport(outcome!, {
    title: `Simulated shift of ${planFile}`,
    note: `Scenario ${scenarioFile}, seed 1. No traffic was moved.`,
  });
  expect(readFileSync(join(root, 'docs', 'pictures', 'shift.svg'), 'utf8')).toBe(svg);
});
