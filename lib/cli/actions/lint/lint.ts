import { existsSync } from 'node:fs';
import { kubernetesVersion } from '../../../core/readiness';
import { InvalidInput, Problems, readText } from '../../../core/validation/problems';
import { problemsOf } from '../../../core/validation/schema';
import {
  allRules,
  clustersByTwins,
  leftToHarden,
  lintEvaluated,
  fixFiles,
  readLintConfig,
  suppressionRules,
} from '../../../lint';
import type {
  ClusterFiles,
  ManifestObject,
  LintConfig,
  LintOptions,
  LintResult,
  FixResult,
  Rule,
  UnreadableDocument,
} from '../../../lint';
import { whileHeldUp } from '../../interrupts';
import {
  couldNotRun,
  linesOf,
  somethingWrong,
  stdoutToStderr,
  writeDocument,
  writeNotes,
  writeOut,
} from '../../output';
import { Progress } from '../../progress';
import { writeOutFolder } from '../../written-files';
import { chosenRules } from './chosen-rules';
import { givenClusters, withOlderFiles } from './cluster-files';
import { loadRules } from './custom-rules';
import { explainRules } from './explain-rules';
import { MendedFiles } from './fixed-files';
import { configFile } from './flags';
import type { LintFlags } from './flags';
import { isCommit, readGitFiles } from './git-files';
import { findFiles, readFiles } from './inputs';
import type { LintInputs } from './inputs';
import { readLiveObjects } from './live-objects';
import type { LiveObjects } from './live-objects';
import { evaluatedClusters, materialNotes, fixingNotes, nothingEvaluated, unreadableNotes } from './notes';
import { countedRules, printed } from './printed';

/**
 * Runs `cluster-canary lint`.
 *
 * @throws InvalidInput with what is wrong with the flags, the configuration or the modules with rules
 */
export async function runLint(paths: readonly string[], flags: LintFlags): Promise<void> {
  checkFlags(paths, flags);
  // Rules of a user's own may print. Where there are none, no stream is made before something is written.
  const restore = flags.rules === undefined ? (): void => undefined : stdoutToStderr();
  if (flags.listRules === true || flags.explain !== undefined) {
    try {
      const rules = [...(await everyRule(flags.rules ?? [])), ...suppressionRules];
      restore();
      await explainRules(rules, flags.explain, flags.format === 'json' ? 'json' : 'text');
    } finally {
      restore();
    }
    return;
  }
  const progress = new Progress('files read', { count: 0 });
  try {
    const run = await evaluated(paths, flags, progress);
    restore();
    const text = printed({ ...run, flags });
    await (flags.format === 'text' ? writeOut(linesOf(text)) : writeDocument(text));
    writeNotes(...run.notes);
    process.exitCode = statusOf(run.result, run.isIncomplete);
  } finally {
    progress.stop();
    restore();
  }
}

interface Run {
  readonly result: LintResult;
  readonly unreadable: readonly UnreadableDocument[];
  readonly rules: readonly Rule[];
  /** What is said beside the result. */
  readonly notes: readonly string[];
  /** Whether something could not be checked. */
  readonly isIncomplete: boolean;
}

