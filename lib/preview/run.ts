import type { RecordedCallbacks } from './callbacks';
import type { Debuggable, LocatesResources } from './light-promises';
import { withoutPromiseTraces, withoutSourcePositions } from './light-promises';
import type { PreviewMonitor } from './monitor';
import { PreviewFailed } from './preview-failed';
import { ProgramErrors } from './program-errors';
import type { Project } from './project';
import type { MadeResource } from './resource-tree';
import { madeResources } from './resource-tree';
import type { Sdk } from './sdk';
import { enterPreview } from './sdk';
import type { Ending } from './settle';
import { settle } from './settle';
import type { PlainInvokes } from './unknown-stand-in';
import { standInForUnknownResults } from './unknown-stand-in';
import { urnParts } from './urn';

/** One run of a program. */
export interface Run {
  readonly project: Project;
  readonly sdk: Sdk;
  readonly monitor: PreviewMonitor;
  readonly callbacks: RecordedCallbacks;
  readonly program: () => unknown;
  readonly timeoutSeconds: number;
  readonly untilIdle: boolean;
}

/** Parts of Pulumi's runtime that its types leave out. */
interface InnerRuntime extends PlainInvokes {
  waitForRPCs(): Promise<void>;
}

/**
 * Runs a program to its end, and puts everything back that it changed in the process.
 *
 * @returns the resources that it made, in the order of making
 * @throws PreviewFailed where it throws or doesn't end
 */
export async function runToEnd(run: Run): Promise<MadeResource[]> {
  const { project, sdk, monitor } = run;
  const inner = sdk.pulumi.runtime as unknown as InnerRuntime;
  const errors = new ProgramErrors();
  const { store, leave } = enterPreview(sdk, {
    monitor,
    callbacks: run.callbacks,
    project: project.name,
    stack: project.stack,
    organization: project.organization,
    rootDirectory: project.root,
    values: project.configuration.values,
    secretKeys: project.configuration.secretKeys,
  });
  const undo = [
    leave,
    standInForUnknownResults(inner, (value) => sdk.pulumi.isUnknown(value)),
    withoutPromiseTraces(sdk.require('./runtime/debuggable') as Debuggable),
    withoutSourcePositions(sdk.pulumi.Resource as unknown as LocatesResources),
    errors.listen(),
    enterFolder(project),
  ];
  try {
    const outputs = sdk.pulumi.runtime.runInPulumiStack(async () => {
      try {
        return await run.program();
      } catch (error) {
        // Not thrown on: the stack would reject several promises with it.
        errors.add(error);
        return undefined;
      }
    });
    const ending = await settle({
      done: outputs.then(() => inner.waitForRPCs(), errors.add),
      failed: errors.first,
      count: () => monitor.resources.size,
      timeoutSeconds: run.timeoutSeconds,
      untilIdle: run.untilIdle,
    });
    const made = madeResources(store.stackResource, project);
    throwIfFailed(run, ending, errors.all, pendingAmong(made, monitor));
    if (store.logErrorCount > 0) {
      throw new PreviewFailed('the program logged an error, which ends a deployment', []);
    }
    return made;
  } finally {
    undo.reverse().forEach((each) => each());
  }
}

/** Resources whose registration never came: they wait for an input or a parent. */
function pendingAmong(made: readonly MadeResource[], monitor: PreviewMonitor): string[] {
  // Nobody registers a resource that is looked up by its URN; it has lost its parent in the tree, too.
  const lookedUp = new Set([...monitor.lookedUp].map(urnParts).map(({ type, name }) => `${type} ${name}`));
  return made
    .filter(({ urn }) => !monitor.resources.has(urn))
    .map(({ type, name }) => `${type} ${name}`)
    .filter((each) => !lookedUp.has(each));
}

function throwIfFailed(
  { monitor, timeoutSeconds }: Run,
  ending: Ending,
  errors: readonly unknown[],
  pending: readonly string[],
): void {
  const details = pending.map((each) => `pending: ${each}`);
  if (errors.length > 0) {
    const unanswered = monitor.unknownResults.filter(({ kind }) => kind === 'invoke');
    const hints = unanswered.map(
      ({ name }) => `note: the result of ${name} was unknown; the answers file can give it`,
    );
    throw new PreviewFailed('the program threw', errors, hints);
  }
  if (ending === 'late') {
    throw new PreviewFailed(`the program did not finish within ${timeoutSeconds} s`, [], details);
  }
  if (ending === 'lingering') {
    const open = [...new Set(process.getActiveResourcesInfo())].join(', ');
    throw new PreviewFailed(
      `the program registered everything, but was still running after ${timeoutSeconds} s; so would a deployment`,
      [],
      [`open: ${open}`],
    );
  }
  if (ending === 'stuck') {
    throw new PreviewFailed(
      'the program waits for a promise that nothing can resolve any more',
      [],
      pending.length > 0 ? details : ['every resource that it made is registered'],
    );
  }
  if (pending.length > 0) {
    throw new PreviewFailed(
      'the program ended, but an input of a resource failed or never resolved',
      [],
      details,
    );
  }
}

/** A program runs in its own folder and does not see our arguments. */
function enterFolder(project: Project): () => void {
  const [directory, argv] = [process.cwd(), process.argv];
  if (project.directory !== directory) {
    process.chdir(project.directory);
  }
  process.argv = [argv[0] ?? 'node', project.entry];
  return () => {
    process.argv = argv;
    if (process.cwd() !== directory) {
      process.chdir(directory);
    }
  };
}
