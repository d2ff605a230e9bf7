import { metrics } from '../../../lib/shift/notify/exposition';
import { dashboard, dashboardQueries } from './dashboard';

const source = { type: 'prometheus', uid: '${datasource}' };

/** Labels of a metric. */
const labelsOf = (name: string): readonly string[] => ['fleet', 'route', ...metrics[name]!.labels];

const namesIn = (expression: string): string[] => expression.match(/cluster_canary_\w+/g) ?? [];

/** Names in a list between brackets, as behind `by`. */
const listed = (text: string): string[] => text.split(',').map((each) => each.trim());

test('it is of the model that Grafana 9 to 13 import: an id, a version, variables, panels', () => {
  expect(dashboard.uid).toMatch(/^[a-z-]{8,40}$/);
  expect(dashboard.schemaVersion).toBe(39);
  expect(dashboard.time).toEqual({ from: 'now-1h', to: 'now' });
  // What only the dialog of an import fills would be empty where a file is provisioned.
  expect(dashboard).not.toHaveProperty('__inputs');
  expect(dashboard.templating.list.map(({ name, type }) => [name, type])).toEqual([
    ['datasource', 'datasource'],
    ['fleet', 'query'],
    ['route', 'query'],
  ]);
  const ids = dashboard.panels.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

test('panels have a place of their own within the grid, a known type, and the data source that a user chooses', () => {
  const taken = new Map<string, string>();
  for (const { type, title, gridPos, datasource, targets } of dashboard.panels) {
    expect(['row', 'stat', 'table', 'timeseries', 'state-timeline']).toContain(type);
    expect([title, type === 'row' || targets!.length > 0]).toEqual([title, true]);
    expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        expect([title, taken.get(`${x} ${y}`)]).toEqual([title, undefined]);
        taken.set(`${x} ${y}`, title);
      }
    }
    if (type !== 'row') {
      expect(datasource).toEqual(source);
      expect(new Set(targets!.map(({ refId }) => refId)).size).toBe(targets!.length);
    }
  }
});

test.each(dashboardQueries)('%s asks for metrics and labels that there are', (_, target) => {
  const { expr, legendFormat, datasource } = target;
  expect(datasource).toEqual(source);
  const names = namesIn(expr);
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => !(name in metrics))).toEqual([]);
  // Each selector is of one name, of the fleet and the route that the user has chosen.
  const selectors = [...expr.matchAll(/(\w+)\{([^}]*)\}/g)];
  expect(selectors.map(([, name]) => name)).toEqual(names);
  for (const [, name, text] of selectors) {
    const used = [...text!.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)].map(([, label, , value]) => [
      label!,
      value!,
    ]);
    expect(used).toEqual(
      expect.arrayContaining([
        ['fleet', '$fleet'],
        ['route', '$route'],
      ]),
    );
    expect(used.filter(([label]) => !labelsOf(name!).includes(label!))).toEqual([]);
  }
  const groups = [...expr.matchAll(/\bby \(([^)]*)\)/g)].map(([, text]) => listed(text!));
  for (const group of groups) {
    expect(group.filter((label) => !names.every((name) => labelsOf(name).includes(label)))).toEqual([]);
  }
  const left = groups[0] ?? labelsOf(names[0]!);
  const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!);
  expect(shown.filter((label) => !left.includes(label))).toEqual([]);
});

test('a range that a user may choose is in each instant query, and in no other', () => {
  for (const [title, { expr, instant = false }] of dashboardQueries) {
    expect([title, expr.includes('[$__range]')]).toEqual([title, instant]);
  }
});

test('every metric is shown, and those of variables are there, too', () => {
  const shown = new Set(dashboardQueries.flatMap(([, { expr }]) => namesIn(expr)));
  const variables = dashboard.templating.list.flatMap(({ query, definition }) => {
    const text = typeof query === 'string' ? query : query.query;
    expect(definition ?? text).toBe(text);
    return namesIn(text);
  });
  expect(new Set([...shown, ...variables])).toEqual(new Set(Object.keys(metrics)));
});
