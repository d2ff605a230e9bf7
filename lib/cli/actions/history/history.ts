import { awsClients } from '../../../core/aws/clients';
import { callAws } from '../../../core/aws/errors';
import { errorLine } from '../../../core/validation/problems';
import { historyDocument, historyText, keptItem, openHistory } from '../../../operate/history';
import type {
  HistoryItem,
  HistoryQuery,
  HistoryReport,
  HistorySettings,
  ShiftItem,
} from '../../../operate/history';
import { swapHistory, swapStore, unfinishedSwap } from '../../../operate/swap';
import { openShiftHistory } from '../../../shift/history';
import type { ShiftHistorySettings } from '../../../shift/history';
import { openRoute } from '../../../shift/plan-file';
import type { CheckedPlanFile } from '../../../shift/plan-file';
import { interruptible } from '../../interruptible';
import { couldNotRun, jsonText, somethingWrong, writeDocument, writeNotes, writeOut } from '../../output';
import { showRights } from './rights';
import { sourcesOf } from './sources';
import type { HistoryFlags, HistorySource, Sources, SwapFile } from './sources';

/**
 * Runs `cluster-canary history`, and sets the exit status.
 *
 * @throws InvalidInput with everything that is wrong with flags and plan
 * @throws AwsError, KubernetesError where the history can't be read
 */
export async function history(flags: HistoryFlags): Promise<void> {
  const sources = sourcesOf(flags);
  if (flags.rights === true) {
    await showRights(sources, flags.json === true);
    return;
  }
  await interruptible(async (signal) => {
    const { isUnread, ...report } = await found(sources, flags.limit, signal);
    if (isUnread) {
      writeNotes(...report.problems);
      process.exitCode = couldNotRun;
      return;
    }
    await (flags.json === true
      ? writeDocument(jsonText(historyDocument(report)))
      : writeOut(historyText(report)));
    if (flags.json !== true) {
      writeNotes(...report.problems);
    }
    process.exitCode = report.problems.length > 0 ? somethingWrong : 0;
  });
}

/** What sources have, and whether none of them could be read. */
interface Found extends HistoryReport {
  readonly isUnread: boolean;
}

async function found(sources: Sources, limit: number, signal: AbortSignal): Promise<Found> {
  const { histories, swaps, shifts } = sources;
  const [only, ...others] = histories;
  // Where one is all there is, that it can't be read is all there is to say.
  const lists =
    only && others.length === 0
      ? [{ ...(await listOf(only, limit, signal)), isUnread: false }]
      : await Promise.all(histories.map((each) => attempt(() => listOf(each, limit, signal), signal)));
  const more = await Promise.all([
    ...swaps.map((swap) => attempt(() => newestSwap(swap, signal), signal)),
    ...Object.keys(shifts?.routes ?? {}).map((route) =>
      attempt(() => newestShift(shifts!, route, signal), signal),
    ),
  ]);
  const listed = newest(
    lists.flatMap(({ items }) => items),
    limit,
  );
  const known = new Set(listed.map((item) => ('id' in item ? item.id : '')));
  const unlisted = more
    .flatMap(({ items }) => items)
    .filter((item) => !('id' in item && known.has(item.id)) && !isKept(item, listed));
  const all = [...lists, ...more];
  return {
    items: [...unlisted, ...listed],
    problems: all.flatMap(({ problems }) => problems),
    isUnread: all.length > 0 && all.every(({ isUnread }) => isUnread),
  };
}

/** In milliseconds: a shift ends when its lease is given back, which may take a while. */
const endsWithin = 60_000;

/** The lease of a route remembers its newest shift, which the history may have as a whole. */
function isKept(item: HistoryItem, listed: readonly HistoryItem[]): boolean {
  const at = item.kind === 'shift' ? item.endedAt : undefined;
  return (
    at !== undefined &&
    listed.some(
      (each) =>
        each.kind === 'shift' &&
        each.route === (item as ShiftItem).route &&
        each.verdict === item.verdict &&
        Math.abs((each.endedAt ?? 0) - at) < endsWithin,
    )
  );
}

