import { versionOf } from '../../../operate/swap';
import type {
  FleetConfiguration,
  RanPhase,
  SwapOutcome,
  SwapPhase,
  SwapRecord,
  SwapWavesOutcome,
} from '../../../operate/swap';

/** What `swap --json` prints: `schemas/swap-outcome.json`. Times are ISO 8601 in UTC. */
export interface SwapDocument {
  readonly schemaVersion: 1;
  readonly fleet: string;
  readonly verdict: SwapOutcome['verdict'];
  /** Whether nothing was to be done. */
  readonly unchanged: boolean;
  readonly reason: string;
  /** The phase that it stopped at; null where no swap is open. */
  readonly phase: SwapPhase | null;
  /** When it is of use to run it again; null where it says nothing. */
  readonly again: string | null;
  readonly startedAt: string;
  readonly endedAt: string;
  /** The newest swap of the fleet; null where there was none. */
  readonly state: SwapStateDocument | null;
  /** Phases that have ended, of each swap that this run has gone through. */
  readonly history: readonly PhaseDocument[];
  readonly log: readonly { readonly at: string; readonly text: string }[];
  /** Why the lease could not be given back; null where it was. */
  readonly leaseProblem: string | null;
}

/** What `swap --json` prints of several fleets. */
export interface SwapWavesDocument extends Pick<
  SwapDocument,
  'schemaVersion' | 'verdict' | 'unchanged' | 'reason' | 'again' | 'startedAt' | 'endedAt'
> {
  /** Names of fleets, wave by wave. */
  readonly waves: SwapWavesOutcome['waves'];
  /** How the swap of each fleet ended; null where it did not run. */
  readonly fleets: Readonly<Record<string, SwapDocument | null>>;
}

/** The newest swap of a fleet. */
export interface SwapStateDocument {
  readonly id: string;
  readonly by: string;
  readonly startedAt: string;
  readonly old: { readonly name: string; readonly version: string };
  readonly new: { readonly name: string; readonly version: string };
  readonly phase: SwapPhase;
  /** Why it goes back, and what becomes of the new cluster; null where it does not. */
  readonly back: { readonly why: string; readonly then: 'keep' | 'delete' } | null;
  /** Configuration that was written last; null where none was. */
  readonly written: FleetConfiguration | null;
  /** Since when it waits for a person; null where it does not. */
  readonly askedAt: string | null;
  /** How the last run stopped, which left it unfinished; null while one runs, where it was killed, and once it has ended. */
  readonly stopped: {
    readonly at: string;
    readonly by: string;
    readonly verdict: 'held' | 'aborted';
    readonly reason: string;
  } | null;
  readonly ended: { readonly at: string; readonly verdict: 'completed' | 'rolledBack' | 'forgotten' } | null;
}

/** A phase that has ended. */
interface PhaseDocument {
  readonly swap: string;
  readonly phase: SwapPhase;
  readonly from: string;
  readonly to: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly verdict: RanPhase['verdict'];
  readonly reason: string | null;
  readonly approvedBy: string | null;
}

/** A time as it is printed. */
export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

/** The outcome of a run as a document. */
export function swapDocument(outcome: SwapOutcome): SwapDocument {
  const { fleet, verdict, unchanged, reason, again, record, phases, log, leaseProblem } = outcome;
  return {
    schemaVersion: 1,
    ...{ fleet, verdict, unchanged: unchanged === true, reason },
    phase: record && !record.ended ? record.phase : null,
    again: again === undefined ? null : isoTime(again),
    startedAt: isoTime(outcome.startedAt),
    endedAt: isoTime(outcome.endedAt),
    state: record ? stateDocument(record) : null,
    history: phases.map(({ swap, phase, from, to, startedAt, endedAt, verdict: how, ...rest }) => ({
      ...{ swap, phase, from, to },
      startedAt: isoTime(startedAt),
      endedAt: isoTime(endedAt),
      verdict: how,
      reason: rest.reason ?? null,
      approvedBy: rest.approvedBy ?? null,
    })),
    log: log.map(({ at, text }) => ({ at: isoTime(at), text })),
    leaseProblem: leaseProblem ?? null,
  };
}

/** The outcome of a run of several swaps as a document. */
export function swapWavesDocument(outcome: SwapWavesOutcome): SwapWavesDocument {
  const { verdict, unchanged, reason, again, startedAt, endedAt, waves, swaps } = outcome;
  const fleets = Object.entries(swaps).map(([name, each]) => [name, each && swapDocument(each)] as const);
  return {
    schemaVersion: 1,
    ...{ verdict, unchanged: unchanged === true, reason },
    again: again === undefined ? null : isoTime(again),
    startedAt: isoTime(startedAt),
    endedAt: isoTime(endedAt),
    waves,
    fleets: Object.fromEntries(fleets),
  };
}

/** A record as a document. Settings of nodes belong to the program's configuration, where they can be read. */
export function stateDocument(record: SwapRecord): SwapStateDocument {
  const { id, by, startedAt, old, new: fresh, phase, back, written, stopped, ended } = record;
  const { askedAt, approvedBy } = record;
  return {
    ...{ id, by, startedAt: isoTime(startedAt), old, new: fresh, phase },
    back: back ? { why: back.why, then: back.then } : null,
    written: written ? versionsOnly(written) : null,
    // Who has agreed is waited for no more, though the phase may wait for a window.
    askedAt: askedAt === undefined || approvedBy !== undefined ? null : isoTime(askedAt),
    stopped: stopped ? { ...stopped, at: isoTime(stopped.at) } : null,
    ended: ended ? { at: isoTime(ended.at), verdict: ended.verdict } : null,
  };
}

/** A configuration without the slots' further settings, which are the program's own. */
export function versionsOnly(configuration: FleetConfiguration): FleetConfiguration {
  const slots = Object.entries(configuration.slots).map(([name, setting]) => [name, versionOf(setting)]);
  return { ...configuration, slots: Object.fromEntries(slots) as Record<string, string> };
}
