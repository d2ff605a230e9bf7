import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { awsRegion } from '../../../core/aws/arns';
import { across, object, optional, record } from '../../../core/validation/collections';
import { dnsLabel } from '../../../core/validation/formats';
import { InvalidInput, Problems, isPlainObject, readText } from '../../../core/validation/problems';
import { readSettings } from '../../../core/validation/read-settings';
import { pathText, problemsOf } from '../../../core/validation/schema';
import type { Entries } from '../../../core/validation/schema';
import { fits } from '../../../core/validation/values';
import { plainYaml, readYaml } from '../../../core/validation/yaml';
import { historyOfLease } from '../../../operate/history';
import { leaseSchema } from '../../../shift/leases';
import type { LeaseSettings } from '../../../shift/leases';
import { hasLease, parsePlan } from '../../../shift/plan-file';
import type { CheckedPlanFile } from '../../../shift/plan-file';
import { subjectOf } from '../../../shift/routers';
import { parseHistoryPlace } from './place';
import type { HistoryPlace } from './place';

/** What `cluster-canary history` takes. */
export interface HistoryFlags {
  readonly fleet?: string;
  readonly store?: string;
  readonly plan?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly limit: number;
  readonly rights?: boolean;
  readonly json?: boolean;
}

/** What history has to know of a fleet's swaps; the rest is read by who swaps. */
export interface SwapFile {
  readonly fleet: string;
  readonly region?: string;
  readonly lease?: LeaseSettings;
}

const entries: Entries<SwapFile> = {
  fleet: fits(dnsLabel),
  region: optional(fits(awsRegion)),
  lease: optional(leaseSchema),
};

const swapFile = object<SwapFile>(entries, 'an object with fleet, region, lease', 'any');

/** The same of several fleets, with what they have in common. */
interface SwapsFile extends Partial<SwapFile> {
  readonly fleets: Readonly<Record<string, Partial<SwapFile>>>;
}

const commonEntries: Entries<Partial<SwapFile>> = { ...entries, fleet: optional(entries.fleet) };

const swapsFile = across(
  object<SwapsFile>(
    {
      ...commonEntries,
      fleets: record(object<Partial<SwapFile>>(commonEntries, 'an object with fleet, region, lease', 'any')),
    },
    'an object with fleets',
    'any',
  ),
  ({ fleet, fleets }, { add }) => {
    for (const [name, own] of Object.entries(isPlainObject(fleets) ? fleets : {})) {
      if (fleet === undefined && isPlainObject(own) && own.fleet === undefined) {
        const steps = ['fleets', name, 'fleet'];
        const allowed = 'the name of a fleet, here or for all fleets';
        add({ steps, path: pathText(steps), kind: 'required', allowed });
      }
    }
  },
);

/** A history, and what of it is meant. */
export interface HistorySource {
  readonly place: HistoryPlace;
  /** The folder that paths of shifts start from. @default '.' */
  readonly base?: string;
  /** @default - every fleet */
  readonly fleet?: string;
}

/** Where it is looked. */
export interface Sources {
  /** None where there is no lease. */
  readonly histories: readonly HistorySource[];
  readonly swaps: readonly SwapFile[];
  readonly shifts?: CheckedPlanFile;
}

/**
 * Where the flags say that it is looked.
 *
 * @param command that has the flags, for messages. @default history
 * @throws InvalidInput with everything that is wrong with flags and plan
 */
