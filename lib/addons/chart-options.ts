import type { Problem, Rule, OptionsOf } from '../problems';
import { Problems, wholeNumber } from '../problems';
import type { AddonState, Courier } from './courier';
import type { HelmReleaseArgs } from './helm-release';
import type { HelmValues } from './helm-values';

/** Options that every add-on from a chart has. */
export interface ChartOptions {
  /**
   * Who brings it to the cluster: another word moves it there without a gap.
   * @default 'pulumi' - installed during `up`, before anything that needs it
   */
  readonly deliveredBy?: Courier;
  /**
   * `absent` lets Helm uninstall it: the next `up` lets go of the release, which stays otherwise, and the one after the
   * add-on has left the list removes it. What Argo CD has delivered goes in the same two steps.
   * @default 'present'
   */
  readonly state?: AddonState;
  /**
   * Values laid over ours: objects are merged, everything else, arrays included, replaces.
   * @default - none
   */
  readonly values?: HelmValues;
  /**
   * Longest wait for one operation of Helm, in seconds, 1 to 3600.
   * @default 600 - on a new cluster the first pods also wait for nodes and images
   */
  readonly timeoutSeconds?: number;
  /**
   * Whether Helm lets `cluster-canary harden` rewrite what the chart renders, before it reaches the cluster. A text is the
   * program in its place: a name on the PATH, or a path from the folder of the Pulumi program.
   * @default - said by each add-on; `HelmAddon` does not
   */
  readonly harden?: boolean | string;
  /**
   * Arguments of the Helm release laid over ours, say `chart` and `repositoryOpts` of a mirror.
   * @default - none
   */
  readonly releaseArgs?: HelmReleaseArgs;
}

export const chartOptionsKeys: OptionsOf<ChartOptions> = {
  deliveredBy: 'plain',
  state: 'plain',
  values: 'open',
  timeoutSeconds: 'plain',
  harden: 'plain',
  releaseArgs: 'open',
};

/** Longest wait for one operation of Helm where nothing else is said, in seconds. */
export const defaultTimeoutSeconds = 600;

/** A version that always means the same chart. */
const exactVersion: Rule = {
  allowed: 'an exact version, such as "1.2.3": a range would install whatever is newest that day',
  accepts: (value) =>
    typeof value === 'string' && /^v?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/.test(value),
};

const timeout = wholeNumber(1, 3600);

const hardening: Rule = {
  allowed: 'true, false, or a program: a name on the PATH or a path, without arguments',
  accepts: (value) => typeof value === 'boolean' || (typeof value === 'string' && /^\S+$/.test(value)),
};

/** What is wrong with the options that every chart has. */
export function chartProblems(version: unknown, options: ChartOptions): Problem[] {
  const problems = new Problems('chart');
  problems.check('version', version, exactVersion);
  problems.checkGiven('', options, { timeoutSeconds: timeout, harden: hardening });
  if (options.deliveredBy !== undefined && options.deliveredBy !== 'pulumi') {
    onlyByPulumi(problems, options);
  }
  return [...problems.all];
}

/** What only Pulumi's Helm does, and another courier would silently leave out. */
function onlyByPulumi(
  problems: Problems,
  { deliveredBy, harden, releaseArgs, timeoutSeconds }: ChartOptions,
): void {
  const options = { releaseArgs, timeoutSeconds, ...(harden ? { harden } : {}) };
  for (const [option, value] of Object.entries(options)) {
    if (value !== undefined) {
      problems.add(
        option,
        value,
        `left out: it is for releases of Pulumi, and ${deliveredBy} delivers this one`,
      );
    }
  }
}