async function evaluated(paths: readonly string[], flags: LintFlags, progress: Progress): Promise<Run> {
  const all = await everyRule(flags.rules ?? []);
  const rules = flags.rule ? chosenRules(all, flags.rule, '--rule') : all;
  const config = configFile(flags.config);
  const { files, unreadable: lost } = findFiles(paths, config);
  const material = whileHeldUp(() => readFiles(files, progress.update));
  const { baseline, cluster: given } = flags;
  const named = files.map(({ file }) => file);
  const { clusters, notes: passedOver } = given
    ? givenClusters(given, named, paths, 'lint')
    : { clusters: clustersByTwins(material.objects), notes: [] };
  refuseSeveral(clusters, flags);
  progress.about('reading what rules compare with');
  const older =
    baseline === undefined ? undefined : await readOlder(baseline, paths, config, progress.update);
  const cluster = flags.kubeconfig === undefined ? undefined : await live(rules, material.objects, flags);
  progress.about('rules run');
  const options: LintOptions = {
    rules: countedRules(all, progress.update),
    ...(flags.rule ? { only: flags.rule } : {}),
    templates: material.templates,
    ...(flags.kubernetesVersion === undefined ? {} : { kubernetesVersion: flags.kubernetesVersion }),
    clusters: baseline === undefined ? clusters : withOlderFiles(clusters, paths, baseline),
    minSeverity: flags.minSeverity,
    ...(config === undefined ? {} : { config: readConfig(config, all) }),
    ...(older ? { before: older.objects } : {}),
    ...(cluster ? { live: cluster.objects } : {}),
  };
  const unreadable = [...lost, ...material.unreadable, ...(older?.unreadable ?? [])];
  const fixing = flags.fix === true ? fixed(flags.out!, files, material, options) : undefined;
  const result = fixing?.after ?? whileHeldUp(() => lintEvaluated(material.objects, options));
  const nothing = [...nothingEvaluated(material, result), ...nothingOlder(baseline, older)];
  const denied = cluster?.denied ?? [];
  const notes = [
    ...denied.map((each) => `error: the cluster: not checked: ${each}`),
    ...unreadableNotes(unreadable, result.failures),
    ...nothing,
    ...materialNotes(material),
    ...passedOver,
    ...evaluatedClusters(result.clusters, given !== undefined),
    ...(fixing ? fixingNotes(fixing, flags.out!) : []),
  ];
  const isIncomplete = [unreadable, nothing, denied].some(({ length }) => length > 0);
  return { result, unreadable, rules, notes, isIncomplete };
}

function checkFlags(paths: readonly string[], flags: LintFlags): void {
  const { fix, out, context, kubeconfig, baseline } = flags;
  const problems = new Problems('lint');
  if (flags.listRules === true || flags.explain !== undefined) {
    refuseChecking(paths, flags, problems);
    problems.throwIfAny();
    return;
  }
  if (paths.length === 0) {
    const taken = flags.cluster ? ': after --cluster every word is a path of it; put the paths first' : '';
    problems.add('PATH', undefined, `files and folders to check, or - for the standard input${taken}`);
  }
  if (fix === true && out === undefined) {
    problems.add('--out', out, 'a folder for the fixed copies, as --fix requires');
  }
  if (fix !== true && out !== undefined) {
    problems.add('--out', out, 'left out without --fix');
  }
  if (context !== undefined && kubeconfig === undefined) {
    problems.add('--context', context, 'left out without --kubeconfig');
  }
  if (flags.kubernetesVersion !== undefined) {
    for (const { allowed } of problemsOf(kubernetesVersion, flags.kubernetesVersion)) {
      problems.add('--kubernetes-version', flags.kubernetesVersion, allowed);
    }
  }
  if (flags.count === true && flags.format === 'sarif') {
    problems.add('--format', flags.format, '"text" or "json" with --count');
  }
  if (baseline !== undefined && !existsSync(baseline) && paths.every((path) => path === '-')) {
    problems.add('--baseline', baseline, 'a folder or a file where the standard input is checked');
  }
  problems.throwIfAny();
}

/** What a cluster says about itself says nothing about others. */
function refuseSeveral(clusters: readonly ClusterFiles[], { kubeconfig }: LintFlags): void {
  if (kubeconfig !== undefined && clusters.length > 1) {
    const names = clusters.map(({ name }) => name);
    const shown = names.length > mostNamed ? [...names.slice(0, mostNamed), '…'] : names;
    const allowed = `left out where several clusters are checked (${shown.join(', ')}): name the paths of one`;
    throw new InvalidInput('lint', [{ path: '--kubeconfig', value: kubeconfig, allowed }]);
  }
}

/** As many as a line holds. */
const mostNamed = 5;

