import { readDescriptor } from '../../core/files/read';
import { InvalidInput, readText } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import { clustersByTwins, decodeText, harden, readDecisions, readLintConfig } from '../../lint';
import type { ClusterFiles, Finding, HardenOptions, HardenedText, ManifestObject } from '../../lint';
import { whileHeldUp } from '../interrupts';
import { couldNotRun, jsonText, somethingWrong, writeDocument, writeNotes } from '../output';
import { givenClusters } from './lint/cluster-files';
import { configFile } from './lint/flags';
import { findFiles, readFiles, reasonOf, standardInput } from './lint/inputs';
import { unreadableNotes } from './lint/notes';

/** What was changed, and which findings are left: a line each, with its line in the input. Infos are no more than counted. */
function hardeningNotes({ changed, left }: HardenedText, isCheck: boolean): string[] {
  const heavy = left.filter(({ finding: { severity } }) => severity !== 'info');
  const infos = left.length - heavy.length;
  const places = changed.length + heavy.length > 0 ? ' (lines are those of the input)' : '';
  return [
    `${isCheck ? 'to change' : 'changed'}: ${changed.length}${places}`,
    ...changed.map((finding) => `  ${placeOf(finding)} ${finding.rule} ${finding.message}`),
    ...(heavy.length > 0 ? [`left: ${heavy.length}`] : []),
    ...heavy.map(
      ({ finding, reason }) =>
        `  ${placeOf(finding)} ${finding.severity} ${finding.rule} ${finding.message} (${reason})`,
    ),
    ...(infos > 0 ? [`left: ${infos} more, as infos: --check --json has them`] : []),
  ];
}

/** Decisions that are about nothing here, a line each: no fault where a configuration is for many charts. */
function unmatchedNotes({ unmatched }: HardenedText): string[] {
  return unmatched.map(({ service, webhook }) => {
    const subject = [
      ...(webhook === undefined ? [] : [`webhook ${webhook}`]),
      ...(service === undefined ? [] : [`Service ${service}`]),
    ].join(' of ');
    return `decided in vain: ${subject}: ${webhook === undefined ? 'nothing among the manifests calls it' : 'it is not among the manifests'}`;
  });
}

/** What is to be said where no cluster of several is the one that the manifests are of. */
function unsaidCluster(clusters: readonly ClusterFiles[]): string[] {
  if (clusters.length < 2 || clusters.some(({ roots }) => roots.includes(standardInput))) {
    return [];
  }
  const [first, ...others] = clusters.map(({ name, roots }) => roots.map((root) => `${name}=${root}`));
  const given =
    clusters.length > mostNamed
      ? ['NAME=-', 'NAME=PATH', '…']
      : [`${clusters[0]!.name}=-`, ...first!, ...others.flat()];
  return [
    `checked with ${clusters.length} clusters; choose one by --cluster NAME=-: --cluster ${given.join(' ')}`,
  ];
}

/** As many as a line holds. */
const mostNamed = 5;

function placeOf({ line, object: { kind, name } }: Finding): string {
  return `${line ?? '-'} ${kind} ${name}:`;
}

/** The same as one JSON document. */
function hardeningDocument({ changed, left, text, clusters }: HardenedText, before: string): object {
  const shown = ({ rule, severity, message, why, fix, line, object, pointer }: Finding): object => ({
    rule,
    severity,
    message,
    why,
    fix,
    ...(line === undefined ? {} : { line }),
    object,
    pointer,
  });
  return {
    schemaVersion: 1,
    isChanged: text !== before,
    changed: changed.map(shown),
    remaining: left.map(({ finding, ...why }) => ({ ...shown(finding), ...why })),
    clusters,
  };
}

/**
 * Runs `cluster-canary harden`. Either all of the manifests are printed or, with another status than 0, nothing of them:
 * Helm takes what a post-renderer prints for the whole release.
 *
 * @throws InvalidInput with what can't be read, or is wrong with the configuration or with decisions
 */
