import type { CheckedSwapFile, OpenSwap } from '../../../operate/swap';
import { jsonText, somethingWrong, writeDocument, writeOut } from '../../output';
import { dryRunOf } from './dry-run-document';
import type { SwapDryRun } from './dry-run-document';
import { dryRunLines, nothingWritten } from './dry-run-lines';
import type { SwapFlags } from './flags';

/** How a dry run is shown. */
export interface DryRunFlags extends Pick<SwapFlags, 'json' | 'adopt' | 'retry'> {
  /** When the run begins, in milliseconds since 1970. */
  readonly begins: number;
}

/**
 * Prints what a swap would do, and sets the exit status. Nothing is written.
 *
 * @param named the file, for a command about this fleet
 */
export async function showDryRun(
  swap: CheckedSwapFile,
  open: OpenSwap,
  { json = false, adopt = false, retry = false, begins }: DryRunFlags,
  {
    signal,
    undo,
    named,
  }: { readonly signal: AbortSignal; readonly undo: () => void; readonly named: string },
): Promise<void> {
  const { document, outlook } = await dryRunOf(swap, open, { signal, begins, adopt, retry });
  undo();
  await (json
    ? writeDocument(jsonText(document))
    : writeOut([...dryRunLines(document, outlook, { named }), nothingWritten]));
  process.exitCode = statusOfDryRun(document);
}

/** The exit status of what a swap would do. */
export function statusOfDryRun({ ends, problems }: SwapDryRun): number {
  return ends.verdict !== 'completed' || problems.length > 0 ? somethingWrong : 0;
}
