import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A query of a panel. */
export interface DashboardTarget {
  readonly refId: string;
  readonly expr: string;
  readonly legendFormat: string;
  /** Whether it is asked for one moment. @default false */
  readonly instant?: boolean;
  readonly datasource: { readonly type: string; readonly uid: string };
}

/** A panel, or a row, which has no queries. */
export interface DashboardPanel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly datasource?: { readonly type: string; readonly uid: string };
  readonly targets?: readonly DashboardTarget[];
}

/** A variable of the dashboard. */
export interface DashboardVariable {
  readonly name: string;
  readonly type: string;
  readonly query: string | { readonly query: string };
  readonly definition?: string;
}

/** What Grafana calls the Classic model, as far as tests look at it. */
export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly schemaVersion: number;
  readonly time: { readonly from: string; readonly to: string };
  readonly templating: { readonly list: readonly DashboardVariable[] };
  readonly panels: readonly DashboardPanel[];
}

/** The dashboard of the package. */
export const dashboard: Dashboard = JSON.parse(
  readFileSync(join(__dirname, '../../../dashboards/cluster-canary.json'), 'utf8'),
);

/** Every query, with the title of its panel. */
export const dashboardQueries: readonly (readonly [title: string, target: DashboardTarget])[] =
  dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map((target): readonly [string, DashboardTarget] => [`${title} ${target.refId}`, target]),
  );
