import { sameConfiguration } from '../configuration';
import { deployingPhases, isAmong, swapPhases } from '../phases';
import type { SwapPhase } from '../phases';
import type { BackStep, SwapRecord } from '../record';
import type { SwapSeen } from '../seen';
import {
  carrying,
  describeCluster,
  describeConfiguration,
  describeTraffic,
  serves,
  slotsOf,
  takesAll,
} from './sight';

/** What there is that the record does not lead to, a sentence each: somebody else has changed it. */
export function misfits(record: SwapRecord, seen: SwapSeen): readonly string[] {
  return [
    ...foreignSlots(record, seen),
    ...foreignConfiguration(record, seen),
    ...(record.back ? trafficOnTheWayBack(record, seen) : trafficIn(record, seen)),
    ...(record.back ? clustersOnTheWayBack(record, seen) : clustersIn(record, seen)),
  ];
}

function foreignSlots({ old, new: fresh }: SwapRecord, seen: SwapSeen): readonly string[] {
  const others = slotsOf(seen).filter((name) => name !== old.name && name !== fresh.name);
  return others.map((name) => `There is a slot ${name}, which is none of ${old.name} and ${fresh.name}.`);
}

/** While a write may be under way, the configuration before it may be there as well. */
function foreignConfiguration(record: SwapRecord, { configuration }: SwapSeen): readonly string[] {
  const { phase, written, before, phaseStartedAt, back } = record;
  const isWriting = back !== undefined || (phaseStartedAt !== undefined && isAmong(deployingPhases, phase));
  const mayBe = written && isWriting ? [written, before] : [written ?? before];
  // On the way back, a person may have moved traffic already, also in the configuration.
  const isAnywhere = back !== undefined && isOnTheWay(back.step);
  if (
    mayBe.some((each) =>
      sameConfiguration(isAnywhere ? { ...configuration, slots: each.slots } : each, configuration),
    )
  ) {
    return [];
  }
  const wanted = mayBe.map(describeConfiguration).join('), or (');
  return [
    `The configuration says (${describeConfiguration(configuration)}), and the swap has left (${wanted})` +
      ' or other settings of its slots: somebody has changed it.',
  ];
}

const beforeShift: readonly SwapPhase[] = swapPhases.slice(0, swapPhases.indexOf('shift'));

function trafficIn({ phase, old, new: fresh }: SwapRecord, seen: SwapSeen): readonly string[] {
  if (phase === 'shift') {
    return noTraffic(seen);
  }
  const expected = isAmong(beforeShift, phase) ? old.name : fresh.name;
  if (takesAll(seen, expected)) {
    return [];
  }
  const wrong = `${describeTraffic(seen)} Before ${phase} all of it has to be on ${expected}.`;
  const byOthers =
    'If the program leaves the shift to others (runBy), give phases.shift.plan its plan, and take this swap back with --back.';
  return phase === 'soak' && takesAll(seen, old.name) ? [wrong, byOthers] : [wrong];
}

function trafficOnTheWayBack({ old, back }: SwapRecord, seen: SwapSeen): readonly string[] {
  if (isOnTheWay(back!.step)) {
    return noTraffic(seen);
  }
  return takesAll(seen, old.name)
    ? []
    : [
        `${describeTraffic(seen)} Before the new cluster goes, all of it has to be on ${old.name}: move it there, or run swap --back once more.`,
      ];
}

/** Whether the traffic may be anywhere before this step of the way back. */
export function isOnTheWay(step: BackStep): boolean {
  return step !== 'drain' && step !== 'delete';
}

function noTraffic(seen: SwapSeen): readonly string[] {
  return carrying(seen).length === 0 ? [describeTraffic(seen)] : [];
}

function clustersIn(
  { phase, phaseStartedAt, old, new: fresh }: SwapRecord,
  seen: SwapSeen,
): readonly string[] {
  const oldCluster = seen.clusters[old.name];
  const newCluster = seen.clusters[fresh.name];
  const problems: string[] = [];
  const mayBeGone = phase === 'delete' && phaseStartedAt !== undefined;
  if (!mayBeGone && !serves(oldCluster)) {
    problems.push(describeCluster(old.name, oldCluster));
  }
  if (phase === 'ready' || phase === 'create') {
    if (newCluster?.status === 'DELETING') {
      problems.push(`${describeCluster(fresh.name, newCluster)} Run it again once it is gone.`);
    }
  } else if (!serves(newCluster)) {
    problems.push(describeCluster(fresh.name, newCluster));
  }
  if (newCluster && newCluster.version !== fresh.version) {
    problems.push(
      `The cluster of ${fresh.name} runs Kubernetes ${newCluster.version}; this swap wants ${fresh.version}.`,
    );
  }
  return problems;
}

function clustersOnTheWayBack({ old }: SwapRecord, { clusters }: SwapSeen): readonly string[] {
  return serves(clusters[old.name]) ? [] : [describeCluster(old.name, clusters[old.name])];
}
