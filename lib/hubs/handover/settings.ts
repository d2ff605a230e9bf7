import { awsAccessProblems } from '../../aws';
import { parseDuration } from '../../durations';
import type { Problem, Rule, OptionsOf } from '../../problems';
import { Problems } from '../../problems';

/** How one hub takes over from another. */
export interface HandoverSettings {
  /**
   * How long the hub that is to write may take until it has compared the same Applications with the same revisions.
   * @default '5m' - Argo CD looks for new commits every two to three minutes
   */
  readonly compareWithin?: string;
  /**
   * How long syncs that run on the hub that has written are waited for. After that the handover goes on: their next write
   * is refused by the managed cluster.
   * @default '5m'
   */
  readonly finishWithin?: string;
  /**
   * How long nobody may write in a managed cluster, after EKS has confirmed that the old right is gone.
   * @default '30s' - what EKS confirms may reach the API server later
   */
  readonly settle?: string;
  /** Role that EKS is asked with. @default - the program's own credentials */
  readonly roleArn?: string;
}

export const handoverSettingsKeys: OptionsOf<HandoverSettings> = {
  compareWithin: 'plain',
  finishWithin: 'plain',
  settle: 'plain',
  roleArn: 'plain',
};

/** The same, in milliseconds. */
export interface HandoverTimes {
  /** How long the hub that is to write may take to compare. */
  readonly compareWithin: number;
  /** How long running syncs are waited for. */
  readonly finishWithin: number;
  /** How long nobody may write. */
  readonly settle: number;
}

const defaults = { compareWithin: '5m', finishWithin: '5m', settle: '30s' } as const;

const timeSpan: Rule = {
  allowed: 'a time span such as "5m" or "30s"',
  accepts: (value) => typeof value === 'string' && parseDuration(value) !== undefined,
};

/** What is wrong with the settings. */
export function handoverProblems(settings: HandoverSettings): readonly Problem[] {
  const problems = new Problems('handover');
  const { roleArn, ...spans } = settings;
  for (const [key, value] of Object.entries(spans)) {
    if (value !== undefined) {
      problems.check(key, value, timeSpan);
    }
  }
  problems.addAll(awsAccessProblems({ roleArn }));
  return problems.all;
}

/** The time spans of settings without problems. */
export function handoverTimes(settings: HandoverSettings): HandoverTimes {
  const milliseconds = (key: keyof typeof defaults): number => parseDuration(settings[key] ?? defaults[key])!;
  return {
    compareWithin: milliseconds('compareWithin'),
    finishWithin: milliseconds('finishWithin'),
    settle: milliseconds('settle'),
  };
}
