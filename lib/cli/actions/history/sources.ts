import { awsRegion } from '../../../core/aws/arns';
import { object, optional } from '../../../core/validation/collections';
import { dnsLabel } from '../../../core/validation/formats';
import { Problems, isPlainObject, readText } from '../../../core/validation/problems';
import { readSettings } from '../../../core/validation/read-settings';
import { problemsOf } from '../../../core/validation/schema';
import { fits } from '../../../core/validation/values';
import { plainYaml, readYaml } from '../../../core/validation/yaml';
import { historyOfLease } from '../../../operate/history';
import type { HistorySettings } from '../../../operate/history';
import { leaseSchema } from '../../../shift/leases';
import type { LeaseSettings } from '../../../shift/leases';
import { hasLease, parsePlan } from '../../../shift/plan-file';
import type { CheckedPlanFile } from '../../../shift/plan-file';
import { parseHistoryPlace } from './place';

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

/** What history has to know of a swap file; the rest is read by who swaps. */
export interface SwapFile {
  readonly fleet: string;
  readonly region?: string;
  readonly lease?: LeaseSettings;
}

const swapFile = object<SwapFile>(
  {
    fleet: fits(dnsLabel),
    region: optional(fits(awsRegion)),
    lease: optional(leaseSchema),
  },
  'an object with fleet, region, lease',
  'any',
);

/** Where it is looked. */
export interface Sources {
  /** @default - there is no lease, and so no history */
  readonly history?: HistorySettings;
  readonly fleet?: string;
  readonly swap?: SwapFile;
  readonly shifts?: CheckedPlanFile;
}

/**
 * Where the flags say that it is looked.
 *
 * @throws InvalidInput with everything that is wrong with flags and plan
 */
export function sourcesOf({ fleet, store, plan, kubeconfig, context }: HistoryFlags): Sources {
  const problems = new Problems('history');
  if (fleet !== undefined) {
    problems.check('--fleet', fleet, dnsLabel);
  }
  if (store !== undefined && plan !== undefined) {
    problems.conflicts('--store', '--plan, whose lease says where the history is');
  }
  const said = store === undefined ? { ssm: {} } : parseHistoryPlace(store, '--store', problems);
  for (const [name, value] of Object.entries({ '--kubeconfig': kubeconfig, '--context': context })) {
    if (value !== undefined && (said === undefined || !('kubernetes' in said))) {
      problems.add(name, value, 'left out without --store kubernetes:NAMESPACE');
    }
  }
  problems.throwIfAny();
  if (plan !== undefined) {
    const read = readSources(plan);
    return fleet === undefined ? read : { ...read, fleet };
  }
  return {
    history:
      said && 'kubernetes' in said
        ? {
            kubernetes: {
              ...said.kubernetes,
              ...(kubeconfig !== undefined && { kubeconfig }),
              ...(context !== undefined && { context }),
            },
          }
        : said!,
    ...(fleet !== undefined && { fleet }),
  };
}

/** A swap file names a fleet, and a plan of a shift weights. */
function readSources(file: string): Sources {
  const text = readText(file, 'a plan of a shift, or a swap file');
  if (isSwapFile(text)) {
    const swap = readSettings<SwapFile>(text, file, (content) => problemsOf(swapFile, content));
    const place = historyOfLease(swap.lease ?? { ssm: {} }, swap.region);
    return { ...(place && { history: place }), fleet: swap.fleet, swap };
  }
  const shifts = parsePlan(text, file);
  const place = hasLease(shifts) ? historyOfLease(shifts.lease ?? { ssm: {} }) : undefined;
  return { ...(place && { history: place }), shifts };
}

function isSwapFile(text: string): boolean {
  const { document, problems } = readYaml(text);
  const read = problems.length === 0 ? plainYaml(document) : { reason: 'no YAML' };
  return 'value' in read && isPlainObject(read.value) && 'fleet' in read.value && !('weights' in read.value);
}
