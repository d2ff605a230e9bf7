import type { RunProgram } from '../../../../core/process/run-program';
import { errorLine } from '../../../../core/validation/problems';
import { runCommand } from '../run-command';
import type { DeploymentState, GitHubApi } from './github';
import { stateOfAll } from './revisions';
import type { DeployedSettings } from './settings';

/** For one run of the command of `deployed`, in milliseconds. */
const commandPatience = 60_000;

/** Status by which the command of `deployed` says that a revision never will be. */
const neverStatus = 3;

/** Ways to learn of a deployment. */
interface Ways {
  readonly run: RunProgram;
  /** Folder that a command runs in. */
  readonly folder: string;
  readonly gitHub: () => Pick<GitHubApi, 'status' | 'deployment'>;
  readonly say: (line: string) => void;
}

/** What is known of the deployment of one of these revisions. */
export async function deploymentState(
  deployed: DeployedSettings,
  revisions: readonly string[],
  { run, folder, gitHub, say }: Ways,
  signal: AbortSignal,
): Promise<DeploymentState> {
  if ('command' in deployed) {
    const { command } = deployed;
    const input = { schemaVersion: 1, revisions };
    const call = { command, folder, input, timeoutMs: commandPatience, graceMs: 3_000 };
    try {
      const { status } = await runCommand(run, call, signal);
      return status === 0 ? 'deployed' : status === neverStatus ? 'failed' : 'unknown';
    } catch (error) {
      signal.throwIfAborted();
      // It says nothing about the pipeline, which goes on.
      say(`${errorLine(error)}; it is run again`);
      return 'unknown';
    }
  }
  const api = gitHub();
  const states: DeploymentState[] = [];
  for (const revision of revisions) {
    states.push(
      'status' in deployed
        ? await api.status(revision, deployed.status)
        : await api.deployment(revision, deployed.environment),
    );
  }
  return stateOfAll(states);
}
