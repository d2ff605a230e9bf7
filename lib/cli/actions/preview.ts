import {
  jsonText,
  linesOf,
  refuseToExit,
  stdoutToStderr,
  wantsColour,
  writeDocument,
  writeOut,
} from '../output';
import { Progress } from '../progress';
import { writeOutFolder } from '../written-files';

/**
 * Runs `cluster-canary preview`.
 *
 * @throws InvalidInput with everything that is wrong with the program, the flags and the answers
 */
export async function preview(program: string, flags: PreviewFlags): Promise<void> {
  const undo = [stdoutToStderr(), refuseToExit()];
  const progress = new Progress('resources registered', { count: 0 });
  try {
    const library = await import('../../pulumi/preview');
    const plan = await library.preview({
      program,
      stack: flags.stack,
      answers: flags.answers,
      timeoutSeconds: flags.timeout,
      waitUntilIdle: true,
      onRegistration: progress.update,
    });
    if (flags.out !== undefined) {
      writeOutFolder('preview', flags.out, () =>
        library.writeManifests(flags.out!, library.manifestFiles(plan)),
      );
    }
    undo.forEach((each) => each());
    const colours = flags.color && wantsColour(process.stdout) ? library.coloured : library.colourless;
    await (flags.json === true
      ? writeDocument(jsonText(plan), true)
      : writeOut(linesOf(library.renderPlan(plan, colours))));
  } finally {
    progress.stop();
    undo.forEach((each) => each());
  }
}

/** What `cluster-canary preview` takes beside the program. */
export interface PreviewFlags {
  readonly stack?: string;
  readonly json?: boolean;
  readonly out?: string;
  readonly answers?: string;
  readonly timeout: number;
  readonly color: boolean;
}