export function sourcesOf(
  { fleet, store, plan, kubeconfig, context }: HistoryFlags,
  command = 'history',
): Sources {
  const problems = new Problems(command);
  if (fleet !== undefined) {
    problems.check('--fleet', fleet, dnsLabel);
  }
  if (store !== undefined && plan !== undefined) {
    problems.conflicts('--store', '--plan, whose lease says where the history is');
  }
  const said = store === undefined ? { swaps: { ssm: {} } } : parseHistoryPlace(store, '--store', problems);
  for (const [name, value] of Object.entries({ '--kubeconfig': kubeconfig, '--context': context })) {
    if (value !== undefined && !(said?.swaps && 'kubernetes' in said.swaps)) {
      problems.add(name, value, 'left out without --store kubernetes:NAMESPACE');
    }
  }
  const folder = said?.shifts && 'folder' in said.shifts ? said.shifts.folder : undefined;
  if (folder !== undefined && !existsSync(folder)) {
    problems.add('--store', store, 'folder: and the path of a folder that is there');
  }
  problems.throwIfAny();
  if (plan !== undefined) {
    const { histories, swaps, ...read } = readSources(plan);
    if (histories.length === 0 && swaps.length === 0) {
      const allowed = 'a plan that keeps its shifts: this one has neither a lease nor "history"';
      throw new InvalidInput(command, [{ path: '--plan', value: plan, allowed }]);
    }
    return fleet === undefined
      ? { histories, swaps, ...read }
      : {
          ...read,
          histories: distinct(histories.map((each) => ({ ...each, fleet }))),
          swaps: swaps.filter((swap) => swap.fleet === fleet),
        };
  }
  const place = withCluster(said!, { kubeconfig, context });
  return { histories: [{ place, ...(fleet !== undefined && { fleet }) }], swaps: [] };
}

function withCluster(
  place: HistoryPlace,
  { kubeconfig, context }: Pick<HistoryFlags, 'kubeconfig' | 'context'>,
): HistoryPlace {
  if (!place.swaps || !('kubernetes' in place.swaps)) {
    return place;
  }
  const settings = {
    kubernetes: {
      ...place.swaps.kubernetes,
      ...(kubeconfig !== undefined && { kubeconfig }),
      ...(context !== undefined && { context }),
    },
  };
  return { swaps: settings, shifts: settings };
}

/** A swap file names a fleet or several, and a plan of a shift weights. */
function readSources(file: string): Sources {
  const text = readText(file, 'a plan of a shift, or a swap file');
  if (isSwapFile(text)) {
    const swaps = swapsOf(
      readSettings<SwapFile | SwapsFile>(text, file, (content) =>
        problemsOf(isPlainObject(content) && 'fleets' in content ? swapsFile : swapFile, content),
      ),
    );
    const histories = swaps.flatMap(({ fleet, lease = { ssm: {} }, region }): readonly HistorySource[] => {
      const place = historyOfLease(lease, { region });
      return place ? [{ place: { swaps: place }, fleet }] : [];
    });
    return { histories: distinct(histories), swaps };
  }
  const shifts = parsePlan(text, file);
  const lease = hasLease(shifts) ? (shifts.lease ?? { ssm: {} }) : 'none';
  const histories = Object.values(shifts.routes).flatMap((route): readonly HistorySource[] => {
    const place = historyOfLease(lease, subjectOf(route));
    return place ? [{ place: { swaps: place } }] : [];
  });
  const kept = shifts.history ? [{ place: { shifts: shifts.history }, base: dirname(file) }] : [];
  return { histories: [...distinct(histories), ...kept], swaps: [], shifts };
}

/** A setting of a fleet goes before the common one. */
function swapsOf(settings: SwapFile | SwapsFile): readonly SwapFile[] {
  if (!('fleets' in settings)) {
    return [settings];
  }
  const { fleet, region, lease } = settings;
  return Object.values(settings.fleets).map((own) => ({
    fleet: own.fleet ?? fleet!,
    ...((own.region ?? region) !== undefined && { region: own.region ?? region! }),
    ...((own.lease ?? lease) !== undefined && { lease: own.lease ?? lease! }),
  }));
}

/** Fleets of one name may have one history. */
function distinct(histories: readonly HistorySource[]): readonly HistorySource[] {
  return [...new Map(histories.map((each) => [JSON.stringify(each), each])).values()];
}

function isSwapFile(text: string): boolean {
  const { document, problems } = readYaml(text);
  const read = problems.length === 0 ? plainYaml(document) : { reason: 'no YAML' };
  return (
    'value' in read &&
    isPlainObject(read.value) &&
    ('fleet' in read.value || 'fleets' in read.value) &&
    !('weights' in read.value)
  );
}
