import type { FleetConfiguration } from '../../configuration';
import { ProgramUnreachable } from '../../program';
import type { ProgramCommit, ProgramDeployment } from '../../program';
import { readFleet, withFleet } from '../fleet-file';
import type { FleetPlaces } from '../fleet-file';
import { shownLine } from '../run-command';
import { readToken } from './read-token';
import type { SecretSource } from '../../../../core/secret-source';
import { branchHead, withBranch } from './repository';
import type { BranchState, RepositoryAccess } from './repository';
import type { GitProgramSettings } from './settings';
import { shownRepository } from './shown-repository';

/** A branch as it was found, with what it says of the fleet. */
export interface FoundFleet {
  readonly branch: BranchState;
  readonly text: string;
  readonly configuration: FleetConfiguration;
}

/** Where the swap file says GitHub's token. */
export const githubToken = 'program.git.github.token';

/** The file of a fleet on the branch that is deployed. */
export class FleetBranch {
  /** `main` */
  public readonly branch: string;
  /** For messages: `clusters.yaml of https://github.com/acme/infra.git (branch main)`. */
  public readonly file: string;
  /** What a deployment makes there. */
  public readonly commitPlace: ProgramCommit;
  /** Where the file says what the fleet is. */
  public readonly places: FleetPlaces;

  public constructor(
    private readonly settings: GitProgramSettings,
    private readonly env: Readonly<Record<string, string | undefined>>,
  ) {
    const { repository: url, branch = 'main', file, slots, weights, active, github } = settings;
    const repository = shownRepository(url);
    this.branch = branch;
    this.file = `${file} of ${repository} (branch ${branch})`;
    this.commitPlace = { by: github ? 'pullRequest' : 'push', repository, branch, file };
    this.places = { slots, ...(weights && { weights }), ...(active && { active }) };
  }

  /**
   * Does something with the branch as it is now.
   *
   * @throws ProgramUnreachable where the server does not answer, or refuses; InvalidInput where the file says no fleet
   */
  public found<T>(signal: AbortSignal, use: (found: FoundFleet) => Promise<T>): Promise<T> {
    return withBranch(this.access(), signal, async (branch) => {
      const text = await branch.read(this.settings.file);
      return use({ branch, text, configuration: readFleet(text, this.file, this.places) });
    });
  }

  /** The newest commit. */
  public head(signal: AbortSignal): Promise<string> {
    return branchHead(this.access(), signal);
  }

  /** The newest commit that has changed the file. */
  public lastChange({ branch }: FoundFleet): Promise<string> {
    return branch.lastChange(this.settings.file);
  }

  /** Makes a commit with another configuration, and answers its name. */
  public commit({ branch, text }: FoundFleet, { configuration, title }: ProgramDeployment): Promise<string> {
    const content = withFleet(text, this.file, this.places, configuration);
    return branch.commit(this.settings.file, content, `${shownLine(title)}\n`);
  }

  /**
   * @param path where the swap file says it: `program.git.token`
   * @throws ProgramUnreachable where it is not there
   */
  public secret(path: string, source: SecretSource): string {
    try {
      return readToken(path, source, this.env);
    } catch (error) {
      throw new ProgramUnreachable((error as Error).message, false);
    }
  }

  /** Secrets that are not there, a line each. */
  public missingTokens(): readonly string[] {
    const { token, github } = this.settings;
    return [
      ...(token ? [['program.git.token', token] as const] : []),
      ...(github ? [[githubToken, github.token] as const] : []),
    ].flatMap(([path, source]) => {
      try {
        readToken(path, source, this.env);
        return [];
      } catch (error) {
        return [(error as Error).message];
      }
    });
  }

  private access(): RepositoryAccess {
    const {
      repository: url,
      token,
      github,
      author = 'cluster-canary <cluster-canary@localhost>',
    } = this.settings;
    const source = token ?? (url.startsWith('https://') ? github?.token : undefined);
    return {
      ...{ url, author, env: this.env, branch: this.branch },
      ...(source && { token: this.secret(token ? 'program.git.token' : githubToken, source) }),
    };
  }
}
