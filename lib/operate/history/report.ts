import { oneLine } from '../../core/printable-text';
import { dollars } from '../../core/readiness/eks';
import type { ApprovalRecord } from '../../shift/engine';
import type { KeptShift } from '../../shift/history';
import type { HistoryCost, HistoryEntry } from './entry';

/** A swap that has not ended. */
export interface OpenSwap extends Pick<
  HistoryEntry,
  'id' | 'kind' | 'fleet' | 'region' | 'by' | 'startedAt' | 'old' | 'new' | 'why' | 'phases'
> {
  /** It has not ended. */
  readonly verdict: 'unfinished';
  /** Phase that runs or comes next. */
  readonly phase: string;
  /** Why the last run stopped. @default - one runs, or was killed */
  readonly stopped?: string;
}

/** A shift: one that a history has as a whole, or the newest of a route, as its lease knows it. */
export interface ShiftItem {
  /** What it is. */
  readonly kind: 'shift';
  /** Its name in the history. @default - the lease alone knows it */
  readonly id?: string;
  /** Name of the fleet. @default - it is not known */
  readonly fleet?: string;
  /** The plan file, or what a program has shifted. @default - it is not known */
  readonly plan?: string;
  /** Name of the route in its plan. */
  readonly route: string;
  /** When it began, in milliseconds since 1970. */
  readonly startedAt: number;
  /** When it ended. @default - it has not ended */
  readonly endedAt?: number;
  /** How it ended, or `unfinished`. */
  readonly verdict: string;
  /** Who ran it: user and machine. @default - it is not known */
  readonly by?: string;
  /** Why it did not complete, in one sentence. @default - it did, or it is not known */
  readonly why?: string;
  /** Pauses that a person has let it go beyond. @default - none whose person is known */
  readonly approvals?: readonly ApprovalRecord[];
  /** Weights at its begin, in percent by slot; empty where they could not be read. */
  readonly from: Readonly<Record<string, number>>;
  /** Weights that were wanted. */
  readonly to: Readonly<Record<string, number>>;
}

/** One line of the history. */
export type HistoryItem = HistoryEntry | OpenSwap | ShiftItem;

/** A kept shift as a line of the history. */
export function keptItem({
  run,
  startedAt,
  endedAt,
  verdict,
  reason,
  from,
  to,
  approvals,
}: KeptShift): ShiftItem {
  const { id, plan, route, fleet, by } = run;
  const [why = ''] = reason.split('\n');
  return {
    ...{ kind: 'shift', id, route, ...(fleet !== undefined && { fleet }), plan, by },
    ...{ startedAt: Date.parse(startedAt), endedAt: Date.parse(endedAt), verdict },
    ...(verdict !== 'completed' && { why: why.slice(0, longestWhy) }),
    ...(approvals && { approvals }),
    ...{ from: from ?? {}, to },
  };
}

/** One sentence, in characters: its outcome has all of it. */
const longestWhy = 300;

/** What was found. */
export interface HistoryReport {
  /** What has ended, and what runs. */
  readonly items: readonly HistoryItem[];
  /** What could not be read, a line each. */
  readonly problems: readonly string[];
}

/** The newest first, of two at once the one that has the lower name. */
function inOrder(items: readonly HistoryItem[]): readonly HistoryItem[] {
  return [...items].sort(
    (one, other) => other.startedAt - one.startedAt || (nameOf(one) < nameOf(other) ? -1 : 1),
  );
}

function nameOf(item: HistoryItem): string {
  if (item.kind === 'shift') {
    const { fleet, route, plan } = item;
    // A plan for one router has the one route "traffic", which says nothing.
    const name = plan === undefined ? route : route === 'traffic' ? plan : `${plan}: ${route}`;
    return fleet === undefined ? name : `${fleet}/${route}`;
  }
  return `${item.fleet} (${item.region})`;
}

/** The history as `--json` prints it: `schemas/history.json`. */
export function historyDocument({ items, problems }: HistoryReport): object {
  return {
    schemaVersion: 1,
    entries: inOrder(items).map((item) => {
      const { startedAt, ...rest } = item;
      const times = {
        startedAt: timeOf(startedAt),
        ...('endedAt' in item && item.endedAt !== undefined && { endedAt: timeOf(item.endedAt) }),
      };
      if (item.kind === 'shift') {
        return { ...rest, ...times };
      }
      const cost = 'cost' in item ? item.cost : undefined;
      return {
        ...rest,
        ...times,
        phases: item.phases.map((phase) => ({
          ...phase,
          startedAt: timeOf(phase.startedAt),
          endedAt: timeOf(phase.endedAt),
        })),
        ...(cost && { cost: costDocument(cost) }),
      };
    }),
    problems,
  };
}