export async function runHarden(flags: HardenFlags): Promise<void> {
  checkFlags(flags);
  const text = readStandardInput();
  const beside = readBeside(flags.contextManifests ?? []);
  const { cluster: given } = flags;
  const { clusters, notes: passedOver } = given
    ? givenClusters(given, [standardInput, ...beside.files], flags.contextManifests ?? [], 'harden')
    : { clusters: clustersByTwins(beside.objects), notes: [] };
  // Before a decision may be refused for what one of the clusters has.
  writeNotes(...unsaidCluster(clusters));
  const hardened = harden(text, {
    ...readConfig(flags.config),
    ...{ beside: beside.objects, clusters },
    file: standardInput,
  });
  if (hardened.objects === 0) {
    // Whoever takes what is printed for a release would take everything away that it had.
    throw new InvalidInput('manifests', [
      { path: standardInput, allowed: 'manifests: there is no Kubernetes object among them' },
    ]);
  }
  const failures = unreadableNotes([], hardened.failures);
  const isCheck = flags.check === true;
  const status = statusOf(hardened, text, flags);
  if (flags.json === true) {
    await writeDocument(jsonText(hardeningDocument(hardened, text)));
  } else if (!isCheck && status === 0) {
    await writeDocument(hardened.text);
  }
  writeNotes(
    ...failures,
    ...passedOver,
    ...unmatchedNotes(hardened),
    ...(flags.json === true ? [] : hardeningNotes(hardened, isCheck)),
  );
  process.exitCode = status;
}

function checkFlags({ json, check, contextManifests: beside = [] }: HardenFlags): void {
  const problems: Problem[] = [
    ...(json === true && check !== true
      ? [{ path: '--json', allowed: 'together with --check: otherwise the manifests are printed' }]
      : []),
    ...(beside.includes('-')
      ? [
          {
            path: '--context-manifests',
            value: '-',
            allowed: 'a file or a folder: the manifests come from the standard input',
          },
        ]
      : []),
  ];
  throwIfAny(problems);
}

function statusOf({ text, left, failures }: HardenedText, before: string, flags: HardenFlags): number {
  if (failures.length > 0) {
    return couldNotRun;
  }
  const isWrong = left.some(({ finding }) => finding.severity === 'error');
  const isChanged = text !== before;
  return (flags.check === true && (isChanged || isWrong)) || (flags.strict === true && isWrong)
    ? somethingWrong
    : 0;
}

/** @throws InvalidInput where it can't be read: a folder, say */
function read(): Buffer {
  try {
    return readDescriptor(0, standardInput);
  } catch (error) {
    throw new InvalidInput('manifests', [
      { path: standardInput, allowed: `manifests that can be read: ${reasonOf(error)}` },
    ]);
  }
}

function readStandardInput(): string {
  const content = decodeText(whileHeldUp(read));
  if ('reason' in content) {
    throw new InvalidInput('manifests', [{ path: standardInput, allowed: `text: it is ${content.reason}` }]);
  }
  return content.text;
}

function readConfig(given: string | undefined): Pick<HardenOptions, 'config' | 'decisions'> {
  const file = configFile(given);
  if (file === undefined) {
    return {};
  }
  const text = readText(file, 'a configuration, in YAML');
  // Rules of one's own are for lint, and this is a configuration of both.
  return {
    config: readLintConfig(text, file, undefined, { ignoreOthers: true }),
    decisions: readDecisions(text, file),
  };
}

function readBeside(paths: readonly string[]): {
  readonly files: readonly string[];
  readonly objects: readonly ManifestObject[];
} {
  const { files, unreadable: lost } = findFiles(paths, undefined);
  const { objects, unreadable } = readFiles(files);
  throwIfAny(
    [...lost, ...unreadable].map(({ file, line, column, reason }) => ({
      path: [file, line, column].filter((part) => part !== undefined).join(':'),
      allowed: `manifests that can be read: ${reason}`,
    })),
  );
  return { files: files.map(({ file }) => file), objects };
}

function throwIfAny(problems: readonly Problem[]): void {
  if (problems.length > 0) {
    throw new InvalidInput('harden', problems);
  }
}

/** Flags of `cluster-canary harden`. */
export interface HardenFlags {
  readonly check?: true;
  readonly strict?: true;
  readonly json?: true;
  readonly config?: string;
  readonly contextManifests?: readonly string[];
  /** Clusters by their paths: `NAME=PATH`, or a path alone; `-` is the manifests. @default - folders beside that hold the same object twice */
  readonly cluster?: readonly string[];
}