/** Of several lists, each newest first, as many as of one; what two of them have, once. */
function newest(items: readonly HistoryItem[], limit: number): readonly HistoryItem[] {
  const once = new Map(
    items.map((item) => [item.kind === 'swap' ? `${item.fleet} ${item.region} ${item.id}` : item.id, item]),
  );
  return [...once.values()].sort((one, other) => other.startedAt - one.startedAt).slice(0, limit);
}

async function listOf(
  { place, base = '.', fleet }: HistorySource,
  limit: number,
  signal: AbortSignal,
): Promise<HistoryReport> {
  const query = { limit, ...(fleet !== undefined && { fleet }) };
  const lists = [
    ...(place.swaps ? [await endedSwaps(place.swaps, query, signal)] : []),
    ...(place.shifts ? [await keptShifts(place.shifts, base, query, signal)] : []),
  ];
  return {
    items: lists.flatMap(({ items }) => items),
    problems: lists.flatMap(({ problems }) => problems),
  };
}

async function endedSwaps(
  settings: HistorySettings,
  query: HistoryQuery,
  signal: AbortSignal,
): Promise<HistoryReport> {
  const opened = await openHistory(settings);
  try {
    const { entries, problems } = await opened.store.list(query, signal);
    return { items: entries, problems };
  } finally {
    opened.close();
  }
}

async function keptShifts(
  settings: ShiftHistorySettings,
  base: string,
  query: HistoryQuery,
  signal: AbortSignal,
): Promise<HistoryReport> {
  const opened = await openShiftHistory(settings, base);
  try {
    const { shifts, problems } = await opened.history.list(query, signal);
    return { items: shifts.map(keptItem), problems };
  } finally {
    opened.close();
  }
}

/** What one of several sources has; where it can't be read, the others count. */
async function attempt(look: () => Promise<HistoryReport>, signal: AbortSignal): Promise<Found> {
  try {
    return { ...(await look()), isUnread: false };
  } catch (error) {
    signal.throwIfAborted();
    return { items: [], problems: [errorLine(error)], isUnread: true };
  }
}

/** The swap of the lease: one that runs, or one that was killed before its entry was added. */
async function newestSwap(swap: SwapFile, signal: AbortSignal): Promise<HistoryReport> {
  const clients = awsClients({ ...(swap.region !== undefined && { region: swap.region }) });
  try {
    const call = { action: 'ssm:GetParameter', subject: `the lease of fleet ${swap.fleet}` };
    const region = swap.region ?? (await callAws(call, async () => (await clients.ssm()).config.region()));
    const fleet = { fleet: swap.fleet, region };
    const held = await swapStore(swap.lease ?? { ssm: {} }, fleet, clients);
    try {
      const { record, problem } = await held.lease.look(signal);
      const item: HistoryItem | undefined =
        record && (swapHistory(record, fleet) ?? unfinishedSwap(record, fleet));
      return {
        items: item ? [item] : [],
        problems: problem === undefined ? [] : [`${held.lease.name}: ${problem}`],
      };
    } finally {
      held.close();
    }
  } finally {
    clients.close();
  }
}

async function newestShift(
  plan: CheckedPlanFile,
  route: string,
  signal: AbortSignal,
): Promise<HistoryReport> {
  const opened = await openRoute(plan, route);
  try {
    const { record, problem } = await opened.lease.look(signal);
    const shift: ShiftItem | undefined = record && {
      kind: 'shift',
      route,
      startedAt: record.startedAt,
      ...(record.ended && { endedAt: record.ended.at }),
      verdict: record.ended?.verdict ?? 'unfinished',
      from: record.origin,
      to: record.wanted,
    };
    return {
      items: shift ? [shift] : [],
      problems: problem === undefined ? [] : [`${opened.lease.name}: ${problem}`],
    };
  } finally {
    opened.close();
  }
}
