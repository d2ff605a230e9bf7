import { errorLine } from '../../../core/validation/problems';
import type { CheckedSwapWaves, OpenSwap } from '../../../operate/swap';
import { couldNotRun, jsonText, writeDocument, writeOut } from '../../output';
import { fileOf } from './chosen';
import { statusOfDryRun } from './dry-run';
import type { DryRunFlags } from './dry-run';
import { dryRunOf } from './dry-run-document';
import type { DryRun, SwapDryRun } from './dry-run-document';
import { dryRunLines, notBefore, nothingWritten } from './dry-run-lines';

/** What `swap --dry-run --json` prints of several fleets: `schemas/swap-dry-run.json`. */
interface SwapWavesDryRun {
  readonly schemaVersion: 1;
  readonly dryRun: true;
  /** Names of fleets, wave by wave. */
  readonly waves: CheckedSwapWaves['waves'];
  /** What the swap of each fleet would do; null where that could not be read. */
  readonly fleets: Readonly<Record<string, SwapDryRun | null>>;
  /** What could not be read. */
  readonly problems: readonly string[];
}

/** Prints what the swaps of several fleets would do, and sets the exit status. Nothing is written. */
export async function showWavesDryRun(
  all: CheckedSwapWaves,
  opened: Readonly<Record<string, OpenSwap>>,
  { json = false, adopt = false, retry = false, begins }: DryRunFlags,
  { signal, undo }: { readonly signal: AbortSignal; readonly undo: () => void },
): Promise<void> {
  const { waves, waitMs, fleets } = all;
  const found = new Map<string, DryRun>();
  const problems: string[] = [];
  let from = -Infinity;
  for (const wave of waves) {
    let ends = from;
    for (const name of wave) {
      try {
        const one = await dryRunOf(fleets[name]!, opened[name]!, { signal, begins, from, adopt, retry });
        found.set(name, one);
        ends = Math.max(ends, one.endsAt);
      } catch (error) {
        signal.throwIfAborted();
        problems.push(`${name}: ${errorLine(error)}`);
      }
    }
    // Of a fleet that could not be read, no one knows how long the others wait for it.
    from = ends + waitMs;
  }
  const names = Object.keys(opened);
  const document: SwapWavesDryRun = {
    ...{ schemaVersion: 1, dryRun: true, waves },
    fleets: Object.fromEntries(names.map((name) => [name, found.get(name)?.document ?? null])),
    problems,
  };
  undo();
  await (json ? writeDocument(jsonText(document)) : writeOut(wavesLines(all, document, found)));
  const statuses = [...found.values()].map((one) => statusOfDryRun(one.document));
  process.exitCode = problems.length > 0 ? couldNotRun : Math.max(...statuses);
}

function wavesLines(
  all: CheckedSwapWaves,
  { waves, problems }: SwapWavesDryRun,
  found: ReadonlyMap<string, DryRun>,
): readonly string[] {
  return [
    ...waves.flatMap((wave, index) =>
      wave.flatMap((name) => {
        const one = found.get(name);
        const lines = one
          ? dryRunLines(one.document, one.outlook, { named: fileOf(all, name) })
          : ['It could not be read.'];
        const begin = one?.document.swaps[0]?.phases[0]?.from;
        const when = begin === undefined ? undefined : notBefore(begin);
        return [
          `Wave ${index + 1}, ${name}${when === undefined ? '' : `, ${when}`}:`,
          ...lines.map((line) => `  ${line}`),
          '',
        ];
      }),
    ),
    ...problems.map((problem) => `problem: ${problem}`),
    nothingWritten,
  ];
}