/** Flags of a run that checks something. */
const checking = [
  ...([
    'fix',
    'out',
    'baseline',
    'kubeconfig',
    'context',
    'rule',
    'config',
    'cluster',
    'count',
    'kubernetesVersion',
  ] as const),
];

function refuseChecking(paths: readonly string[], flags: LintFlags, problems: Problems): void {
  const flag = flags.listRules === true ? '--list-rules' : '--explain';
  if (flags.listRules === true && flags.explain !== undefined) {
    problems.add('--explain', flags.explain.join(' '), 'left out with --list-rules');
  }
  if (paths.length > 0) {
    problems.add('PATH', paths[0], `left out with ${flag}, which checks nothing`);
  }
  for (const name of checking.filter((each) => flags[each] !== undefined)) {
    problems.add(
      `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
      flags[name],
      `left out with ${flag}, which checks nothing`,
    );
  }
  if (flags.format === 'sarif') {
    problems.add('--format', flags.format, `"text" or "json" with ${flag}`);
  }
}

async function everyRule(modules: readonly string[]): Promise<readonly Rule[]> {
  const rules = [...allRules];
  for (const file of modules) {
    const taken = new Set([...rules, ...suppressionRules].map(({ id }) => id));
    rules.push(...(await loadRules(file, taken)));
  }
  return rules;
}

function readConfig(file: string, rules: readonly Rule[]): LintConfig {
  const ids = [...rules, ...suppressionRules].map(({ id }) => id);
  return readLintConfig(readText(file, 'a configuration, in YAML'), file, ids);
}

/**
 * A folder or file of that name comes before a commit, unless it could be either: what is checked may have brought a folder
 * that is named as the branch it is compared with.
 */
async function readOlder(
  baseline: string,
  paths: readonly string[],
  config: string | undefined,
  onFile: (count: number) => void,
): Promise<Pick<LintInputs, 'objects' | 'unreadable'>> {
  const inGit = paths.filter((path) => path !== '-');
  if (existsSync(baseline)) {
    if (!/^\.{0,2}[\\/]/.test(baseline) && (await isCommit(baseline, inGit))) {
      throw new InvalidInput('lint', [
        {
          path: '--baseline',
          value: baseline,
          allowed: `either: it is a commit, and there is a file or folder of that name (./${baseline})`,
        },
      ]);
    }
    const { files, unreadable } = findFiles([baseline], config);
    const material = readFiles(files, onFile);
    return { objects: material.objects, unreadable: [...unreadable, ...material.unreadable] };
  }
  return readGitFiles(baseline, inGit);
}

/** Where something could not be read, that is said. @returns nothing for a commit, to which what is checked may be new */
function nothingOlder(
  baseline: string | undefined,
  older: Pick<LintInputs, 'objects' | 'unreadable'> | undefined,
): string[] {
  const isNothing = older?.objects.length === 0 && older.unreadable.length === 0;
  return isNothing && existsSync(baseline!)
    ? [`error: --baseline ${baseline}: nothing to compare with: no Kubernetes object is there`]
    : [];
}

async function live(
  rules: readonly Rule[],
  evaluated: readonly ManifestObject[],
  { kubeconfig, context }: LintFlags,
): Promise<LiveObjects> {
  return readLiveObjects(rules, evaluated, {
    kubeconfig: kubeconfig === true ? undefined : kubeconfig,
    context,
  });
}

function fixed(
  folder: string,
  files: Parameters<typeof readFiles>[0],
  material: LintInputs,
  options: LintOptions,
): FixResult {
  const target = writeOutFolder('lint', folder, () => new MendedFiles(folder, files, material.texts));
  const fixing = fixFiles(material.objects, (file) => material.texts.get(file)!.read(), options);
  writeOutFolder('lint', folder, () => target.write(fixing.texts));
  return { ...fixing, leftAlone: leftToHarden(fixing, options) };
}

function statusOf({ summary, failures }: LintResult, isIncomplete: boolean): number {
  if (isIncomplete || failures.length > 0) {
    return couldNotRun;
  }
  return summary.error + summary.warning > 0 ? somethingWrong : 0;
}
