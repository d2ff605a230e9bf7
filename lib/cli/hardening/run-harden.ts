import { readDescriptor } from '../../files';
import type { Problem } from '../../problems';
import { InvalidInput, readText } from '../../problems';
import type { HardenedText, HardenOptions, JudgedObject } from '../../rules';
import { clustersByTwins, decodeText, harden, readDecisions, readLintConfig } from '../../rules';
import { couldNotRun, somethingWrong } from '../exit-status';
import { whileHeldUp } from '../interrupts';
import { givenClusters } from '../linting/cluster-files';
import { configFile } from '../linting/config-file';
import { findFiles, reasonOf, standardInput } from '../linting/find-files';
import { unreadableNotes } from '../linting/notes';
import { readFiles } from '../linting/read-files';
import { jsonText, writeDocument, writeNotes } from '../output';
import type { HardenFlags } from './harden-flags';
import { hardeningDocument, hardeningNotes, unmatchedNotes, unsaidCluster } from './notes';

/**
 * Runs `cluster-canary harden`. Either all of the manifests are printed or, with another status than 0, nothing of them:
 * Helm takes what a post-renderer prints for the whole release.
 *
 * @throws InvalidInput with what can't be read, or is wrong with the configuration or with decisions
 */
export async function runHarden(flags: HardenFlags): Promise<void> {
  checkFlags(flags);
  const text = readStandardInput();
  const beside = readBeside(flags.beside ?? []);
  const { cluster: given } = flags;
  const { clusters, notes: passedOver } = given
    ? givenClusters(given, [standardInput, ...beside.files], flags.beside ?? [], 'harden')
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

function checkFlags({ json, check, beside = [] }: HardenFlags): void {
  const problems: Problem[] = [
    ...(json === true && check !== true
      ? [{ path: '--json', allowed: 'beside --check: otherwise the manifests are printed' }]
      : []),
    ...(beside.includes('-')
      ? [
          {
            path: '--beside',
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
  readonly objects: readonly JudgedObject[];
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
