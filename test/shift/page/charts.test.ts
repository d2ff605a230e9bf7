import { DrawnCharts } from '../../../lib/shift/page/charts';
import type { Charts } from '../../../lib/shift/page/charts';
import { ask, model } from './request';

test('charts that take half a second are drawn each five seconds, however many look; another outcome is drawn at once', () => {
  let now = 0;
  const charts = new DrawnCharts(() => now);
  let count = 0;
  const draw = (): Charts => {
    now += 500;
    count += 1;
    return [[`drawing ${count}`, []]];
  };
  const shown = (key?: object) => charts.of(key, draw)[0]![0];
  expect([shown(), shown(), shown()]).toEqual(Array(3).fill('drawing 1'));
  now += 4_999;
  expect(shown()).toBe('drawing 1');
  now += 1;
  expect(shown()).toBe('drawing 2');
  const outcome = {};
  expect([shown(outcome), shown(outcome), shown({})]).toEqual(['drawing 3', 'drawing 3', 'drawing 4']);
});

test('who looks at a page gets what was drawn for another; where it is and what can be done is of now', () => {
  let now = 0;
  const charts = new DrawnCharts(() => now);
  charts.of(undefined, () => {
    now += 100;
    return [['weights', []]];
  });
  const { routes, ...page } = model();
  const { body } = ask('/parts/traffic', { ...page, routes: [{ ...routes[0]!, charts }] });
  expect(body).toContain('id="part-weights"');
  expect(body).not.toContain('id="part-log"');
  expect(body).toContain('Step 2 of 7');
  expect(ask('/parts/traffic', { ...page, routes }).body).toContain('id="part-log"');
});