function costDocument(cost: HistoryCost): object {
  const { hours, centsAnHour } = cost;
  return {
    hours,
    ...(centsAnHour !== undefined && {
      usdAnHour: centsAnHour / 100,
      usd: Number(totalOf(hours, centsAnHour)),
    }),
  };
}

function totalOf(hours: number, centsAnHour: number): string {
  return dollars(hours * centsAnHour);
}

const columns = ['STARTED', 'TOOK', 'WHAT', 'FROM', 'TO', 'RESULT', 'BY', 'CONTROL PLANE'];

/** The history as a table, with what went wrong below the line that it is about. */
export function historyText({ items }: Pick<HistoryReport, 'items'>): readonly string[] {
  if (items.length === 0) {
    return ['Nothing has ended yet.'];
  }
  const rows = inOrder(items).map((item) => ({ item, cells: cellsOf(item).map(oneLine) }));
  const widths = columns.map((column, at) =>
    Math.max(column.length, ...rows.map(({ cells }) => cells[at]!.length)),
  );
  const lineOf = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => cell.padEnd(widths[at]!))
      .join('  ')
      .trimEnd();
  const isPriced = items.some((item) => 'cost' in item && item.cost !== undefined);
  return [
    lineOf(columns),
    ...rows.flatMap(({ item, cells }) => [
      lineOf(cells),
      ...detailsOf(item).map((line) => `  ${oneLine(line)}`),
    ]),
    ...(isPriced
      ? [
          '',
          'CONTROL PLANE: hours of the second control plane, and their price in most regions. Nodes cost more.',
        ]
      : []),
  ];
}

function cellsOf(item: HistoryItem): readonly string[] {
  const endedAt = 'endedAt' in item ? item.endedAt : undefined;
  const took = endedAt === undefined ? '' : spanOf(endedAt - item.startedAt);
  const started = timeOf(item.startedAt).replace(/:\d\d\.\d+Z$/, 'Z');
  if (item.kind === 'shift') {
    const [from, to] = [weightsOf(item.from), weightsOf(item.to)];
    return [
      started,
      took,
      `shift of ${nameOf(item)}`,
      from,
      to,
      verdictText(item.verdict),
      item.by ?? '',
      '',
    ];
  }
  const slot = ({ name, version }: { readonly name: string; readonly version: string }): string =>
    `${name} ${version}`;
  const result = item.verdict === 'unfinished' ? `unfinished (${item.phase})` : verdictText(item.verdict);
  const cost = 'cost' in item ? item.cost : undefined;
  return [
    ...[started, took, `swap of ${nameOf(item)}`, slot(item.old), slot(item.new), result, item.by],
    cost ? costText(cost) : '',
  ];
}

function verdictText(verdict: string): string {
  return verdict === 'rolledBack' ? 'rolled back' : verdict;
}

function costText({ hours, centsAnHour }: HistoryCost): string {
  return centsAnHour === undefined ? `${hours} h` : `${hours} h, ${totalOf(hours, centsAnHour)} USD`;
}

/** Why it went back, and who agreed to what; of a kept shift its name. */
function detailsOf(item: HistoryItem): readonly string[] {
  if (item.kind === 'shift') {
    const { id, why, approvals = [] } = item;
    return [
      ...(why === undefined ? [] : [`why: ${why}`]),
      ...(approvals.length > 0
        ? [`agreed: ${approvals.map(({ place, by }) => `${place} % by ${by}`).join(', ')}`]
        : []),
      ...(id === undefined ? [] : [`kept: ${id}`]),
    ];
  }
  const agreed = item.phases.filter(({ approvedBy }) => approvedBy !== undefined);
  const stopped = item.verdict === 'unfinished' ? item.stopped : undefined;
  return [
    ...(item.why !== undefined ? [`went back: ${item.why}`] : []),
    ...(stopped !== undefined ? [`stopped: ${stopped}`] : []),
    ...(agreed.length > 0
      ? [`agreed: ${agreed.map(({ phase, approvedBy }) => `${phase} by ${approvedBy}`).join(', ')}`]
      : []),
  ];
}

function weightsOf(weights: Readonly<Record<string, number>>): string {
  return Object.entries(weights)
    .map(([slot, weight]) => `${slot} ${weight}`)
    .join(', ');
}

function timeOf(moment: number): string {
  return new Date(moment).toISOString();
}

/** `3 d 4 h`, `4 h 5 min`, `5 min` */
function spanOf(milliseconds: number): string {
  const minutes = Math.max(0, Math.round(milliseconds / 60_000));
  const [days, hours, rest] = [Math.floor(minutes / 1_440), Math.floor(minutes / 60) % 24, minutes % 60];
  if (days > 0) {
    return `${days} d ${hours} h`;
  }
  return hours > 0 ? `${hours} h ${rest} min` : `${rest} min`;
}
