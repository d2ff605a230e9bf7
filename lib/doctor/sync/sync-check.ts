import type { OptionsOf } from '../../problems';
import type { CheckReport, DoctorCheck, DoctorContext } from '../doctor-check';
import { CarefulReader } from '../../kubernetes';
import { applicationFailures } from './application-failures';
import type { SortedFailure } from './failure-groups';
import { groupFailures } from './failure-groups';
import { retryOutlook } from './retry-outlook';
import { sortMessage } from './sort-message';

/** What the check is told. */
export interface SyncOptions {
  /** Names of the Applications to look at. @default - all */
  readonly applications?: readonly string[];
}

export const syncOptionsKeys: OptionsOf<SyncOptions> = { applications: 'list' };

const applicationKind = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application' };

/**
 * Looks at Argo CD's Applications: sorts what has failed into what passes by itself, what the user has to mend, and what is
 * wrong between Git and the cluster.
 */
export function syncCheck({ applications }: SyncOptions = {}): DoctorCheck {
  return {
    name: 'sync',
    title: 'conditions, last sync and health of every Application',
    examine: (context) => examine(context, applications),
  };
}

async function examine(context: DoctorContext, names: readonly string[] | undefined): Promise<CheckReport> {
  const reader = new CarefulReader(context.api, context.signal);
  const found = await applicationsOf(reader, context.namespace);
  const chosen = (found ?? []).filter(({ metadata }) => names === undefined || names.includes(metadata.name));
  const now = context.now();
  const failures: SortedFailure[] = [];
  chosen.forEach((application, position) => {
    if (position > 0 && position % 1_000 === 0) {
      context.progress(`sync: ${position} of ${chosen.length} Applications`);
    }
    const outlook = retryOutlook(application, now);
    for (const failure of applicationFailures(application)) {
      failures.push({ failure, sorted: sortMessage(failure.message, failure.place), outlook });
    }
  });
  const unseen = [...reader.unseen];
  if (found?.length === 0) {
    unseen.push('Applications: there are none; is this the cluster that Argo CD runs in?');
  }
  for (const name of names ?? []) {
    if (found && !found.some(({ metadata }) => metadata.name === name)) {
      unseen.push(`Application ${name}: there is none of this name`);
    }
  }
  return { findings: groupFailures(failures), looked: count(chosen.length), unseen };
}

/** Applications may be in any namespace; an account that may not see all is asked for those of Argo CD's own. */
async function applicationsOf(reader: CarefulReader, namespace: string): ReturnType<CarefulReader['list']> {
  return (await reader.list(applicationKind)) ?? reader.list(applicationKind, { namespace });
}

function count(applications: number): string {
  return applications === 1 ? '1 Application' : `${applications} Applications`;
}
